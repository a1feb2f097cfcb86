#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report's first lines tell the clock's samples from those that an event ended: sample_line.py EVREPORT TURNS

The trace is made: it has as many slices that the clock ended as were asked for, one each millisecond.
"""
import json
import os
import subprocess
import sys
import tempfile

SLICES = 400


def report(evreport, turns, folder, n_ticks):
    subprocess.run([turns, "t.gz", "truth", f"slices={SLICES}", f"ticks={n_ticks}"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)

    def ask(*words):
        return subprocess.run([evreport, *words, "t.gz"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
                              env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "COLUMNS": "200"}).stdout

    text = next(line for line in ask().splitlines() if line.startswith("  Samples"))
    return text, json.loads(ask("--format", "json"))["run"]


def main():
    evreport, turns = map(os.path.abspath, sys.argv[1:3])
    n_failed = 0
    print("1..2")
    for i, n_ticks in enumerate((0, 3), 1):
        with tempfile.TemporaryDirectory() as folder:
            text, run = report(evreport, turns, folder, n_ticks)
        n, n_events = run["n_samples"], run["n_event_ticks"]
        wanted = f"  Samples   {SLICES}, one every 1.00 ms of a thread's CPU time; none lost"
        if n_ticks:
            wanted += f"; {n_events:,} more ticks where a counted event occurred"
        good = n == SLICES and (n_events > SLICES) == (n_ticks > 0) and text == wanted
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - {n_ticks} ticks by events in a slice's time: {n} samples, {n_events} "
              f"of events: {text}")
    return 1 if n_failed else 0


sys.exit(main())
