"""Runs a command and prints what it and all its descendants used, as JSON.

    measure.py [--memory] LOG COMMAND…

`seconds` is wall time, `processor` the time of the whole tree. This process is the tree's subreaper: a
descendant whose parent has died becomes its child, so that the time of a killed or abandoned process counts,
too. With --memory, the tree's proportional set size (PSS: shared pages are divided among their users) is
sampled every 50 ms, and `memory` is the highest sum in bytes; reading it takes time, so `seconds` is then of no
use. The command's output goes to LOG.
"""
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

PR_SET_CHILD_SUBREAPER = 36


def children(process):
    """The processes that any thread of a process has started or adopted."""
    found = []
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def proportional(process):
    """A process's PSS in bytes; its resident size if this user may not read the PSS; 0 if it has ended."""
    try:
        with open(f"/proc/{process}/smaps_rollup") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except PermissionError:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def tree_memory():
    total, pending = 0, children(os.getpid())
    while pending:
        process = pending.pop()
        total += proportional(process)
        pending += children(process)
    return total


class MemoryWatch:
    """Samples the tree's memory until it is stopped."""

    def __init__(self):
        self.peak = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.ended.wait(0.05):
            self.peak = max(self.peak, tree_memory())

    def stop(self):
        self.ended.set()
        self.thread.join()
        return self.peak


def run(command, log):
    """Returns the command's exit status and wall time, after its last descendant has ended."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    status, seconds = None, None
    while True:
        try:
            ended, result = os.wait()
        except ChildProcessError:
            return status, seconds
        if ended == process.pid:
            status, seconds = os.waitstatus_to_exitcode(result), time.monotonic() - begun
            # Whatever it leaves behind has a minute to end; then this process ends with the signal.
            signal.alarm(60)


def main():
    words = sys.argv[1:]
    watched = words[0] == "--memory"
    path, *command = words[1:] if watched else words
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")
    with open(path, "wb") as log:
        watch = MemoryWatch() if watched else None
        status, seconds = run(command, log)
        peak = watch.stop() if watch else None
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"status": status, "seconds": seconds, "memory": peak,
                      "processor": used.ru_utime + used.ru_stime}))


if __name__ == "__main__":
    main()
