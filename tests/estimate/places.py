#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts of procedures that take turns, against the counts that a simulated program made: places.py EVREPORT TURNS [--table | --sizes RUNS [PROCEDURES]]

A count is right where the truth lies inside its bar of 95 %, or, where it is called mixed, inside what it says is
possible. --table prints what docs/estimators.md shows, --sizes RUNS its last table of other runs, of shapes of so many
procedures alone; without them the output is TAP.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

LENGTHS_US = (10, 100, 1000, 3000, 10000, 30000, 100000)
SEEDS = (1,)
EVENTS = ("instructions", "loads", "misses")
ALL_EVENTS = ("cycles", *EVENTS)
OF_TICKS = ({"turn_us": 100, "procedures": 5}, {"turn_us": 10, "procedures": 3}, {"turn_us": 1000, "procedures": 5},
            {"turn_us": 10000, "procedures": 5}, {"turn_us": 10000, "procedures": 20},
            {"turn_us": 100, "procedures": 5, "phases": 2}, {"turn_us": 100, "procedures": 5, "groups": 2},
            {"turn_us": 100, "procedures": 5, "slices": 200}, {"turn_us": 1000, "procedures": 5, "threads": 2, "slices": 2000})
# Windows as on a busy host, and few turns: a dozen windows tell where turns change. Of 40 runs each.
UNEVEN = ({"turn_us": 10000, "procedures": 5, "slices": 400, "uneven": 1.1},)
LONG_US = 10000  # turns for which windows tell much of what ticks leave to chance: bars of 3 points at most, else of 20
LEAST_SHARE = 0.05  # of the time: procedures below it are not judged


def rows_of_json(text):
    return {row["name"]: row for row in json.loads(text)["procedures"]}


def rows_of_csv(text):
    """As JSON has them, values and errors alone. Phases are what JSON takes most of its time for, and no part of CSV."""
    return {row["name"]: {"events": {e: {"value": float(row[e]), "error": float(row[e + " error"])} for e in ALL_EVENTS}}
            for row in csv.DictReader(text.splitlines())}


