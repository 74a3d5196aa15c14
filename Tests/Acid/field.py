"""Files as phones, cameras, shops and programs of drawing write them, after the structure of files that thumbnails were wrong of."""
import os, struct, zlib

from studio import *

PORTRAIT = (HEIGHT, WIDTH)
TILE = 64
AVIF = (b"avif", b"mif1", b"miaf")
EXIF, URN = 90, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"


def hevc(rows, *options):
    """The properties and the data of a HEVC image."""
    return content(made_by(("heif-enc", "-q", "90", *options, "SOURCE", "-o", "TARGET"), png(rows), "png", "heic"))


def av1(rows, *options):
    return content(made_by(("avifenc", "-s", "8", "--min", "0", "--max", "6", *options, "SOURCE", "TARGET"), png(rows), "png", "avif"))


def coded(number, image, more=(), kind=None, **facts):
    """An item of an image as an encoder made it."""
    properties, data = image
    kept = [(properties[name], name in (b"av1C", b"hvcC")) for name in (b"hvcC", b"av1C", b"ispe", b"pixi", b"colr") if name in properties]
    kind = kind or (b"av01" if b"av1C" in properties else b"hvc1")
    return {"id": number, "kind": kind, "data": data, "properties": kept + list(more), **facts}


def turn(quarters):
    return (box(b"irot", bytes([quarters])), True)


def mirror(axis):
    return (box(b"imir", bytes([axis])), True)


def exif_item(orientation):
    return {"id": EXIF, "kind": b"Exif", "data": struct.pack(">I", 6) + b"Exif\0\0" + exif(orientation, ">"), "hidden": True}


