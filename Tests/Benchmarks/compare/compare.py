"""Compares Tessera with its peers and writes RESULTS.md. Started by Tests/Benchmarks/run, which see."""
import argparse
import datetime
import os
import signal
import statistics
import subprocess
import sys

import history
import inputs
import machine
import peers
from rounds import Group

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HOME = os.path.join(ROOT, ".build/benchmark")
BARE_C = os.path.join(HOME, "transcode")
LARGE, SMALL, ONE = [1024, 512, 256, 128], [512, 256, 128], [256]


def contestants(tessera, server, sizes):
    return [
        peers.Tessera(tessera, server, sizes),
        peers.Tessera(tessera, server, sizes, "Tessera, effort auto", effort="auto"),
        peers.Tessera(tessera, server, sizes, "Tessera, one worker", workers=1),
        peers.bare_c(BARE_C, sizes),
        peers.script("pyvips", sizes, "pyvips_peer.py"),
        peers.vipsthumbnail(sizes),
        peers.script("Pillow", sizes, "pillow_peer.py"),
        peers.script("OpenCV", sizes, "opencv_peer.py"),
        peers.imagemagick(sizes),
    ]


def with_server(folder, use):
    server = inputs.Server(folder, f"{HOME}/nginx")
    try:
        return use(server)
    finally:
        server.stop()


def compare(options):
    import report
    sources = inputs.large(f"{HOME}/large")
    groups, out = [], f"{HOME}/out"
    if options.only != "small":
        chosen = inputs.subset(sources, options.images)
        groups.append(with_server(f"{HOME}/large", lambda server: measure(Group(
            "large", chosen, contestants(options.tessera, server, LARGE), f"{out}/large"), options)))
    if options.only != "large":
        chosen = inputs.subset(inputs.small(f"{HOME}/small", sources), options.images)
        groups += with_server(f"{HOME}/small", lambda server: [measure(group, options) for group in (
            Group("small", chosen, contestants(options.tessera, server, SMALL), f"{out}/small"),
            Group("one size", chosen, [
                peers.Tessera(options.tessera, server, ONE), peers.bare_c(BARE_C, ONE),
                peers.Img2dataset(server, ONE[0])], f"{out}/one"))])
    text = report.text(groups, options)
    print(text)
    whole = not options.images and not options.only
    path = os.path.join(ROOT, "Tests/Benchmarks/RESULTS.md") if whole else f"{HOME}/RESULTS.md"
    kept = ""
    if os.path.exists(path):
        # What other programs have measured.
        with open(path) as file:
            kept = "".join(file.read().partition(report.FIRST_KEPT)[1:])
    with open(path, "w") as file:
        file.write(text + kept)
    if whole:
        subprocess.run([os.path.join(ROOT, "Pipelines/figures/make")], check=True)
        for group in groups:
            record(group.title, group.ratios("Tessera", "Bare C", "processor"))
    print(f"Written to {os.path.relpath(path, ROOT)}")


def record(title, ratios):
    history.add(datetime.date.today().isoformat(), machine.version(), machine.processor(), title, ratios)


def measure(group, options):
    import quality
    group.warm_up()
    print(f"{group.title}: {len(group.images)} images; comparing the files with their sources", flush=True)
    group.quality = quality.means(group.images, group.files)
    group.run(options.rounds)
    return group


def guard(options):
    """Fails if a run's processor time, relative to the bare C program's, is far above what it was at the last
    measurements. Its images are drawn, not installed."""
    failed = False
    for title, sizes in (("large", LARGE), ("small", SMALL)):
        folder, kept = f"{HOME}/guard/{title}", f"drawn {title}"
        ratios = with_server(folder, lambda server: guard_group(options, title, sizes, folder, server))
        ratio, last = statistics.median(ratios), history.last(kept, machine.processor())
        limit = history.ALLOWANCE * statistics.median(last or ratios)
        print(f"{kept}: {ratio:.2f} of the bare C program's processor time; before: "
              + (", ".join(f"{number:.2f}" for number in last) or "nothing") + f"; the limit is {limit:.2f}")
        if ratio > limit:
            failed = True
        elif options.record:
            record(kept, ratios)
    sys.exit(1 if failed else 0)


def guard_group(options, title, sizes, folder, server):
    group = Group(title, inputs.files(folder), [
        peers.Tessera(options.tessera, server, sizes), peers.bare_c(BARE_C, sizes)], f"{HOME}/out/guard")
    group.run(options.rounds)
    return group.ratios("Tessera", "Bare C", "processor")


def main():
    # As after an interrupt: the web server is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog="Tests/Benchmarks/run")
    parser.add_argument("--rounds", type=int, help="alternating rounds; the default is 5, with --guard 3")
    parser.add_argument("--images", type=int, help="this many large and small images, for a trial")
    parser.add_argument("--only", choices=["large", "small"], help="only these images, for a trial")
    parser.add_argument("--guard", action="store_true", help="only Tessera and the C program, on drawn images")
    parser.add_argument("--record", action="store_true", help="with --guard: add what is measured to history.tsv")
    parser.add_argument("--tessera", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.guard else 5)
    guard(options) if options.guard else compare(options)


if __name__ == "__main__":
    main()
