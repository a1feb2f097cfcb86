#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where a trace may go: kinds of targets of `evprof run -o` and of EVPROF_OUTPUT.

outputs.py EVPROF EVREPORT LIBRARY [KIND...]: for each kind a folder is prepared and a program is run with that target. Then the trace is where
the manual says, or a line on standard error says why there is none; the program's output and status are its own, and
nothing else in the folder has changed but what is moved to .old.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

EVPROF, EVREPORT, LIBRARY = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
WANTED = sys.argv[4:]
DOCUMENT = b"a document of the user's\n"
PROGRAM = ["/bin/echo", "the program's own line"]
# WRONG: by `evprof run` the program is not started. BESIDE: in t.PID.gz.
WRITTEN, REFUSED, WRONG, BESIDE, NOWHERE, BY_READER = "written", "refused", "wrong", "beside", "nowhere", "by its reader"


def run(by, target, folder):
    """As `evprof run` or by LD_PRELOAD alone."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_") or k == "EVPROF_FORMULAS"}
    command = [EVPROF, "run", "-o", target, "--", *PROGRAM]
    if by == "variable":
        command = PROGRAM
        env.update(LD_PRELOAD=LIBRARY, EVPROF_OUTPUT=target)
    return subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, check=False)


def older_trace(path):
    """A trace of another program, and what it is."""
    subprocess.run(["/bin/true"], env={"LD_PRELOAD": LIBRARY, "EVPROF_OUTPUT": str(path)}, check=True)
    return path.read_bytes()


def is_trace(data):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "t.gz")
        path.write_bytes(data)
        done = subprocess.run([EVREPORT, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode == 0 and b"echo" in done.stdout


def text(name):
    return lambda f: (f / name).write_bytes(DOCUMENT)


def empty(name, age_s):
    def make(folder):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - age_s,) * 2)
    return make


def both(*steps):
    return lambda f: [step(f) for step in steps]


def trace(name):
    return lambda f: older_trace(f / name)


def link(name, to):
    return lambda f: (f / name).symlink_to(to)


def hard_link(name, to):
    return lambda f: os.link(f / to, f / name)


def bind(f):
    old = os.getcwd()
    os.chdir(f)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as s:
        s.bind("t.gz")
    os.chdir(old)


# name: what is there before, the target, what becomes of the trace, names that may change or come
KINDS = {
    "a new file": (None, "t.gz", WRITTEN, []),
    "a new file in a folder": (lambda f: (f / "d").mkdir(), "d/t.gz", WRITTEN, []),
    "an absolute path": (None, "FOLDER/t.gz", WRITTEN, []),
    "a folder that is not there": (None, "d/t.gz", REFUSED, []),
    "a file in place of a folder": (text("d"), "d/t.gz", REFUSED, []),
    "an older trace": (trace("t.gz"), "t.gz", WRITTEN, ["t.gz.old"]),
    "an older trace, and one before it": (both(trace("t.gz"), trace("t.gz.old")), "t.gz", WRITTEN, ["t.gz.old"]),
    "an older trace that nobody may write": (both(trace("t.gz"), lambda f: (f / "t.gz").chmod(0o444)), "t.gz",
                                             WRITTEN, ["t.gz.old"]),
    "an older trace beside a document .old": (both(trace("t.gz"), text("t.gz.old")), "t.gz", REFUSED, []),
    "an empty file": (empty("t.gz", 60), "t.gz", WRITTEN, ["t.gz.old"]),
    "a file that another run made just now": (empty("t.gz", 0), "t.gz", BESIDE, []),
    "a document": (text("t.gz"), "t.gz", REFUSED, []),
    "a second name of a document": (both(text("doc"), hard_link("t.gz", "doc")), "t.gz", REFUSED, []),
    "a second name of a trace": (both(trace("kept.gz"), hard_link("t.gz", "kept.gz")), "t.gz", WRITTEN, ["t.gz.old"]),
    "a gzip file of another program": (lambda f: (f / "t.gz").write_bytes(__import__("gzip").compress(DOCUMENT)),
                                       "t.gz", REFUSED, []),
    "a folder": (lambda f: (f / "t.gz").mkdir(), "t.gz", REFUSED, []),
    "a link to a document": (both(text("doc"), link("t.gz", "doc")), "t.gz", REFUSED, []),
    "a link to a trace": (both(trace("kept.gz"), link("t.gz", "kept.gz")), "t.gz", REFUSED, []),
    "a link to nothing": (link("t.gz", "gone"), "t.gz", REFUSED, []),
    "a link to a folder": (both(lambda f: (f / "d").mkdir(), link("t.gz", "d")), "t.gz", REFUSED, []),
    "a link to itself": (link("t.gz", "t.gz"), "t.gz", REFUSED, []),
    "a link to /dev/null": (link("t.gz", "/dev/null"), "t.gz", NOWHERE, []),
    "/dev/null": (None, "/dev/null", NOWHERE, []),
    "/dev/full": (None, "/dev/full", REFUSED, []),
    "a pipe that nobody reads": (lambda f: os.mkfifo(f / "t.gz"), "t.gz", REFUSED, []),
    "a pipe with a reader": (lambda f: os.mkfifo(f / "t.gz"), "t.gz", BY_READER, []),
    "a socket": (bind, "t.gz", REFUSED, []),
    "a pattern that there is none": (None, "t-%x.gz", WRONG, []),
    "a percent sign": (None, "t%%.gz", WRITTEN, []),
    "a name that is too long": (None, "t" * 300, REFUSED, []),
    "a path that is too long": (None, "d/" * 3000 + "t.gz", WRONG, []),
}


def state(folder):
    """Each name below it: where a link leads to, a file's bytes, or the type alone."""
    def of(path):
        if path.is_symlink():
            return os.readlink(path)
        return path.read_bytes() if path.is_file() else oct(path.lstat().st_mode)
    return {str(p.relative_to(folder)): of(p) for p in folder.rglob("*")}


