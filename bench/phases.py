#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often evreport phases finds the phases that a program has, and how near their borders are: phases.py BUILD [--times N]

Records tests/phases/alternate with one phase, and with 2, 3 and 5, once each and in turn, of 50 ms to 10 s. They are right where their
procedures come in the order in which they ran, and nothing else. How far a border is off is told in CPU time, by the program's own
clocks: on a busy machine a slice may take far longer on the clock. A border can be no nearer than a window is long.
"""
import argparse
import bisect
import json
import os
import subprocess
import sys
import tempfile

PROCEDURES = {"a": "add", "m": "multiply", "d": "divide"}
PERIOD_MS = 1
# The letters of the phases and the length of each, in ms of CPU time.
PROGRAMS = [("a", 1000), ("ad", 50), ("md", 1000), ("amd", 100), ("amdam", 200), ("amdad", 500), ("adadadad", 50), ("amdamdamd", 100),
            ("a", 10000), ("da", 5000)]
LEAST_BUSY = 0.2  # of a CPU: with less it was the machine's


def without_repeats(names):
    return [name for i, name in enumerate(names) if not i or names[i - 1] != name]


class Clock:
    """From the time of day to the program's CPU time, by what the program printed."""

    def __init__(self, lines):
        rows = [line.split() for line in lines if line.count(" ") == 2]
        self.wall, self.cpu, self.letters = [float(r[0]) for r in rows], [float(r[1]) for r in rows], [r[2] for r in rows]

    def cpu_at(self, wall):
        at = min(max(bisect.bisect(self.wall, wall), 1), len(self.wall) - 1)
        span = self.wall[at] - self.wall[at - 1]
        part = min(max((wall - self.wall[at - 1]) / span, 0), 1) if span else 0
        return self.cpu[at - 1] + part * (self.cpu[at] - self.cpu[at - 1])

    def borders(self):
        return [self.cpu[i] for i in range(1, len(self.letters)) if self.letters[i] != self.letters[i - 1]]


def ask(build, trace, *arguments):
    done = subprocess.run([f"{build}/reporter/evreport", *arguments, "-f", "json", trace], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def look(build, folder, letters, ms):
    """Are the phases right, by how many ms of CPU time is each border off, and how long is a window?"""
    trace = os.path.join(folder, "trace.gz")
    ran = subprocess.run([f"{build}/preload/evprof", "run", "-q", "--keep", "off", "-p", f"{PERIOD_MS}ms", "-o", trace, "--",
                          f"{build}/tests/phases/alternate", letters, str(ms)], stdout=subprocess.PIPE, text=True, check=True)
    clock = Clock(ran.stdout.splitlines())
    got, run = ask(build, trace, "phases"), ask(build, trace)["run"]
    kinds = {kind["kind"]: kind["procedures"][0]["name"] for kind in got["kinds"]
             if kind["procedures"] and (got["is_crowded"] or kind["cpus_busy"] >= LEAST_BUSY)}
    found = []
    for phase in got["phases"]:
        name = kinds.get(phase["kind"])
        if name and (not found or found[-1][0] != name):
            found.append((name, clock.cpu_at(run["started"] + phase["from_s"])))
    is_right = [name for name, _ in found] == without_repeats([PROCEDURES[letter] for letter in letters])
    off = [1000 * abs(at - truth) for (_, at), truth in zip(found[1:], clock.borders())] if is_right else []
    return is_right, off, run["cpu_ns"] / 1e6 * got["window_s"] / run["duration_s"] if not got["is_crowded"] else 1000 * got["window_s"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--times", type=int, default=2)
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    n_right, n_all, n_near, n_borders = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for letters, ms in PROGRAMS * args.times:
            is_right, off, window_ms = look(build, folder, letters, ms)
            near = sum(x <= 2 * max(PERIOD_MS, window_ms) for x in off)
            n_right, n_all, n_near, n_borders = n_right + is_right, n_all + 1, n_near + near, n_borders + len(off)
            print(f"{letters:10} {ms:6} ms  {'right' if is_right else 'WRONG'}  borders off by {', '.join(f'{x:.1f}' for x in off) or '-'} ms; "
                  f"window {window_ms:.1f} ms", flush=True)
    print(f"number right in {n_right} of {n_all}; {n_near} of {n_borders} borders within two slices or windows")


main()
