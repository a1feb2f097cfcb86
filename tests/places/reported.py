#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What evreport says of procedures that take turns holds what the program counted itself.

reported.py EVPROF EVREPORT TURNS BARE MODEL: prints TAP. The shape "inlined" of turns.c has two procedures that
are seen but inlined, each on a line of its own; its counts by procedure and by line are judged. Of the shape
"two", in the program without debug information (BARE), LCPI is: MODEL says which event stands for what.
"""
import collections
import functools
import json
import os
import subprocess
import sys
import tempfile

FAR = 2.5  # bars of 95 % do not hold all counts, but 2.5 bars do: one in a million is beyond
NEAR = 0.03  # of an event's total
LEAST_TICKS = 400  # of an event: 3 % of e1 are one procedure's, and its bar is known by some 12 ticks, not by one
SECONDS = "2"  # some 700 ticks of each event where two other programs run on each CPU
EVENTS = "e0,e1,e2,e3"  # two groups: the slices of one have up to 4 % less work for their CPU time than the other's
N_TRIES = 5  # a machine that gives the program no time, or no room for signals, gives no ticks


class Recording:
    """The program's account, {procedure: {event: count}}, and the trace beside it."""

    def __init__(self, tools, program, shape, folder):
        self.evreport, self.trace = tools[1], os.path.join(folder, shape + ".gz")
        run = subprocess.run([tools[0], "run", "--source", "program", "--events", EVENTS, "--period", "200us",
                              "--ticks", "events", "--quiet", "--output", self.trace, "--", program, shape, "100", SECONDS],
                             text=True, capture_output=True, check=True)
        self.truth = collections.defaultdict(dict)
        for name, event, count in (line.split() for line in run.stdout.splitlines()):
            self.truth[name][event] = int(count)

    @functools.cache
    def report(self, *options):
        done = subprocess.run([self.evreport, *options, "--format", "json", self.trace], text=True, capture_output=True,
                              check=True)
        return json.loads(done.stdout)

    def n_ticks(self):
        """Of each event that occurs."""
        n = collections.Counter()
        for row in self.report()["procedures"]:
            for event, value in row["events"].items():
                n[event] += value.get("n_ticks") or 0
        return {event: n[event] for event in events_of(self)}


def record(tools, program, shape, folder):
    """None: ticks were too few each time."""
    for _ in range(N_TRIES):
        recording = Recording(tools, program, shape, folder)
        n_ticks = recording.n_ticks()
        if min(n_ticks.values(), default=0) >= LEAST_TICKS:
            return recording
        print(f"# {shape}: too few ticks by events: {n_ticks or 'no account'}")
    return None


def events_of(recording):
    """Those that were asked for and occur."""
    return [e for e in EVENTS.split(",") if sum(t.get(e, 0) for t in recording.truth.values())]


def is_far(value, true, near):
    return value["mixed"] or abs(value["value"] - true) > max(near, FAR * 1.96 * value["error"])


def judge_rows(recording, kind):
    """What is wrong with the counts in the report's rows of a kind: each row is told by its procedure."""
    rows = {row["name"]: row for row in recording.report()[kind]}
    wrong = []
    for event in events_of(recording):
        total = sum(t[event] for t in recording.truth.values())
        for name, counts in recording.truth.items():
            value = rows[name]["events"][event] if name in rows else None
            if not value or is_far(value, counts[event], NEAR * total):
                wrong.append(f"{name} {event}: {value}, truth {counts[event]}")
    return wrong


def judge_inlined(recording):
    rows = {row["name"]: row for row in recording.report()["procedures"]}
    seen = [name for name in recording.truth if not rows.get(name, {}).get("inlined")]
    return [f"{name} is not called inlined" for name in seen]


# Latencies of lcpi.formula.
LCPI = {
    "overall": lambda c: c["e0"] + c["e1"],
    "data_accesses": lambda c: 4 * c["e1"] + 12 * c["e2"] + 200 * c["e3"],
    "data_accesses.L1_hits": lambda c: 4 * c["e1"],
    "data_accesses.L2_hits": lambda c: 12 * c["e2"],
    "data_accesses.memory": lambda c: 200 * c["e3"],
    "branches": lambda c: 2 * c["e2"] + 15 * c["e3"],
    "branches.predicted": lambda c: 2 * c["e2"],
    "branches.mispredicted": lambda c: 15 * c["e3"],
}


def judge_lcpi(recording):
    """What is wrong with each procedure's cycles per instruction by category."""
    said = recording.report("metrics", "--model", sys.argv[5], "--by", "procedure", "--top", "0")
    values = {(scope["scope"], m["metric"]): m for scope in said for m in scope["metrics"]}
    wrong = []
    for name, counts in recording.truth.items():
        for category, cycles in LCPI.items():
            metric, true = values.get((name, category)), cycles(counts) / counts["e0"]
            bar = FAR * 1.96 * metric["standard_error"] if metric and metric["status"] == "ok" else -1
            if bar < 0 or abs(metric["value"] - true) > bar:
                wrong.append(f"{name} {category}: {metric}, truth {true:.4f}")
    return wrong


CHECKS = (
    ("inlined", "inlined procedures are told as such", judge_inlined),
    ("inlined", "counts of inlined procedures are the program's", lambda r: judge_rows(r, "procedures")),
    ("inlined", "counts of their lines are the program's", lambda r: judge_rows(r, "lines")),
    ("two", "LCPI of two procedures is the program's", judge_lcpi),
)


def main():
    tools, programs = sys.argv[1:3], {"inlined": sys.argv[3], "two": sys.argv[4]}
    n_bad = 0
    print(f"1..{len(CHECKS)}")
    with tempfile.TemporaryDirectory() as folder:
        recordings = {shape: record(tools, program, shape, folder) for shape, program in programs.items()}
        for i, (shape, name, judge) in enumerate(CHECKS, 1):
            wrong = judge(recordings[shape]) if recordings[shape] else []
            n_bad += bool(wrong)
            skip = "" if recordings[shape] else " # SKIP too few ticks by events came"
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}{skip}")
            print("".join(f"# {line}\n" for line in wrong), end="")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())