def grid(rows, encoder, more=(), number=10):
    """The items of an image of four tiles, which reach over its right and lower edges, and its reference to them."""
    height, width = len(rows), len(rows[0])
    columns, lines = -(-width // TILE), -(-height // TILE)
    wide = [list(row) + [row[-1]] * (columns * TILE - width) for row in rows]
    wide += [wide[-1]] * (lines * TILE - height)
    parts = [[row[x * TILE:x * TILE + TILE] for row in wide[y * TILE:y * TILE + TILE]] for y in range(lines) for x in range(columns)]
    tiles = [coded(number + 1 + place, encoder(part), hidden=True) for place, part in enumerate(parts)]
    whole = {"id": number, "kind": b"grid", "data": struct.pack(">BBBBHH", 0, 0, lines - 1, columns - 1, width, height), "inside": True,
             "properties": [(extent(width, height), False), (full_box(b"pixi", b"\3\x08\x08\x08"), False), *more]}
    return [whole, *tiles], (b"dimg", number, *(tile["id"] for tile in tiles))


def auxiliary(number, image, name):
    return coded(number, image, [(full_box(b"auxC", name), True)], hidden=True)


def phones():
    """Images of phones: tiles, turns that Exif repeats, and what else lies in the file."""
    def of(orientation, turns, rows=None, encoder=hevc, more=(), links=(), brands=(b"heic", b"mif1"), properties=(), groups=b""):
        items, tiles = grid(rows or TURNS[orientation](picture(CORNERS, *PORTRAIT)), encoder, [*turns, *properties])
        return heif(items + [exif_item(orientation), *more], [tiles, (b"cdsc", EXIF, 10), *links], brands, groups, 10)
    whole = dict(rows=picture(), orientation=1, turns=[])
    case("phone/landscape.heic", of(**whole), "HEIC of a phone: a grid of tiles", tolerance=20)
    for name, orientation, quarters in (("portrait", 6, 3), ("left", 8, 1)):
        case(f"phone/{name}.heic", of(orientation, [turn(quarters)]),
             f"HEIC of a phone: tiles, turned by irot, and Exif orientation {orientation} says so again", size=PORTRAIT, tolerance=20)
    case("phone/upside-down.heic", of(3, [turn(2)], TURNS[3](picture())), "HEIC of a phone: tiles, turned by irot, and Exif orientation 3",
         tolerance=20)
    mirrored = TURNS[6](TURNS[2](picture(CORNERS, *PORTRAIT)))
    case("phone/selfie.heic", of(5, [turn(3), mirror(1)], mirrored), "HEIC of a phone's front camera: turned, then mirrored, and Exif orientation 5",
         size=PORTRAIT, tolerance=20)
    small = coded(30, hevc(TURNS[6](picture(CORNERS, 40, 60))), [turn(3)], hidden=True)
    case("phone/preview.heic", of(6, [turn(3)], more=[small], links=[(b"thmb", 30, 10)]), "HEIC of a phone: with a small copy (thmb)",
         size=PORTRAIT, tolerance=20)
    garish = coded(30, hevc(flat((255, 0, 255), 64, 64)), hidden=True)
    case("phone/wrong-preview.heic", of(**whole, more=[garish], links=[(b"thmb", 30, 10)]), "HEIC, its small copy is another image", tolerance=20)
    map_of = hevc(flat((128,), 64, 64))
    for name, urn, title in (("gain-map", b"urn:com:apple:photo:2020:aux:hdrgainmap\0", "gain map"),
                             ("depth", b"urn:mpeg:hevc:2015:auxid:2\0", "depth"),
                             ("matte", b"urn:com:apple:photo:2018:aux:portraiteffectsmatte\0", "matte of the person")):
        case(f"phone/{name}.heic", of(6, [turn(3)], more=[auxiliary(30, map_of, urn)], links=[(b"auxl", 30, 10)]), f"HEIC of a phone: with a {title}",
             size=PORTRAIT, tolerance=20)
    clear = hevc(flat((128,)))
    case("phone/sticker.heic", heif([coded(1, hevc(picture())), auxiliary(2, clear, b"urn:mpeg:hevc:2015:auxid:1\0")], [(b"auxl", 2, 1)]),
         "HEIC, cut out of a photograph: with alpha", HALF, tolerance=20)
    quarter = picture(HALF[:1] + [GREEN + (255,), BLUE + (255,), YELLOW + (255,)], *PORTRAIT)
    turned = TURNS[6](quarter)
    parts = ([[pixel[:3] for pixel in row] for row in turned], [[pixel[3:] for pixel in row] for row in turned])
    for suffix, encoder, urn, brands in (("heic", hevc, b"urn:mpeg:hevc:2015:auxid:1\0", (b"heic", b"mif1")), ("avif", av1, URN, AVIF)):
        alpha = auxiliary(2, encoder(parts[1]), urn)
        if suffix == "avif":
            case("phone/alpha-not-turned.avif", heif([coded(1, encoder(parts[0]), [turn(3)]), alpha], [(b"auxl", 2, 1)], brands),
                 "AVIF, turned by irot, which its alpha lacks, as libavif wrote it before 1.0", [HALF[0], GREEN, BLUE, YELLOW], PORTRAIT, tolerance=20)
        alpha["properties"].append(turn(3))
        case(f"phone/sticker-turned.{suffix}", heif([coded(1, encoder(parts[0]), [turn(3)]), alpha], [(b"auxl", 2, 1)], brands),
             f"{suffix.upper()}, cut out of a photograph: with alpha, turned by irot", [HALF[0], GREEN, BLUE, YELLOW], PORTRAIT, tolerance=20)
    # ISO 21496-1: from none of the headroom to three stops.
    metadata = bytes(5) + b"\x40" + struct.pack(">4I", 0, 1, 3, 1) + struct.pack(">10I", 0, 1, 3, 1, 1, 1, 0, 1, 0, 1)
    tone = {"id": 31, "kind": b"tmap", "data": metadata, "properties": [(extent(WIDTH, HEIGHT), False)]}
    either = box(b"grpl", full_box(b"altr", struct.pack(">4I", 50, 2, 31, 10)))
    case("phone/tone-map.heic", of(**whole, more=[coded(30, map_of, hidden=True), tone], links=[(b"dimg", 31, 10, 30)],
                                   brands=(b"heic", b"mif1", b"tmap"), groups=either),
         "HEIC of a phone: an image for HDR screens made of it and a gain map (tmap)", tolerance=20)
    p3 = [eight(encoded(c, P3)) for c in CORNERS]
    case("phone/display-p3.heic", of(1, [], picture(p3), properties=[(box(b"colr", b"prof" + P3_PROFILE), False)]),
         "HEIC of a phone: tiles, in Display P3 by a profile of the whole", tolerance=20)
    second = [coded(1, hevc(flat((255, 0, 255)))), coded(2, hevc(picture()))]
    case("phone/burst.heic", heif(second, number=2), "HEIC, the second of two images is the primary one", tolerance=20)
    case("phone/trailer.heic", of(6, [turn(3)]) + b"\0\0\x01\x0aImage_UTC_Data1700000000000" + b"SEFH" + bytes(24) + b"SEFT",
         "HEIC of a phone: a list of its maker's behind the boxes", size=PORTRAIT, tolerance=20)
    case("phone/ten-bits.heic", made_by(("heif-enc", "-q", "90", "-b", "10", "SOURCE", "-o", "TARGET"),
                                        png(picture([tuple(257 * s for s in c) for c in CORNERS]), 16), "png", "heic"), "HEIC, ten bits", tolerance=20)
    case("phone/grey.heic", heif([coded(1, hevc(picture(GREYS)))]), "HEIC, monochrome", [(v,) * 3 for v in GREYS], tolerance=20)
    case("phone/tiles.avif", of(**whole, encoder=av1, brands=AVIF), "AVIF of a phone: a grid of tiles", tolerance=20)
    case("phone/portrait.avif", of(6, [turn(3)], encoder=av1, brands=AVIF), "AVIF of a phone: tiles, turned by irot, and Exif orientation 6",
         size=PORTRAIT, tolerance=20)
    case("phone/selfie.avif", of(5, [turn(3), mirror(1)], mirrored, av1, brands=AVIF),
         "AVIF of a phone's front camera: turned, then mirrored, and Exif orientation 5", size=PORTRAIT, tolerance=20)
    case("phone/not-turned.avif", of(6, [turn(0)], picture(), av1, brands=AVIF), "AVIF, irot of 0 beside Exif orientation 6: not turned", tolerance=20)


def with_previews():
    """JPEG and PNG as phones write them."""
    preview = cjpeg(flat((9, 9, 9), 40, 40))
    place = 8 + 2 + 12 + 4
    block = b"II*\0" + struct.pack("<I", 8) + struct.pack("<HHHIHHI", 1, 0x0112, 3, 1, 6, 0, place)
    block += struct.pack("<HHHIHH", 3, 0x0112, 3, 1, 1, 0) + struct.pack("<HHII", 0x0201, 4, 1, place + 42) + struct.pack(
        "<HHII", 0x0202, 4, 1, len(preview))
    jpeg = without_jfif(cjpeg(TURNS[6](picture(CORNERS, *PORTRAIT)), "-sample", "2x2"))
    case("phone/preview.jpg", with_segments(jpeg, segment(0xE1, b"Exif\0\0" + block + bytes(4) + preview)),
         "JPEG of a phone: turned by Exif, its preview has an orientation of its own", size=PORTRAIT, tolerance=20)
    film = xmp('xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MotionPhoto="1" GCamera:MicroVideoOffset="4000"')
    case("phone/film.jpg", with_segments(jpeg, segment(0xE1, b"Exif\0\0" + exif(6)), segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + film))
         + box(b"ftyp", b"mp42\0\0\0\0mp42isom") + box(b"mdat", bytes(4_000)), "JPEG of a phone: turned, with a film behind it", size=PORTRAIT, tolerance=20)
    chunks = [(b"sRGB", b"\0"), (b"eXIf", exif(1, ">")), (b"pHYs", struct.pack(">IIB", 5_669, 5_669, 1)),
              (b"iDOT", struct.pack(">7I", 2, 0, 40, 40, 40, 40, 1))]
    case("phone/screenshot.png", png(picture([c + (255,) for c in CORNERS]), chunks=chunks), "PNG, a phone's screen, with its maker's chunk")


