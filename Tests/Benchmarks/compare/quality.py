"""How close files are to their source: SSIMULACRA 2 against a reference that is decoded in full, converted to
sRGB and reduced with Lanczos3 in gamma space, as all programs here reduce."""
import multiprocessing
import statistics

import numpy as np
import pyvips
from PIL import Image

from ssimulacra import score

pyvips.cache_set_max(0)


def pixels(path):
    """Upright 8-bit sRGB pixels, on white."""
    image = pyvips.Image.new_from_file(path).autorot()
    if image.get_typeof("icc-profile-data"):
        image = image.icc_transform("srgb", embedded=True, intent="relative", depth=8)
    image = image.colourspace("srgb")
    if image.hasalpha():
        image = image.flatten(background=255)
    return np.asarray(image.cast("uchar"))[..., :3]


def scores(task):
    """Of one image: the score of each file of `files`, by contestant and size."""
    source, files = task
    whole = Image.fromarray(pixels(source))
    references, known, result = {}, {}, {}
    for key, path in files.items():
        made = pixels(path)
        shape = (made.shape[1], made.shape[0])
        if shape not in references:
            references[shape] = np.asarray(whole.resize(shape, Image.Resampling.LANCZOS))
        # Several contestants make the same pixels.
        content = (shape, hash(made.tobytes()))
        if content not in known:
            known[content] = score(references[shape], made)
        result[key] = known[content]
    return result


def sample(images, count=40):
    """At most `count` images, evenly spread."""
    step = max(1.0, len(images) / count)
    return [images[int(index * step)] for index in range(min(count, len(images)))]


def means(images, files):
    """The mean score by contestant and size; `files(image)` maps (contestant, size) to a path."""
    tasks = [(image, files(image)) for image in sample(images)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        results = pool.map(scores, tasks, chunksize=1)
    keys = sorted({key for result in results for key in result})
    return {key: statistics.mean(result[key] for result in results if key in result) for key in keys}
