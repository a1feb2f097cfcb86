#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""When evreport shows its text with a pager, on a terminal of the test's own: pager.py EVREPORT GENERATE: prints TAP.

The pagers are scripts that say that they ran, what LESS is, and pass the text on.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from colour import run

SCRIPT = "#!/bin/sh\necho \"paged by ${0##*/} $* LESS=$LESS\"\ncat\n"
MARK = "paged by "
CASES = [
    # (what, terminal, environment, paged by)
    ("less, where nothing is said", True, {"TERM": "xterm"}, "less  LESS=FRX"),
    ("less with its own settings", True, {"TERM": "xterm", "LESS": "S"}, "less  LESS=S"),
    ("PAGER", True, {"TERM": "xterm", "PAGER": "mine"}, "mine  LESS=FRX"),
    ("PAGER with an option", True, {"TERM": "xterm", "PAGER": "mine -x 'a b'"}, "mine -x a b LESS=FRX"),
    ("an empty PAGER", True, {"TERM": "xterm", "PAGER": ""}, None),
    ("cat", True, {"TERM": "xterm", "PAGER": "cat"}, None),
    ("a pager that is not there", True, {"TERM": "xterm", "PAGER": "absent-pager"}, None),
    ("a dumb terminal", True, {"TERM": "dumb"}, None),
    ("no TERM", True, {}, None),
    ("a pipe", False, {"TERM": "xterm"}, None),
]
COMMANDS = (["compare", "trace.gz", "later.gz"], ["advise", "simulated.gz"], ["metrics", "simulated.gz"])


def main():
    evreport, generate = map(os.path.abspath, sys.argv[1:3])
    n = failed = 0

    def report(ok, name, reason=""):
        nonlocal n, failed
        n += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {n} - {name}{'' if ok else ': ' + repr(reason)}")

    with tempfile.TemporaryDirectory() as folder:
        for case, name in (("basic", "trace"), ("later", "later"), ("simulated", "simulated")):
            pathlib.Path(folder, f"{name}.gz").write_bytes(subprocess.run([generate, case], check=True, stdout=subprocess.PIPE).stdout)
        for name in "less", "mine":
            pathlib.Path(folder, name).write_text(SCRIPT, encoding="utf-8")
            os.chmod(os.path.join(folder, name), 0o755)
        path = {"PATH": f"{folder}:/usr/bin:/bin", "NO_COLOR": "1"}
        plain = run([evreport], folder, path, False)[1]
        for what, is_terminal, environment, paged in CASES:
            env = {**path, **environment}
            if "PAGER" not in environment:
                env["PAGER"] = None
            status, text, errors = run([evreport], folder, env, is_terminal)
            expected = (f"{MARK}{paged}\n" if paged else "") + plain
            report(status == 0 and not errors and text == expected, what, (status, text[:300], errors))
        for command in COMMANDS:
            status, text, errors = run([evreport, *command], folder, {**path, "TERM": "xterm", "PAGER": "mine"}, True)
            report(status == 0 and text.startswith(MARK) and len(text) > 200, f"{command[0]} is paged", (status, text[:300], errors))
        status, text, errors = run([evreport], folder, {**path, "TERM": "xterm", "PAGER": "head -n 1"}, True)
        report(text == plain.split("\n")[0] + "\n" and not errors, "a pager that ends early", (status, text, errors))
        status, text, errors = run([evreport, "absent.gz"], folder, {**path, "TERM": "xterm", "PAGER": "mine"}, True)
        report(status == 1 and not text and "absent.gz" in errors, "an error needs none", (status, text, errors))
    print(f"1..{n}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
