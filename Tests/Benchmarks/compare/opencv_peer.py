"""Thumbnails with OpenCV and a pool of two processes.

    opencv_peer.py FOLDER SIZES IMAGE…

`INTER_AREA` is what OpenCV's documentation advises for making an image smaller, and what img2dataset uses. Each size is made
from the one before. Colours are not managed.
"""
import multiprocessing
import os
import sys

import cv2

FOLDER, SIZES = sys.argv[1], [int(size) for size in sys.argv[2].split(",")]


def read(path):
    """Upright pixels of 8 bits, with transparency where the format has it."""
    if path.endswith((".png", ".webp")):
        # Only this flag keeps it; then `imread` turns nothing upright, as no image of these formats needs.
        image = cv2.imread(path, cv2.IMREAD_UNCHANGED)
        if image.ndim == 3 and image.dtype == "uint8":
            return image
    return cv2.imread(path, cv2.IMREAD_COLOR)


def make(path):
    name = os.path.splitext(os.path.basename(path))[0]
    image = read(path)
    for size in SIZES:
        height, width = image.shape[:2]
        scale = min(1, size / max(width, height))
        if scale < 1:
            down = (max(1, round(width * scale)), max(1, round(height * scale)))
            image = cv2.resize(image, down, interpolation=cv2.INTER_AREA)
        # Below a quality of 101 it is lossy, with libwebp's own effort, which is 4.
        cv2.imwrite(f"{FOLDER}/{name}-{size}.webp", image, [cv2.IMWRITE_WEBP_QUALITY, 80])


if __name__ == "__main__":
    # The pool has both processors.
    cv2.setNumThreads(1)
    with multiprocessing.Pool(2) as pool:
        pool.map(make, sys.argv[3:], chunksize=1)
