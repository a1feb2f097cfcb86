#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Phases of programs that were recorded: run.py EVREPORT LIBEVPROF ALTERNATE. Prints TAP.

Each phase computes in one procedure for 0.2 s of CPU time: which follow each other, and how many kinds there are, is known,
however busy the machine is; how long they take is not looked at.
"""
import json
import os
import subprocess
import sys
import tempfile

PROCEDURES = {"a": "add", "m": "multiply", "d": "divide"}
SEQUENCES = "aaaa", "aadd", "amamam", "amdamd"
evreport, library, program = map(os.path.abspath, sys.argv[1:4])


def without_repeats(names):
    return [name for i, name in enumerate(names) if not i or names[i - 1] != name]


def phases(sequence):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.gz")
        env = {**os.environ, "LD_PRELOAD": library, "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms", "EVPROF_OUTPUT": trace}
        subprocess.run([program, sequence], env=env, stdout=subprocess.DEVNULL, check=True)
        return json.loads(subprocess.run([evreport, "phases", "--format", "json", trace], stdout=subprocess.PIPE, check=True).stdout)


def main():
    failed = 0
    print(f"1..{len(SEQUENCES)}")
    for i, sequence in enumerate(SEQUENCES, 1):
        got = phases(sequence)
        kinds = {kind["kind"]: kind["procedures"][0]["name"] for kind in got["kinds"] if kind["procedures"]}
        names = [kinds.get(phase["kind"]) for phase in got["phases"]]
        wanted = without_repeats([PROCEDURES[letter] for letter in sequence])
        is_right = names == wanted and len(kinds) == len(set(wanted))
        failed += not is_right
        print(f"{'ok' if is_right else 'not ok'} {i} - {sequence}")
        if not is_right:
            print(f"# {len(kinds)} kinds, {names}, expected {wanted}")
    sys.exit(failed > 0)


main()
