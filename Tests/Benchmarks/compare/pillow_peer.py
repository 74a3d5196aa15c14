"""Thumbnails with Pillow and a pool of two processes.

    pillow_peer.py FOLDER SIZES IMAGE…

`thumbnail` is the way of Pillow's documentation. It calls `draft`, which lets libjpeg decode at a fraction of the
size. Colours are not managed: profiles are dropped without a conversion.
"""
import multiprocessing
import os
import sys

from PIL import Image, ImageOps

FOLDER, SIZES = sys.argv[1], [int(size) for size in sys.argv[2].split(",")]


def make(path):
    name = os.path.splitext(os.path.basename(path))[0]
    with Image.open(path) as image:
        # Pillow would resize palettes without interpolation.
        if image.mode not in ("RGB", "RGBA", "L", "CMYK"):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        for size in SIZES:
            image.thumbnail((size, size))
            if size == SIZES[0]:
                image = ImageOps.exif_transpose(image)
            image.save(f"{FOLDER}/{name}-{size}.webp", quality=80, method=4, exif=b"")


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        pool.map(make, sys.argv[3:], chunksize=1)
