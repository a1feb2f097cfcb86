#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that are no regular files, for each command that reads one.

inputs.py EVREPORT EVCAL GENERATE: each is refused in one line that names it, at once; a pipe that brings what is no
input for ever is read for a while and refused, within a bounded memory; a pipe that brings an input is read.
"""
import os
import pathlib
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading

EVREPORT, EVCAL, GENERATE = (os.path.abspath(path) for path in sys.argv[1:4])
MEMORY_BYTES = 2 << 30
n_tests, n_failed = 0, 0

# X is the input.
TRACES = [["X"], ["info", "X"], ["dump", "X"], ["metrics", "X"], ["advise", "X"], ["annotate", "main", "X"],
          ["roofline", "X"], ["compare", "X", "whole.gz"], ["compare", "whole.gz", "X"], ["phases", "X"],
          ["export", "--format", "folded", "X"], ["compare-ocoe", "X", "whole.gz"],
          ["compare-ocoe", "whole.gz", "X"], ["export-training", "--pair", "X,whole.gz", "-o", "t.safetensors"]]
# Those that take a folder of files, too.
OR_FOLDERS = [["reduce", "-o", "job.gz", "X"], ["eval", "--metrics", "X", "--values", "values"]]
FILES = [["eval", "--metrics", "some.formula", "--values", "X"],
         ["metrics", "--model", "X", "whole.gz"], ["fill", "X"], ["fill", "table.csv", "--estimator", "mlp", "--weights", "X"],
         ["accuracy", "X"], ["accuracy", "table.csv", "--estimator", "mlp", "--weights", "X"],
         ["export-training", "X", "-o", "t.safetensors"]]
OF_EVCAL = [["measure", "--source", "sim:X", "-o", "calibration"]]


def check(is_good, name, why=""):
    global n_tests, n_failed
    n_tests += 1
    n_failed += not is_good
    print(f"{'ok' if is_good else 'not ok'} {n_tests} - {name}" + ("" if is_good else f": {why}"), flush=True)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def run(program, arguments, **options):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=100, preexec_fn=limit,
                          **{"stdin": subprocess.DEVNULL, **options})


def prepare():
    for name in ("whole.gz", "other.gz"):
        with open(name, "wb") as file:
            file.write(subprocess.run([GENERATE, "basic"], stdout=subprocess.PIPE, check=True).stdout)
    pathlib.Path("values").write_text("a\t1\n")
    pathlib.Path("some.formula").write_text("formula some 1\n\n[metric m]\nexpr = a\n")
    pathlib.Path("table.csv").write_text("CYCLES,INSTR,A,B\n" + "100,50,3,4\n" * 40)
    os.mkdir("folder")
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind("socket")


class Endless:
    """Brings zeros to each that opens the pipe."""

    def __init__(self, path):
        self.path = path
        self.is_over = False
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def write(self):
        zeros = bytes(1 << 16)
        while not self.is_over:
            fd = os.open(self.path, os.O_WRONLY)
            try:
                while not self.is_over:
                    os.write(fd, zeros)
            except BrokenPipeError:
                pass
            os.close(fd)

    def end(self):
        self.is_over = True
        os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))
        self.thread.join()


def refusal_of(program, arguments, path, says):
    """None, or why it was not refused as it should be."""
    try:
        done = run(program, [a.replace("X", path) for a in arguments])
    except subprocess.TimeoutExpired:
        return "it reads for ever"
    lines = done.stderr.splitlines()
    if done.returncode not in (1, 2) or done.stdout or not any(path in line and says in line for line in lines[:2]):
        return done.returncode, done.stdout[:80], lines[:3]
    return None


def refusals(terminal):
    for path, says in (("folder", "is a directory"), ("/dev/zero", "is a device"), (terminal, "is a device"),
                       ("socket", "cannot open"), ("pipe", "")):
        rows = [(EVREPORT, arguments) for arguments in TRACES + FILES] + [(EVCAL, arguments) for arguments in OF_EVCAL]
        endless = Endless(path) if path == "pipe" else None
        if path != "folder":
            rows = rows + [(EVREPORT, arguments) for arguments in OR_FOLDERS]
        odd = [(os.path.basename(program), *arguments, why) for program, arguments in rows
               if (why := refusal_of(program, arguments, os.path.abspath(path), says))]
        check(not odd, f"{path}: refused in a line by each of {len(rows)} commands", odd[:3])
        if endless:
            endless.end()


def standard_input(terminal):
    with open(terminal) as file:
        done = run(EVREPORT, ["-"], stdin=file)
        check(done.returncode == 1 and "is a terminal, expected a trace" in done.stderr, "a terminal as standard input",
              done.stderr)
    done = run(EVREPORT, ["-"])
    check(done.returncode == 1 and "is empty" in done.stderr, "nothing as standard input", done.stderr)
    with open("/dev/zero", "rb") as file:
        done = run(EVREPORT, ["-"], stdin=file)
        check(done.returncode == 1 and "is a device" in done.stderr, "zeros as standard input", done.stderr)


def pipes():
    """What is a trace comes through a pipe as well, and what follows it for ever does not hide it."""
    plain = run(EVREPORT, ["whole.gz"]).stdout
    cat = subprocess.Popen(["/bin/cat", "whole.gz"], stdout=subprocess.PIPE)
    done = run(EVREPORT, ["-"], stdin=cat.stdout)
    cat.stdout.close()
    cat.wait()
    check(done.stdout.splitlines()[1:] == plain.splitlines()[1:] and plain, "a trace through a pipe", done.stderr)
    cat = subprocess.Popen(["/bin/cat", "whole.gz", "/dev/zero"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    done = run(EVREPORT, ["info", "-"], stdin=cat.stdout)
    cat.stdout.close()
    cat.wait()
    check(done.returncode == 0 and "damage" in done.stdout.lower(), "a trace, and zeros for ever", (done.stdout, done.stderr))


def found_ones():
    """Nobody named these: a folder of formula files, and a source file of the trace's."""
    os.makedirs("formulas/vendor/cpu")
    os.mkfifo("formulas/vendor/cpu/a.formula")
    environment = {**os.environ, "EVPROF_FORMULAS": os.path.abspath("formulas")}
    try:
        done = run(EVREPORT, ["metrics", "whole.gz"], env=environment)
        check(done.returncode == 1 and "is a pipe, expected a formula file" in done.stderr, "a pipe among formula files",
              (done.returncode, done.stderr))
    except subprocess.TimeoutExpired:
        check(False, "a pipe among formula files", "it is waited for")


ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def heed_signals():
    """Below nohup SIGHUP is ignored."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def stops(command, output, before):
    """A command that is ended while it writes leaves nothing behind but what it had finished."""
    for number in ENDING:
        process = subprocess.Popen([EVREPORT, *command, "pipe"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=heed_signals)
        fd = os.open("pipe", os.O_WRONLY)
        os.write(fd, pathlib.Path("whole.gz").read_bytes())
        made = wait_for_new(before)
        process.send_signal(number)
        status = process.wait()
        os.close(fd)
        left = set(os.listdir(".")) - before - {output + ".parts"}
        check(made and status == -number and not left, f"{command[0]} ended by signal {number}: nothing is left",
              (made, status, left))


def wait_for_new(before):
    for _ in range(600):
        if set(os.listdir(".")) - before:
            return True
        threading.Event().wait(0.05)
    return False


def main():
    with tempfile.TemporaryDirectory(prefix="evprof-inputs-") as folder:
        os.chdir(folder)
        prepare()
        leader, follower = os.openpty()
        terminal = os.ttyname(follower)
        refusals(terminal)
        standard_input(terminal)
        pipes()
        found_ones()
        before = set(os.listdir("."))
        stops(["reduce", "-o", "stopped.gz", "whole.gz"], "stopped.gz", before)
        assert stat.S_ISFIFO(os.stat("pipe").st_mode)
        os.close(leader)
        os.close(follower)
        os.chdir("/")
    print(f"1..{n_tests}")
    return n_failed > 0


sys.exit(main())
