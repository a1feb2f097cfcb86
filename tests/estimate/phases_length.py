#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Phases of runs of any length cover the run: phases_length.py EVREPORT TURNS

Windows of a run with more slices than windows begin at odd times. Where dividing by a window's length and
multiplying by it again gave another window, the search never ended (3 of these 4 lengths).
"""
import json
import os
import subprocess
import sys
import tempfile

LENGTHS = 4001, 4003, 4007, 4999  # ms


def phases(evreport, turns, n_slices):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([turns, "t.gz", "truth", f"slices={n_slices}", "turn_us=50000"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        done = subprocess.run([evreport, "phases", "--format", "json", "t.gz"], cwd=folder, stdout=subprocess.PIPE,
                              check=True, timeout=120)
    return json.loads(done.stdout)


def main():
    evreport, turns = map(os.path.abspath, sys.argv[1:3])
    n_failed = 0
    print(f"1..{len(LENGTHS)}")
    for i, n_slices in enumerate(LENGTHS, 1):
        try:
            found = phases(evreport, turns, n_slices)
            covered_s = sum(kind["time_s"] for kind in found["kinds"])
            good = len(found["kinds"]) > 1 and abs(covered_s - n_slices / 1e3) <= 0.01
            said = f"{len(found['kinds'])} kinds in {covered_s:.4f} s"
        except subprocess.TimeoutExpired:
            good, said = False, "no end in two minutes"
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - {n_slices} ms: {said}")
    return 1 if n_failed else 0


sys.exit(main())
