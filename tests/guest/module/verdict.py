#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges what evprof recorded in the guest: verdict.py EVREPORT SYSROOT FOLDER; prints TAP.

Every program says what each of its procedures caused (mixes.c), so that totals, shares of procedures and Top-Down are
held against exact numbers.
"""
import json
import os
import re
import subprocess
import sys

SHARES = ("two_10", "two_100", "two_1000", "two_10000", "five_100", "twenty_100", "threads_100", "phases_100", "tails_100",
          "inlined_100", "recursion_100")
LEAST_SHARE = 0.05
# Counts of a recording hang together: shares of an event add up to one, and a group's events have their slices in
# common. All that are judged are worth some 40 draws, of which bars of 95 % hold less than this once in 1,000 times.
# How often bars hold is measured on many recordings by tests/estimate/places.py.
LEAST_HELD = 0.8
HELD_OF_PARTS = (0.9, 0.985)  # 2,700 counts of parts, worth some 700: 95 % is within 4 standard errors
POINTS = 0.03  # of an event's total
FAR = 2.5  # bars of 95 % do not hold all counts, but 2.5 bars do: one in 10,000 is beyond
PARTS = int(os.environ.get("EVPROF_GUEST_LONGER", "1"))
n_checks = n_failed = 0


def check(condition, name, *details):
    global n_checks, n_failed
    n_checks += 1
    n_failed += not condition
    print(f"{'ok' if condition else 'not ok'} - evprof in the x86 guest: {name}")
    for detail in details if not condition else ():
        print("\n".join(f"# {line}" for line in str(detail).splitlines()[:20]))


class Run:
    def __init__(self, evreport, sysroot, folder, name):
        self.evreport, self.sysroot, self.name, self.folder = evreport, sysroot, name, os.path.join(folder, name)
        self.codes = self.codes_of_events()

    def text(self, name):
        try:
            with open(os.path.join(self.folder, name), errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def report(self, *options):
        return subprocess.run([self.evreport, *options, "trace.gz"], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}).stdout

    def json(self, *options):
        return json.loads(self.report(*options, "--sysroot", self.sysroot, "--format", "json") or "{}")

    def codes_of_events(self):
        """{event: the code that counts it}, as the trace says it was opened; generic events by their names."""
        dump = self.report("dump")
        generic = {"cpu-cycles": 0x3c, "cycles": 0x3c, "instructions": 0xc0, "cache-misses": 0x10001,
                   "L1-dcache-load-misses": 0x10005}
        names = dict(re.findall(r"^  event\t(\d+)\t([^\t\n]*)", dump, re.M))
        raw = {i: int(config, 16) for i, kind, config in re.findall(r"^  attr\t(\d+)\t(\d+)\t(\w+)", dump, re.M)
               if kind == "4"}
        return {name: raw.get(i, generic.get(name.split(":")[0])) for i, name in names.items()}

    def truth(self):
        """{procedure: {code: amount}} as the program counted."""
        account = {}
        for procedure, code, amount in (line.split() for line in self.text("stdout").splitlines()):
            account.setdefault(procedure, {})[int(code, 16)] = int(amount)
        return account


def check_run(run):
    check(run.text("status").strip() == "0" and run.truth(), f"{run.name}: the program ran as without evprof",
          run.text("stderr"))


def check_totals(run, report, tolerance, codes=None):
    truth = run.truth()
    for event, code in run.codes.items():
        if codes and code not in codes or not code:
            continue
        total = sum(t.get(code, 0) for t in truth.values())
        value = next(e["total"] for e in report["events"] if e["name"] == event) or 0  # null: it was never measured
        check(abs(value - total) <= tolerance * total, f"{run.name}: {event} is {total} within {tolerance:.1%}",
              f"{value}, {100 * value / total - 100:.2f} % off")


def judge_shares(run, held, in_points):
    """Each event of each procedure above 5 % within 3 points of its true share, or not far outside its bar."""
    check_run(run)
    report, truth = run.json(), run.truth()
    check_totals(run, report, 0.005)
    rows = {row["name"]: row for row in report["procedures"]}
    wrong, n = [], 0
    for event, code in run.codes.items():
        total = sum(t.get(code, 0) for t in truth.values())
        for procedure, counts in truth.items():
            true = counts.get(code, 0)
            if true < LEAST_SHARE * total:
                continue
            value = rows.get(procedure, {}).get("events", {}).get(event, {"value": 0, "error": 0, "mixed": True})
            n += 1
            off, bar = abs(value["value"] - true), 1.96 * value["error"]
            held.append(not value["mixed"] and off <= bar + 1)
            in_points.append(held[-1] or off <= POINTS * total)
            if value["mixed"] or off > max(POINTS * total, FAR * bar):
                wrong.append(f"{procedure} {event}: {value['value']:.0f} +-{1.96 * value['error']:.0f}, truth {true}")
    check(n and not wrong, f"{run.name}: {n} counts of procedures are the program's", "\n".join(wrong))


def counts_of_part(run, shares, first_s, last_s):
    """For each share: whether a report of that part of the run has it in its bar."""
    report = run.json("--from", f"{first_s:.3f}", "--to", f"{last_s:.3f}")
    rows, totals = {row["name"]: row for row in report["procedures"]}, {e["name"]: e["total"] for e in report["events"]}
    for (event, procedure), share in shares.items():
        value = rows.get(procedure, {}).get("events", {}).get(event, {"value": 0, "error": 0})
        yield abs(value["value"] - share * totals[event]) <= 1.96 * value["error"] + 1


def judge_parts(runs, n):
    """Each n-th of the long recordings of programs that do the same all the time, as a reader may choose it."""
    held = []
    for run in runs:
        truth, seconds = run.truth(), run.json()["run"]["duration_s"]
        totals = {event: sum(t.get(code, 0) for t in truth.values()) for event, code in run.codes.items()}
        shares = {(event, procedure): counts.get(code, 0) / totals[event] for event, code in run.codes.items()
                  for procedure, counts in truth.items() if counts.get(code, 0) >= LEAST_SHARE * totals[event]}
        shares = {key: share for key, share in shares.items() if share < 1}
        for i in range(n):
            held += counts_of_part(run, shares, seconds * i / n, seconds * (i + 1) / n)
    share = sum(held) / max(1, len(held))
    check(HELD_OF_PARTS[0] <= share <= HELD_OF_PARTS[1],
          f"bars hold {100 * share:.1f} % of {len(held)} counts of parts of the recordings")


def judge_by_time(run):
    check_run(run)
    rows = {row["name"]: row for row in run.json()["procedures"]}
    events = [v for p in run.truth() for v in rows.get(p, {}).get("events", {}).values()]
    check(events and all(v["mixed"] for v in events), f"{run.name}: without ticks by events, counts in short turns are mixed",
          events[:3])


def judge_topdown(run):
    """Level 1 of each procedure, computed from its own counts by Yasin's equations (2014), in its bar or within 3 points."""
    check_run(run)
    check(len(run.codes) >= 10 and all(run.codes.values()), f"{run.name}: {len(run.codes)} events of the model are opened", run.codes)
    values = {(scope["scope"], metric["metric"]): metric
              for scope in run.json("metrics", "--model", "topdown", "--by", "procedure") for metric in scope["metrics"]}
    wrong, n, n_held = [], 0, 0
    for procedure, c in run.truth().items():
        slots = 4 * c[0x3c]
        true = {"Frontend_Bound": c[0x19c] / slots, "Retiring": c[0x2c2] / slots,
                "Bad_Speculation": (c[0x10e] - c[0x2c2] + 4 * c[0x10d]) / slots}
        true["Backend_Bound"] = 1 - sum(true.values())
        for name, share in true.items():
            metric = values[procedure, name]
            off, bar = abs(metric["value"] - share), 1.96 * metric["standard_error"]
            n, n_held = n + 1, n_held + (off <= bar)
            if off > max(POINTS, FAR * bar):
                wrong.append(f"{procedure} {name}: {metric['value']:.3f} +-{bar:.3f}, truth {share:.3f}")
    check(n and not wrong, f"{run.name}: {n} shares of procedures at level 1", "\n".join(wrong))
    print(f"# {n_held} of {n} in their bars")


