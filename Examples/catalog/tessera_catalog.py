"""Reads Tessera catalogs on a server, and adds their images to what an API returns. One file, for Python 3.11 or later.

A place is a slot's name, or a box such as {"width": 90, "height": 60, "mode": "fill"} in points: a side that is absent is
free, and the mode is "fit" if absent. A file is a dict with url, reference and type, with bytes, which is None if an image
service makes the file, and with animated: whether it moves. Whatever a catalog does not have is None.
"""
import difflib, json, math, pathlib, re, sqlite3


class Catalog:
    """A catalog that is open. `head` is the document without its images, `source` its URL, also a relative one. ValueError
    if neither the catalog nor `source` says where files are."""

    def __init__(self, head, images, source=None, database=None):
        if not isinstance(head, dict) or head.get("schema") != "tessera-catalog/1":
            raise ValueError("not a catalog of version 1")
        if database is None and head.get("count", len(images)) != len(images):
            raise ValueError(f"the catalog is cut off: it has {len(images)} of {head['count']} images")
        if head.get("baseURL") is None and source is None:
            raise ValueError("the catalog has no baseURL: pass its own URL as source, or set base-url in the pipeline")
        self.head = head
        self._database = database
        self._prefix = resolve(head.get("baseURL") or "", source)
        # Of two images with the same id, the first counts.
        self._images = {image["id"]: image for image in reversed(images)} if database is None else {}
        self._order = images

    @classmethod
    def open(cls, path, source=None):
        """Opens catalog.json or a database. ValueError says what is wrong with it. Open a database for each
        request, which takes a millisecond, and close it: it belongs to one thread, and does not see later exports."""
        with open(path, "rb") as file:
            is_database = file.read(16) == b"SQLite format 3\0"
        if not is_database:
            return cls.read(pathlib.Path(path).read_text("utf-8"), source)
        database = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro", uri=True)
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != 1:
            database.close()
            raise ValueError(f"not a database of version 1: {version}")
        return cls(json.loads(database.execute("SELECT json FROM head").fetchone()[0]), (), source, database)

    @classmethod
    def read(cls, text, source=None):
        """Reads the text of catalog.json."""
        head = json.loads(text)
        return cls(head, head.pop("images", []) if isinstance(head, dict) else [], source)

    def close(self):
        """Closes a database; other catalogs are in memory."""
        if self._database:
            self._database.close()

    def images(self, ids=None):
        """Images by their ids, or without these all in the catalog's order. Unknown ids are left out."""
        if self._database is None:
            return self._order if ids is None else [self._images[id] for id in ids if id in self._images]
        if ids is None:
            return [json.loads(text) for (text,) in self._database.execute("SELECT json FROM images ORDER BY place")]
        query = "SELECT json FROM images WHERE id IN (SELECT value FROM json_each(?))"
        return [json.loads(text) for (text,) in self._database.execute(query, [json.dumps(list(ids))])]

    def types(self):
        """The media types of the catalog's formats; those that only take the place of another come last."""
        return list(dict.fromkeys(each["type"] for each in self.head["formats"] if "dynamicRange" not in each))

    def url(self, reference):
        """The whole URL of a file. A service may verify that of its files, so it stays as it is."""
        return reference if re.match("https?://", reference) else self._prefix + reference

    def file(self, image, place, scale):
        """What to request on a screen of this scale: width and height in pixels, and `types`, its files in the order of
        preference. The client takes the first that it shows."""
        variant = variant_for(self.head, image, place, scale)
        types = [{"url": self.url(file["reference"]), **file} for file in files_of(self.head, image, variant)] if variant else []
        return {"width": variant["width"], "height": variant["height"], "types": types} if types else None

    def with_images(self, products, key="image", slots=None):
        """Products with their images, which they name by `key`; None for an id that the catalog does not have. An image has
        its id, status, alt, focus and placeholder, and for each of the slots (all by default) in which it is used: its size in
        points, and the files for each scale of the catalog. ValueError for a slot that the catalog does not have."""
        for slot in slots or []:
            if slot not in self.head["slots"]:
                near = difflib.get_close_matches(slot, self.head["slots"], 1)
                hint = f'did you mean "{near[0]}"?' if near else f"it has {', '.join(sorted(self.head['slots']))}"
                raise ValueError(f'the catalog has no slot "{slot}"; {hint}')
        images = {image["id"]: image for image in self.images({product.get(key) for product in products})}
        shown = {id: self._shown(image, slots) for id, image in images.items()}
        return [{**product, key: shown.get(product.get(key))} for product in products]

    def _shown(self, image, slots):
        found = {}
        for slot in self.head["slots"] if slots is None else slots:
            if size := sizes(self.head, image, slot)[0]:
                files = [{"scale": scale, **file} for scale in self.head["scales"] if (file := self.file(image, slot, scale))]
                found[slot] = {"width": size[0], "height": size[1], "files": files}
        return {**{name: image.get(name) for name in ("id", "status", "alt", "focus", "placeholder")}, "slots": found}


