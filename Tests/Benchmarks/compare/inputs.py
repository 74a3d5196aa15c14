"""The images that are processed, as numbered files in a folder, and the web server that serves them."""
import os
import random
import socket
import subprocess
import sys
import time

PACKAGES = ["plasma-workspace-wallpapers", "mate-backgrounds", "gnome-backgrounds",
            "lomiri-wallpapers-16.04", "lomiri-wallpapers-20.04"]


def fresh_folder(folder):
    subprocess.run(["rm", "-rf", folder], check=True)
    os.makedirs(folder)
    return folder


def wallpapers():
    """The packages' JPEG, PNG and WebP files whose longer side exceeds 1,024 pixels."""
    import pyvips
    listed = subprocess.run(["dpkg", "-L", *PACKAGES], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in listed.splitlines():
        if line.lower().endswith((".jpg", ".jpeg", ".png", ".webp")):
            found.add(os.path.realpath(line))
    images = [(path, pyvips.Image.new_from_file(path)) for path in sorted(found)]
    return [path for path, image in images if max(image.width, image.height) > 1024]


def large(folder):
    """Links to the wallpapers."""
    fresh_folder(folder)
    for index, path in enumerate(wallpapers()):
        os.symlink(path, f"{folder}/{index:03}{os.path.splitext(path)[1].lower()}")
    return files(folder)


def small(folder, sources, count=1000):
    """JPEGs of 500 x 375 pixels: parts of the sources at 2,000 pixels. Kept for the next time."""
    import pyvips
    if os.path.exists(folder):
        return files(folder)
    part = fresh_folder(folder + ".part")
    chance = random.Random(1)
    for index, path in enumerate(sources):
        image = pyvips.Image.thumbnail(path, 2000, size="down")
        image = (image.flatten(background=255) if image.hasalpha() else image).copy_memory()
        for number in range(index, count, len(sources)):
            left, top = chance.randint(0, image.width - 500), chance.randint(0, image.height - 375)
            image.crop(left, top, 500, 375).jpegsave(f"{part}/{number:04}.jpg", Q=90, strip=True)
    os.rename(part, folder)
    return files(folder)


def files(folder):
    return sorted(f"{folder}/{name}" for name in os.listdir(folder))


def subset(images, count):
    """All of them without a count, else `count` of them, evenly spread."""
    if not count or count >= len(images):
        return images
    return [images[index * len(images) // count] for index in range(count)]


class Server:
    """nginx on loopback, which serves a folder with its defaults."""

    def __init__(self, root, home):
        fresh_folder(home)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        temporary = " ".join(f"{kind}_temp_path {home}/{kind};"
                             for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{home}/nginx.conf", "w") as file:
            # Without a master process nginx runs as this user, who can read the folder.
            file.write(f"""
daemon off; master_process off; pid {home}/nginx.pid; error_log {home}/error.log;
events {{ worker_connections 256; }}
http {{ access_log off; {temporary} server {{ listen 127.0.0.1:{self.port}; root {root}; }} }}
""")
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{home}/nginx.conf", "-e",
                                         f"{home}/error.log"])
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        sys.exit("nginx did not start; see " + home)

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{os.path.basename(path)}"

    def stop(self):
        self.process.terminate()
        self.process.wait()
