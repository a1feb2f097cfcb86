#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges the folders that scenarios.sh left: one TAP line per check.

The traces are read by decode.py, so that the counts are judged without evreport; evreport is then held against itself
on the two machines.
"""
import argparse
import json
import os
import re
import subprocess
import sys

import decode
from decode import scaled_by_time
from scenarios import CHECKS, DOCTOR_CHECKS, NO_PMU_CHECKS

HERE = os.path.dirname(os.path.abspath(__file__))


class Checks:
    def __init__(self, guest):
        self.guest, self.n, self.n_failed = guest, 0, 0

    def check(self, condition, name, *details):
        self.n += 1
        self.n_failed += not condition
        print(f"{'ok' if condition else 'not ok'} {self.n} - {self.guest}: {name}")
        for detail in details if not condition else ():
            for line in str(detail).splitlines()[:12]:
                print(f"#   {line}")

    def close(self, actual, expected, relative, name):
        error = abs(actual - expected) / expected if expected else float("inf")
        self.check(error <= relative, f"{name} within {relative:.1%} ({error:.4%} off)",
                   f"{actual:.10g}, expected {expected:.10g}")


def read_text(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


class Run:
    def __init__(self, folder, name, machine, args):
        self.folder, self.name, self.machine, self.guest, self.args = folder, name, machine, args.guest, args

    def text(self, name):
        return read_text(os.path.join(self.folder, name))

    def trace(self):
        return decode.read_trace(os.path.join(self.folder, "trace.gz"))

    def report(self, *options):
        """What evreport says on this machine, and what it complains of."""
        environment = dict(os.environ, LC_ALL="C", COLUMNS="100")
        done = subprocess.run([self.args.evreport, *options, "trace.gz"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, errors="replace", check=False)
        return done.stdout, done.stderr

    def truth(self):
        """{who: instructions} as the program printed them."""
        rows = [line.split() for line in self.text("stdout").splitlines()]
        return {row[0]: int(row[1]) for row in rows if len(row) == 2}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--guest", required=True)
    parser.add_argument("--evprof", default="evprof")
    parser.add_argument("--evreport", default="evreport")
    parser.add_argument("--sysroot", help="the files of the machine that recorded")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    checks = Checks(args.guest)
    judge(args, checks)
    print(f"1..{checks.n}")
    return checks.n_failed > 0


# ---- the checks ----

def judge_facts(args, checks, run):
    facts = "".join(line.split(" #")[0] + "\n" for line in run.text("stdout").splitlines())
    path = os.path.join(HERE, "expected", args.guest + ".facts")
    if args.update:
        with open(path, "w") as file:
            file.write(facts)
    expected = read_text(path)
    differing = [f"{e!r} became {a!r}" for e, a in zip(expected.splitlines(), facts.splitlines()) if e != a]
    checks.check(facts == expected, "the PMU's facts are the known ones",
                 "\n".join(differing) or f"{len(facts.splitlines())} facts, expected {len(expected.splitlines())}")


# An estimator fills the gaps by its own rules, which are judged elsewhere; this file scales sums.
REPORT_TOLERANCE = 0.01


def judge_record(args, checks, run, functions):
    checks.check(run.text("status").strip() == "0", f"{run.name}: the program's exit status is its own",
                 run.text("status"), run.text("stderr"))
    try:
        processes = run.trace()
        truth = run.truth()
    except (OSError, *decode.DAMAGE) as error:
        checks.check(False, f"{run.name}: the trace reads", repr(error), run.text("stderr"))
        return
    checks.check(all(p.end for p in processes.values()), f"{run.name}: every process has its end",
                 {k: bool(p.end) for k, p in processes.items()})
    lost = sum(t["n_lost"] for p in processes.values() for t in p.threads.values())
    checks.check(lost == 0, f"{run.name}: no sample lost", lost)
    for function in functions:
        function(checks, run, truth, processes)
    judge_numbers(checks, run, processes)
    if os.path.exists(os.path.join(run.folder, "report.json")):
        judge_reports(args, checks, run)


def judge_numbers(checks, run, processes):
    """evreport's totals are those of the trace: exact ones to the last digit, estimates nearly, others missing.

    evreport fills gaps by time, so that the trace is scaled by time as well."""
    bad = []
    text, complaint = run.report("--format", "json")
    try:
        events = json.loads(text)["events"]
    except (ValueError, KeyError) as error:
        checks.check(False, f"{run.name}: the JSON report reads", repr(error), complaint)
        return
    for event in events:
        known = [p for p in processes.values() if event["name"] in p.events]
        values = [scaled_by_time(p, t, event["name"]) for p in known for t in p.threads.values()]
        mine, reported = sum(v for v in values if v) if any(v is not None for v in values) else None, event["total"]
        if (mine is None) != (reported is None):
            bad.append(f"{event['name']}: reported {reported}, in the trace {mine}")
        elif mine is not None and not event["estimate"] and reported != mine:
            bad.append(f"{event['name']}: reported {reported} as exact, in the trace {mine}")
        elif mine and abs(reported - mine) > REPORT_TOLERANCE * mine:
            bad.append(f"{event['name']}: reported {reported}, in the trace {mine}")
    checks.check(events and not bad, f"{run.name}: the report's totals are the trace's", "\n".join(bad))


# Estimates come from OpenBLAS and libm, which round differently on each processor.
ESTIMATE_DIGITS = 1e-6


def same_text(a, b):
    """Equal but for numbers that differ by ESTIMATE_DIGITS."""
    number = re.compile(r"-?[0-9][0-9,]*\.?[0-9]*(?:e[-+]?[0-9]+)?")
    if number.sub("#", a) != number.sub("#", b):
        return False
    pairs = zip(number.findall(a), number.findall(b))
    values = [(float(x.replace(",", "")), float(y.replace(",", ""))) for x, y in pairs if x != y]
    return all(abs(x - y) <= ESTIMATE_DIGITS * max(abs(x), abs(y)) for x, y in values)


def judge_reports(args, checks, run):
    """The report made there and the one made here, of the same trace and the same programs' files."""
    where = ["--sysroot", args.sysroot] if args.sysroot else []
    exact = all(e.get("estimate") is False for e in json.loads(run.text("report.json") or "{}").get("events", []))
    for name, options in (("report.json", ["--format", "json"] + where), ("report.txt", where), ("dump.txt", ["dump"])):
        here, complaint = run.report(*options)
        there = run.text(name)
        pairs = list(zip(there.splitlines(), here.splitlines()))
        differing = [(t, h) for t, h in pairs if t != h and (exact or name == "dump.txt" or not same_text(t, h))]
        same = there and len(there.splitlines()) == len(here.splitlines()) and not differing
        checks.check(same, f"{run.name}: {name} is the same here and there",
                     "\n".join(f"there {t!r}, here {h!r}" for t, h in differing[:6]) or
                     f"{len(there)} and {len(here)} bytes", run.text("report.err"), complaint)