def read_pipe(path, out):
    with open(path, "rb") as pipe:
        out.append(pipe.read())


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def check(by, kind):
    prepare, target, outcome, may_change = KINDS[kind]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="evprof-outputs-"))
    read = []
    if prepare:
        prepare(folder)
    before = state(folder)
    target = target.replace("FOLDER", str(folder))
    reader = threading.Thread(target=read_pipe, args=(folder / "t.gz", read), daemon=True)
    if outcome == BY_READER:
        reader.start()
    done = run(by, target, folder)
    after = state(folder)
    own = os.path.relpath(folder / target.replace("%%", "%"), folder)
    if outcome == BESIDE:
        own = next((name for name in after if re.fullmatch(r"t\.\d+\.gz", name)), own)
    new = {name: after[name] for name in after if before.get(name) != after[name]}
    if outcome == WRONG and by == "option":
        expect(done.returncode == 125 and not done.stdout and done.stderr, f"the program: {done.returncode}")
    else:
        expect(done.returncode == 0 and done.stdout.endswith(PROGRAM[1].encode() + b"\n"), f"the program: {done}")
        said = any(b"without being measured" in line for line in done.stderr.splitlines())
        expect(said == (outcome in (REFUSED, WRONG)), f"{outcome}, and stderr: {done.stderr[-300:]!r}")
    expect(not set(before) - set(after), f"gone: {set(before) - set(after)}")
    expect(set(new) <= {own, *may_change}, f"changed: {sorted(new)}")
    if outcome in (WRITTEN, BESIDE):
        expect(isinstance(new.get(own), bytes) and is_trace(new[own]), f"no trace: {sorted(new)}")
        expect(not may_change or after["t.gz.old"] == before["t.gz"], ".old is not what was there")
    else:
        expect(not new, f"changed: {sorted(new)}")
    if outcome == BY_READER:
        reader.join(20)
        expect(read and is_trace(read[0]), "the reader of the pipe got no trace")
    shutil.rmtree(folder)


def main():
    cases = [(by, kind) for kind in KINDS if not WANTED or kind in WANTED for by in ("option", "variable")]
    failed = 0
    for number, (by, kind) in enumerate(cases, 1):
        try:
            check(by, kind)
            print(f"ok {number} - {kind}, by {by}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            failed += 1
            print(f"not ok {number} - {kind}, by {by}: {error}".replace("\n", " ")[:600], flush=True)
    print(f"1..{len(cases)}")
    return failed > 0


sys.exit(main())
