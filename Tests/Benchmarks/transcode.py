"""Sends jobs to a worker and prints the processor seconds they took. Used by Tests/Benchmarks/transcode and soak.

    transcode.py WORKER FOLDER ROUNDS IMAGE…
"""
import json
import os
import re
import resource
import socket
import subprocess
import sys


def size(path):
    """Displayed width and height, and whether there is alpha, according to vipsheader."""
    text = subprocess.run(["vipsheader", "-a", path], capture_output=True, text=True).stdout
    def field(name, default="0"):
        found = re.search(rf"^{name}: (\S+)", text, re.MULTILINE)
        return found.group(1) if found else default
    width, height = int(field("width")), int(field("height"))
    if int(field("orientation", "1")) >= 5:
        width, height = height, width
    return width, height, field("bands") in ("2", "4") and field("interpretation") != "cmyk"


def job(identifier, path, folder, facts):
    width, height, alpha = facts
    longer = max(width, height)
    def scaled(length):
        return {"width": max(1, (2 * width * length + longer) // (2 * longer)),
                "height": max(1, (2 * height * length + longer) // (2 * longer))}
    lengths = [length for length in (1024, 512, 256, 128) if length <= longer] or [longer]
    base = scaled(lengths[0])
    return {
        "job": identifier, "source": path, "format": "jpeg" if "jp" in path[-4:] else "png",
        "expected": {"width": width, "height": height, "alpha": alpha, "frames": 1},
        "base": [base["width"], base["height"]], "animated": False, "keepsProfile": False,
        "failOn": "error",
        "maximumPixels": 10**9, "maximumFrames": 10,
        "outputs": [dict(scaled(length), path=f"{folder}/{identifier}-{length}.webp", format="webp",
                         quality=80, effort=4, animated=False, metadata=0)
                    for length in lengths],
    }


class Worker:
    def __init__(self, executable, sources, results):
        self.channel, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            # The shell moves the channel to descriptor 3, where the worker expects it.
            ["/bin/sh", "-c", f'exec "$0" "$@" 3<&{theirs.fileno()}', executable, "4000000000",
             "120", sources, results],
            pass_fds=[theirs.fileno()], env={"MALLOC_ARENA_MAX": "1", "PATH": "/usr/bin:/bin"})
        theirs.close()
        self.lines = self.channel.makefile("rb")
        self.hello = json.loads(self.lines.readline())

    def perform(self, job):
        self.channel.sendall(json.dumps(job).encode() + b"\n")
        reply = json.loads(self.lines.readline())
        assert "done" in reply, reply
        for output in job["outputs"]:
            os.remove(output["path"])

    def resident(self):
        """Resident memory, in kilobytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def end(self):
        self.lines.close()
        self.channel.close()
        self.process.wait()


def main():
    executable, folder, rounds, *images = sys.argv[1:]
    facts = {image: size(image) for image in images}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    worker = Worker(executable, "/usr", folder)
    for index in range(int(rounds) * len(images)):
        image = images[index % len(images)]
        worker.perform(job(index, image, folder, facts[image]))
    worker.end()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    main()
