#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code made at run time that replaces other code at its address: each slice has the name that was valid at its moment.

replaced_code.py EVPROF EVREPORT PROGRAM: prints TAP. PROGRAM (replaced_code.c) says when it replaced code; the slices'
moments and addresses are those of evreport dump.
"""
import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

EVPROF, EVREPORT, PROGRAM = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
NAMES = ["first_code", "second_code", "third_code"]
CODE_BYTES = 64  # more than it is, less than to anything else
CUT_SHORT = 1  # flag of a slice that ended before its tick: it is no sample


def evreport(*arguments):
    return subprocess.run([EVREPORT, *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout


def slices_of_code(dump, address):
    """The moments (CLOCK_MONOTONIC, ns) of the slices that ended in code at the address."""
    birth_ns, is_code, moments = 0, {}, []
    for line in dump.splitlines():
        if match := re.match(r"@\d+ \w+ pid \d+ birth (\d+)", line):
            birth_ns = int(match[1])
        elif match := re.match(r"  node (\d+): parent \d+ module (\d+) address (0x[0-9a-f]+)", line):
            is_code[match[1]] = match[2] == "0" and 0 <= int(match[3], 16) - address < CODE_BYTES
        elif match := re.match(r"  slice \d+: until (\d+) us .* node (\d+) .* flags (\d+)", line):
            if is_code.get(match[2]) and not int(match[3]) & CUT_SHORT:
                moments.append(birth_ns + int(match[1]) * 1000)
    return moments


def check(folder):
    """What is wrong, or ""."""
    trace = folder / "trace.gz"
    done = subprocess.run([EVPROF, "run", "-q", "-p", "1ms", "-o", trace, "--", PROGRAM, folder], text=True,
                          stdout=subprocess.PIPE)
    if done.returncode == 77:
        return None
    if done.returncode:
        return f"exit status {done.returncode}"
    address, *changes_ns = map(int, done.stdout.split())
    expected = collections.Counter(NAMES[bisect.bisect(changes_ns, at_ns)]
                                   for at_ns in slices_of_code(evreport("dump", trace), address))
    rows = json.loads(evreport("--format", "json", "--top", "0", trace))["procedures"]
    found = {row["name"]: row["n_samples"] for row in rows if row["name"] in NAMES}
    if sum(n > 0 for n in expected.values()) < len(NAMES):
        return f"too few slices in the code: {dict(expected)}"
    if found != expected:
        return f"slices by moment {dict(expected)}, by name in the report {found}"
    return times_of_viewer(folder, trace)


def times_of_viewer(folder, trace):
    """The trace is read twice: a viewer's time is the report's, and not twice it."""
    evreport("export", "--format", "firefox", "-o", folder / "profile.json", trace)
    threads = json.loads((folder / "profile.json").read_text())["threads"]
    shown_ms = sum(sum(thread["samples"]["weight"]) for thread in threads)
    used_ms = json.loads(evreport("--format", "json", trace))["run"]["cpu_ns"] / 1e6
    return "" if shown_ms < 1.5 * used_ms else f"firefox has {shown_ms:.0f} ms of CPU time, the run {used_ms:.0f} ms"


def main():
    with tempfile.TemporaryDirectory(prefix="evprof-replaced-code-") as folder:
        fault = check(pathlib.Path(folder))
    print("1..1")
    print(f"{'not ok' if fault else 'ok'} 1 - each slice has the name that its code had then"
          + (" # SKIP there is no loop for this machine" if fault is None else ""))
    if fault:
        print(f"# {fault}")
    return bool(fault)


sys.exit(main())
