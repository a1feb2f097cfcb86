#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What evreport compare says of each procedure's counts on two sides is what the program counted itself.

changed.py EVPROF EVREPORT BARE: prints TAP. The program turns.c, without debug information, runs as "two" before and as "stretched" after, in
which event 1 is five times as frequent: one run a side, and three. A second pair has the same program on both
sides. Counts and differences of each event in each procedure are held against the program's accounts by the bars.
"""
import json
import os
import subprocess
import sys
import tempfile

from reported import FAR, LEAST_TICKS, NEAR, N_TRIES, Recording, events_of

N_RUNS = 3  # of a side
SIDES = {"before": "two", "same": "two", "after": "stretched"}


class Sides:
    """Recordings by side, as many of each as could be made."""

    def __init__(self, tools, program, folder):
        self.evreport, self.runs = tools[1], {}
        for side, shape in SIDES.items():
            self.runs[side] = [self.record(tools, program, shape, os.path.join(folder, f"{side}{k}")) for k in range(N_RUNS)]
        self.is_whole = all(all(runs) for runs in self.runs.values())

    @staticmethod
    def record(tools, program, shape, folder):
        for _ in range(N_TRIES):
            os.makedirs(folder, exist_ok=True)
            recording = Recording(tools, program, shape, folder)
            if min(recording.n_ticks().values(), default=0) >= LEAST_TICKS:
                return recording
        return None

    def truth(self, side, n_runs, name, event):
        return sum(run.truth[name][event] for run in self.runs[side][:n_runs]) / n_runs

    def compare(self, before, after, n_runs, *options):
        done = subprocess.run([self.evreport, "compare", "--format", "json", *options,
                               *(run.trace for run in self.runs[before][:n_runs]), "--", *(run.trace for run in self.runs[after][:n_runs])],
                              text=True, capture_output=True, check=True)
        return {row["name"]: row for row in json.loads(done.stdout)["rows"]}


def judge(sides, before, after, n_runs):
    """What is wrong with the counts of each procedure on both sides, and with how they differ."""
    rows = sides.compare(before, after, n_runs, "--all")
    truth = sides.runs[before][0].truth
    wrong = []
    for event in events_of(sides.runs[before][0]):
        near = NEAR * sum(sides.truth(side, n_runs, name, event) for name in truth for side in (before, after))
        for name in truth:
            value = next(v for v in rows[name]["events"] if v["name"] == event)
            was, now = (sides.truth(side, n_runs, name, event) for side in (before, after))
            for said, error, true in ((value["before"], value["before_error"], was), (value["after"], value["after_error"], now),
                                      (value["change"], value["change_error"], now - was)):
                if said is None or error is None or abs(said - true) > max(near, FAR * 1.96 * error):
                    wrong.append(f"{name} {event}: {value}, truth {was}, {now}")
    return wrong


def judge_stretched(sides):
    """What is said to differ does so in the program's direction, and what differs by 8 standard errors is said to."""
    wrong = []
    for name, row in sides.compare("before", "after", 1, "--all").items():
        for value in row["events"] if name in sides.runs["before"][0].truth else []:
            was, now = (sides.truth(side, 1, name, value["name"]) for side in ("before", "after"))
            is_large = not value["mixed"] and abs(now - was) > 8 * value["change_error"] > 0
            is_clear = value["differs"] and abs(value["change"]) > FAR * 1.96 * value["change_error"]  # 3 errors may be chance
            if (is_large and not value["differs"]) or (is_clear and value["change"] * (now - was) <= 0):
                wrong.append(f"{name}: {value}, truth {was}, {now}")
    return wrong


def main():
    checks = (
        ("one run a side: counts and differences are the program's", lambda s: judge(s, "before", "after", 1)),
        ("three runs a side, too", lambda s: judge(s, "before", "after", N_RUNS)),
        ("the same program on both sides", lambda s: judge(s, "before", "same", N_RUNS)),
        ("what surely differs does so in the program", judge_stretched),
    )
    print(f"1..{len(checks)}")
    n_bad = 0
    with tempfile.TemporaryDirectory() as folder:
        sides = Sides(sys.argv[1:3], sys.argv[3], folder)
        for i, (name, check) in enumerate(checks, 1):
            wrong = check(sides) if sides.is_whole else []
            n_bad += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}{'' if sides.is_whole else ' # SKIP too few ticks by events came'}")
            print("".join(f"# {line}\n" for line in wrong), end="")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())
