"""Files byte by byte: PNG, TIFF, BMP, ICO, GIF, and changes of JPEG, WebP and AVIF files that an encoder has made.

Pixels are rows of tuples of samples."""
import struct, zlib


# PNG (W3C PNG, third edition)

PNG_START = b"\x89PNG\r\n\x1a\n"
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def png_chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def packed(row, depth):
    """Samples of a row in whole bytes, the first in the highest bits."""
    if depth == 8:
        return bytes(sample for pixel in row for sample in pixel)
    if depth == 16:
        return b"".join(struct.pack(">H", sample) for pixel in row for sample in pixel)
    bits = "".join(format(sample, f"0{depth}b") for pixel in row for sample in pixel)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(line, before, step, kind):
    """A row behind one of the five filters."""
    def predictor(i):
        left = line[i - step] if i >= step else 0
        up = before[i]
        corner = before[i - step] if i >= step else 0
        if kind == 4:
            base = left + up - corner
            distances = (abs(base - left), abs(base - up), abs(base - corner))
            return (left, up, corner)[distances.index(min(distances))]
        return (0, left, up, (left + up) // 2)[kind]
    return bytes([kind]) + bytes((line[i] - predictor(i)) & 255 for i in range(len(line)))


def png_data(rows, depth, interlaced=False, kind=0):
    step = max(1, len(rows[0][0]) * depth // 8)
    passes = [rows]
    if interlaced:
        passes = [[row[x::dx] for row in rows[y::dy]] for x, y, dx, dy in ADAM7]
    data = b""
    for part in passes:
        if not part or not part[0]:
            continue
        before = bytes(len(packed(part[0], depth)))
        for row in part:
            line = packed(row, depth)
            data += filtered(line, before, step, kind)
            before = line
    return zlib.compress(data, 9)


def png(rows, depth=8, kind=None, chunks=(), interlaced=False, filter=0, pieces=1, late=()):
    """kind: 0 grey, 2 colours, 3 palette, 4 grey and alpha, 6 colours and alpha; by the samples if None."""
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[len(rows[0][0])] if kind is None else kind
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), depth, kind, 0, 0, int(interlaced))
    data = png_data(rows, depth, interlaced, filter)
    size = -(-len(data) // pieces)
    idat = b"".join(png_chunk(b"IDAT", data[i:i + size]) for i in range(0, len(data), size))
    return (PNG_START + png_chunk(b"IHDR", head) + b"".join(png_chunk(*c) for c in chunks) + idat
            + b"".join(png_chunk(*c) for c in late) + png_chunk(b"IEND", b""))


def frame_control(number, width, height, x=0, y=0, disposal=0, blend=0, delay=1):
    return (b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, x, y, delay, 10, disposal, blend))


def apng(frames, default=None):
    """An animation. Frames: what frame_control takes, and rows; `default`: the rows of an image for readers that know no animation,
    which is no frame."""
    chunks, late, number = [(b"acTL", struct.pack(">II", len(frames), 0))], [], 0
    for index, (options, rows) in enumerate(frames):
        control = frame_control(number, len(rows[0]), len(rows), **options)
        number += 1
        if index == 0 and default is None:
            chunks.append(control)
            continue
        late += [control, (b"fdAT", struct.pack(">I", number) + png_data(rows, 8))]
        number += 1
    return png(default if default is not None else frames[0][1], chunks=chunks, late=late)


# Exif, XMP, ICC