def judge_holdpmu(checks, run):
    rows = [line for line in run.text("stdout").splitlines() if line.startswith("capacity instructions leader off")]
    checks.check(len(rows) == 2 and all(row.endswith("; 0 run") for row in rows),
                 "with every counter taken, groups open and none runs", "\n".join(rows), run.text("stderr"))


# Cases that a guest cannot show. Nothing that wants counters may be skipped where there are some.
ALLOWED_SKIPS = ("a single CPU", "valgrind is not installed", "the loopback interface is down",
                 "there are no pseudo terminals")


def judge_unit(checks, run, has_pmu):
    rows = [line.split() for line in run.text("stdout").splitlines()]
    for name, status in rows:
        tap = run.text(name + ".tap")
        skipped = [line for line in tap.splitlines() if "# SKIP" in line and not line.endswith(ALLOWED_SKIPS)]
        bad = [line for line in tap.splitlines() if line.startswith(("#", "not ok"))] + skipped
        checks.check(status == "0" and not (has_pmu and skipped), f"unit {name}", f"exit status {status}",
                     "\n".join(bad) or tap[-500:])
    checks.check(rows, "unit tests ran")


def judge(args, checks):
    machine = read_text(os.path.join(args.folder, "machine")).strip()
    kind = "no-pmu" if args.guest == "no-pmu" else "pmu"
    n_reported = 0
    records = NO_PMU_CHECKS if kind == "no-pmu" else CHECKS
    for name in sorted(os.listdir(args.folder)):
        folder = os.path.join(args.folder, name)
        if not os.path.isdir(folder):
            continue
        run = Run(folder, name, machine, args)
        if name == "pmuprobe" and args.guest != "hardware":
            judge_facts(args, checks, run)
        elif name == "unit":
            judge_unit(checks, run, kind == "pmu")
        elif name == "holdpmu" and kind == "pmu":
            judge_holdpmu(checks, run)
        elif name in DOCTOR_CHECKS:
            for function in DOCTOR_CHECKS[name].get(kind, []):
                function(checks, run, {}, {})
        elif name in records:
            judge_record(args, checks, run, records[name])
            n_reported += os.path.exists(os.path.join(folder, "report.json"))


if __name__ == "__main__":
    sys.exit(main())
