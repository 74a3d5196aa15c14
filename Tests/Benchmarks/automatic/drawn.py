"""Graphics and screenshots, drawn by numbers: the same ones each time. Text is set by libvips (Pango)."""
import os
import subprocess

import numpy as np

WORDS = ("the quick brown fox jumps over a lazy dog while every image keeps its text sharp and its flat "
         "colours flat no matter how few bytes are left for it in a feed of many thousands").split()
PALETTES = [((255, 255, 255), (33, 33, 33), (25, 118, 210), (211, 47, 47)),
            ((18, 18, 18), (230, 230, 230), (129, 212, 250), (255, 171, 64)),
            ((250, 245, 235), (60, 40, 30), (46, 125, 50), (230, 180, 30)),
            ((0, 43, 54), (147, 161, 161), (38, 139, 210), (220, 50, 47))]


def read(path):
    """A binary PGM or PPM file as an array (height, width, channels)."""
    with open(path, "rb") as file:
        data = file.read()
    fields, offset = [], 0
    while len(fields) < 4:
        end = offset
        while data[end:end + 1] not in (b" ", b"\n", b"\t", b"\r"):
            end += 1
        word = data[offset:end]
        if word.startswith(b"#"):
            end = data.index(b"\n", offset)
        elif word:
            fields.append(word)
        offset = end + 1
    width, height, channels = int(fields[1]), int(fields[2]), 3 if fields[0] == b"P6" else 1
    return np.frombuffer(data, np.uint8, offset=offset).reshape(height, width, channels)


def write(path, image):
    """An array as a PPM file."""
    with open(path, "wb") as file:
        file.write(b"P6 %d %d 255\n" % (image.shape[1], image.shape[0]) + np.ascontiguousarray(image).tobytes())


