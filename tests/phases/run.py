#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Phases of programs that were recorded: run.py EVREPORT LIBEVPROF ALTERNATE. Prints TAP.

Each phase computes in one procedure for 0.2 s of CPU time: which follow each other, and how many kinds there are, is known;
how long they take is not looked at. The program computes all the time. A stretch with few CPUs busy is then the machine's: a
host took the CPU, or the kernel let the first perf_event_open of a second wait for its readers (20 ms). Such stretches are
left out, and kinds that differ in nothing but the CPUs that were busy are one.
"""
import json
import os
import subprocess
import sys
import tempfile

PROCEDURES = {"a": "add", "m": "multiply", "d": "divide"}
SEQUENCES = "aaaa", "aadd", "amamam", "amdamd"
LEAST_BUSY = 0.2
LEAST_APART = 0.1
evreport, library, program = map(os.path.abspath, sys.argv[1:4])


def without_repeats(names):
    return [name for i, name in enumerate(names) if not i or names[i - 1] != name]


def phases(sequence):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.gz")
        env = {**os.environ, "LD_PRELOAD": library, "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms", "EVPROF_OUTPUT": trace}
        subprocess.run([program, sequence], env=env, stdout=subprocess.DEVNULL, check=True)
        return json.loads(subprocess.run([evreport, "phases", "--format", "json", trace], stdout=subprocess.PIPE, check=True).stdout)


def computing(got):
    """The procedure of each kind in which the program had a CPU. Windows of CPU time have none without it."""
    return {kind["kind"]: kind["procedures"][0]["name"] if kind["procedures"] else None
            for kind in got["kinds"] if got["is_crowded"] or kind["cpus_busy"] >= LEAST_BUSY}


def alike(kinds, named):
    """Pairs of kinds of the same procedure on as many CPUs, which should have been one kind."""
    busy = sorted((named[kind["kind"]] or "", kind["cpus_busy"]) for kind in kinds if kind["kind"] in named)
    return [(a, b) for a, b in zip(busy, busy[1:]) if a[0] == b[0] and b[1] - a[1] < LEAST_APART]


def main():
    failed = 0
    print(f"1..{len(SEQUENCES)}")
    for i, sequence in enumerate(SEQUENCES, 1):
        got = phases(sequence)
        kinds = computing(got)
        names = without_repeats([kinds[phase["kind"]] for phase in got["phases"] if phase["kind"] in kinds])
        wanted = without_repeats([PROCEDURES[letter] for letter in sequence])
        is_right = names == wanted and not alike(got["kinds"], kinds)
        failed += not is_right
        print(f"{'ok' if is_right else 'not ok'} {i} - {sequence}")
        if not is_right:
            print(f"# {names}, expected {wanted}; kinds alike: {alike(got['kinds'], kinds)}")
    sys.exit(failed > 0)


main()
