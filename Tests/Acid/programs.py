"""The programs that make thumbnails: Tessera, and those that it is compared with."""
import json, os, shutil, signal, socket, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Examples/catalog"))
from tessera_catalog import files_of

SIDE = 60
# Of one thumbnail of a hostile image: in s.
MOST_TIME = 20


def measured(words, most_time=2 * MOST_TIME):
    """Runs a command. Its status (negative: the signal that ended it), time in s, and memory in bytes at the peak of the largest of
    its processes."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, time.monotonic() - start, usage.ru_maxrss * 1024
        if time.monotonic() - start > most_time:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.005)


class Tessera:
    """One run over all images, and one for each hostile one."""

    name = "Tessera"

    def __init__(self, command, images, cases):
        self.command, self.images, self.folder = command, images, tempfile.mkdtemp()
        self.made, self.sizes, self.turned = {}, {}, set()
        for name, format, part in (
                ("stills", "png", [case for case in cases if "frames" not in case and not case.get("bounded")]),
                ("animations", "webp", [case for case in cases if "frames" in case])):
            made, sizes, turned = self.thumbnails(name, images, [case["file"] for case in part], format)
            self.made.update(made)
            self.sizes.update(sizes)
            self.turned |= turned

    def stop(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def thumbnails(self, name, folder, files, format, side=SIDE):
        """Paths of thumbnails, sizes in the catalog, and files that are decoded otherwise than their headers say, of a whole run."""
        status, seconds, _ = self.run(name, folder, files, format, 600, side)
        if status not in (0, 1):
            sys.exit(f"the run of {name} ended with status {status} after {seconds:.0f} s")
        made, sizes, turned = {}, {}, set()
        catalog = self.catalog(name)
        for image in catalog["images"]:
            if image.get("variants"):
                made[image["id"]] = self.largest(name, catalog, image)
            sizes[image["id"]] = (image["width"], image["height"]) if "width" in image else None
            if any(text.startswith("header-differs") for text in image.get("warnings", [])):
                turned.add(image["id"])
        return made, sizes, turned

    def catalog(self, name):
        with open(os.path.join(self.folder, name, "catalog.json")) as file:
            return json.load(file)

    def largest(self, name, catalog, image):
        """The path of the largest file."""
        return os.path.join(self.folder, name, files_of(catalog, image, image["variants"][-1])[0]["reference"])

    def run(self, name, folder, files, format, most_time=2 * MOST_TIME, side=SIDE):
        base = os.path.join(self.folder, name)
        with open(base + ".jsonl", "w") as file:
            for path in files:
                file.write(json.dumps({"id": path, "url": "file://" + os.path.join(folder, path)}) + "\n")
        with open(base + ".yaml", "w") as file:
            file.write(f"manifest: {name}.jsonl\noutput: {name}\nslots: {{a: {{size: {side}x{side}}}}}\nscales: [1]\nrounding: exact\n"
                       f"variants: {{format: {format}}}\nfail-above: 100%\nfetch: {{allow: 'files:{folder}'}}\n"
                       "accept: [jpeg, png, gif, webp, avif, heic, tiff, jxl, bmp, ico, svg, jp2]\n")
        return measured([self.command, "run", base + ".yaml"], most_time)

    def thumbnail(self, case, target):
        result, made = (0, 0, 0), self.made.get(case["file"])
        if case.get("bounded"):
            name = f"hostile-{os.path.basename(case['file'])}"
            result = self.run(name, self.images, [case["file"]], "png")
            if result[0] in (0, 1):
                catalog = self.catalog(name)
                image = catalog["images"][0]
                self.sizes[case["file"]] = (image["width"], image["height"]) if "width" in image else None
                # A worker that an image has ended counts as a decoder that crashed.
                if (image.get("error") or {}).get("code") in ("worker-crashed", "worker-timeout"):
                    result = (-1, *result[1:])
                made = self.largest(name, catalog, image) if image.get("variants") else None
        if made:
            target += os.path.splitext(made)[1]
            shutil.copy(made, target)
        return (target if made else None, *result)


class Peer:
    """A command for each image."""

    def __init__(self, images, name, command, animated=None):
        self.images, self.name, self.command, self.animated = images, name, command, animated

    def stop(self):
        pass

    def thumbnail(self, case, target):
        isAnimated = "frames" in case and self.animated
        target += ".webp" if isAnimated else ".png"
        words = (self.animated if isAnimated else self.command)(os.path.join(self.images, case["file"]), target)
        result = measured(words)
        return (target if os.path.exists(target) and result[0] == 0 else None, *result)


PILLOW = """
import sys, io
import pillow_heif, pillow_jxl
from PIL import Image, ImageCms, ImageOps, ImageSequence
pillow_heif.register_heif_opener()
image = Image.open(sys.argv[1])
if sys.argv[2].endswith("webp"):
    frames = []
    for frame in ImageSequence.Iterator(image):
        frame = frame.convert("RGBA")
        frame.thumbnail((60, 60))
        frames.append(frame)
    frames[0].save(sys.argv[2], save_all=True, append_images=frames[1:], lossless=True)
    sys.exit()
