#!/usr/bin/env python3
"""Reads an image from a table of pixels, as Pipelines/CATALOG.md describes it, and prints it as JSON.

    Tests/Tables/read.py OUTPUT SLOT SCALE PIXELS ID
"""
import bisect, hashlib, json, mmap, pathlib, struct, sys

BYTES = {1: ("bgra8", 4), 2: ("rgba8", 4), 3: ("rgb565", 2), 4: ("grey8", 1)}


class Table:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self.data) < 64 or self.data[:8] != b"\x89TSP\r\n\x1a\n":
            raise ValueError("not a table")
        (version, pixels, space, zero, self.width, self.height, self.row, self.count, self.entry, index, self.start,
         size) = struct.unpack("<4H4I4Q", self.data[8:64])
        if version != 1 or pixels not in BYTES or space != 1 or zero != 0 or index != 64:
            raise ValueError("a table of another version")
        self.pixels, self.bytes = BYTES[pixels]
        if not (self.row % 64 == self.entry % 64 == self.start % 16384 == 0 < self.count and self.width and self.height
                and self.width * self.bytes <= self.row and self.row * self.height <= self.entry
                and 64 + 24 * self.count <= self.start and self.start + self.count * self.entry == size == len(self.data)):
            raise ValueError("a damaged table")
        self.index = [struct.unpack("<16sHHI", self.data[64 + 24 * n:88 + 24 * n]) for n in range(self.count)]
        self.hashes = [entry[0] for entry in self.index]
        if any(one >= other for one, other in zip(self.hashes, self.hashes[1:])) or any(
                not (0 < width <= self.width and 0 < height <= self.height) or zero for _, width, height, zero in self.index):
            raise ValueError("a damaged index")

    def image(self, name):
        digest = hashlib.sha256(name.encode()).digest()[:16]
        place = bisect.bisect_left(self.hashes, digest)
        if place == self.count or self.hashes[place] != digest:
            return None
        _, width, height, _ = self.index[place]
        first = self.start + place * self.entry
        rows = [self.data[first + y * self.row:][:width * self.bytes] for y in range(height)]
        return {"width": width, "height": height, "pixels": self.pixels, "rows": b"".join(rows).hex()}


def find(output, slot, scale, pixels, name):
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(name.encode()).digest())
    catalog = json.loads((pathlib.Path(output) / "catalog.json").read_text())
    for table in catalog.get("tables", {}).get(slot, []):
        for file in table["files"] if (table["scale"], table["pixels"]) == (int(scale), pixels) else []:
            if bits.startswith(file["prefix"]):
                return Table(pathlib.Path(output) / file["path"]).image(name)


if __name__ == "__main__":
    print(json.dumps(find(*sys.argv[1:])))
