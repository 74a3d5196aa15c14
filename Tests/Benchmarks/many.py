"""Writes 200,000 images with two slots and three scales: as a catalog of six files each, or, with twelve in two formats, as the
result of the only shard of a run, of which `tessera merge` makes a catalog.

    many.py catalog                   to standard output
    many.py shard HEADER [CHANGE]     HEADER: members of the shard's header, as JSON, such as {"patches": 2}
                                      CHANGE: front, 2,000 new images before all others; or scattered, 2,000 images
                                      with another text
"""
import base64, hashlib, json, random, sys

count, changed = 200_000, 2_000
slots = {"avatar": {"width": 36, "height": 36, "mode": "clip"}, "card": {"width": 180, "mode": "fit"}}
head = {"schema": "tessera-catalog/1", "generator": {"name": "tessera", "version": "0.1.0", "libvips": "8.14.1"},
        "pipeline": {"name": "feed", "fingerprint": "00"}, "baseURL": "https://cdn.example.com/feed/", "slots": slots,
        "scales": [1, 2, 3]}


def file(number, side, down, extension, chance):
    name = hashlib.sha256(f"{number} {side} {extension}".encode()).hexdigest()[:32]
    return {"path": f"variants/{name[:2]}/{name}-{side}x{down}.{extension}",
            "type": "image/jpeg" if extension == "jpg" else "image/webp", "bytes": chance.randint(300, 60000)}


def image(number, alt="", extensions=("webp",)):
    chance = random.Random(number)
    width, height = chance.randint(800, 4000), chance.randint(800, 4000)
    variants = []
    for side in (32, 64, 128, 192, 384, 600):
        down = side if side < 192 else max(1, round(side * height / width))
        first, *others = (file(number, side, down, extension, chance) for extension in extensions)
        variants.append({"path": first["path"], "type": first["type"], "width": side, "height": down, "bytes": first["bytes"],
                         **({"also": others} if others else {})})
    uses = {"avatar": {"width": 36, "height": 36, "variants": [0, 1, 2]},
            "card": {"width": 180, "height": max(1, round(180 * height / width)), "variants": [3, 4, 5]}}
    placeholder = {"color": f"#{chance.randrange(1 << 24):06x}",
                   "thumbhash": base64.b64encode(chance.randbytes(25)).decode()}
    return {"id": f"product-{number}", "url": f"https://shop.example.com/images/{number}.jpg", "status": "ok", "width": width,
            "height": height, "format": "jpeg", "alpha": False, "animated": False, "frames": 1,
            "placeholder": placeholder, "variants": variants, "slots": uses, "alt": alt or f"Product {number} from the front"}


def numbers(change):
    new = range(count, count + changed) if change == "front" else []
    return [*new, *range(count)]


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def main(kind, header="{}", change=""):
    write = sys.stdout.write
    if kind == "catalog":
        write(json.dumps(head)[:-1] + ', "images": [\n')
        write(",\n".join(compact(image(number)) for number in range(count)) + "\n]}\n")
        return
    every = count // changed
    order = numbers(change)
    write(compact({"schema": "tessera-shard/1", "shard": 0, "shards": 1, "manifest": "m", "pipeline": "p", "libvips": "8",
                   "format": "json", **json.loads(header), "images": len(order), "counts": {"ok": len(order)},
                   "manifestProblems": 0, "catalog": head}) + "\n")
    for place, number in enumerate(order):
        isOther = change == "scattered" and number % every == 0
        write(f'{{"line":{place + 1},"image":{compact(image(number, "Another text" if isOther else "", ("webp", "jpg")))}}}\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