def resolve(base, source):
    """A base URL, resolved against the catalog's (RFC 3986, section 5.2; only "../" at its start is removed)."""
    if source is None or re.match("[a-z][a-z0-9+.-]*:", base, re.I):
        return base
    whole = re.split("[?#]", source, maxsplit=1)[0]
    scheme, host, path = re.fullmatch("([a-z][a-z0-9+.-]*:)?(//[^/]*)?(.*)", whole, re.I | re.S).groups("")
    if base.startswith("/"):
        return scheme + ("" if base.startswith("//") else host) + base
    folder = path[:path.rfind("/") + 1] or ("/" if scheme + host else "")
    while base.startswith("../") and folder:
        # Nothing is above the root.
        base, folder = base[3:], folder if folder == "/" else folder[:folder[:-1].rfind("/") + 1]
    return scheme + host + folder + base


def files_of(head, image, variant, dynamic_range=None):
    """A variant in all its formats; with "high", in the one that has a gain map. A file has a type, bytes, and the reference
    by which caches know it: its URL at a service, or else its path."""
    source, crop, files = image.get("source") or "", variant.get("crop"), []
    animated, stills = image.get("animated", False), variant.get("stills") or []
    name = f"{source}-{variant['width']}x{variant['height']}" + (f"-{crop}" if crop else "")
    for place, format in enumerate(head["formats"]):
        url, size = (((variant.get(member) or [])[place:place + 1] or [None])[0] for member in ("urls", "bytes"))
        if format.get("dynamicRange") != dynamic_range or url is None and size is None:
            continue
        reference = url or f"variants/{source[:2]}/{source[2:4]}/{name}-{format['recipe']}.{format['extension']}"
        files.append({"reference": reference, "type": format["type"], "bytes": size, "animated": animated and place not in stills})
    if (original := variant.get("original")) and dynamic_range is None:
        files.append({"reference": original["url"], "type": original["type"], "bytes": original.get("bytes"), "animated": animated})
    return files


def variant_for(head, image, place, scale):
    """The variant for a slot, made for the first scale that is enough; for a box the smallest with enough pixels; or the last."""
    variants = image.get("variants", [])
    if not (size := sizes(head, image, place)[0]) or not 0 < scale < math.inf:
        return None
    if isinstance(place, str):
        scales = head["scales"]
        step = next((step for step, each in enumerate(scales) if each >= scale), len(scales) - 1)
        indices = image.get("slots", {}).get(place, {}).get("variants", [])[step:step + 1]
        return variants[indices[0]] if indices and 0 <= indices[0] < len(variants) else None
    # Others show only a part of the image.
    candidates = [each for each in variants if not each.get("crop")] or variants
    # Sides of files are rounded.
    enough = [each for each in candidates if each["width"] + 0.5 >= size[0] * scale and each["height"] + 0.5 >= size[1] * scale]
    return (enough or candidates[-1:] or [None])[0]


def sizes(head, image, place):
    """Width and height of the box that an image takes, and those of the whole image, which covers it; in points. None if
    the image is not used in the slot, or if a side of the box is zero, negative or not finite: that layout is not there yet."""
    whole = None
    if isinstance(place, str):
        use = image.get("slots", {}).get(place)
        if use is None:
            return None, None
        box = use if "width" in use else head["slots"].get(place, {})
        box, whole = (box.get("width"), box.get("height")), use.get("image") and (use["image"]["width"], use["image"]["height"])
    else:
        box = across, down = place.get("width"), place.get("height")
        if not all(side is None or 0 < side < math.inf for side in box):
            return None, None
        width, height, is_inside = image.get("width"), image.get("height"), place.get("mode", "fit") == "fit"
        if width and height and box != (None, None):
            by_height = across is None or down is not None and (across * height <= down * width) != is_inside
            whole = (down * width / height, down) if by_height else (across, across * height / width)
            box = whole if is_inside or None in box else box
    if box == (None, None):
        return None, None
    # Of an image whose size is unknown, a free side is as long as the other one.
    box = tuple((box[0] or box[1]) if side is None else side for side in box)
    return _rounded(box, 100_000), _rounded(whole or box, 1_000_000_000)


def frame(head, image, place):
    """Where an image is drawn in its box, with its focus in view: x, y, width and height in points."""
    box, whole = sizes(head, image, place)
    x, y = image.get("focus", (0.5, 0.5))
    return box and ((box[0] - whole[0]) * x, (box[1] - whole[1]) * y, *whole)


def _rounded(size, most):
    """Sides as whole numbers, halves rounded up."""
    return tuple(max(1, math.floor(min(most, side) + 0.5)) for side in size)
