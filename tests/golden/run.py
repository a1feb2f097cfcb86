#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden tests of evreport: run.py EVREPORT GENERATE [--update] [CASE...]

A case is a folder with `make` (how its trace.gz comes about) and `expected`: lines of "$ COMMAND", each followed by
what it prints. --update rewrites what follows the commands; review the difference.

make is lines of: generate CASE | copy FILE (of tests/data) | save FILE (beside trace.gz) | drop (no trace.gz) | write TEXT | keep BYTES | flip AT [N] | insert AT TEXT | append CASE |
gzip TEXT; AT and BYTES count from the end when negative.

A command may end in < FILE or > FILE. One that sets COLUMNS also fails where a line is longer than that.
"""
import gzip
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SYSROOT = os.path.join(HERE, "sysroot")
COMMANDS = ("info", "dump", "nosuchcommand", "metrics", "advise", "explain", "phases", "roofline", "fill", "accuracy", "compare-ocoe", "export-training",
            "eval")  # take no --sysroot
too_long = []


class Maker:
    def __init__(self, generate):
        self.generate_path = generate
        self.data = None
        self.saved = {}

    def save(self, name):
        self.saved[name] = self.data

    def drop(self):
        self.data = None

    def generate(self, case):
        self.data = subprocess.run([self.generate_path, case], stdout=subprocess.PIPE, check=True).stdout

    def copy(self, path):
        with open(os.path.join(HERE, "..", "data", path), "rb") as file:
            self.data = file.read()

    def append(self, case):
        before = self.data
        self.generate(case)
        self.data = before + self.data

    def write(self, text=""):
        self.data = text.encode().decode("unicode_escape").encode("latin-1")

    def gzip(self, text):
        self.data = gzip.compress(text.encode(), mtime=0)

    def keep(self, n):
        self.data = self.data[:int(n)]

    def flip(self, at, n="1"):
        at = int(at) % len(self.data)
        changed = bytes(b ^ 0x55 for b in self.data[at:at + int(n)])
        self.data = self.data[:at] + changed + self.data[at + len(changed):]

    def insert(self, at, text):
        at = int(at) % len(self.data)
        self.data = self.data[:at] + text.encode() + self.data[at:]

    def run(self, script):
        for line in script.splitlines():
            words = shlex.split(line)
            if words:
                getattr(self, words[0])(*words[1:])
        return {**self.saved, "trace.gz": self.data}


def run_command(evreport, command, folder):
    words = shlex.split(command)
    env = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        env[name] = value
    assert words[0] == "evreport", command
    words[0] = evreport
    if not any(word in COMMANDS + ("-h", "--help") for word in words[1:2]):
        at = 1 + (words[1:2] in (["annotate"], ["compare"]))
        words[at:at] = ["--sysroot", SYSROOT]
    stdin, stdout = subprocess.DEVNULL, subprocess.PIPE
    if words[-2] == ">":
        stdout = open(words.pop(), "wb")
    elif words[-2] == "<":
        stdin = open(os.path.join(folder, words.pop()), "rb")
    if words[-1] in "<>":
        words.pop()
    done = subprocess.run(words, cwd=folder, env=env, stdout=stdout, stderr=subprocess.PIPE,
                          stdin=stdin)
    text = done.stdout.decode() if done.stdout else ""
    for line in text.splitlines():
        if len(line) > int(env.get("COLUMNS", len(line))):
            too_long.append(line)
    text += "".join("stderr: " + line + "\n" for line in done.stderr.decode().splitlines())
    return text.replace(evreport, "evreport") + (f"exit {done.returncode}\n" if done.returncode else "")


def run_case(evreport, generate, case):
    """Returns (expected, actual)."""
    folder = os.path.join(HERE, case)
    with open(os.path.join(folder, "expected")) as file:
        expected = file.read()
    with open(os.path.join(folder, "make")) as file:
        files = Maker(generate).run(file.read())
    actual = ""
    with tempfile.TemporaryDirectory() as work:
        for name, data in files.items():
            if data is not None:
                with open(os.path.join(work, name), "wb") as file:
                    file.write(data)
        for line in expected.splitlines():
            if line.startswith("$ "):
                actual += line + "\n" + run_command(evreport, line[2:], work)
    return expected, actual


def show_difference(expected, actual):
    import difflib
    for line in difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", "", "", 2, ""):
        print("# " + line)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    evreport, generate = map(os.path.abspath, arguments[:2])
    cases = arguments[2:] or sorted(d for d in os.listdir(HERE) if os.path.exists(os.path.join(HERE, d, "make")))
    n_failed = 0
    print(f"1..{len(cases)}")
    for number, case in enumerate(cases, 1):
        too_long.clear()
        expected, actual = run_case(evreport, generate, case)
        actual += "".join(f"line too long: {line}\n" for line in too_long)
        if update:
            with open(os.path.join(HERE, case, "expected"), "w") as file:
                file.write(actual)
        elif expected != actual:
            n_failed += 1
            show_difference(expected, actual)
        print(f"{'not ' if expected != actual and not update else ''}ok {number} - {case}")
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
