"""What every engine works on: a web server with images, a pipeline, and the catalog of one run."""
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURES = f"{ROOT}/Tests/Fixtures"
IMAGES = ["plain.jpg", "grey.png", "animated.gif", "one-pixel.png", "orientation-6.jpg", "transparent.png",
          "cmyk.jpg", "display-p3.jpg", "progressive.jpg", "lossy.webp"]
ITEMS = 400
SHARDS = 8


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait(condition, seconds, what):
    """Waits until a condition holds. Returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"FAILED: {what} did not happen within {seconds} s")


class Work:
    """The manifest, its pipeline, and what one run makes of it."""

    def __init__(self, home):
        self.home = os.path.join(home, "work")
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home)
        self.port = free_port()
        self._nginx = self._start_nginx()
        self.manifest = self._path("manifest.jsonl")
        with open(self.manifest, "w") as file:
            for number in range(ITEMS):
                # Every fiftieth is missing on the server.
                name = "missing.jpg" if number % 50 == 49 else IMAGES[number % len(IMAGES)]
                entry = {"id": f"p{number}", "url": f"http://127.0.0.1:{self.port}/{name}?{number}"}
                file.write(json.dumps(entry) + "\n")
        self.pipeline = self._path("feed.yaml")
        with open(self.pipeline, "w") as file:
            file.write(f"manifest: {self.manifest}\noutput: {self._path('one')}\nworkers: 1\n"
                       "slots: {avatar: {size: 36x36, mode: clip}, card: {size: 180x}}\n"
                       "fetch: {allow: loopback, retries: 0}\n")
        # Stretches of time in which a machine may die: each image is a little slow.
        status = subprocess.run(["tessera", "run", self.pipeline, "--quiet"]).returncode
        check(status == 1, f"one run: status {status}, expected 1 (some images are missing)")
        self.digest, self.ok = self.result(self._path("one"))
        check(self.ok == ITEMS - ITEMS // 50, f"one run: {self.ok} images are ok")

    def _path(self, name):
        return os.path.join(self.home, name)

    def output(self, name):
        """The path of a new output."""
        path = self._path(name)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def result(self, output):
        """SHA-256 of an output's catalog, and the number of images that are ok."""
        with open(f"{output}/catalog.json", "rb") as file:
            text = file.read()
        images = json.loads(text)["images"]
        return hashlib.sha256(text).hexdigest(), sum(image["status"] == "ok" for image in images)

    def expect(self, name, output):
        """Checks that an output has the catalog of one run, and all its files."""
        digest, ok = self.result(output)
        check(ok == self.ok, f"{name}: {ok} images are ok, expected {self.ok}")
        check(digest == self.digest, f"{name}: the catalog {digest} is not {self.digest}")
        verified = subprocess.run(["tessera", "verify", output, "--quiet", "--deep"], capture_output=True)
        check(verified.returncode == 0, f"{name}: {verified.stdout}")
        print(f"{name}: {ok} images ok, catalog {digest[:16]}", flush=True)

    def done(self, output):
        """How many shards have published their result."""
        folder = f"{output}/shards/{SHARDS}"
        return len([name for name in os.listdir(folder) if name.endswith(".jsonl")]) if os.path.isdir(folder) else 0

    def _start_nginx(self):
        folder = self._path("nginx")
        os.makedirs(folder)
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(f"""
                daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
                events {{ worker_connections 256; }}
                http {{
                  access_log off; default_type image/jpeg;
                  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
                  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
                  server {{ listen 127.0.0.1:{self.port}; root {FIXTURES}; limit_rate 20k; }}
                }}""")
        process = subprocess.Popen(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
        wait(lambda: os.path.exists(f"{folder}/pid"), 20, "the start of nginx")
        return process

    def close(self):
        self._nginx.terminate()
        self._nginx.wait()
