"""What all groups of images share: the one image, the list of cases, and the encoders of Debian's packages."""
import functools, os, subprocess

from colours import *
from formats import *

# What has the encoders.
PACKAGES = ("libvips-tools", "libjpeg-turbo-progs", "libheif-examples", "libavif-bin", "libjxl-tools", "libopenjp2-tools")
RED, GREEN, BLUE, YELLOW = CORNERS = ((200, 40, 40), (40, 160, 60), (40, 60, 180), (230, 200, 50))
WIDTH, HEIGHT = 120, 80
CLEAR = (0, 0, 0, 0)
HALF = [corner + (128,) for corner in CORNERS]
GREYS = [26, 77, 153, 230]
cases = []
# Where a case is written, and where encoders work; `make` sets both.
folders = {}


def picture(corners=CORNERS, width=WIDTH, height=HEIGHT):
    """Rows of pixels with a colour in each quarter."""
    corners = [corner if isinstance(corner, (tuple, list)) else (corner,) for corner in corners]
    return [[tuple(corners[(2 if 2 * y >= height else 0) + (1 if 2 * x >= width else 0)]) for x in range(width)]
            for y in range(height)]


def flat(colour, width=WIDTH, height=HEIGHT):
    return picture([colour] * 4, width, height)


def store(name, data):
    path = os.path.join(folders["out"], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def case(name, data, title, shows=CORNERS, size=(WIDTH, HEIGHT), tolerance=10, **facts):
    """`shows`: a colour for the middle of each quarter, as sRGB and perhaps alpha; None if none is expected."""
    store(name, data)
    entry = {"file": name, "group": name.split("/")[0], "title": title}
    if shows:
        entry.update(shows=[list(colour) for colour in shows], size=list(size), tolerance=tolerance)
    entry.update(facts)
    cases.append(entry)


@functools.cache
def made_by(words, source, source_type, target_type):
    """What a command makes: `words` has SOURCE and TARGET in place of the files."""
    paths = {name: os.path.join(folders["work"], name.lower() + "." + suffix)
             for name, suffix in (("SOURCE", source_type), ("TARGET", target_type))}
    with open(paths["SOURCE"], "wb") as file:
        file.write(source)
    result = subprocess.run([paths.get(word, word) for word in words], capture_output=True)
    if result.returncode:
        raise SystemExit(f"{' '.join(words)}: {result.stderr.decode(errors='replace')}")
    with open(paths["TARGET"], "rb") as file:
        return file.read()


def ppm(rows):
    kind = b"P6" if len(rows[0][0]) == 3 else b"P5"
    return kind + b"\n%d %d\n255\n" % (len(rows[0]), len(rows)) + bytes(s for row in rows for pixel in row for s in pixel)


def cjpeg(rows, *options):
    return subprocess.run(["cjpeg", "-quality", "95", *options], input=ppm(rows), capture_output=True, check=True).stdout


def vips(rows, suffix, depth=8, strip=True, **options):
    """An encoder's file of a PNG."""
    source, target = os.path.join(folders["work"], "source.png"), os.path.join(folders["work"], "target." + suffix)
    with open(source, "wb") as file:
        file.write(png(rows, depth))
    return vips_file(source, target, strip, **options)


def vips_file(source, target, strip=True, **options):
    words = ",".join(f"{key}={value}" for key, value in {**({"strip": "true"} if strip else {}), **options}.items())
    subprocess.run(["vips", "copy", source, f"{target}[{words}]"], check=True, capture_output=True)
    with open(target, "rb") as file:
        return file.read()


def ink_jpeg(inks):
    """A JPEG of four inks from 0 to 255, stored inverted and with Adobe's mark, as Photoshop does it."""
    source = os.path.join(folders["work"], "inks.tif")
    with open(source, "wb") as file:
        file.write(tiff(picture(inks), photometric=5))
    return vips_file(source, os.path.join(folders["work"], "inks.jpg"), Q=95)


def eight(colour):
    return tuple(round(255 * value) for value in colour)


def sixteen(colour):
    return tuple(round(65535 * value) for value in colour)


def grey_of(value, curve=lambda v: v):
    return (round(255 * srgb(curve(value))),) * 3


# How a viewer finds the stored pixel of a displayed one, by the value of Exif's orientation.
TURNS = {
    1: lambda rows: rows, 2: lambda rows: [row[::-1] for row in rows], 3: lambda rows: [row[::-1] for row in rows[::-1]],
    4: lambda rows: rows[::-1], 5: lambda rows: [list(row) for row in zip(*rows)],
    6: lambda rows: [list(row) for row in zip(*rows)][::-1],
    7: lambda rows: [list(row)[::-1] for row in zip(*rows)][::-1], 8: lambda rows: [list(row)[::-1] for row in zip(*rows)],
}
# 8 is turned by a quarter to the left for display, so it is stored turned to the right, and 6 the other way round.

GBR = icc([[adapted(BT709)[i][k] for i in range(3)] for k in (1, 2, 0)], linear)
P3_PROFILE = icc([[adapted(P3)[i][k] for i in range(3)] for k in range(3)], linear)
LINEAR_GREY = icc(None, lambda v: v, b"GRAY")


def swapped(colour):
    """Samples that show the colour by a profile whose first sample is green, the second blue, the third red."""
    return (colour[1], colour[2], colour[0])

