"""RESULTS.md: what was measured."""
import os

import machine
from quality import sample

INTRODUCTION = """# Tessera and its peers

For readers who choose a machine, a program or a setting: what was measured, and when. `Tests/Benchmarks/run` writes this page as
far as "Reading a catalog", and keeps the rest. Alternating rounds: {rounds}. Times are their medians;
a ratio is the median of a row's time divided by Tessera's in the same round, so 2.00 means twice Tessera's time.

A Tessera row is a whole first run, as a user starts it: manifest, HTTP from an nginx on this machine, checks of
every source, placeholders, state, files that survive a power cut, and the catalog. All other rows but img2dataset
read files and only make thumbnails. Every program works on two processors and makes WebP at quality 80, effort 4,
unless a row says otherwise.

- *Processor* is the time of the whole process tree (for Tessera and img2dataset without nginx).
- *Memory* is the tree's highest PSS, sampled every 50 ms in a separate round.
- *Bytes* are those of all images made. *Bare C* and Tessera write no metadata.
- *SSIMULACRA 2* compares up to {sample} images of a group with their source, decoded in full, converted to sRGB and
  reduced with Lanczos3 in gamma space (100: identical, 70: high quality).
"""

HISTORY = """
## What was measured before

![The ratio of each group at each measurement](history.svg)

Each row of [history.tsv](history.tsv) is a dot, with the spread of its rounds. Groups that begin with "drawn" are those of
`Tests/Benchmarks/run --guard`, which compares with the last of them.
"""

PEERS = """
## The peers

- **Bare C** (`Transcode.c`): libvips from C with two threads; one decode, each size from the one before.
- **pyvips**: the same in Python, with a pool of two processes.
- **vipsthumbnail**: once per size, `xargs -P 2`, eight images a call. Profiles are kept, not converted.
- **Pillow**: `Image.thumbnail`, which uses `draft`, with a pool of two processes. Without colour management.
- **OpenCV**: `resize` with `INTER_AREA`, each size from the one before, with a pool of two processes. Without colour
  management.
- **ImageMagick**: `convert -define jpeg:size`, all sizes in one call per image, `xargs -P 2`. Profiles are kept, not
  converted.
- **img2dataset**: one size, from the same nginx, two processes of 16 threads.
"""

# It states figures of Tests/Benchmarks/encoders, which are changed here when they are measured again.
ENCODERS = """
## Settings of encoders

Recorded on 2026-11-21, HEIC on 2026-11-29, by `Tests/Benchmarks/encoders`: 19 photographs at 512 pixels; bytes and processor
time relative to the first row, and SSIMULACRA (0: identical, lower is better). The defaults, in bold, look alike but for JPEG.
With `effort: auto`, WebP's effort is 2 for sources in a format for photographs and 4 for all others: half the time on
photographs; on graphics, 2 would cost 12 % more bytes. It is not the default, because flat colours of graphics that were saved
as JPEG shift more with 2.

| format | quality | effort | bytes | time | SSIMULACRA |
|---|---|---|---|---|---|
| **webp** | **80** | **4** | 1.00 | 1.00 | 0.0255 |
| webp | 80 | 2 | 1.03 | 0.53 | 0.0268 |
| webp | 80 | 6 | 0.95 | 1.98 | 0.0269 |
| webp | 75 | 4 | 0.82 | 0.81 | 0.0317 |
| webp, smart subsampling | 80 | 4 | 1.05 | 1.50 | 0.0240 |
| **avif** | **65** | **2** | 0.89 | 2.83 | 0.0254 |
| avif | 65 | 0 | 0.95 | 0.84 | 0.0274 |
| avif | 65 | 4 | 0.90 | 20.3 | 0.0218 |
| **jxl** | **80** | **5** | 0.86 | 1.88 | 0.0255 |
| jxl | 80 | 7 | 0.87 | 3.14 | 0.0248 |
| **heic** | **80**, which is 45 of x265 | | 0.81 | 10.7 | 0.0249 |
| **jpeg**, progressive, optimised | **80** | | 1.22 | 0.2 | 0.0286 |
| jpeg, neither | 80 | | 1.29 | 0.2 | 0.0286 |

`alpha-quality: 80` keeps 96 levels of alpha: none moves by more than 2 of 255, and files take 1 to 3 % fewer bytes. 70 keeps 16
levels: a move of at most 14, 17 % fewer bytes on icons of 96 pixels and 34 % on photographs with a soft edge of 512, where it
shows as bands. (78 icons, 19 photographs.)
"""

# Where what other programs have measured begins, which stays as it is.
FIRST_KEPT = "\n## Reading a catalog"


def text(groups, options):
    parts = [INTRODUCTION.format(rounds=options.rounds, sample=len(sample(range(10 ** 6))))]
    for group in groups:
        parts.append(f"\n## {heading(group)}\n\n" + table(group))
    return "".join([*parts, HISTORY, PEERS, machine.section(), ENCODERS])


def heading(group):
    size = sum(map(os.path.getsize, group.images)) / 1e6
    sizes = ", ".join(map(str, group.contestants[0].sizes))
    names = {"large": "wallpapers", "small": "images of 500 x 375", "one size": "images of 500 x 375, one size"}
    return f"{len(group.images)} {names[group.title]} ({size:.0f} MB) to {sizes} pixels"


def table(group):
    sizes, first = group.contestants[0].sizes, group.contestants[0].name
    head = ["", "wall, s", "ratio", "processor, s", "ratio", "memory", "bytes",
            *[f"at {size}" for size in sizes]]
    rows = [head, ["---", *["--:"] * (len(head) - 1)]]
    for one in group.contestants:
        name = one.name
        rows.append([
            name, f"{group.median(name, 'seconds'):.1f}", f"{group.ratio(name, first, 'seconds'):.2f}",
            f"{group.median(name, 'processor'):.1f}", f"{group.ratio(name, first, 'processor'):.2f}",
            f"{group.memory[name] / 1e6:.0f} MB", f"{group.bytes[name] / 1e6:.2f} MB",
            *[f"{group.quality[name, size]:.1f}" for size in sizes]])
    lines = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    return lines + "\nThe last columns are SSIMULACRA 2 by size.\n" + sentences(group)


def sentences(group):
    names = [one.name for one in group.contestants]
    found = [f"{group.ratio(names[0], 'Bare C', 'processor'):.2f} of bare C's processor time"]
    if "Tessera, one worker" in names:
        faster = group.ratio("Tessera, one worker", names[0], "seconds")
        found.append(f"with two workers {faster:.2f} times as fast as with one")
    return f"{names[0]} takes " + "; it is ".join(found) + ".\n"
