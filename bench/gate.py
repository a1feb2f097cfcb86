#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often evreport compare --fail-above cries wolf, and how often it finds what is there.

Each pair is three runs of one program a side, the sides by turns: once with the same program on both, and once with a
procedure of a fifth of the time that has 5 % more to do. usage: bench/gate.py BUILD [--pairs N] [--keep DIR]"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

RUNS = 3
PERCENT = {"before": 100, "same": 100, "slower": 105}
ROUNDS = 100
SLOWER = "mix"


def record(build, out, percent):
    if not out.exists():
        subprocess.run([build / "preload/evprof", "run", "-q", "-p", "500us", "-o", out, "--",
                        build / "bench/parts", str(ROUNDS), str(percent)],
                       check=True, stdout=subprocess.DEVNULL)
    return out


def record_pair(build, folder, turn):
    """{side: its traces}; whose turn is first changes, so that none gains by its place."""
    traces = {side: [] for side in PERCENT}
    sides = list(PERCENT)
    for k in range(RUNS):
        first = (turn + k) % len(sides)
        for side in sides[first:] + sides[:first]:
            traces[side].append(record(build, folder / f"{turn}-{side}-{k}.gz", PERCENT[side]))
    return traces


def judge(build, before, after):
    """names of what failed"""
    run = subprocess.run([build / "reporter/evreport", "compare", "--fail-above", "3%", "--format", "json",
                          *before, "--", *after], stdout=subprocess.PIPE)
    gate = json.loads(run.stdout)["gate"]
    if run.returncode != (3 if gate["verdict"] == "failed" else 0):
        sys.exit(f"exit status {run.returncode}, and the verdict is {gate['verdict']}")
    return [item["name"] or "the whole run" for item in gate["items"] if item["failed"]]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--pairs", type=int, default=100)
    arguments.add_argument("--keep", type=pathlib.Path, help="where traces are kept, and found again")
    wanted = arguments.parse_args()
    alarms = found = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = wanted.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        for turn in range(wanted.pairs):
            traces = record_pair(wanted.build, folder, turn)
            false = judge(wanted.build, traces["before"], traces["same"])
            true = judge(wanted.build, traces["before"], traces["slower"])
            alarms += bool(false)
            found += SLOWER in true
            print(f"{turn + 1} pairs: {alarms} false alarms, found {found}; this one: {false}, {true}", flush=True)


main()
