#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts of procedures that take turns, against the counts that a simulated program made: places.py EVREPORT TURNS [--table]

A count is right where the truth lies inside its bar of 95 %, or, where it is called mixed, inside what it says is
possible. --table prints what docs/estimators.md shows; without it the output is TAP.
"""
import json
import os
import subprocess
import sys
import tempfile

LENGTHS_US = (10, 100, 1000, 3000, 10000, 30000, 100000)
SEEDS = (1,)
EVENTS = ("instructions", "loads", "misses")
OF_TICKS = ({"turn_us": 100, "procedures": 5}, {"turn_us": 10, "procedures": 3}, {"turn_us": 1000, "procedures": 5},
            {"turn_us": 10000, "procedures": 5}, {"turn_us": 10000, "procedures": 20},
            {"turn_us": 100, "procedures": 5, "phases": 2}, {"turn_us": 100, "procedures": 5, "groups": 2},
            {"turn_us": 100, "procedures": 5, "slices": 200})
LONG_US = 10000  # turns for which windows tell much of what ticks leave to chance: bars of 3 points at most, else of 20
LEAST_SHARE = 0.05  # of the time: procedures below it are not judged


def run(evreport, turns, **options):
    """The report's procedures and the truth, both by name."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/tmp")
        words = [f"{key}={value}" for key, value in options.items()]
        names = subprocess.run([turns, "t.gz", "truth", *words], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
        with open(folder + "/tmp/perf-100.map", "wb") as file:
            file.write(names)
        said = subprocess.run([evreport, "--sysroot", folder, "--format", "json", "t.gz"], cwd=folder, check=True,
                              stdout=subprocess.PIPE, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}).stdout
        truth = {}
        with open(folder + "/truth") as file:
            for line in file:
                name, time_us, *counts = line.split()
                truth[name] = {"time": float(time_us), **{k: float(v) for k, v in (c.split("=") for c in counts)}}
    return {row["name"]: row for row in json.loads(said)["procedures"]}, truth


class Verdict:
    """Of all counts of runs: how many are mixed, and of either kind how many are right."""

    def __init__(self):
        self.n = self.n_mixed = self.n_mixed_right = self.n_right = 0
        self.bias = self.bar = 0.0

    def add(self, value, truth, total):
        self.n += 1
        if value["mixed"]:
            self.n_mixed += 1
            slack = (1e-6 if value["measured_share"] == 1 else 0.02) * total + 1  # what fills gaps is judged elsewhere
            self.n_mixed_right += value["low"] - slack <= truth <= value["high"] + slack
            return
        self.n_right += abs(value["value"] - truth) <= 1.96 * value["error"] + 1
        self.bias = max(self.bias, abs(value["value"] - truth) / total)
        self.bar = max(self.bar, 1.96 * value["error"] / total)

    def n_plain(self):
        return self.n - self.n_mixed

    def is_right(self):
        return self.n_mixed_right == self.n_mixed and self.n_right >= 0.93 * self.n_plain()


def judge(evreport, turns, **options):
    verdict = Verdict()
    for seed in SEEDS:
        rows, truth = run(evreport, turns, seed=seed, **options)
        all_us = sum(t["time"] for t in truth.values())
        for name, true in truth.items():
            if true["time"] < LEAST_SHARE * all_us or name not in rows:
                continue
            for event in EVENTS:
                total = sum(t[event] for t in truth.values())
                verdict.add(rows[name]["events"][event], true[event], total)
    return verdict


class Shares:
    """Shares of events in procedures: how far off they are, and how many lie in their bars."""

    def __init__(self, evreport, turns, seeds, **options):
        self.n = self.n_right = 0
        off, self.bar = {}, 0.0
        for seed in seeds:
            rows, truth = run(evreport, turns, seed=seed, **options)
            for name, true in truth.items():
                for event in EVENTS:
                    total = sum(t[event] for t in truth.values())
                    value = rows[name]["events"][event]
                    self.n += true[event] > 0
                    self.n_right += true[event] > 0 and abs(value["value"] - true[event]) <= 1.96 * value["error"] + 1
                    self.bar = max(self.bar, 1.96 * value["error"] / total)
                    off.setdefault((name, event), []).append((value["value"] - true[event]) / total)
        self.bias = max(abs(sum(o) / len(o)) for o in off.values())


