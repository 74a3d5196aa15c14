"""The programs that are compared: the command of each, and where its files are.

A contestant has a `name`, `command(images, folder)`, and `made(images, folder)`, which maps an image and a size to
its file. Each works on two processors and makes WebP at quality 80 and effort 4 unless its name says otherwise.
"""
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../../../Examples/catalog")
from tessera_catalog import files_of


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


class Tessera:
    """A whole first run: manifest, HTTP, state, placeholders, catalog."""

    def __init__(self, executable, server, sizes, name="Tessera", effort="4", workers=2):
        self.executable, self.server, self.sizes = executable, server, sizes
        self.name, self.effort, self.workers = name, effort, workers

    def command(self, images, folder):
        with open(f"{folder}/manifest.jsonl", "w") as file:
            for path in images:
                file.write(json.dumps({"id": stem(path), "url": self.server.url(path)}) + "\n")
        slots = ", ".join(f"s{size}: {{size: {size}x{size}}}" for size in self.sizes)
        with open(f"{folder}/pipeline.yaml", "w") as file:
            file.write(f"manifest: manifest.jsonl\noutput: out\nslots: {{{slots}}}\nscales: [1]\n"
                       f"workers: {self.workers}\nvariants: {{effort: {{webp: {self.effort}}}}}\n"
                       f"fetch: {{allow: loopback}}\n")
        return [self.executable, "run", f"{folder}/pipeline.yaml", "--no-progress", "--quiet"]

    def made(self, images, folder):
        with open(f"{folder}/out/catalog.json") as file:
            catalog = json.load(file)
        items = {item["id"]: item for item in catalog["images"]}
        found = {}
        for path in images:
            variants = sorted(items[stem(path)]["variants"], key=lambda one: -one["width"] * one["height"])
            for size, variant in zip(self.sizes, variants):
                found[path, size] = f"{folder}/out/{files_of(catalog, items[stem(path)], variant)[0]['reference']}"
        return found


class Command:
    """A program that reads files and writes FOLDER/NAME-SIZE.webp."""

    def __init__(self, name, sizes, command):
        self.name, self.sizes, self.make = name, sizes, command

    def command(self, images, folder):
        return self.make(images, folder)

    def made(self, images, folder):
        return {(path, size): f"{folder}/{stem(path)}-{size}.webp" for path in images for size in self.sizes}


def bare_c(executable, sizes):
    words = ",".join(map(str, sizes))
    return Command("Bare C", sizes, lambda images, folder: [executable, folder, "2", words, *images])


def script(name, sizes, file):
    """A Python script with a pool of two processes."""
    words = ",".join(map(str, sizes))
    return Command(name, sizes, lambda images, folder: [
        "env", "VIPS_CONCURRENCY=1", sys.executable, f"{HERE}/{file}", folder, words, *images])


def shell(text, folder, images):
    """Runs `text` with xargs, two at a time: $folder is the folder, "$@" the images of one call."""
    return ["bash", "-c", f"export folder=$0; printf '%s\\0' \"$@\" | {text}", folder, *images]


def vipsthumbnail(sizes):
    """Once per size, with many images a call, so that starting the program costs little.

    Profiles are kept, not converted: with --eprofile alone, version 8.14 shifts the colours of images without a
    profile, and with --iprofile it fails on grey ones.
    """
    calls = "; ".join(
        f'vipsthumbnail "$@" --size {size}x{size}\\> '
        f'-o "$folder/%s-{size}.webp[Q=80,effort=4,strip]"' for size in sizes)
    text = f"VIPS_CONCURRENCY=1 xargs -0 -P 2 -n 8 bash -ec '{calls}' vipsthumbnail"
    return Command("vipsthumbnail", sizes, lambda images, folder: shell(text, folder, images))


def imagemagick(sizes):
    """Once per image. `jpeg:size` is twice the largest size, as ImageMagick's documentation advises."""
    steps = " ".join(f"-thumbnail {size}x{size}\\> -write \"$folder/$name-{size}.webp\"" for size in sizes)
    call = (f'name=${{1##*/}}; name=${{name%.*}}; exec convert -define jpeg:size={2 * sizes[0]}x{2 * sizes[0]} '
            f'"$1" -auto-orient -quality 80 -define webp:method=4 {steps} null:')
    text = f"MAGICK_THREAD_LIMIT=1 xargs -0 -P 2 -n 1 bash -ec '{call}' convert"
    return Command("ImageMagick", sizes, lambda images, folder: shell(text, folder, images))


class Img2dataset:
    """One size only. Its processes share the work by shards, so the shards are small."""

    name = "img2dataset"

    def __init__(self, server, size):
        self.server, self.sizes = server, [size]

    def command(self, images, folder):
        with open(f"{folder}/list.txt", "w") as file:
            file.writelines(self.server.url(path) + "\n" for path in images)
        # The library for augmentations looks for a new version on the network unless forbidden.
        return ["env", "NO_ALBUMENTATIONS_UPDATE=1", "WANDB_MODE=disabled",
                os.path.join(os.path.dirname(sys.executable), "img2dataset"),
                f"--url_list={folder}/list.txt", f"--output_folder={folder}/out", "--output_format=files",
                "--processes_count=2", "--thread_count=16", f"--image_size={self.sizes[0]}",
                "--resize_mode=keep_ratio_largest", "--resize_only_if_bigger=True", "--encode_format=webp",
                "--encode_quality=80", f"--number_sample_per_shard={max(1, min(100, len(images) // 2))}"]

    def made(self, images, folder):
        """By the URLs in the notes that it writes beside its files."""
        found = {}
        for note in glob.glob(f"{folder}/out/*/*.json"):
            with open(note) as file:
                found[json.load(file)["url"]] = note.removesuffix(".json") + ".webp"
        return {(path, self.sizes[0]): found[self.server.url(path)] for path in images
                if self.server.url(path) in found}
