"""Writes catalogs as a run does, for check-web and check-kotlin."""
import hashlib, json


def document(catalog):
    """The text of a catalog, with its digest and the number of its images."""
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    head = {**{name: value for name, value in catalog.items() if name not in ("digest", "images")}, "count": len(catalog["images"])}
    text = dump(head)[1:-1] + ',"images":[\n' + ",\n".join(map(dump, catalog["images"])) + "\n" * bool(catalog["images"]) + "]}\n"
    return f'{{"digest":"{hashlib.sha256(text.encode()).hexdigest()}",{text}'


def changes(old, new):
    """What leads from one document to another whose images have the same places."""
    before, after = ([line.rstrip(",") for line in text.split("\n")[1:-2]] for text in (old, new))
    lines = []
    for place, line in enumerate(after):
        if line != before[place]:
            lines.append(line)
        elif lines and lines[-1] and lines[-1][-1] == place - 1:
            lines[-1][-1] = place
        else:
            lines.append([place, place])
    head = new.split("\n")[0]
    return json.dumps({"schema": "tessera-changes/1", "from": old[11:75], "to": new[11:75], "head": head, "lines": lines})