def print_table(evreport, turns):
    print("| turns of | bias by slices | bias by ticks by events | largest bar | truth in the bar |")
    print("|---:|---:|---:|---:|---:|")
    for length in LENGTHS_US[:5]:
        slices = Shares(evreport, turns, range(1, 17), turn_us=length)
        ticks = Shares(evreport, turns, range(1, 17), turn_us=length, ticks=1)
        print(f"| {length:,} us | {100 * slices.bias:.1f} | {100 * ticks.bias:.1f} | {100 * ticks.bar:.1f} "
              f"| {100 * ticks.n_right / ticks.n:.0f} % |")
    print()
    print("| turns of | mixed | truth in the possible | others: truth in the bar | largest error | largest bar |")
    print("|---:|---:|---:|---:|---:|---:|")
    for length in LENGTHS_US:
        v = judge(evreport, turns, turn_us=length)
        part = lambda n, of: f"{100 * n / of:.0f} %" if of else ""
        print(f"| {length:,} us | {part(v.n_mixed, v.n)} | {part(v.n_mixed_right, v.n_mixed)} "
              f"| {part(v.n_right, v.n_plain())} | {100 * v.bias:.1f} % | {100 * v.bar:.1f} % |")


def print_sizes(evreport, turns):
    """Many procedures with turns longer than windows, by how large a share of the event is a procedure's."""
    sizes = {"below 3 %": [], "3 % and more": []}
    for seed in range(1, 25):
        rows, truth = run(evreport, turns, seed=seed, ticks=1, turn_us=LONG_US, procedures=20)
        for event in EVENTS:
            total = sum(t[event] for t in truth.values())
            for name, true in truth.items():
                value = rows[name]["events"][event]
                if true[event] > 0:
                    sizes["below 3 %" if true[event] < .03 * total else "3 % and more"].append(
                        (value["value"] - true[event], 1.96 * value["error"] + 1))
    print("\n| share of the event | n | truth in the bar | truth below it | truth above it |")
    print("|---:|---:|---:|---:|---:|")
    for size, found in sizes.items():
        parts = [sum(is_so(off, bar) for off, bar in found) / len(found) for is_so in (
            lambda off, bar: abs(off) <= bar, lambda off, bar: off > bar, lambda off, bar: off < -bar)]
        print(f"| {size} | {len(found)} | " + " | ".join(f"{100 * part:.1f} %" for part in parts) + " |")


def main():
    evreport, turns = map(os.path.abspath, sys.argv[1:3])
    if "--table" in sys.argv:
        print_table(evreport, turns)
        print_sizes(evreport, turns)
        return 0
    cases = [(length, n, phases, groups) for length in (30, 1000, 30000) for n in (2, 20) for phases in (1, 2)
             for groups in ((1, 2) if length < 3000 else (1,))]  # what fills gaps is judged elsewhere
    n_shares = n_held = n_failed = 0
    print(f"1..{len(cases) + len(OF_TICKS) + 1}")
    for i, (length, n, phases, groups) in enumerate(cases, 1):
        v = judge(evreport, turns, turn_us=length, procedures=n, phases=phases, groups=groups)
        says = v.n_mixed == (v.n if length < 3000 else 0)
        good = v.is_right() and says
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - turns of {length} us, {n} procedures, {phases} phases, {groups} groups: "
              f"{v.n_mixed} of {v.n} mixed, {v.n_mixed_right} of them right; {v.n_right} of the others")
    for i, options in enumerate(OF_TICKS, len(cases) + 1):
        s = Shares(evreport, turns, range(1, 9), ticks=1, **options)
        n_shares, n_held = n_shares + s.n, n_held + s.n_right
        good = s.n_right >= 0.88 * s.n and s.bias < 0.05 and s.bar < (0.03 if options["turn_us"] >= LONG_US else 0.2)  # of a run the shares hang together
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - ticks by events, {options}: {s.n_right} of {s.n} in their bars, "
              f"bias {100 * s.bias:.1f} points, largest bar {100 * s.bar:.1f}")
    good = 0.93 <= n_held / n_shares <= 0.98
    n_failed += not good
    print(f"{'ok' if good else 'not ok'} {len(cases) + len(OF_TICKS) + 1} - bars of 95 % hold {100 * n_held / n_shares:.1f} %")
    return 1 if n_failed else 0


sys.exit(main())