def turned_otherwise():
    rows = TURNS[6](picture(CORNERS, *PORTRAIT))
    case("orientation/exif.png", png(rows, chunks=[(b"eXIf", exif(6))]), "PNG, Exif orientation 6, which browsers heed", size=PORTRAIT)
    image = webp_image(vips(rows, "webp", lossless="true"))
    note = webp_chunk(b"EXIF", exif(6))
    shows = [GREEN, YELLOW, RED, BLUE]
    case("orientation/exif.webp", webp(WIDTH, HEIGHT, 0x08, image, note), "WebP, Exif orientation 6, which browsers do not heed", shows)
    small = webp_image(vips(flat(BLUE, WIDTH // 2, HEIGHT // 2), "webp", lossless="true"))
    frames = webp_frame(image, WIDTH, HEIGHT) + webp_frame(small, WIDTH // 2, HEIGHT // 2)
    case("orientation/exif-animated.webp", webp(WIDTH, HEIGHT, 0x0A, webp_chunk(b"ANIM", bytes(6)), frames, note),
         "WebP, animated, Exif orientation 6, which browsers do not heed", shows, frames=2, last=[list(c) for c in (BLUE, YELLOW, RED, BLUE)])


def with_sequence(image):
    """With the sequence header in the configuration as well, where the encoder leaves it out."""
    properties, data = image
    header = next(payload for kind, payload in units(data) if kind == 1)
    return {**properties, b"av1C": box(b"av1C", properties[b"av1C"][8:12] + unit(1, header))}, data


def without_sequence(image):
    properties, data = image
    return {**properties, b"av1C": box(b"av1C", properties[b"av1C"][8:12])}, data


def sequence(*images, still=True):
    """An AVIF film; without the still, only its track is left (ISO/IEC 14496-12)."""
    paths = []
    for rows in images[:-1]:
        data = png(rows)
        paths.append(os.path.join(folders["work"], f"frame-{zlib.crc32(data):08x}.png"))
        with open(paths[-1], "wb") as file:
            file.write(data)
    file = made_by(("avifenc", "-s", "8", "--min", "0", "--max", "6", "-k", "1", *paths, "SOURCE", "TARGET"), png(images[-1]), "png", "avif")
    if still:
        return file
    first, last = find(file, (b"meta",))
    data = bytearray(file[:first].replace(b"avif", b"avis") + file[last:])
    place = data.find(b"stco")
    while place > 0:
        count = struct.unpack(">I", data[place + 8:place + 12])[0]
        for offset in range(place + 12, place + 12 + 4 * count, 4):
            data[offset:offset + 4] = struct.pack(">I", struct.unpack(">I", data[offset:offset + 4])[0] - (last - first))
        place = data.find(b"stco", place + 4)
    return bytes(data)


def layered():
    """An AVIF of two layers of one size: the upper one is the image, the lower one a first impression."""
    file = sequence(flat((9, 9, 9)), picture())
    first, last = find(file, (b"mdat",))
    start = file.index(b"\x12\0\x0a", first)
    pieces = [(kind, payload) for kind, payload in units(file[start:last]) if kind in (1, 6)]
    # The encoder writes alpha first.
    header = [payload for kind, payload in pieces if kind == 1][-1]
    frames = [payload for kind, payload in pieces if kind == 6][-2:]
    layers = [unit(6, payload, layer) for layer, payload in enumerate(frames)]
    head = unit(2, b"") + unit(1, of_two_layers(header))
    first, last = find(file, (b"meta", b"iprp", b"ipco"))
    kept = [(file[begin:end], name == b"av1C") for name, begin, end in boxes(file, first + 8, last)
            if name in (b"ispe", b"pixi", b"av1C", b"colr")][:4]
    sizes = box(b"a1lx", b"\0" + struct.pack(">3H", len(head + layers[0]), 0, 0))
    return heif([{"id": 1, "kind": b"av01", "data": head + b"".join(layers), "properties": kept + [(sizes, False)]}], brands=AVIF)


def avifs():
    greys = [(v,) * 3 for v in GREYS]
    grey = av1(picture(GREYS), "-y", "400", "-r", "limited")
    for name, image, title in (("", without_sequence(grey), "without a sequence header in its configuration"),
                               ("-configured", with_sequence(grey), "with its configuration")):
        case(f"avif/grey-limited{name}.avif", heif([coded(1, image)], brands=AVIF), f"AVIF, monochrome, limited range, {title}", greys, tolerance=14)
    full = av1(picture(GREYS), "-y", "400")
    case("avif/grey.avif", heif([coded(1, full)], brands=AVIF), "AVIF, monochrome", greys, tolerance=14)
    profile = (box(b"colr", b"prof" + LINEAR_GREY), False)
    case("avif/grey-profile.avif", heif([coded(1, full, [profile])], brands=AVIF), "AVIF, monochrome, a linear profile",
         [grey_of(v / 255) for v in GREYS], tolerance=14)
    colours = av1(picture(), "-y", "444")
    for name, options in (("limited", ("-r", "limited")), ("full", ())):
        alpha = av1(flat((128,)), "-y", "400", *options)
        del alpha[0][b"colr"]
        case(f"avif/alpha-{name}.avif", heif([coded(1, colours), auxiliary(2, without_sequence(alpha), URN)], [(b"auxl", 2, 1)], AVIF),
             f"AVIF, half transparent, alpha in {name} range", HALF, tolerance=14)
    multiplied = picture([tuple(round(v * 128 / 255) for v in c) for c in CORNERS])
    alpha = av1(flat((128,)), "-y", "400")
    case("avif/multiplied.avif", heif([coded(1, av1(multiplied, "-y", "444")), auxiliary(2, alpha, URN)], [(b"auxl", 2, 1), (b"prem", 1, 2)], AVIF),
         "AVIF, half transparent, samples multiplied by alpha", HALF, tolerance=14)
    for name, title, options in (("limited-420", "4:2:0, limited range", ("-y", "420", "-r", "limited")),
                                 ("twelve-422", "4:2:2, twelve bits", ("-y", "422", "-d", "12")),
                                 ("ycgco", "the matrix YCgCo", ("-y", "444", "--cicp", "1/13/8")),
                                 ("bt2020-matrix", "the matrix of BT.2020", ("-y", "444", "--cicp", "1/13/9"))):
        case(f"avif/{name}.avif", heif([coded(1, av1(picture(), *options))], brands=AVIF), f"AVIF, {title}", tolerance=20)
    aperture = box(b"clap", struct.pack(">8I", 60, 1, 40, 1, 90, 1, 0, 1))
    case("avif/clap-outside.avif", heif([coded(1, colours, [(aperture, True)])], brands=AVIF),
         "AVIF, a clean aperture outside the image, which browsers ignore", tolerance=20)
    case("avif/film.avif", sequence(picture(), flat((9, 9, 9))), "AVIF, a film and its first frame as a still", tolerance=20)
    case("avif/film-only.avif", sequence(picture(), flat((9, 9, 9)), still=False), "AVIF, a film without a still: its first frame", tolerance=20)
    case("avif/layered.avif", layered(), "AVIF, two layers: the upper one", tolerance=20)


def cjxl(source, kind, *options):
    return made_by(("cjxl", "-e", "3", *options, "SOURCE", "TARGET"), source, kind, "jxl")


def jxls():
    bare = ("-d", "0", "--container=0")
    stream = cjxl(png(picture()), "png", *bare)
    pieces, frames = jxl_parts(stream)
    garish = flat((255, 0, 255))
    case("jxl/film.jxl", cjxl(apng([({}, picture()), ({}, garish)]), "png", "-d", "0"), "JPEG XL, animated: its first frame")
    layer = picture([YELLOW + (255,), CLEAR, CLEAR, CLEAR])
    opaque = picture([c + (255,) for c in CORNERS])
    case("jxl/film-layers.jxl", cjxl(apng([({"delay": 0}, opaque), ({"blend": 1}, layer), ({}, flat((255, 0, 255, 255)))]), "png", "-d", "0"),
         "JPEG XL, animated: its first frame, composed of two layers", (YELLOW, GREEN, BLUE, YELLOW))
    multiplied = cjxl(png(picture([tuple(round(v * 128 / 255) for v in c) + (128,) for c in CORNERS])), "png", *bare)
    case("jxl/multiplied.jxl", jxl(*jxl_parts(multiplied), fourth=MULTIPLIED),
         "JPEG XL, half transparent, samples multiplied by alpha", HALF, tolerance=12)
    case("jxl/depth.jxl", jxl(*jxl_parts(cjxl(png(picture(HALF)), "png", *bare)), fourth=DEPTH),
         "JPEG XL, its fourth channel is depth, not alpha")
    for value in (2, 3, 5, 6, 8):
        size = PORTRAIT if value > 4 else (WIDTH, HEIGHT)
        plain = without_jfif(cjpeg(TURNS[value](picture(CORNERS, *size)), "-sample", "1x1"))
        jpeg = with_segments(plain, segment(0xE1, b"Exif\0\0" + exif(value)))
        case(f"jxl/orientation-{value}.jxl", cjxl(jpeg, "jpg", "-d", "1", "-j", "0"), f"JPEG XL, orientation {value}, and Exif says so again",
             size=size, tolerance=20)
    case("jxl/exif-only.jxl", jxl_file(box(b"Exif", bytes(4) + exif(6)), box(b"jxlc", stream)), "JPEG XL, Exif orientation 6 alone: not turned")
    plain = without_jfif(cjpeg(TURNS[6](picture(CORNERS, *PORTRAIT)), "-sample", "2x2"))
    jpeg = with_segments(plain, segment(0xE1, b"Exif\0\0" + exif(6)))
    case("jxl/of-jpeg.jxl", cjxl(jpeg, "jpg", "-j", "1"), "JPEG XL, a JPEG of a phone that can be had back", size=PORTRAIT, tolerance=20)
    _, small = jxl_parts(cjxl(png(flat((9, 9, 9), 48, 32)), "png", *bare))
    case("jxl/preview.jxl", jxl(pieces, small + frames, preview=(48, 32)), "JPEG XL, another image as its preview")
    middle = len(stream) // 2
    halves = box(b"jxlp", bytes(4) + stream[:middle]), box(b"jxlp", b"\x80\0\0\1" + stream[middle:])
    case("jxl/parts.jxl", jxl_file(halves[0], box(b"Exif", bytes(4) + exif(1)), halves[1]), "JPEG XL, its codestream in two boxes")
    case("jxl/bare.jxl", stream, "JPEG XL, a codestream without boxes")
    case("jxl/grey.jxl", cjxl(png(picture(GREYS)), "png", "-d", "0"), "JPEG XL, grey", [(v,) * 3 for v in GREYS])


def opj(rows, *options, steps=(), depth=8):
    """A codestream; `steps`: how many columns and lines a sample of each component stands for."""
    count = len(rows[0][0])
    steps = steps or [(1, 1)] * count
    raw = b"".join(bytes(pixel[k] for row in rows[::steps[k][1]] for pixel in row[::steps[k][0]]) for k in range(count))
    form = f"{len(rows[0])},{len(rows)},{count},{depth},u@" + ":".join(f"{x}x{y}" for x, y in steps)
    return made_by(("opj_compress", "-i", "SOURCE", "-o", "TARGET", "-n", "3", "-F", form, *options), raw, "raw", "j2k")


def ycc(colour):
    y = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
    return tuple(min(255, max(0, round(v))) for v in (y, 128 + (colour[2] - y) / 1.772, 128 + (colour[0] - y) / 1.402))


def jp2s():
    def jp2_case(name, title, stream, components, colours, *more, size=(WIDTH, HEIGHT), depth=8, **facts):
        case(f"jp2/{name}.jp2", jp2(stream, *size, components, colours, *more, depth=depth), f"JPEG 2000, {title}", size=size, **facts)
    inks = [tuple(255 - s for s in c) + (0,) for c in CORNERS]
    jp2_case("cmyk", "inks (CMYK)", opj(picture(inks), "-mct", "0"), 4, 12, tolerance=16)
    rows = picture([ycc(c) for c in CORNERS])
    for name, steps in (("444", (1, 1)), ("422", (2, 1)), ("420", (2, 2))):
        jp2_case(f"ycc-{name}", f"YCbCr {name[0]}:{name[1]}:{name[2]}", opj(rows, "-mct", "0", steps=[(1, 1), steps, steps]), 3, 18, tolerance=14)
    odd = (WIDTH + 1, HEIGHT + 1)
    stream = opj(picture([ycc(c) for c in CORNERS], *odd), "-mct", "0", steps=[(1, 1), (2, 2), (2, 2)])
    jp2_case("ycc-420-odd", "YCbCr 4:2:0 of odd sides", stream, 3, 18, size=odd, tolerance=14)
    fives = [tuple(round(s / 255 * 31) for s in c) for c in CORNERS]
    jp2_case("five-bits", "five bits", opj(picture(fives), depth=5), 3, 16, depth=5,
             shows=[tuple(round(s / 31 * 255) for s in c) for c in fives], tolerance=4)
    case("jp2/offset.j2k", opj(picture(), "-d", "150,301"), "JPEG 2000, a codestream without boxes, its origin is not 0")
    jp2_case("tiles", "in tiles", opj(picture(), "-t", "64,64"), 3, 16)
    jp2_case("offset", "its origin is not 0", opj(picture(), "-d", "24,16"), 3, 16)
    jp2_case("profile", "a profile that swaps the samples", opj(picture([swapped(c) for c in CORNERS])), 3, GBR, tolerance=12)
    palette = box(b"pclr", struct.pack(">HB", 4, 3) + b"\7\7\7" + b"".join(bytes(c) for c in CORNERS))
    channels = box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, k) for k in range(3)))
    jp2_case("palette", "a palette", opj(picture([0, 1, 2, 3])), 1, 16, palette, channels)
    alpha = box(b"cdef", struct.pack(">H", 4) + b"".join(struct.pack(">3H", k, int(k == 3), (k + 1) % 4) for k in range(4)))
    jp2_case("alpha", "half transparent", opj(picture(HALF)), 4, 16, alpha, shows=HALF)
    jp2_case("grey", "grey", opj(picture(GREYS)), 1, 17, shows=[(v,) * 3 for v in GREYS])
    case("jp2/stream.j2k", opj(picture()), "JPEG 2000, a codestream without boxes")
    deep = png(picture([tuple(257 * s for s in c) for c in CORNERS]), 16)
    case("jp2/sixteen.jp2", made_by(("opj_compress", "-i", "SOURCE", "-o", "TARGET"), deep, "png", "jp2"), "JPEG 2000, 16 bits")


def drawings():
    def quarters(width=WIDTH, height=HEIGHT):
        return "".join(f'<rect class="q{k}" x="{k % 2 * width / 2}" y="{k // 2 * height / 2}" width="{width / 2}" height="{height / 2}" '
                       f'fill="rgb{CORNERS[k]}"/>' for k in range(4))

    def drawing(name, title, attributes, content=None, head="", **facts):
        text = f'<?xml version="1.0"?>{head}<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{content or quarters()}</svg>'
        case(f"svg/{name}.svg", text.encode(), f"SVG, {title}", **facts)
    for unit_name, factor in (("mm", 25.4 / 96), ("cm", 2.54 / 96), ("pt", 0.75), ("in", 1 / 96), ("pc", 1 / 16)):
        drawing(f"{unit_name}-without-box", f"sizes in {unit_name} without a view box",
                f'width="{WIDTH * factor:.4f}{unit_name}" height="{HEIGHT * factor:.4f}{unit_name}"')
    drawing("em", "sizes in em", 'width="7.5em" height="5em" viewBox="0 0 120 80"')
    drawing("no-size", "without any size: 300 by 150", "", quarters(300, 150), size=(300, 150))
    drawing("percent", "sizes in per cent without a view box: 300 by 150", 'width="100%" height="100%"', quarters(300, 150), size=(300, 150))
    drawing("box-only", "a view box alone: the largest of its shape in 300 by 150", 'viewBox="0 0 120 80"', size=(225, 150))
    drawing("percent-box", "sizes in per cent and a view box", 'width="100%" height="100%" viewBox="0 0 120 80"', size=(225, 150))
    sized = 'width="120" height="80"'
    drawing("dark", "colours for dark screens", sized, "<style>@media (prefers-color-scheme: dark) { rect { fill: #f0f } }</style>" + quarters())
    drawing("not-dark", "colours for other than dark screens", sized, "<style>rect { fill: #f0f } @media not (prefers-color-scheme: dark) { "
            + " ".join(f".q{k} {{ fill: rgb{CORNERS[k]} }}" for k in range(4)) + " }</style>" + quarters())
    drawing("classes", "colours by classes", sized, "<style>rect { fill: #f0f } " + " ".join(f".q{k} {{ fill: rgb{CORNERS[k]} }}" for k in range(4))
            + "</style>" + quarters())
    markers = "".join(f'<marker id="m{k}" markerUnits="userSpaceOnUse" markerWidth="60" markerHeight="40" overflow="visible" orient="{orient}">'
                      f'<rect x="{x}" y="{y}" width="60" height="40" fill="rgb{CORNERS[k]}"/></marker>'
                      for k, (orient, x, y) in enumerate((("auto-start-reverse", -60, -20), ("auto", -60, -20), ("0", 0, -20), ("180", 0, -20))))
    drawing("markers", "drawn by markers", sized, markers + '<path d="M0 20H120" marker-start="url(#m0)" marker-end="url(#m1)"/>'
            '<path d="M0 60H120" style="marker-start: url(#m2); marker-end: url(#m3)"/>')
    points = "".join(f'<marker id="m{k}" markerUnits="userSpaceOnUse" markerWidth="60" markerHeight="40" refX="30" refY="20">'
                     f'<rect width="60" height="40" fill="rgb{CORNERS[k]}"/></marker>' for k in range(4))
    drawing("marked-moves", "drawn by markers on paths that only move", sized, points + "".join(
        f'<path d="M0 0 m{30 + k % 2 * 60} {20 + k // 2 * 40}" marker-end="url(#m{k})"/>' for k in range(4)))
    text = ('<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" '
            '[<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>' f'<svg xmlns="&ns_svg;" {sized} viewBox="0 0 120 80" '
            f'enable-background="new 0 0 120 80" xml:space="preserve">{quarters()}</svg>')
    case("svg/entities.svg", text.encode(), "SVG, its namespace is an entity, as a program of drawing writes it")


def older():
    """Formats that are older than the web, as they are found on it."""
    table = list(CORNERS)
    whole = gif_frame(picture([0, 1, 2, 3]), 2)
    case("gif/small-canvas.gif", gif(WIDTH // 2, HEIGHT // 2, [whole], table), "GIF, a canvas that is smaller than its image")
    case("gif/no-canvas.gif", gif(0, 0, [whole], table), "GIF, a canvas of 0 by 0")
    case("gif/outside.gif", gif(WIDTH, HEIGHT, [gif_frame(picture([0, 1, 2, 3]), 2, x=60, y=40)], table), "GIF, an image that reaches over its canvas",
         [CLEAR, CLEAR, CLEAR, YELLOW], (180, 120))
    case("gif/no-end.gif", gif(WIDTH, HEIGHT, [whole], table)[:-1], "GIF, without its last byte")
    case("ico/directory-zero.ico", ico([((256, 256), b"".join(dib(picture(CORNERS, 16, 16), 24, icon=True)))]),
         "ICO, a bitmap of 16 by 16 that its directory says to have 256", size=(16, 16))
    sixteen_colours = b"".join(dib(picture([0, 1, 2, 3], 48, 48), 4, palette=table + [(0, 0, 0)] * 12, icon=True))
    case("ico/palette.ico", ico([((48, 48), sixteen_colours)]), "ICO, sixteen colours", size=(48, 48))
    five = [(sum(round(s / 255 * 31) << shift for s, shift in zip(c, (10, 5, 0))) | (0 if c == GREEN else 0x8000),) for c in CORNERS]
    case("bmp/alpha-555.bmp", bmp(picture(five), 16, 3, 124, masks=(0x7C00, 0x3E0, 0x1F), alpha_mask=0x8000), "BMP, 16 bits with one of alpha",
         [RED, CLEAR, BLUE, YELLOW], tolerance=14)
    skipped = (bytes([60, 2, 60, 3]) + b"\0\0") * 40 + (bytes([60, 0]) + b"\0\2\x3c\0" + b"\0\0") * 40 + b"\0\1"
    case("bmp/runs-skip.bmp", bmp(picture([0, 1, 2, 3]), 8, 1, palette=table, data=skipped), "BMP, run lengths that skip a quarter: black",
         [RED, (0, 0, 0), BLUE, YELLOW])
    case("bmp/os2-2.bmp", bmp(picture(), size=64), "BMP, OS/2's second header")
    twelve = picture([round(v / 255 * 4095) for v in GREYS])
    case("tiff/grey-profile.tif", tiff(twelve, 12, tags={34675: (7, list(LINEAR_GREY))}), "TIFF, grey of 12 bits, a linear profile",
         [grey_of(v / 255) for v in GREYS], tolerance=12)
    source = os.path.join(folders["work"], "scan.png")
    with open(source, "wb") as file:
        file.write(png(picture()))
    for name, title, options in (("lzw", "LZW with a predictor", {"compression": "lzw", "predictor": "horizontal"}),
                                 ("jpeg", "JPEG", {"compression": "jpeg", "Q": 95}),
                                 ("packbits", "PackBits", {"compression": "packbits"})):
        case(f"tiff/{name}.tif", vips_file(source, os.path.join(folders["work"], "scan.tif"), **options), f"TIFF, {title}", tolerance=14)
    lines = [[255, 0][k % 2] for k in range(4)]
    with open(source, "wb") as file:
        file.write(png(picture(lines)))
    case("tiff/fax.tif", vips_file(source, os.path.join(folders["work"], "scan.tif"), compression="ccittfax4", bitdepth=1), "TIFF, a fax",
         [(v,) * 3 for v in lines])
    stored = [tuple(255 - v for v in ycc(tuple(255 - s for s in c))) + (0,) for c in CORNERS]
    jpeg = ink_jpeg(stored)
    mark = jpeg.index(b"Adobe")
    case("jpeg/ycck.jpg", jpeg[:mark + 11] + b"\2" + jpeg[mark + 12:], "JPEG, inks as YCCK, by Adobe's mark", tolerance=16)


def cut_off():
    for name, data in (("avif", vips(picture(), "avif", Q=80)), ("heic", vips(picture(), "heic", Q=95)), ("jp2", vips(picture(), "jp2", lossless="true")),
                       ("tif", tiff(picture())), ("bmp", bmp(picture()))):
        case(f"damaged/half.{name}", data[:len(data) // 2], f"{name.upper()}, cut off in the middle: it says so", None, rejected=True)


FIELD = (phones, with_previews, turned_otherwise, avifs, jxls, jp2s, drawings, older, cut_off)
