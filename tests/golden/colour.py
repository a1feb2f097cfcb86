#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""When evreport writes colours: --color, NO_COLOR and TERM, on a terminal of the test's own and in a pipe.

colour.py EVREPORT GENERATE: prints TAP.
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
CASES = [
    # (terminal, environment, options, colours)
    (True, {"TERM": "xterm"}, [], True),
    (True, {"TERM": "xterm"}, ["--color", "auto"], True),
    (True, {"TERM": "xterm", "NO_COLOR": ""}, [], True),
    (True, {"TERM": "xterm", "NO_COLOR": "1"}, [], False),
    (True, {"TERM": "dumb"}, [], False),
    (True, {}, [], False),
    (True, {"TERM": "xterm"}, ["--color", "never"], False),
    (True, {"TERM": "dumb", "NO_COLOR": "1"}, ["--color=always"], True),
    (False, {"TERM": "xterm"}, [], False),
    (False, {"TERM": "xterm"}, ["--color", "auto"], False),
    (False, {}, ["--color", "always"], True),
    (False, {}, ["--color", "never"], False),
]
OTHERS = [
    # (trace, command)
    ("later", ["compare", "trace.gz", "later.gz"]),
    ("simulated", ["advise", "simulated.gz"]),
]


def read_all(fd):
    """Linux says EIO where the other side of a terminal was closed."""
    parts = []
    try:
        while part := os.read(fd, 65536):
            parts.append(part)
    except OSError:
        pass
    os.close(fd)
    return b"".join(parts).decode().replace("\r\n", "\n")


def run(command, folder, environment, is_terminal):
    reader, writer = pty.openpty() if is_terminal else os.pipe()
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "100", "PAGER": "", **environment}
    env = {key: value for key, value in env.items() if value is not None}
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=writer,
                               stderr=subprocess.PIPE, text=True)
    os.close(writer)
    text = read_all(reader)
    errors = process.communicate(timeout=60)[1]
    return process.returncode, text, errors


def main():
    evreport, generate = map(os.path.abspath, sys.argv[1:3])
    n = failed = 0

    def report(ok, name, reason=""):
        nonlocal n, failed
        n += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {n} - {name}{'' if ok else ': ' + repr(reason)}")

    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "trace.gz").write_bytes(subprocess.run([generate, "basic"], check=True,
                                                                    stdout=subprocess.PIPE).stdout)
        plain = run([evreport], folder, {}, False)[1]
        report("In short" in plain and not ESCAPE.search(plain), "a report without colours", plain)
        for is_terminal, environment, options, expected in CASES:
            status, text, errors = run([evreport, *options], folder, environment, is_terminal)
            name = f"{'terminal' if is_terminal else 'pipe'} {environment} {' '.join(options)}"
            report(status == 0 and bool(ESCAPE.search(text)) == expected, name, (status, text[:300], errors))
            report(ESCAPE.sub("", text) == plain, "with the same words", text)
        for case, command in OTHERS:
            pathlib.Path(folder, f"{case}.gz").write_bytes(subprocess.run([generate, case], check=True,
                                                                          stdout=subprocess.PIPE).stdout)
            for when in "always", "never":
                status, text, errors = run([evreport, *command, "--color", when], folder, {}, False)
                report(status == 0 and bool(ESCAPE.search(text)) == (when == "always"),
                       f"{command[0]} --color {when}", (status, text[:300], errors))
        status, _, errors = run([evreport, "--color", "blue"], folder, {}, False)
        report(status == 2 and "auto, always or never" in errors, "another word is refused", errors)
    print(f"1..{n}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
