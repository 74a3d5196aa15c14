"""A worker as tessera uses it, for Tests/Benchmarks/soak: sends it jobs and returns the files."""
import json
import os
import re
import socket
import subprocess


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


def job(identifier, path, facts):
    width, height, alpha = facts
    longer = max(width, height)
    def scaled(length):
        return {"width": max(1, (2 * width * length + longer) // (2 * longer)),
                "height": max(1, (2 * height * length + longer) // (2 * longer))}
    lengths = [length for length in (1024, 512, 256, 128) if length <= longer] or [longer]
    base = scaled(lengths[0])
    return {
        "job": identifier, "format": "jpeg" if "jp" in path[-4:] else "png",
        "expected": {"width": width, "height": height, "alpha": alpha, "frames": 1},
        "base": [base["width"], base["height"]], "animated": False, "keepsProfile": False,
        "failOn": "error", "lanes": "on",
        "maximumPixels": 10**9, "maximumFrames": 10, "placeholders": ["thumbhash"],
        "files": [dict(scaled(length), format="webp", quality=80, effort=4, animated=False,
                       metadata=0)
                  for length in lengths],
    }


class Worker:
    """A fork server with one worker, used as tessera uses it."""

    def __init__(self, executable):
        self.server, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            # The shell moves the channel to descriptor 3, where the fork server expects it.
            ["/bin/sh", "-c", f'exec "$0" "$@" 3<&{theirs.fileno()}', executable, "4000000000",
             "120", str(os.getpid())],
            pass_fds=[theirs.fileno()], env={"MALLOC_ARENA_MAX": "1", "PATH": "/usr/bin:/bin"})
        theirs.close()
        self.hello = json.loads(self.server.makefile("rb").readline())
        self.jobs, jobs = socket.socketpair()
        self.control, control = socket.socketpair()
        socket.send_fds(self.server, [b"f"], [jobs.fileno(), control.fileno()])
        jobs.close()
        control.close()
        self.lines = self.jobs.makefile("rb")

    def perform(self, job, path):
        """Returns the files, as bytes."""
        memory = os.memfd_create("files", os.MFD_ALLOW_SEALING)
        source = os.open(path, os.O_RDONLY)
        line = json.dumps(job).encode() + b"\n"
        socket.send_fds(self.jobs, [line[:1]], [source, memory])
        self.jobs.sendall(line[1:])
        reply = json.loads(self.lines.readline())
        assert "done" in reply, reply
        os.close(source)
        with os.fdopen(memory, "rb") as made:
            made.seek(0)
            return [made.read(length) for length in reply["lengths"]]

    def resident(self):
        """Resident memory of the worker, in kilobytes."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(children) as file:
            worker = file.read().split()[0]
        with open(f"/proc/{worker}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def end(self):
        """Ends both processes; the fork server has waited for the worker by then."""
        self.lines.close()
        self.jobs.close()
        self.control.recv(4096)
        self.server.shutdown(socket.SHUT_RDWR)
        self.process.wait()