def groups(run):
    """[[event]] as the trace says."""
    dump = run.report("dump")
    names = dict(re.findall(r"^  event\t(\d+)\t([^\t\n]*)", dump, re.M))
    return [[names[i] for i in members.split(",")] for members in re.findall(r"^  group\t\d+\t(\S+)", dump, re.M)]


def judge_alone(run, by_run, n_events):
    """The library's own plan is that of evprof run: events, codes, groups."""
    check_run(run)
    check(len(run.codes) >= n_events and run.codes == by_run.codes, f"{run.name}: {len(run.codes)} events, those of evprof run",
          run.codes, by_run.codes)
    check(groups(run) == groups(by_run), f"{run.name}: in the same groups", groups(run), groups(by_run))


def judge_constrained(run):
    check_run(run)
    check(len(groups(run)) == 2 and not any({"r10007", "r10008"} <= set(g) for g in groups(run)),
          f"{run.name}: two events of one counter take turns", groups(run))
    check_totals(run, run.json(), 0.005, {0x3c})


def judge_never(run):
    check_run(run)
    check(groups(run) == [["instructions"]] and "r10006" in run.report(),
          f"{run.name}: the event that no counter takes is left out, and named", groups(run))
    check_totals(run, run.json(), 0.005, {0xc0})


def judge_packed(run):
    check_run(run)
    check(len(groups(run)) == 2 and all(len(g) <= 6 and {"cpu-cycles", "instructions"} <= set(g) for g in groups(run)),
          f"{run.name}: nine events take two groups of four counters, with two fixed ones", groups(run))
    check_totals(run, run.json(), 0.005, {0x3c, 0xc0})
    check_totals(run, run.json(), 0.1)


def judge_stolen(run):
    """Four events open as one group; with a counter gone to the watchdog such a group never runs."""
    check_run(run)
    check([len(g) for g in groups(run)] == [3, 1], f"{run.name}: what does not run together is parted", groups(run))
    check_totals(run, run.json(), 0.2)


def main():
    evreport, sysroot, folder = map(os.path.abspath, sys.argv[1:4])
    run = lambda name: Run(evreport, sysroot, folder, name)
    held, in_points = [], []
    for name in SHARES:
        judge_shares(run(name), held, in_points)
    check(held and sum(held) >= LEAST_HELD * len(held), f"bars hold {100 * sum(held) / max(1, len(held)):.0f} % of {len(held)} counts")
    print(f"# {len(in_points) - sum(in_points)} counts are neither in their bar nor within {POINTS:.0%} of the event's total; "
          f"{held.count(False)} are not in their bar")
    if PARTS > 1:
        judge_parts([run(name) for name in SHARES if not name.startswith("phases")], PARTS)
    judge_by_time(run("by_time"))
    judge_topdown(run("topdown"))
    judge_alone(run("both_alone"), run("both"), 20)
    judge_alone(run("topdown_alone"), run("topdown"), 10)
    judge_constrained(run("constrained"))
    judge_never(run("never"))
    judge_packed(run("packed"))
    judge_stolen(run("stolen"))
    print(f"1..{n_checks}")
    return n_failed > 0


sys.exit(main())
