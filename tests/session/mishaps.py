#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mishaps at random moments of runs: kill -9, a full disk, the trace's folder removed or moved, the trace removed.

mishaps.py EVPROF EVREPORT WORK [RUNS [SEED]]: RUNS (12) runs of programs, each with one mishap. Then no file of the
user's has changed, a program that was not killed has printed and ended as it does without evprof, and evreport reads
the trace or says in one sentence why it cannot. Where a trace was removed the run itself says so, on its terminal.
A run that went wrong is told by its number, with which the same draws come again: `mishaps.py ... 1 SEED+NUMBER`.
"""

import contextlib
import ctypes
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

EVPROF, EVREPORT, WORK = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
N_RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 12
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(10 ** 6)
TIMEOUT_S = 120
DISK_BYTES = 128 << 10
NEWNS, NEWUSER, REC_PRIVATE = 0x20000, 0x10000000, 0x44000
LOOP = "i=0; while [ $i -lt 25 ]; do /bin/echo $i; i=$((i+1)); done; echo end >own; exit 3"
PROGRAMS = [
    ["/bin/sh", "-c", LOOP],
    [WORK, "threads", "400"],
    [WORK, "forks", "40"],
    ["/bin/sh", "-c", "seq 40000 | sort -R --random-source=/dev/zero | cksum"],
]
DOCUMENTS = {"a document": b"written by the user\n", "data.gz": b"no trace\n" * 500, "d/beside": b"in the folder\n",
             "d/t.gz.old": None, "disk/kept": b"on the disk\n" * 300}


# ---- a disk of our own that can be full ----

def call(name, *arguments):
    if getattr(LIBC, name)(*arguments):
        raise OSError(ctypes.get_errno(), name)


LIBC = ctypes.CDLL(None, use_errno=True)


def enter_namespace():
    """Mounts of this script alone; False where that is not permitted."""
    uid, gid = os.getuid(), os.getgid()
    try:
        call("unshare", NEWNS | (NEWUSER if uid else 0))
        if uid:
            pathlib.Path("/proc/self/setgroups").write_text("deny")
            pathlib.Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
            pathlib.Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
        call("mount", None, b"/", None, REC_PRIVATE, None)
    except OSError:
        return False
    return True


def mount_disk(path):
    with contextlib.suppress(OSError):
        call("mount", b"disk", bytes(path), b"tmpfs", 0, b"size=%d" % DISK_BYTES)
        return True
    return False


# ---- mishaps: done to the folder and the process, at their moment; one that takes the trace away returns Lost ----

class Lost:
    """A trace that is about to be removed. Of a run that writes no more than its end mark after that, nobody expects
    a word: it was over."""
    END_MARK_BYTES = 28

    def __init__(self, path):
        self.file = open(path, "rb") if path.exists() else None
        self.size = 0
        self.is_unseen = False  # it was made meanwhile: nobody knows how much was written later

    def note_removed(self, was_there=False):
        self.is_unseen = was_there and not self.file
        self.size = self.now()

    def now(self):
        return os.fstat(self.file.fileno()).st_size if self.file else 0

    def was_over(self):
        return self.is_unseen or self.file is not None and self.now() <= self.size + self.END_MARK_BYTES


def kill(folder, process, draw):
    os.killpg(process.pid, signal.SIGKILL)


def fill_disk(folder, process, draw):
    with contextlib.suppress(OSError), open(folder / "disk/filler", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * draw.choice([1, 512, 4096]))


def remove_folder(folder, process, draw):
    lost = Lost(folder / "d/t.gz")
    was_there = (folder / "d/t.gz").exists()
    while (folder / "d").exists():  # a trace may be made there meanwhile
        was_there = was_there or (folder / "d/t.gz").exists()
        shutil.rmtree(folder / "d", ignore_errors=True)
    lost.note_removed(was_there)
    return lost


def move_folder(folder, process, draw):
    (folder / "d").rename(folder / "moved")


def remove_trace(folder, process, draw):
    lost = Lost(folder / "d/t.gz")
    was_there = (folder / "d/t.gz").exists()
    (folder / "d/t.gz").unlink(missing_ok=True)
    lost.note_removed(was_there)
    return lost


# the mishap, where the trace is to be, and the user's files that it is meant for
MISHAPS = [(kill, "d/t.gz", ""), (kill, "d/t.gz", ""), (fill_disk, "disk/t.gz", ""), (remove_folder, "d/t.gz", "d/"),
           (move_folder, "d/t.gz", ""), (remove_trace, "d/t.gz", "")]


# ---- a run ----

def key(command):
    return " ".join(command)


def older_trace():
    with tempfile.TemporaryDirectory() as top:
        subprocess.run([EVPROF, "run", "-q", "-o", f"{top}/t.gz", "--", "/bin/true"], check=True)
        return pathlib.Path(top, "t.gz").read_bytes()


def start(command, folder, terminal):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("EVPROF_", "LD_PRELOAD"))}
    with open(folder / "out", "wb") as out:
        return subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=terminal, start_new_session=True)


def read_terminal(fd):
    text = b""
    with contextlib.suppress(OSError):
        while piece := os.read(fd, 65536):
            text += piece
    return text.decode(errors="replace").replace("\r", "")


def finish(process):
    try:
        return process.wait(TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(command, folder, mishap, draw, longest_s):
    """(returncode, what it printed, what its terminal shows, the trace that it lost or None)."""
    lost = None
    master, slave = pty.openpty()
    process = start(command, folder, slave)
    os.close(slave)
    if mishap:
        time.sleep(draw.uniform(0, longest_s))
        lost = mishap(folder, process, draw)
    status = finish(process)
    said = read_terminal(master)
    os.close(master)
    return status, (folder / "out").read_bytes(), said, lost


def problem_of_trace(path):
    """Why the trace is neither readable nor refused in one sentence; else None."""
    done = subprocess.run([EVREPORT, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=TIMEOUT_S)
    text, said = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if done.returncode == 0 and "Command" in text:
        return None
    if done.returncode in (1, 2) and re.fullmatch(r"evreport: .{10,}\n", said):
        return None
    return f"evreport ended with {done.returncode}: {said[-300:] or text[-300:]!r}"


def user_files(folder, gone):
    for name, text in DOCUMENTS.items():
        if (folder / name).exists() or not gone or not name.startswith(gone):
            yield name, text


def problems(folder, documents, plain, mishap, gone, target, result):
    status, printed, said, lost = result
    for name, text in user_files(folder, gone):
        path = folder / name
        if mishap is move_folder and not path.exists():
            path = folder / name.replace("d/", "moved/", 1)
        if not path.exists():
            yield f"{name} is gone"
        elif path.read_bytes() != (documents if text is None else text):
            yield f"{name} has changed"
    if status is None:
        yield f"it did not end within {TIMEOUT_S} s"
    if mishap is not kill and (status, printed) != plain[:2]:
        yield f"it ended with {status} and printed {printed[-100:]!r}, plain {plain[0]} and {plain[1][-100:]!r}"
    for line in said.splitlines():
        if not line.startswith("evprof: ") or len(line) < 30:
            yield f"a line on its terminal: {line!r}"
    path = folder / (target.replace("d/", "moved/") if (folder / "moved").exists() else target)
    if not path.exists() and mishap is not kill and not said and not (lost and lost.was_over()):
        yield "there is no trace, and nothing says why"
    yield from filter(None, [problem_of_trace(path)])


def prepare(folder, old_trace, has_disk):
    for name in ("d", "disk"):
        (folder / name).mkdir()
    if has_disk:
        mount_disk(folder / "disk")
    for name, text in DOCUMENTS.items():
        (folder / name).write_bytes(old_trace if text is None else text)


@contextlib.contextmanager
def new_folder(old_trace, has_disk):
    with tempfile.TemporaryDirectory(prefix="evprof-mishaps-") as top:
        folder = pathlib.Path(top)
        prepare(folder, old_trace, has_disk)
        try:
            yield folder
        finally:
            if has_disk:
                LIBC.umount2(bytes(folder / "disk"), 2)


def run_plain(command, old_trace):
    with new_folder(old_trace, False) as folder:
        begin_s = time.monotonic()
        status, printed, said, _ = run(command, folder, None, None, 0)
        assert not said, said
        return status, printed, time.monotonic() - begin_s


def try_one(number, plain, old_trace, mishaps):
    draw = random.Random(SEED + number)
    command = draw.choice(PROGRAMS)
    mishap, target, gone = draw.choice(mishaps)
    period = draw.choice(["50us", "1ms", "10ms"])
    with new_folder(old_trace, mishap is fill_disk) as folder:
        result = run([EVPROF, "run", "-p", period, "-o", target, "--", *command], folder, mishap, draw,
                     2 * plain[key(command)][2] + 0.1)
        found = list(problems(folder, old_trace, plain[key(command)], mishap, gone, target, result))
    name = f"{mishap.__name__} of {key(command)} at {period}"
    return f"run {number} (seed {SEED + number}), {name}: {'; '.join(found)}" if found else None


def main():
    has_disk = enter_namespace()
    mishaps = [row for row in MISHAPS if has_disk or row[0] is not fill_disk]
    if not has_disk:
        print("# no disk is filled: mounting one is not permitted here")
    old_trace = older_trace()
    plain = {key(command): run_plain(command, old_trace) for command in PROGRAMS}
    print("1..1")
    failures = list(filter(None, (try_one(number, plain, old_trace, mishaps) for number in range(N_RUNS))))
    print(f"{'not ' if failures else ''}ok 1 - {N_RUNS} runs, {len(failures)} went wrong, seed {SEED}")
    for failure in failures:
        print(f"# {failure}")
    return 1 if failures else 0


sys.exit(main())
