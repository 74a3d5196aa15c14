"""Writes 200,000 images with two slots and three scales: as a catalog of six files each, or, with twelve in two formats, as the
result of the only shard of a run, of which `tessera merge` makes a catalog.

    many.py catalog                   to standard output
    many.py shard HEADER [CHANGE]     HEADER: members of the shard's header, as JSON, such as {"changes": 2}
                                      CHANGE: front, 2,000 new images before all others; or scattered, 2,000 images
                                      with another text
"""
import base64, hashlib, json, random, sys

count, changed = 200_000, 2_000
slots = {"avatar": {"width": 36, "height": 36, "mode": "clip"}, "card": {"width": 180, "mode": "fit"}}
head = {"schema": "tessera-catalog/1", "generator": {"name": "tessera", "version": "0.1.0", "libvips": "8.14.1"},
        "pipeline": {"name": "feed", "fingerprint": "00"}, "baseURL": "https://cdn.example.com/feed/",
        "formats": [{"type": "image/webp", "extension": "webp", "recipe": "31cd666cc2378b57"},
                    {"type": "image/jpeg", "extension": "jpg", "recipe": "1a6438939fe680b7"}],
        "slots": slots, "scales": [1, 2, 3]}


def image(number, alt="", formats=1):
    chance = random.Random(number)
    width, height = chance.randint(800, 4000), chance.randint(800, 4000)
    variants = []
    for side in (32, 64, 128, 192, 384, 600):
        down = side if side < 192 else max(1, round(side * height / width))
        crop = {"crop": hashlib.sha256(f"{width}x{height}".encode()).hexdigest()[:8]} if side < 192 else {}
        variants.append({"width": side, "height": down, **crop, "bytes": [chance.randint(300, 60000) for _ in range(formats)]})
    uses = {"avatar": {"width": 36, "height": 36, "variants": [0, 1, 2]},
            "card": {"width": 180, "height": max(1, round(180 * height / width)), "variants": [3, 4, 5]}}
    placeholder = {"color": f"#{chance.randrange(1 << 24):06x}",
                   "thumbhash": base64.b64encode(chance.randbytes(25)).decode()}
    return {"id": f"product-{number}", "url": f"https://shop.example.com/images/{number}.jpg", "status": "ok", "width": width,
            "height": height, "format": "jpeg", "alpha": False, "animated": False, "frames": 1,
            "placeholder": placeholder, "source": hashlib.sha256(str(number).encode()).hexdigest()[:32],
            "variants": variants, "slots": uses, "alt": alt or f"Product {number} from the front"}


def numbers(change):
    new = range(count, count + changed) if change == "front" else []
    return [*new, *range(count)]


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def main(kind, header="{}", change=""):
    write = sys.stdout.write
    if kind == "catalog":
        rest = compact(head)[1:-1] + f',"count":{count},"images":[\n'
        rest += ",\n".join(compact(image(number)) for number in range(count)) + "\n]}\n"
        write(f'{{"digest":"{hashlib.sha256(rest.encode()).hexdigest()}",{rest}')
        return
    every = count // changed
    order = numbers(change)
    write(compact({"schema": "tessera-shard/1", "shard": 0, "shards": 1, "manifest": "m", "pipeline": "p", "libvips": "8",
                   **json.loads(header), "images": len(order), "counts": {"ok": len(order)},
                   "manifestProblems": 0, "catalog": head}) + "\n")
    for place, number in enumerate(order):
        isOther = change == "scattered" and number % every == 0
        text = compact(image(number, "Another text" if isOther else "", formats=2))
        write(f'{{"line":{place + 1},"sha256":[],"image":{text}}}\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