def exif(orientation, order="<", extra=b""):
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8)
    return head + struct.pack(order + "HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0) + extra


def xmp(properties):
    return ('<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
            'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' + properties
            + '/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>').encode()


def icc(columns, curve, space=b"RGB ", intent=0):
    """A profile of three matrix columns (or none, for grey) and one curve of 1,024 numbers (ICC.1:2001, 6.3.1.2)."""
    def fixed(values):
        return b"XYZ \0\0\0\0" + b"".join(struct.pack(">i", round(value * 65536)) for value in values)
    table = b"curv\0\0\0\0" + struct.pack(">I", 1024)
    table += b"".join(struct.pack(">H", round(65535 * curve(i / 1023))) for i in range(1024))
    name = b"Acid\0"
    tags = [(b"desc", b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + bytes(79)),
            (b"cprt", b"text\0\0\0\0None\0"), (b"wtpt", fixed((0.96420, 1.0, 0.82491)))]
    if space == b"GRAY":
        tags.append((b"kTRC", table))
    else:
        tags += [(tag, fixed(column)) for tag, column in zip((b"rXYZ", b"gXYZ", b"bXYZ"), columns)]
        tags += [(tag, table) for tag in (b"rTRC", b"gTRC", b"bTRC")]
    offset, entries, body = 128 + 4 + 12 * len(tags), b"", b""
    for tag, content in tags:
        content += bytes(-len(content) % 4)
        entries += tag + struct.pack(">II", offset + len(body), len(content))
        body += content
    head = struct.pack(">I4sI4s4s4s", offset + len(body), b"lcms", 0x02400000, b"mntr", space, b"XYZ ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(24) + struct.pack(">I", intent)
    head += struct.pack(">3i", 63190, 65536, 54061) + bytes(48)
    return head[:128] + struct.pack(">I", len(tags)) + entries + body


# JPEG (ITU-T T.81)

def segment(marker, body):
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def with_segments(jpeg, *segments):
    """Behind the start of the image, or behind the JFIF segment."""
    place = 2
    if jpeg[2:4] == b"\xff\xe0":
        place += 2 + struct.unpack(">H", jpeg[4:6])[0]
    return jpeg[:place] + b"".join(segments) + jpeg[place:]


def without_jfif(jpeg):
    return jpeg[:2] + jpeg[4 + struct.unpack(">H", jpeg[4:6])[0]:] if jpeg[2:4] == b"\xff\xe0" else jpeg


def icc_segments(profile, pieces=1):
    size = -(-len(profile) // pieces)
    return [segment(0xE2, b"ICC_PROFILE\0" + bytes([i + 1, pieces]) + profile[i * size:(i + 1) * size])
            for i in range(pieces)]


# TIFF 6.0

def tiff(rows, depth=8, photometric=None, order="<", tags=None, planes=1, tile=None, big=False, data=None, at_end=True,
         flate=False):
    """Rows of samples; depth 32 means floating point. `tile`: the side of tiles; `planes`: 2 for separate ones."""
    height, width, samples = len(rows), len(rows[0]), len(rows[0][0])
    photometric = (2 if samples >= 3 else 1) if photometric is None else photometric

    def block(part):
        if depth == 32:
            return b"".join(struct.pack(order + "f", s) for row in part for pixel in row for s in pixel)
        if depth == 16:
            return b"".join(struct.pack(order + "H", s) for row in part for pixel in row for s in pixel)
        return b"".join(packed(row, depth) for row in part)

    def pieces(part):
        if not tile:
            return [block(part)]
        wide = [list(row) + [row[-1]] * (-width % tile) for row in part]
        wide += [wide[-1]] * (-height % tile)
        return [block([row[x:x + tile] for row in wide[y:y + tile]])
                for y in range(0, len(wide), tile) for x in range(0, len(wide[0]), tile)]

    parts = [[[(pixel[k],) for pixel in row] for row in rows] for k in range(samples)] if planes == 2 else [rows]
    blocks = [data] if data is not None else [piece for part in parts for piece in pieces(part)]
    if flate:
        blocks = [zlib.compress(piece) for piece in blocks]
    fields = {256: (3, [width]), 257: (3, [height]), 258: (3, [depth] * samples), 259: (3, [8 if flate else 1]),
              262: (3, [photometric]), 277: (3, [samples]), 284: (3, [planes])}
    if depth == 32:
        fields[339] = (3, [3] * samples)
    where = (324, 325) if tile else (273, 279)
    if tile:
        fields[322] = fields[323] = (3, [tile])
    else:
        fields[278] = (3, [height])
    fields.update({tag: (3, values) if isinstance(values, list) else values for tag, values in (tags or {}).items()})
    head = 16 if big else 8
    offsets, place = [], head
    for piece in blocks:
        offsets.append(place)
        place += len(piece) + len(piece) % 2
    wide = 16 if big else 4
    fields[where[0]] = (wide if big else 4, offsets)
    fields[where[1]] = (wide if big else 4, [len(piece) for piece in blocks])
    sizes = {1: ("B", 1), 3: ("H", 2), 4: ("I", 4), 7: ("B", 1), 16: ("Q", 8)}
    count, entry, inline = ("Q", 20, 8) if big else ("H", 12, 4)
    directory = struct.calcsize(order + count) + entry * len(fields) + inline
    entries, values = b"", b""
    for tag in sorted(fields):
        kind, numbers = fields[tag]
        value = b"".join(struct.pack(order + sizes[kind][0], number) for number in numbers)
        if len(value) > inline:
            values += bytes(len(values) % 2)
            outside = place + directory + len(values)
            values += value
            value = struct.pack(order + ("Q" if big else "I"), outside)
        entries += struct.pack(order + ("HHQ" if big else "HHI"), tag, kind, len(numbers)) + value.ljust(inline, b"\0")
    start = b"II" if order == "<" else b"MM"
    start += struct.pack(order + ("HHHQ" if big else "HI"), *((43, 8, 0, place) if big else (42, place)))
    body = b"".join(piece + bytes(len(piece) % 2) for piece in blocks)
    return start + body + struct.pack(order + count, len(fields)) + entries + bytes(inline) + values


# BMP and ICO

def dib(rows, bits=24, compression=0, size=40, palette=(), masks=(), data=None, top_down=False, icon=False, alpha_mask=None):
    height, width = len(rows), len(rows[0])
    if data is None:
        lines = []
        for row in rows:
            if bits <= 8:
                line = packed(row, bits)
            elif bits == 16:
                line = b"".join(struct.pack("<H", pixel[0]) for pixel in row)
            elif bits == 24:
                line = b"".join(bytes(reversed(pixel[:3])) for pixel in row)
            elif masks:
                line = b"".join(struct.pack("<I", pixel[0]) for pixel in row)
            else:
                line = b"".join(bytes(reversed(pixel[:3])) + bytes(pixel[3:] or (0,)) for pixel in row)
            lines.append(line + bytes(-len(line) % 4))
        data = b"".join(lines if top_down else reversed(lines))
    if icon:
        lines = [packed([(int(len(pixel) == 4 and pixel[3] == 0 and bits != 32),) for pixel in row], 1) for row in rows]
        data += b"".join(line + bytes(-len(line) % 4) for line in reversed(lines))
    if size == 12:
        head = struct.pack("<IHHHH", 12, width, height, 1, bits)
        return head + b"".join(bytes(reversed(colour)) for colour in palette), data
    head = struct.pack("<IiiHHIIiiII", size, width, -height if top_down else height * (2 if icon else 1), 1, bits, compression,
                       len(data), 2835, 2835, len(palette), 0)
    more = b"".join(struct.pack("<I", mask) for mask in masks)
    if alpha_mask is not None:
        more += struct.pack("<I", alpha_mask)
    head += more if size == 40 else more.ljust(size - 40, b"\0")
    return head + b"".join(bytes(reversed(colour)) + b"\0" for colour in palette), data


def bmp(*arguments, **options):
    head, data = dib(*arguments, **options)
    return b"BM" + struct.pack("<IHHI", 14 + len(head) + len(data), 0, 0, 14 + len(head)) + head + data


def runs(rows, bits):
    """Run-length encoding of indices (BI_RLE8, BI_RLE4), from the lowest row on."""
    data = b""
    for row in reversed(rows):
        start = 0
        while start < len(row):
            end = start
            while end < len(row) and row[end] == row[start] and end - start < 255:
                end += 1
            value = row[start][0]
            data += bytes([end - start, value if bits == 8 else value << 4 | value])
            start = end
        data += b"\0\0"
    return data + b"\0\1"


def ico(images):
    """Pairs of a side, 1 to 256, and content."""
    offset, entries = 6 + 16 * len(images), b""
    for (width, height), content in images:
        entries += struct.pack("<BBBBHHII", width % 256, height % 256, 0, 0, 1, 32, len(content), offset)
        offset += len(content)
    return struct.pack("<HHH", 0, 1, len(images)) + entries + b"".join(content for _, content in images)


# GIF89a

def gif_data(indices, bits):
    """LZW without a dictionary: it is cleared before codes would grow."""
    clear, size = 1 << bits, bits + 1
    codes = []
    for i, index in enumerate(indices):
        if i % (clear - 2 if clear > 2 else 1) == 0:
            codes.append(clear)
        codes.append(index)
    codes.append(clear + 1)
    number = sum(code << (place * size) for place, code in enumerate(codes))
    data = number.to_bytes((len(codes) * size + 7) // 8, "little")
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
    return bytes([bits]) + blocks + b"\0"


def colour_table(colours, bits):
    return b"".join(bytes(colour) for colour in colours).ljust(3 << bits, b"\0")


def gif_frame(rows, bits, x=0, y=0, table=None, transparent=None, disposal=0, delay=10, interlaced=False, control=True):
    lines = rows
    if interlaced:
        lines = rows[0::8] + rows[4::8] + rows[2::4] + rows[1::2]
    head = b""
    if control:
        flags = disposal << 2 | int(transparent is not None)
        head = b"\x21\xf9\4" + struct.pack("<BHB", flags, delay, transparent or 0) + b"\0"
    flags = (0x80 | bits - 1 if table else 0) | (0x40 if interlaced else 0)
    head += b"," + struct.pack("<HHHHB", x, y, len(rows[0]), len(rows), flags)
    return head + (colour_table(table, bits) if table else b"") + gif_data([p[0] for row in lines for p in row], max(2, bits))


def gif(width, height, frames, table=None, bits=2, background=0, version=b"GIF89a", loops=True):
    head = version + struct.pack("<HHBBB", width, height, (0x80 | bits - 1) if table else 0, background, 0)
    head += colour_table(table, bits) if table else b""
    if loops and len(frames) > 1:
        head += b"\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0"
    return head + b"".join(frames) + b";"


# WebP (RFC 9649)

def webp_chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def webp_image(file):
    """The chunks of an encoder's file that are its image, and whether it has alpha."""
    offset, found = 12, b""
    while offset < len(file):
        name, length = struct.unpack("<4sI", file[offset:offset + 8])
        if name in (b"VP8 ", b"VP8L", b"ALPH"):
            found += file[offset:offset + 8 + length + length % 2]
        offset += 8 + length + length % 2
    return found


def webp(width, height, flags, *chunks):
    head = struct.pack("<I", flags) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBP" + webp_chunk(b"VP8X", head) + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_frame(image, width, height, x=0, y=0, disposes=False, blends=True):
    head = b"".join(value.to_bytes(3, "little") for value in (x // 2, y // 2, width - 1, height - 1, 100))
    return webp_chunk(b"ANMF", head + bytes([int(disposes) | (0 if blends else 2)]) + image)


# AVIF and HEIC (ISO/IEC 23008-12)

def box(name, body):
    return struct.pack(">I4s", len(body) + 8, name) + body


def boxes(data, start, end):
    while start + 8 <= end:
        length, name = struct.unpack(">I4s", data[start:start + 8])
        yield name, start, start + length
        start += length


def find(data, path, start=0, end=None):
    end = len(data) if end is None else end
    for name, first, last in boxes(data, start, end):
        if name == path[0]:
            inner = first + 8 + (4 if name == b"meta" else 0)
            return (first, last) if len(path) == 1 else find(data, path[1:], inner, last)
    raise KeyError(path)


def full_box(name, body, version=0, flags=0):
    return box(name, struct.pack(">I", version << 24 | flags) + body)


def content(file):
    """Of a file with one image: its properties by name, and its data."""
    first, last = find(file, (b"meta", b"iprp", b"ipco"))
    properties = {name: file[start:end] for name, start, end in boxes(file, first + 8, last)}
    first, last = find(file, (b"mdat",))
    return properties, file[first + 8:last]


def heif(items, references=(), brands=(b"heic", b"mif1"), groups=b"", number=1):
    """A file of items, each a dictionary: `id`, `kind`, `data`, and perhaps `properties` (pairs of a box and whether it is
    essential), `hidden`, `inside` (the data are in the meta box, as phones write a grid's). `references`: a kind, from, to…;
    `number`: the primary item's."""
    properties, uses = [], b""
    for item in items:
        own = b""
        for property, is_essential in item.get("properties", ()):
            if property not in properties:
                properties.append(property)
            own += bytes([properties.index(property) + 1 | (0x80 if is_essential else 0)])
        uses += struct.pack(">HB", item["id"], len(own)) + own
    entries = b"".join(full_box(b"infe", struct.pack(">HH", item["id"], 0) + item["kind"] + b"\0", 2, int(item.get("hidden", False)))
                       for item in items)
    inside = b"".join(item["data"] for item in items if item.get("inside"))
    head = box(b"ftyp", brands[0] + bytes(4) + b"".join(brands))

    def meta(start):
        offsets, rows = [start, 0], b""
        for item in items:
            place = int(item.get("inside", False))
            rows += struct.pack(">HHHHII", item["id"], place, 0, 1, offsets[place], len(item["data"]))
            offsets[place] += len(item["data"])
        return full_box(
            b"meta", full_box(b"hdlr", bytes(4) + b"pict" + bytes(13)) + full_box(b"pitm", struct.pack(">H", number))
            + full_box(b"iloc", b"\x44\0" + struct.pack(">H", len(items)) + rows, 1)
            + full_box(b"iinf", struct.pack(">H", len(items)) + entries)
            + full_box(b"iref", b"".join(box(kind, struct.pack(f">HH{len(to)}H", first, len(to), *to)) for kind, first, *to in references))
            + box(b"iprp", box(b"ipco", b"".join(properties)) + full_box(b"ipma", struct.pack(">I", len(items)) + uses))
            + (box(b"idat", inside) if inside else b"") + groups)
    data = b"".join(item["data"] for item in items if not item.get("inside"))
    return head + meta(len(head) + len(meta(0)) + 8) + box(b"mdat", data)


def extent(width, height):
    return full_box(b"ispe", struct.pack(">II", width, height))


def with_property(file, property, essential=True, replaces=None):
    """With a further property of all items, or one in another's place."""
    if replaces:
        first, last = find(file, (b"meta", b"iprp", b"ipco"))
        for name, start, end in boxes(file, first + 8, last):
            if name == replaces:
                return _resized(file, start, end, property, (b"meta", b"iprp", b"ipco"))
        raise KeyError(replaces)
    first, last = find(file, (b"meta", b"iprp", b"ipco"))
    number = len(list(boxes(file, first + 8, last))) + 1
    file = _resized(file, last, last, property, (b"meta", b"iprp", b"ipco"))
    first, last = find(file, (b"meta", b"iprp", b"ipma"))
    count = struct.unpack(">I", file[first + 12:first + 16])[0]
    place, body = first + 16, b""
    for _ in range(count):
        item, uses = struct.unpack(">HB", file[place:place + 3])
        body += struct.pack(">HB", item, uses + 1) + file[place + 3:place + 3 + uses]
        body += bytes([number | (0x80 if essential else 0)])
        place += 3 + uses
    return _resized(file, first + 16, last, body, (b"meta", b"iprp", b"ipma"))


def with_exif(file, block):
    """With an item of Exif that describes the first item, as phones write it."""
    _, last = find(file, (b"meta", b"iinf"))
    file = _resized(file, last, last, box(b"infe", b"\2\0\0\0" + struct.pack(">HH", 99, 0) + b"Exif\0"), (b"meta", b"iinf"))
    first, _ = find(file, (b"meta", b"iinf"))
    file = _counted(file, first + 12)
    described = box(b"cdsc", struct.pack(">HHH", 99, 1, 1))
    try:
        _, last = find(file, (b"meta", b"iref"))
        file = _resized(file, last, last, described, (b"meta", b"iref"))
    except KeyError:
        _, last = find(file, (b"meta",))
        file = _resized(file, last, last, box(b"iref", bytes(4) + described), (b"meta",))
    first, last = find(file, (b"meta", b"iloc"))
    sizes = struct.unpack(">H", file[first + 12:first + 14])[0]
    version, offset_size, length_size, base_size = file[first + 8], sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    data = struct.pack(">I", 6) + b"Exif\0\0" + block

    def row(offset):
        return struct.pack(">H", 99) + bytes(4 if version else 2) + bytes(base_size) + struct.pack(">H", 1) + offset.to_bytes(
            offset_size, "big") + len(data).to_bytes(length_size, "big")
    file = _resized(file, last, last, row(0), (b"meta", b"iloc"))
    file = file[:last] + row(len(file) + 8) + file[last + len(row(0)):]
    return _counted(file, first + 14) + box(b"mdat", data)


def _counted(file, place):
    """With one more in a count of two bytes."""
    return file[:place] + struct.pack(">H", struct.unpack(">H", file[place:place + 2])[0] + 1) + file[place + 2:]


def _resized(file, start, end, content, path):
    """With other content in a box, the lengths of the boxes around it, and the places behind it."""
    change = len(content) - (end - start)
    around = [find(file, path[:depth + 1])[0] for depth in range(len(path))]
    data = bytearray(file)
    for first in around:
        data[first:first + 4] = struct.pack(">I", struct.unpack(">I", data[first:first + 4])[0] + change)
    data[start:end] = content
    first, _ = find(bytes(data), (b"meta", b"iloc"))
    version, sizes = data[first + 8], struct.unpack(">H", data[first + 12:first + 14])[0]
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    place = first + 14
    count = struct.unpack(">H", data[place:place + 2])[0]
    place += 2
    for _ in range(count):
        place += 2 + (2 if version else 0) + 2
        base = int.from_bytes(data[place:place + base_size], "big")
        if base:
            data[place:place + base_size] = (base + change).to_bytes(base_size, "big")
        place += base_size
        extents = struct.unpack(">H", data[place:place + 2])[0]
        place += 2
        for _ in range(extents):
            value = int.from_bytes(data[place:place + offset_size], "big")
            if not base:
                data[place:place + offset_size] = (value + change).to_bytes(offset_size, "big")
            place += offset_size + length_size
    return bytes(data)


# AV1 (its bitstream specification, 5.3 and 5.5)

def units(data):
    """The OBUs: the kind, and the payload of each."""
    offset, found = 0, []
    while offset < len(data):
        kind, has_extension = data[offset] >> 3 & 15, data[offset] >> 2 & 1
        offset += 1 + has_extension
        length, shift = 0, 0
        while True:
            byte = data[offset]
            length |= (byte & 127) << shift
            offset, shift = offset + 1, shift + 7
            if byte < 128:
                break
        found.append((kind, data[offset:offset + length]))
        offset += length
    return found


def unit(kind, payload, layer=None):
    """An OBU, of a spatial layer if one is named."""
    length, size = b"", len(payload)
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    head = bytes([kind << 3 | 2]) if layer is None else bytes([kind << 3 | 6, layer << 3])
    return head + length + bytes([size]) + payload


def of_two_layers(sequence):
    """A sequence header (of a film, so not a reduced one) with operating points for both layers and for the lower one."""
    bits = "".join(format(byte, "08b") for byte in sequence)
    # Profile, still, reduced, timing, delay; then the points: 0 of 5 bits, 12 bits of layers, 5 of the level.
    level = bits[7 + 5 + 12:7 + 5 + 12 + 5]
    points = format(1, "05b") + "".join(format(layers << 8 | 1, "012b") + level for layers in (3, 1))
    bits = (bits[:7] + points + bits[7 + 5 + 12 + 5:].rstrip("0")[:-1]) + "1"
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


# JPEG XL (ISO/IEC 18181-1, annex D)

class Bits:
    """Reads and writes numbers, the lowest bit first."""

    def __init__(self, data=b""):
        self.number, self.length, self.place = int.from_bytes(data, "little"), 8 * len(data), 0

    def read(self, count):
        value = self.number >> self.place & ((1 << count) - 1)
        self.place += count
        return value

    def write(self, value, count):
        self.number |= value << self.length
        self.length += count

    def data(self):
        return self.number.to_bytes(-(-self.length // 8), "little")


def jxl_parts(stream):
    """Of a lossless codestream of eight bits without extra fields: its header as pieces of bits, by name, and its frames."""
    bits, pieces = Bits(stream[2:]), {}

    def piece(name, start):
        pieces[name] = (bits.number >> start & ((1 << bits.place - start) - 1), bits.place - start)

    def size():
        if bits.read(1):
            bits.read(5)
        else:
            bits.read((9, 13, 18, 30)[bits.read(2)])
        if bits.read(3) == 0:
            raise ValueError("the sides of the test's image have a ratio with a number")

    def number():
        kind = bits.read(2)
        return kind if kind < 2 else 2 + bits.read(4) if kind == 2 else 18 + bits.read(6)
    size()
    piece("size", 0)
    if bits.read(1) or bits.read(1):
        raise ValueError("the header has extra fields, or none at all")
    start = bits.place
    if bits.read(3) or not bits.read(1):
        raise ValueError("samples of other than eight bits")
    piece("samples", start)
    start = bits.place
    if bits.read(2) == 1 and not bits.read(1):
        raise ValueError("an extra channel that is not plain alpha")
    piece("alpha", start)
    start = bits.place
    bits.read(1)
    if not bits.read(1):
        if bits.read(1):
            raise ValueError("a profile")
        if number() != 1:
            number(), number()
        if not bits.read(1):
            number()
        number()
    piece("colours", start)
    if bits.read(2) or not bits.read(1):
        raise ValueError("extensions, or other transforms than the usual ones")
    return pieces, stream[2 + -(-bits.place // 8):]


# How the fourth channel of eight bits is described where it is not plain alpha (Table D.6): not as by default, its kind, no float,
# eight bits, not shifted, without a name, and of alpha that the others are multiplied by it.
MULTIPLIED = ((0, 1), (0, 2), (0, 1), (0, 2), (0, 2), (0, 2), (1, 1))
DEPTH = ((0, 1), (1, 2), (0, 1), (0, 2), (0, 2), (0, 2))


def jxl(pieces, frames, preview=None, fourth=None):
    """A codestream: `preview` is the size of one whose frame comes first, in units of eight, `fourth` what describes that channel."""
    bits = Bits(b"\xff\x0a")
    bits.write(*pieces["size"])
    bits.write(0, 1)
    bits.write(int(preview is not None), 1)
    if preview:
        bits.write(0, 3 + 1)  # orientation 1, no other size
        bits.write(1 | 1 << 1, 2)  # a preview, in units of eight: 1 + 5 bits of the height, the width by a ratio
        bits.write(2, 2)
        bits.write(preview[1] // 8 - 1, 5)
        bits.write({1: 1, 3 / 2: 4, 2: 7}[preview[0] / preview[1]], 3)
        bits.write(0, 1)  # no animation
    bits.write(*pieces["samples"])
    if fourth:
        bits.write(1, 2)
        for value, count in fourth:
            bits.write(value, count)
    else:
        bits.write(*pieces["alpha"])
    bits.write(*pieces["colours"])
    if preview:
        bits.write(1, 1)  # the usual tones
    bits.write(0, 2)  # no extensions
    bits.write(1, 1)  # the usual transforms
    return bits.data() + frames


def jxl_file(*boxes_of_it):
    """The container around boxes."""
    return box(b"JXL ", b"\r\n\x87\n") + box(b"ftyp", b"jxl \0\0\0\0jxl ") + b"".join(boxes_of_it)


# JPEG 2000 (ITU-T T.800, annex I)

def jp2(stream, width, height, components, colours, *more, depth=8):
    """A codestream in boxes; `colours`: the number of a colour space, or a profile; `more`: further boxes of the header."""
    meaning = b"\1\0\0" + struct.pack(">I", colours) if isinstance(colours, int) else b"\2\0\0" + colours
    head = box(b"ihdr", struct.pack(">IIHBBBB", height, width, components, depth - 1, 7, 0, 0)) + b"".join(more) + box(b"colr", meaning)
    return box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ") + box(b"jp2h", head) + box(b"jp2c", stream)
