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
import time

PROCEDURES = {"a": "add", "m": "multiply", "d": "divide"}
SEQUENCES = "aaaa", "aadd", "amamam", "amdamd"
LEAST_BUSY = 0.2
LEAST_APART = 0.1
clock_errors_s = []
evreport, library, program = map(os.path.abspath, sys.argv[1:4])


def clock_error_s(trace):
    """By how much the trace's time of birth on the clock on the wall differs from that on the monotonic one."""
    lines = subprocess.run([evreport, "dump", trace], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    born_ns = int(next(line for line in lines if " META " in line).split(" birth ")[1].split(",")[0])
    told_ns = int(next(line for line in lines if line.split()[:1] == ["realtime_ns"]).split()[1])
    apart_ns = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return abs(told_ns - born_ns - apart_ns) / 1e9


def without_repeats(names):
    return [name for i, name in enumerate(names) if not i or names[i - 1] != name]


def phases(sequence):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.gz")
        env = {**os.environ, "LD_PRELOAD": library, "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms", "EVPROF_OUTPUT": trace}
        subprocess.run([program, sequence], env=env, stdout=subprocess.DEVNULL, check=True)
        clock_errors_s.append(clock_error_s(trace))
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
    print(f"1..{len(SEQUENCES) + 1}")
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
    # Of several recordings one at least was not interrupted between two looks at clocks.
    is_right = min(clock_errors_s) < 0.0002
    print(f"{'ok' if is_right else 'not ok'} {len(SEQUENCES) + 1} - the time of birth is that, on both clocks")
    if not is_right:
        print(f"# off by {clock_errors_s}")
    sys.exit(failed > 0 or not is_right)


main()