class Canvas:
    def __init__(self, width, height, colour, folder, chance):
        self.image = np.empty((height, width, 3), np.float64)
        self.image[:] = colour
        self.folder, self.chance = folder, chance

    def box(self, x, y, width, height, colour):
        self.image[max(0, y):max(0, y + height), max(0, x):max(0, x + width)] = colour

    def disc(self, x, y, radius, colour):
        height, width = self.image.shape[:2]
        rows, columns = np.mgrid[0:height, 0:width]
        cover = np.clip(radius - np.hypot(columns - x, rows - y) + 0.5, 0, 1)[..., None]
        self.image += cover * (np.asarray(colour) - self.image)

    def line(self, x0, y0, x1, y1, thick, colour):
        height, width = self.image.shape[:2]
        rows, columns = np.mgrid[0:height, 0:width]
        length = max(1e-9, np.hypot(x1 - x0, y1 - y0))
        along = np.clip(((columns - x0) * (x1 - x0) + (rows - y0) * (y1 - y0)) / length ** 2, 0, 1)
        distance = np.hypot(columns - x0 - along * (x1 - x0), rows - y0 - along * (y1 - y0))
        cover = np.clip(thick / 2 - distance + 0.5, 0, 1)[..., None]
        self.image += cover * (np.asarray(colour) - self.image)

    def gradient(self, first, second):
        height, width = self.image.shape[:2]
        rows, columns = np.mgrid[0:height, 0:width]
        part = ((rows / height + columns / width) / 2)[..., None]
        self.image[:] = np.asarray(first) * (1 - part) + np.asarray(second) * part

    def noise(self, x, y, width, height):
        """A part with detail at all scales, as a photograph in a screenshot has."""
        area = self.image[y:y + height, x:x + width]
        total = np.zeros(area.shape)
        for cell in (2, 4, 8, 16, 32):
            small = self.chance.normal(0, 14, (area.shape[0] // cell + 2, area.shape[1] // cell + 2, 3))
            total += np.kron(small, np.ones((cell, cell, 1)))[:area.shape[0], :area.shape[1]]
        area[:] = np.clip(120 + total, 0, 255)

    def text(self, x, y, words, size, colour, width=None):
        """Sets text; returns its height."""
        mask = os.path.join(self.folder, "text.pgm")
        command = ["vips", "text", mask, words, "--dpi", "72", "--font", "sans %d" % size]
        subprocess.run(command + (["--width", str(width)] if width else []), check=True)
        cover = read(mask)[:max(0, self.image.shape[0] - y), :max(0, self.image.shape[1] - x)] / 255
        area = self.image[y:y + cover.shape[0], x:x + cover.shape[1]]
        area += cover * (np.asarray(colour) - area)
        return cover.shape[0]

    def words(self, count):
        start = int(self.chance.integers(0, len(WORDS)))
        return " ".join(WORDS[(start + index) % len(WORDS)] for index in range(count))


def page(canvas, paper, ink, accent, other):
    height, width = canvas.image.shape[:2]
    canvas.box(0, 0, width, 44, accent)
    canvas.text(16, 12, canvas.words(4), 18, paper)
    y, size = 64, int(canvas.chance.integers(9, 16))
    while y < height - 20:
        if canvas.chance.random() < 0.2:
            canvas.box(16, y, width // 3, 28, other)
            y += 40
        y += canvas.text(16, y, canvas.words(40), size, ink, width - 40) + 14


def chart(canvas, paper, ink, accent, other):
    height, width = canvas.image.shape[:2]
    for row in range(6):
        y = 40 + row * (height - 100) // 5
        canvas.box(60, y, width - 80, 1, tuple((np.asarray(paper) * 3 + ink) // 4))
        canvas.text(12, y - 6, str(100 - 20 * row), 11, ink)
    bars = int(canvas.chance.integers(5, 14))
    step, last = (width - 90) // bars, None
    for bar in range(bars):
        length = int(canvas.chance.integers(20, height - 110))
        canvas.box(66 + bar * step, height - 60 - length, step * 2 // 3, length, accent)
        point = (66 + bar * step + step // 3, int(canvas.chance.integers(40, height - 70)))
        if last:
            canvas.line(*last, *point, 3, other)
        last = point
    canvas.text(60, 10, canvas.words(5), 16, ink)


def logo(canvas, paper, ink, accent, other):
    height, width = canvas.image.shape[:2]
    for _ in range(int(canvas.chance.integers(2, 7))):
        colour = (accent, other, ink)[int(canvas.chance.integers(0, 3))]
        canvas.disc(*canvas.chance.integers(0, (width, height)), int(canvas.chance.integers(20, height // 3)), colour)
    canvas.text(width // 6, height // 3, canvas.words(2), 64, ink)


def banner(canvas, paper, ink, accent, other):
    canvas.gradient(accent, other)
    height, width = canvas.image.shape[:2]
    canvas.text(40, height // 4, canvas.words(3), 44, (255, 255, 255))
    canvas.text(40, height // 2, canvas.words(12), 18, (255, 255, 255), width - 80)


def player(canvas, paper, ink, accent, other):
    height, width = canvas.image.shape[:2]
    canvas.noise(width // 3, 60, width * 2 // 3 - 16, height * 2 // 3)
    canvas.text(width // 3 + 20, height // 2, canvas.words(6), 22, (255, 255, 255))
    for row in range(height // 48):
        canvas.box(12, 60 + row * 48, width // 3 - 28, 40, tuple((np.asarray(paper) * 7 + ink) // 8))
        canvas.text(20, 70 + row * 48, canvas.words(3), 12, ink)


def drawing(canvas, paper, ink, accent, other):
    height, width = canvas.image.shape[:2]
    for _ in range(30):
        ends = canvas.chance.integers(0, (width, height, width, height))
        canvas.line(*ends, int(canvas.chance.integers(1, 5)), (ink, accent, other)[int(canvas.chance.integers(0, 3))])
    for _ in range(8):
        canvas.text(*map(int, canvas.chance.integers(0, (width - 100, height - 20))), canvas.words(2), 11, ink)


def pixels(canvas, paper, ink, accent, other):
    height, width = canvas.image.shape[:2]
    colours = np.asarray([paper, ink, accent, other])
    cells = canvas.chance.choice(4, (height // 24 + 1, width // 24 + 1), p=[0.55, 0.15, 0.15, 0.15])
    canvas.image[:] = np.kron(colours[cells], np.ones((24, 24, 1)))[:height, :width]


KINDS = [page, chart, logo, banner, player, drawing, pixels]


def draw(folder, count=100):
    """Writes `count` PNG files of 640 x 480 to 1280 x 960 pixels."""
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        target = os.path.join(folder, "%03d.png" % number)
        if os.path.exists(target):
            continue
        chance = np.random.default_rng(number)
        width = int(chance.integers(640, 1281))
        colours = PALETTES[number // len(KINDS) % len(PALETTES)]
        canvas = Canvas(width, width * 3 // 4, colours[0], folder, chance)
        KINDS[number % len(KINDS)](canvas, *colours)
        made = os.path.join(folder, "drawn.ppm")
        write(made, np.clip(canvas.image + 0.5, 0, 255).astype(np.uint8))
        subprocess.run(["vips", "copy", made, target], check=True)
    for name in ("drawn.ppm", "text.pgm"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".png"))
