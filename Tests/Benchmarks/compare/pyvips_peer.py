"""Thumbnails with pyvips and a pool of two processes, as a careful script makes them.

    pyvips_peer.py FOLDER SIZES IMAGE…

Each image is decoded once, by `thumbnail` with its shrink-on-load; smaller sizes come from the largest.
"""
import multiprocessing
import os
import sys

import pyvips

FOLDER, SIZES = sys.argv[1], [int(size) for size in sys.argv[2].split(",")]


def make(path):
    name = os.path.splitext(os.path.basename(path))[0]
    image = pyvips.Image.thumbnail(path, SIZES[0], height=SIZES[0], size="down", fail_on="error")
    # Only images with a profile: `export_profile` of libvips 8.14 shifts the colours of all others.
    if image.get_typeof("icc-profile-data"):
        image = image.icc_transform("srgb", embedded=True, intent="relative", depth=8)
        image.remove("icc-profile-data")
    image = image.copy_memory()
    for size in SIZES:
        if size != SIZES[0]:
            image = image.thumbnail_image(size, height=size, size="down").copy_memory()
        image.webpsave(f"{FOLDER}/{name}-{size}.webp", Q=80, effort=4, strip=True)


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        pool.map(make, sys.argv[3:], chunksize=1)