profile = image.info.get("icc_profile")
image = ImageOps.exif_transpose(image)
# A transparent colour, as alpha: scaling mixes it with others. Pillow can't turn one of 16 bits into alpha.
if "transparency" in image.info and image.mode != "I;16": image = image.convert("RGBA")
elif image.mode == "P": image = image.convert("RGB")
if profile:
    try:
        image = ImageCms.profileToProfile(image, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"),
                                          outputMode="RGBA" if image.mode in ("RGBA", "LA") else "RGB")
    except (ImageCms.PyCMSError, OSError): pass
if image.mode not in ("RGB", "RGBA", "L", "LA", "I;16"): image = image.convert("RGB")
image.thumbnail((60, 60))
image.save(sys.argv[2])
"""
PYVIPS = """
import sys, pyvips
source = pyvips.Image.new_from_file(sys.argv[1])
options = {"export_profile": "srgb"} if source.get_typeof("icc-profile-data") else {}
frames = "[n=-1]" if sys.argv[2].endswith("webp") else ""
pyvips.Image.thumbnail(sys.argv[1] + frames, 60, height=60, size="down", fail_on="error", **options).write_to_file(sys.argv[2] + "[strip]")
"""


def vipsthumbnail(source, target, frames=""):
    """With a conversion to sRGB only where there is a profile: libvips 8.14 shifts other images with that option."""
    has_profile = subprocess.run(["vipsheader", "-f", "icc-profile-data", source], capture_output=True).returncode == 0
    # libvips' own word for what is damaged; frames stands in the same brackets.
    return ["vipsthumbnail", f"{source}[{frames}fail_on=error]", "-s", f"{SIDE}x{SIDE}>", *(["--eprofile", "srgb"] if has_profile else []), "-o", target + "[strip]"]


class Thumbor:
    """A server on loopback, and a request for each image. Memory is the server's."""

    def __init__(self, python, images):
        self.python, self.server = python, None
        version = subprocess.run([python, "-c", "import thumbor; print(thumbor.__version__)"], capture_output=True, text=True).stdout.strip()
        self.name = f"thumbor {version}"
        self.folder = tempfile.mkdtemp()
        self.settings = os.path.join(self.folder, "thumbor.conf")
        with open(self.settings, "w") as file:
            file.write(f"SECURITY_KEY = 'key'\nALLOW_UNSAFE_URL = True\nRESPECT_ORIENTATION = True\nUSE_GIFSICLE_ENGINE = False\n"
                       f"LOADER = 'thumbor.loaders.file_loader'\nFILE_LOADER_ROOT_PATH = '{images}'\n"
                       "STORAGE = 'thumbor.storages.no_storage'\nRESULT_STORAGE = None\n")

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server = subprocess.Popen([self.python, "-m", "thumbor.server", "-i", "127.0.0.1", "-p", str(self.port), "-c", self.settings],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            if subprocess.run(["curl", "-sf", "-o", os.devnull, f"http://127.0.0.1:{self.port}/healthcheck"]).returncode == 0:
                return
            time.sleep(0.1)

    def stop(self):
        if self.server:
            self.server.kill()
            self.server.wait()
        self.server = None

    def thumbnail(self, case, target):
        if not self.server or case.get("bounded"):
            self.stop()
            self.start()
        target += ".webp" if "frames" in case else ".png"
        filters = "filters:format(webp):strip_exif()" if "frames" in case else "filters:format(png):strip_exif()"
        url = f"http://127.0.0.1:{self.port}/unsafe/fit-in/{SIDE}x{SIDE}/{filters}/{case['file']}"
        status, seconds, _ = measured(["curl", "-sf", "-o", target, url])
        memory = 0
        try:
            with open(f"/proc/{self.server.pid}/status") as file:
                memory = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
        except (OSError, StopIteration):
            pass
        if self.server.poll() is not None:
            status = self.server.returncode
            self.server = None
        return (target if os.path.exists(target) and status == 0 else None, min(status, 0), seconds, memory)


def install_peers():
    """Debian's packages, and the newest of PyPI in folders of the build. Returns their interpreters: thumbor needs an older Pillow."""
    subprocess.run(["bash", "-c", "source .ci/install; install_packages graphicsmagick imagemagick ffmpeg python3-venv curl libvips-tools libcairo2"],
                   cwd=ROOT, check=True)
    pythons = []
    for name, packages in (("pillow", ["pillow", "pillow-heif", "pillow-jxl-plugin", "pyvips", "pyvips-binary", "imageio-ffmpeg"]),
                           ("thumbor", ["thumbor[extra-libs]"])):
        folder = os.path.join(ROOT, ".build/acid", name)
        pythons.append(os.path.join(folder, "bin/python"))
        if not os.path.exists(pythons[-1]):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        # pyvips would otherwise be compiled against the system's libvips, which is scored already.
        subprocess.run([pythons[-1], "-m", "pip", "install", "--quiet", "--upgrade", *packages], check=True,
                       env={**os.environ, "PKG_CONFIG": "/bin/false"})
    return pythons


def output(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def version(*words):
    return next((word.strip("-,").removeprefix("vips-") for line in output(*words).splitlines() for word in line.split()
                 if word.removeprefix("vips-")[:1].isdigit()), "?")


def ffmpeg(program, filter):
    """Its version, and its words for a still and for an animation."""
    def words(source, target, *more):
        return [program, "-nostdin", "-i", source, filter, f"scale=w={SIDE}:h={SIDE}:force_original_aspect_ratio=decrease", *more, target]
    number = output(program, "-version").split()[2].removeprefix("n").split("-")[0]
    return (f"FFmpeg {number}", lambda a, b: words(a, b, "-frames:v", "1", "-map_metadata", "-1"),
            lambda a, b: words(a, b, "-loop", "0"))


def peers(images):
    pillow, thumbor = install_peers()
    vips = output(pillow, "-c", "import pyvips; print('.'.join(str(pyvips.version(k)) for k in range(3)))")
    size = f"{SIDE}x{SIDE}>"
    all_of_them = [
        (f"vipsthumbnail {version('vips', '--version')}", vipsthumbnail, lambda a, b: vipsthumbnail(a, b, "n=-1,")),
        (f"pyvips, libvips {vips}", *[lambda a, b: [pillow, "-c", PYVIPS, a, b]] * 2),
        (f"Pillow {output(pillow, '-c', 'import PIL; print(PIL.__version__)')}", *[lambda a, b: [pillow, "-c", PILLOW, a, b]] * 2),
        (f"ImageMagick {version('/usr/bin/convert', '-version')}", lambda a, b: ["/usr/bin/convert", a + "[0]", "-auto-orient", "-thumbnail", size, b],
         lambda a, b: ["/usr/bin/convert", a, "-coalesce", "-auto-orient", "-thumbnail", size, b]),
        (f"GraphicsMagick {version('gm', '-version')}", lambda a, b: ["gm", "convert", a + "[0]", "-auto-orient", "-thumbnail", size, b]),
        ffmpeg("ffmpeg", "-vf"),
        # Later versions put the tiles of HEIC together, for a complex filter alone.
        ffmpeg(output(pillow, "-c", "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())"), "-filter_complex"),
    ]
    return [Peer(images, *one) for one in all_of_them] + [Thumbor(thumbor, images)]
