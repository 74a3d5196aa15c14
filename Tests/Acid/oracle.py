"""What several programs say of one image has to agree: its size, and of the fixtures of all tests the colours in their corners."""
import json, os, shutil, struct, subprocess, tempfile

from judge import look
from studio import CORNERS

# Near the corners, the middles of the quarters, and the middle: a turn, a mirror or a crop changes one of them.
PLACES = [(x, y) for y in (0.1, 0.25, 0.75, 0.9) for x in ((0.1, 0.9) if y in (0.1, 0.9) else (0.25, 0.75))] + [(0.5, 0.5)]
NAMES = [f"{place} {where}" for place, wheres in (("near the", ("top left", "top right")), ("in the", ("top left", "top right")),
                                                 ("in the", ("bottom left", "bottom right")), ("near the", ("bottom left", "bottom right")))
         for where in wheres] + ["in the middle"]
# The corners that Tests/Fixtures/make draws: the colours of what Chromium does not read. The middle is where they meet.
KNOWN = [list(CORNERS[index]) + [255] for index in (0, 1, 0, 1, 2, 3, 2, 3)]
# The same image in a format that Chromium reads.
TWINS = {"sizes/alpha.heic": "sizes/alpha.jxl", "sizes/alpha.jp2": "sizes/alpha.jxl", "sizes/alpha.tif": "sizes/alpha.jxl"}
DAMAGED = {"truncated.jpg"}
# Lossy formats, and two programs that make an image smaller. The blue of a screen is no mixture of inks.
TOLERANCE, TOLERANCE_OF_INKS, INKS = 20, 40, {"formats/cmyk.tif"}
# As large as the fixtures are but for those of extreme sides.
SIDE = 1200
MOST_AT_ONCE = 200


def probed(tessera, folder, names):
    """The displayed size that `tessera probe` prints for each file, or None."""
    sizes = {}
    for start in range(0, len(names), MOST_AT_ONCE):
        part = names[start:start + MOST_AT_ONCE]
        result = subprocess.run([tessera, "probe", "--json", "--quiet", *part], cwd=folder, capture_output=True, text=True)
        lines = result.stdout.splitlines()
        if len(lines) != len(part):
            raise SystemExit(f"tessera probe printed {len(lines)} lines for {len(part)} files: {result.stderr}")
        for name, line in zip(part, lines):
            found = json.loads(line)
            sizes[name] = (found["width"], found["height"]) if "width" in found else None
    return sizes


def different_sizes(stated, catalog, probe, seen, turned):
    """What is wrong with sizes, by file. `stated`: those that cases state; `turned`: files that are decoded otherwise than their
    headers say."""
    wrong = {}
    for name, size in catalog.items():
        said = {"the catalog": size, "probe": probe.get(name)}
        if name in stated:
            said["the case"] = tuple(stated[name])
        if "width" in seen.get(name, {}):
            said["Chromium"] = (seen[name]["width"], seen[name]["height"])
        if len(set(said.values())) > 1:
            wrong[name] = ", ".join(f"{who}: {size[0]} x {size[1]}" if size else f"{who}: none" for who, size in said.items())
        elif name in turned:
            wrong[name] = "it is decoded with another size or orientation than its header says"
    return wrong


def different_colours(one, other, tolerance):
    for name, a, b in zip(NAMES, one, other):
        clear = a[3] < 8 and b[3] < 8
        if abs(a[3] - b[3]) > tolerance or not clear and max(abs(x - y) for x, y in zip(a[:3], b[:3])) > tolerance:
            return f"{name}: {', '.join(f'{v:.0f}' for v in b)} instead of {', '.join(f'{v:.0f}' for v in a)}"
    return None


def fixtures(program, tessera, folder):
    """What is wrong with the fixtures: their colours and their sizes, by "fixtures/" and the file's name."""
    names = sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, files in os.walk(folder) for name in files
                   if os.path.splitext(name)[1] != "")
    made, catalog, turned = program.thumbnails("fixtures", folder, names, "png", SIDE)
    with tempfile.TemporaryDirectory() as web:
        shutil.copytree(folder, os.path.join(web, "source"))
        sizes = {}
        for name, path in made.items():
            target = f"made/{name}.png"
            os.makedirs(os.path.dirname(os.path.join(web, target)), exist_ok=True)
            shutil.copy(path, os.path.join(web, target))
            with open(path, "rb") as file:
                sizes["source/" + name] = struct.unpack(">2I", file.read(24)[16:])
        sources = ["source/" + name for name in names if name not in DAMAGED]
        seen = look(web, sources + [f"made/{name}.png" for name in made], PLACES, sizes)
    wrong = {}
    for name in names:
        shown = seen.get("source/" + TWINS.get(name, name), {})
        source = shown["samples"] if "width" in shown else KNOWN
        if name in DAMAGED:
            wrong[name] = "made a thumbnail without a word" if name in made else None
        elif name not in made:
            wrong[name] = "no image"
        else:
            wrong[name] = different_colours(source, seen[f"made/{name}.png"]["samples"], TOLERANCE_OF_INKS if name in INKS else TOLERANCE)
    natural = {name: seen.get("source/" + name, {}) for name in names}
    sizes = different_sizes({}, catalog, probed(tessera, folder, names), natural, turned)
    return ({"fixtures/" + name: problem for name, problem in wrong.items() if problem},
            {"fixtures/" + name: problem for name, problem in sizes.items()}, len(names))
