#!/usr/bin/env python3
"""Writes urls.tsv: the URL of each request in requests.jsonl by each service that has a preset.

Written from the services' documentation, one function for each, without Tessera's templates: the test compares
both. Run it after a change of requests.jsonl; it needs nothing but Python.
"""
import base64
import hashlib
import hmac
import json
import pathlib
from urllib.parse import quote, urlsplit

HERE = pathlib.Path(__file__).parent
WORD = {"webp": "webp", "jpeg": "jpg", "png": "png", "avif": "avif", "jxl": "jxl"}


class Request:
    def __init__(self, line):
        self.__dict__.update(json.loads(line))
        # What a browser would send: signatures cover it.
        self.url = quote(self.url, safe="!#$%&'()*+,-./:;=?@[]_~")
        parts = urlsplit(self.url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.path = parts.path.lstrip("/")
        self.query = parts.query
        self.whole = self.url.split("#")[0]
        self.crop = getattr(self, "crop", None)
        self.clip = self.mode == "clip"
        width, height = self.source
        if self.crop:
            x, y, w, h = self.crop
            self.centred = abs(2 * x + w - width) <= 1 and abs(2 * y + h - height) <= 1
            self.position = [x / (width - w) if width > w else 0.5, y / (height - h) if height > h else 0.5]

    @property
    def cut(self):
        """The crop, where a service would not find it by itself."""
        return self.crop if self.crop and not self.centred else None

    def box(self, covers=False):
        """The size, with the shorter side of a whole image rounded so that the longer one decides."""
        w, h = self.size
        width, height = self.source
        if self.clip or [w, h] == [width, height]:
            return w, h
        exact = (w * height / width) if width >= height else (h * width / height)
        other = max(1, int(exact) if covers else int(-(-exact // 1)))
        return (w, other) if width >= height else (other, h)


def decimal(value):
    return f"{round(value, 4):.4f}".rstrip("0").rstrip(".")


def joined(*parts):
    return "".join(part for part in parts if part)


def after(separator, query):
    return separator + query if query else ""


def aliyun(r):
    w, h = r.box(r.mode == "fill")
    mode = {"fit": "lfit", "clip": "fill", "fill": "mfit"}[r.mode]
    cut = r.cut and "/crop,x_%d,y_%d,w_%d,h_%d" % tuple(r.cut)
    quality = r.quality and f"/quality,q_{r.quality}"
    return joined(
        f"{r.origin}/{r.path}?x-oss-process=image/auto-orient,1", cut, f"/resize,m_{mode},w_{w},h_{h},limit_1",
        quality, f"/format,{WORD[r.format]}", after("&", r.query))


def bunny(r):
    w, h = r.box()
    cut = r.cut and "crop={2},{3},{0},{1}&".format(*r.cut)
    shape = r.clip and f"aspect_ratio={w}:{h}&"
    quality = r.quality and f"&quality={r.quality}"
    return joined(
        f"https://cdn.example/{r.path}?", r.query and r.query + "&", cut, shape, f"width={w}&height={h}", quality,
        f"&format={r.format}")


def cloudflare(r):
    w, h = r.box()
    gravity = r.crop and ",gravity=%sx%s" % tuple(decimal(share) for share in r.position)
    options = joined(
        f"width={w},height={h},fit={'crop' if r.clip else 'scale-down'}", gravity,
        r.quality and f",quality={r.quality}", f",format={r.format}",
        ",metadata=none" if r.metadata == "strip" else ",metadata=keep", ",anim=true")
    return f"https://cdn.example/cdn-cgi/image/{options}/{quote(r.whole, safe=':/~')}"


def cloudinary(r):
    w, h = r.box()
    cut = r.cut and "c_crop,x_%d,y_%d,w_%d,h_%d/" % tuple(r.cut)
    rest = joined(
        cut, f"c_{'lfill' if r.clip else 'limit'},w_{w},h_{h}", r.quality and f",q_{r.quality}",
        f",f_{WORD[r.format]}", r.metadata == "strip" and ",fl_force_strip", "/", quote(r.whole, safe=":/~"))
    digest = hashlib.sha1((rest + "cloudinary-secret").encode()).digest()
    signature = base64.urlsafe_b64encode(digest).decode()[:8]
    return f"https://cdn.example/image/fetch/s--{signature}--/{rest}"


def fastly(r):
    w, h = r.box(r.mode == "fill")
    fit = {"fit": "bounds", "clip": "crop", "fill": "cover"}[r.mode]
    cut = r.cut and "precrop={2},{3},x{0},y{1}&".format(*r.cut)
    return joined(
        f"https://cdn.example/{r.path}?", r.query and r.query + "&", cut,
        f"width={w}&height={h}&fit={fit}&format={WORD[r.format]}", r.quality and f"&quality={r.quality}")


def imgix(r):
    w, h = r.box()
    focus = r.crop and f"&crop=focalpoint&fp-x={decimal(r.focus[0])}&fp-y={decimal(r.focus[1])}"
    rest = joined(
        f"/{r.path}?", r.query and r.query + "&", f"w={w}&h={h}&fit={'crop' if r.clip else 'max'}", focus,
        f"&fm={WORD[r.format]}", r.quality and f"&q={r.quality}")
    return f"https://cdn.example{rest}&s={hashlib.md5(('FOO123bar' + rest).encode()).hexdigest()}"


def imgproxy(r):
    w, h = r.box()
    focus = r.crop and f"/g:fp:{decimal(r.focus[0])}:{decimal(r.focus[1])}"
    path = joined(
        f"/rs:{'fill' if r.clip else 'fit'}:{w}:{h}:0", focus, r.quality and f"/q:{r.quality}",
        f"/sm:{int(r.metadata == 'strip')}/plain/{quote(r.whole, safe='~')}@{WORD[r.format]}")
    digest = hmac.new(b"secret", b"hello" + path.encode(), hashlib.sha256).digest()
    return "https://cdn.example/" + base64.urlsafe_b64encode(digest).decode().rstrip("=") + path


def next_(r):
    if r.format != "webp" or r.clip:
        return None
    widths = [32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840]
    wide = [width for width in widths if width >= r.size[0]]
    # It makes no other widths, and enlarges nothing.
    if not wide or r.size[0] not in (wide[0], r.source[0]):
        return None
    return f"https://cdn.example/_next/image?url={quote(r.whole, safe='~')}&w={wide[0]}&q=75"


def nos(r):
    w, h = r.box(r.mode == "fill")
    axis = r.crop and "&axis=%d_%d" % tuple(int(share * 10 + 0.5) for share in r.position)
    return joined(
        f"{r.origin}/{r.path}?imageView&thumbnail={w}{ {'fit': 'x', 'clip': 'y', 'fill': 'z'}[r.mode] }{h}", axis,
        f"&type={WORD[r.format]}", r.quality and f"&quality={r.quality}",
        f"&stripmeta={int(r.metadata == 'strip')}&tostatic=0", after("&", r.query))


def qiniu(r):
    w, h = r.box(r.mode == "fill")
    cut = r.cut and "imageMogr2/auto-orient/crop/!{2}x{3}a{0}a{1}%7C".format(*r.cut)
    return joined(
        f"{r.origin}/{r.path}?", cut, f"imageView2/{ {'fit': 2, 'clip': 1, 'fill': 3}[r.mode] }/w/{w}/h/{h}",
        f"/format/{WORD[r.format]}", r.quality and f"/q/{r.quality}", after("&", r.query))


def tencent(r):
    w, h = r.box(r.mode == "fill")
    cut = r.cut and "imageMogr2/auto-orient/cut/{2}x{3}x{0}x{1}%7C".format(*r.cut)
    size = {"fit": f"{w}x{h}", "fill": f"!{w}x{h}r", "clip": f"!{w}x{h}r/gravity/center/crop/{w}x{h}"}[r.mode]
    return joined(
        f"{r.origin}/{r.path}?", cut, f"imageMogr2/auto-orient/thumbnail/{size}/format/{WORD[r.format]}",
        r.quality and f"/quality/{r.quality}", r.metadata == "strip" and "/strip", after("&", r.query))


def thumbor(r):
    w, h = r.box(r.mode == "fill")
    cut = r.cut and "%dx%d:%dx%d/" % (r.cut[0], r.cut[1], r.cut[0] + r.cut[2], r.cut[1] + r.cut[3])
    mode = {"fit": "fit-in/", "clip": "", "fill": "full-fit-in/"}[r.mode]
    rest = joined(
        cut, mode, f"{w}x{h}/filters:", r.quality and f"quality({r.quality}):", f"format({r.format})",
        r.metadata == "strip" and ":strip_exif()", "/", quote(r.whole, safe=":/~"))
    digest = hmac.new(b"my-security-key", rest.encode(), hashlib.sha1).digest()
    return f"https://cdn.example/{base64.urlsafe_b64encode(digest).decode()}/{rest}"


FORMATS = {
    aliyun: "webp jpeg png avif", bunny: "webp jpeg png avif", cloudflare: "webp jpeg avif",
    cloudinary: "webp jpeg png avif jxl", fastly: "webp jpeg png avif jxl", imgix: "webp jpeg png avif",
    imgproxy: "webp jpeg png avif jxl", next_: "webp", nos: "webp jpeg png", qiniu: "webp jpeg png",
    tencent: "webp jpeg png avif", thumbor: "webp jpeg png avif",
}
LONGEST = {
    aliyun: 16384, cloudflare: 12000, fastly: 8192, imgix: 8192, qiniu: 9999, tencent: 9999,
}
AREA = {aliyun: 16777216, qiniu: 24999999}
# Of sources: sides and pixels.
SOURCE = {
    aliyun: (30000, 250e6), cloudflare: (10**9, 100e6), cloudinary: (10**9, 25e6), fastly: (12000, 144e6), imgproxy: (10**9, 50e6),
    next_: (10**9, 268402689), qiniu: (30000, 150e6), tencent: (30000, 250e6), thumbor: (10**9, 75e6),
}
FORMAT = {"webp": 16383, "jpeg": 65500, "png": 10**7, "avif": 16384, "jxl": 262144}


def too_large(service, r):
    side, pixels = SOURCE.get(service, (10**9, 10**18))
    if max(r.source) > side or r.source[0] * r.source[1] > pixels:
        return True
    longest = min(LONGEST.get(service, 10**9), FORMAT[r.format])
    area = AREA.get(service, 10**18)
    if r.format == "avif":
        longest = 1200 if service is cloudflare else longest
        area = {aliyun: 9437184, bunny: 4_000_000}.get(service, area)
    return max(r.size) > longest or r.size[0] * r.size[1] > area


requests = [Request(line) for line in (HERE / "requests.jsonl").read_text().splitlines()]
with open(HERE / "urls.tsv", "w") as out:
    for service, formats in FORMATS.items():
        for number, request in enumerate(requests, 1):
            made = request.format in formats.split() and not too_large(service, request)
            print(service.__name__.rstrip("_"), number, (made and service(request)) or "-", sep="\t", file=out)
