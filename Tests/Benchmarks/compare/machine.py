"""With what, and on what, something was measured."""
import importlib.metadata
import os
import platform
import re
import subprocess


def output(*command):
    """The first line that a command prints, or what is known instead."""
    try:
        lines = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        return "unknown"
    return ((lines.stdout + lines.stderr).strip().splitlines() or ["unknown"])[0]


def package(name):
    return output("dpkg-query", "-W", "-f", "${Version}", name)


def first_match(path, pattern, otherwise="unknown"):
    with open(path) as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    return found.group(1) if found else otherwise


def version():
    changed = output("git", "status", "--porcelain", "--untracked-files=no", "--", "Sources") != "unknown"
    return output("git", "rev-parse", "--short", "HEAD") + (", with changes" if changed else "")


def processor():
    model = first_match("/proc/cpuinfo", r"^model name\s*: (.*)$")
    return f"{model}, {os.cpu_count()} processors"


def section():
    """Versions and machine, for RESULTS.md."""
    pypi = ", ".join(f"{name} {importlib.metadata.version(name)}"
                     for name in ("pyvips", "pillow", "img2dataset", "opencv-python-headless", "numpy"))
    debian = ", ".join(f"{name} {package(name)}"
                       for name in ("libvips42", "libwebp7", "libjpeg62-turbo", "nginx-light", "imagemagick"))
    memory = int(first_match("/proc/meminfo", r"^MemTotal:\s+(\d+)", "0")) / 1e6
    system = first_match("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)')
    rows = [
        ("Tessera", f"commit {version()}, {output('swift', '--version')}"),
        ("Debian", debian),
        ("PyPI", f"{pypi}; Python {platform.python_version()}"),
        ("machine", f"{processor()}, {memory:.0f} GB"),
        ("system", f"{system}, Linux {platform.release()}"),
    ]
    lines = "".join(f"| {name} | {value} |\n" for name, value in rows)
    return f"\n## Versions and machine\n\n| | |\n|---|---|\n{lines}"