def run(evreport, turns, reduces=False, says=rows_of_json, **options):
    """The report's procedures and the truth, both by name. reduces: of the reduced trace. Gaps are filled by "path",
    which auto picks for these programs, too, after much longer."""
    form = ["--format", "csv", "--by", "procedure", "--top", "0"] if says is rows_of_csv else ["--format", "json"]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/tmp")
        words = [f"{key}={value}" for key, value in options.items()]
        names = subprocess.run([turns, "t.gz", "truth", *words], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
        with open(folder + "/tmp/perf-100.map", "wb") as file:
            file.write(names)
        env = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
        if reduces:
            subprocess.run([evreport, "reduce", "--sysroot", folder, "-o", "reduced.gz", "t.gz"], cwd=folder, check=True, env=env)
        trace = ["reduced.gz"] if reduces else ["--estimator", "path", "t.gz"]
        said = subprocess.run([evreport, "--sysroot", folder, *form, *trace], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
                              env=env).stdout
        truth = {}
        with open(folder + "/truth") as file:
            for line in file:
                name, time_us, *counts = line.split()
                truth[name] = {"time": float(time_us), **{k: float(v) for k, v in (c.split("=") for c in counts)}}
    return says(said), truth


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
            rows, truth = run(evreport, turns, says=rows_of_csv, seed=seed, **options)
            for name, true in truth.items():
                for event in EVENTS:
                    total = sum(t[event] for t in truth.values())
                    value = rows[name]["events"][event]
                    self.n += 0 < true[event] < total  # what is all of an event's is right whatever its bar
                    self.n_right += 0 < true[event] < total and abs(value["value"] - true[event]) <= 1.96 * value["error"] + 1
                    self.bar = max(self.bar, 1.96 * value["error"] / total)
                    off.setdefault((name, event), []).append((value["value"] - true[event]) / total)
        self.bias = max(abs(sum(o) / len(o)) for o in off.values())


def far_reduced(evreport, turns, **options):
    """How far a reduced trace's bars are from those of the trace itself, at most, as a part of these."""
    full, reduced = (run(evreport, turns, reduces=reduces, seed=1, ticks=1, **options)[0] for reduces in (False, True))
    errors = [(row["events"][event]["error"], reduced[name]["events"][event]["error"]) for name, row in full.items() for event in EVENTS]
    return max(abs(a - b) / max(a, 1) for a, b in errors)


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


class Held:
    """Of shares of one size: how many lie in their bars, and where the others are."""

    def __init__(self):
        self.n = self.n_below = self.n_above = 0
        self.bars = 0.0

    def add(self, off, bar, total):
        self.n += 1
        self.n_below += off > bar
        self.n_above += off < -bar
        self.bars += bar / total

    def row(self, what):
        parts = (self.n - self.n_below - self.n_above, self.n_below, self.n_above)
        return f"| {what} | {self.n} | " + " | ".join(f"{100 * part / self.n:.1f} %" for part in parts) + \
            f" | {100 * self.bars / self.n:.2f} |"


SIZES = ("below 3 %", "3 % and more")
SHAPES = [{"turn_us": turn_us, "procedures": n} for turn_us in (10, 100, 1000, LONG_US) for n in (2, 5, 20)] + [
    {"turn_us": turn_us, "procedures": 5, "threads": 2, "slices": 2000} for turn_us in (100, LONG_US)] + [
    {"turn_us": turn_us, "procedures": 5, "phases": 2} for turn_us in (100, LONG_US)] + [
    {"turn_us": turn_us, "procedures": 5, "slices": 1000, "uneven": 1.1} for turn_us in (10, 250, 2500)] + [
    {"turn_us": 20000, "procedures": 2, "slices": 1200, "uneven": uneven} for uneven in (0, 1.1)] + [
    {"turn_us": LONG_US, "procedures": n, "slices": slices, "uneven": 1.1} for n, slices in ((2, 600), (5, 400))]


def print_sizes(evreport, turns, n_runs, n_procedures=None):
    """By the shape of the program and by how large a share of the event is a procedure's."""
    print("\n| shape | share | n | truth in the bar | below it | above it | mean bar |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    of_all = {size: Held() for size in SIZES}
    for shape in (s for s in SHAPES if n_procedures in (None, s["procedures"])):
        held = {size: Held() for size in SIZES}
        for seed in range(1, n_runs + 1):
            rows, truth = run(evreport, turns, says=rows_of_csv, seed=seed, ticks=1, **shape)
            for event in ALL_EVENTS:
                total = sum(t[event] for t in truth.values())
                for name, true in truth.items():
                    value = rows[name]["events"][event]
                    size = SIZES[true[event] >= .03 * total]
                    for counted in (held[size], of_all[size]) if 0 < true[event] < total else ():
                        counted.add(value["value"] - true[event], 1.96 * value["error"] + 1, total)
        more = "".join(f", two {key}" for key in ("threads", "phases") if key in shape) + ", uneven windows" * bool(shape.get("uneven"))
        name = f"{shape['turn_us']:,} us x {shape['procedures']}{more}"
        print(*(held[size].row(f"{name} | {size}") for size in SIZES if held[size].n), sep="\n", flush=True)
    print(*(of_all[size].row(f"all | {size}") for size in SIZES if of_all[size].n), sep="\n")


def main():
    evreport, turns = map(os.path.abspath, sys.argv[1:3])
    if "--table" in sys.argv:
        print_table(evreport, turns)
        print_sizes(evreport, turns, 40)
        return 0
    if "--sizes" in sys.argv:
        print_sizes(evreport, turns, *map(int, sys.argv[sys.argv.index("--sizes") + 1:]))
        return 0
    cases = [(length, n, phases, groups, 0) for length in (30, 1000, 30000) for n in (2, 20) for phases in (1, 2)
             for groups in ((1, 2) if length < 3000 else (1,))]  # what fills gaps is judged elsewhere
    cases += [(length, 20, 1, 1, 30) for length in (30, 1000, 30000)]  # slices that end in a procedure have none of its bursts
    n_shares = n_held = n_failed = 0
    print(f"1..{len(cases) + len(OF_TICKS) + len(UNEVEN) + 2}")
    for i, (length, n, phases, groups, bursts) in enumerate(cases, 1):
        v = judge(evreport, turns, turn_us=length, procedures=n, phases=phases, groups=groups, bursts=bursts)
        says = v.n_mixed == (v.n if length < 3000 else 0)
        good = v.is_right() and says
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - turns of {length} us, {n} procedures, {phases} phases, {groups} groups, {bursts} bursts: "
              f"{v.n_mixed} of {v.n} mixed, {v.n_mixed_right} of them right; {v.n_right} of the others")
    for i, options in enumerate(OF_TICKS, len(cases) + 1):
        s = Shares(evreport, turns, range(1, 9), ticks=1, **options)
        n_shares, n_held = n_shares + s.n, n_held + s.n_right
        # of a run the shares hang together
        good = s.n_right >= 0.88 * s.n and s.bias < 0.05 and s.bar < (0.03 if options["turn_us"] >= LONG_US else 0.2)
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - ticks by events, {options}: {s.n_right} of {s.n} in their bars, "
              f"bias {100 * s.bias:.1f} points, largest bar {100 * s.bar:.1f}")
    good = 0.93 <= n_held / n_shares <= 0.98
    n_failed += not good
    print(f"{'ok' if good else 'not ok'} {len(cases) + len(OF_TICKS) + 1} - bars of 95 % hold {100 * n_held / n_shares:.1f} %")
    far = far_reduced(evreport, turns, turn_us=LONG_US, procedures=20)
    n_failed += far >= 1e-9
    print(f"{'ok' if far < 1e-9 else 'not ok'} {len(cases) + len(OF_TICKS) + 2} - bars of the reduced trace are {far:.1e} from them")
    for i, options in enumerate(UNEVEN, len(cases) + len(OF_TICKS) + 3):
        s = Shares(evreport, turns, range(1, 41), ticks=1, **options)
        good = 0.93 <= s.n_right / s.n <= 0.98
        n_failed += not good
        print(f"{'ok' if good else 'not ok'} {i} - ticks by events, {options}: bars of 95 % hold {100 * s.n_right / s.n:.1f} %")
    return 1 if n_failed else 0


sys.exit(main())
