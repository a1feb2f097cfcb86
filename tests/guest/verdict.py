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
from decode import estimate, scaled_by_time, total

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


# What one scenario must show: functions of (checks, run, truth, processes), named after the scenario.
# COPIES stand for "instructions" under names of their own, one group each.
COPIES = {"aarch64": ["r8:u", "r08:u", "r008:u", "r0008:u"], "ppc64le": ["r2:u", "r02:u", "r002:u", "r0002:u"],
          "x86_64": ["rc0:u", "r0c0:u", "r00c0:u", "r000c0:u"]}
TOLERANCE = 0.005
# What surrounds the loops (starting a thread, a child, an image) is some 10,000 instructions; POWER counts the
# kernel's work for it as well (docs/pmu-guests.md).
SUM_TOLERANCE = {"power9": 0.01}
ARM_SUM_TOLERANCE = 0.002
# An estimator fills the gaps by its own rules, which are judged elsewhere; this file scales sums.
REPORT_TOLERANCE = 0.01


def instructions(checks, run, truth, processes):
    checks.close(total(processes, "instructions:u"), sum(truth.values()), TOLERANCE, f"{run.name}: instructions")


def by_papi(checks, run, truth, processes):
    names = next(iter(processes.values())).events
    checks.check(names, f"{run.name}: PAPI counts {' and '.join(names)}", run.text("stderr"))
    for name in names:
        checks.close(total(processes, name), sum(truth.values()), TOLERANCE, f"{run.name}: {name}")


def per_thread(event, estimated=False):
    def check(checks, run, truth, processes):
        counts = sorted((estimate(p, t, event) or 0) for p in processes.values() for t in p.threads.values())
        expected = sorted(truth.values())
        tolerance = SUM_TOLERANCE.get(run.guest, TOLERANCE if estimated else ARM_SUM_TOLERANCE)
        for actual, wanted in zip(counts[-len(expected):], expected):
            checks.close(actual, wanted, tolerance, f"{run.name}: {event} of the thread with {wanted}")
        checks.close(sum(counts), sum(expected), tolerance, f"{run.name}: {event} over all threads")
    return check


AT_EVENT = 128  # flag of a slice that ended within its window, at an event or a look for system calls


def windows(run):
    """[windows that ended] of each group. Slices also end within windows, and windows last as long as the kernel
    lets them, so that neither the number of slices nor their time tells the turns."""
    ended = {}
    for group, flags in re.findall(r"^  slice \d+: .* group (\d+) flags (\d+)", run.report("dump")[0], re.M):
        ended[int(group)] = ended.get(int(group), 0) + (int(flags) & AT_EVENT == 0)
    return [ended[group] for group in sorted(ended)]


def take_turns(run, n):
    """Each of the n groups has as many windows as the others, or two more: each round draws its order."""
    ended = windows(run)
    return len(ended) == n and min(ended) > 0 and max(ended) - min(ended) <= 2


def copies(n):
    def check(checks, run, truth, processes):
        for event in COPIES[run.machine][:n]:
            checks.close(total(processes, event), sum(truth.values()), TOLERANCE, f"{run.name}: {event}")
        checks.check(take_turns(run, n), f"{run.name}: {n} groups take turns", f"windows of the groups: {windows(run)}")
    return check


def ratio(a, b, expected):
    def check(checks, run, truth, processes):
        if run.guest in expected:
            checks.close(total(processes, a) / max(total(processes, b), 1), expected[run.guest], TOLERANCE,
                         f"{run.name}: {a} per {b} as emulated")
    return check


def cycles_always(checks, run, truth, processes):
    if run.guest in CYCLES_PER_INSTRUCTION:
        checks.close(total(processes, "cycles:u"), CYCLES_PER_INSTRUCTION[run.guest] * sum(truth.values()), TOLERANCE,
                     f"{run.name}: cycles:u, on in every group")
    groups = {tuple(g) for p in processes.values() for g in p.groups}
    checks.check(all(len(g) == 2 for g in groups), f"{run.name}: cycles:u is in every group", groups)


def images(checks, run, truth, processes):
    counts = [total({0: p}, "instructions:u") for p in processes.values()]
    checks.check(len(counts) == len(truth), f"{run.name}: {len(truth)} program images", f"{len(counts)} in the trace")
    for actual, wanted in zip(sorted(counts), sorted(truth.values())):
        checks.close(actual, wanted, SUM_TOLERANCE.get(run.guest, ARM_SUM_TOLERANCE),
                     f"{run.name}: instructions of the image with {wanted}")


def all_copies(checks, run, truth, processes):
    process = next(iter(processes.values()))
    for event in process.events:
        if event != "cycles:u":
            checks.close(total(processes, event), sum(truth.values()), TOLERANCE, f"{run.name}: {event}")


def no_less_than_truth(checks, run, truth, processes):
    """Instructions of the kernel come on top."""
    value, expected = total(processes, "instructions"), sum(truth.values())
    checks.check(expected <= value <= 1.3 * expected, f"{run.name}: instructions are the loops' and the kernel's",
                 f"{value:.0f}, loops {expected}")


def at_least(event, n):
    def check(checks, run, truth, processes):
        value = total(processes, event)
        checks.check(value >= n, f"{run.name}: {event} at least {n}", value)
    return check


def between(event, low, high):
    def check(checks, run, truth, processes):
        value = total(processes, event)
        checks.check(low <= value <= high, f"{run.name}: {event} from {low} to {high}", value)
    return check


def missing(event):
    """Not 0: missing, and the trace says why."""
    def check(checks, run, truth, processes):
        values = [estimate(p, t, event) for p in processes.values() if event in p.events
                  for t in p.threads.values()]
        checks.check(not any(v is not None for v in values), f"{run.name}: {event} is missing, not 0", values)
        notes = [n for p in processes.values() for n in p.notes]
        checks.check(any(event in n for n in notes), f"{run.name}: a note says what happened to {event}", notes)
    return check


def two_at_a_time(checks, run, truth, processes):
    groups = [g for p in processes.values() for g in p.groups]
    checks.check(groups and all(len(g) <= 2 for g in groups), f"{run.name}: groups of the two counters left", groups)
    for event in COPIES[run.machine]:
        checks.close(total(processes, event), sum(truth.values()), TOLERANCE, f"{run.name}: {event}")


def nothing_counted(checks, run, truth, processes):
    """Someone had the counters all the time: values are missing, never 0."""
    ran = [g["running_ns"] for p in processes.values() for t in p.threads.values() for g in t["groups"]]
    checks.check(not any(ran), f"{run.name}: no group ran, so every value is missing", ran)


def zero(event):
    def check(checks, run, truth, processes):
        values = [estimate(p, t, event) for p in processes.values() for t in p.threads.values()]
        checks.check(values and all(v == 0 for v in values), f"{run.name}: {event} is 0", values)
    return check


def says(name, *words):
    """A line of stderr, of the program's or the trace's notes, that has all the words."""
    def check(checks, run, truth, processes):
        lines = run.text(name).splitlines() if name != "note" else [n for p in processes.values() for n in p.notes]
        checks.check(any(all(w.lower() in line.lower() for w in words) for line in lines),
                     f"{run.name}: {name} has a line with '{' '.join(words)}'", "\n".join(lines))
    return check


def lacks(name, *words):
    def check(checks, run, truth, processes):
        for word in words:
            checks.check(word not in run.text(name), f"{run.name}: {name} does not say '{word}'", run.text(name))
    return check


def share(low, high):
    """Running over enabled time: the kernel gave our groups the counters for a part of the time."""
    def check(checks, run, truth, processes):
        groups = [g for p in processes.values() for t in p.threads.values() for g in t["groups"]]
        value = sum(g["running_ns"] for g in groups) / max(sum(g["enabled_ns"] for g in groups), 1)
        checks.check(low <= value <= high, f"{run.name}: counters ran {low:.0%} to {high:.0%} of the time",
                     f"{value:.4f}")
    return check


def compares(checks, run, truth, processes):
    checks.check(run.text("compare") == "" and os.path.exists(os.path.join(run.folder, "compare")),
                 f"{run.name}: the program's output is what it was", run.text("compare"))


# What "evprof plan" must be told of a guest: QEMU gives every Arm CPU but the A64FX six counters. On hardware this
# is the machine that recorded.
PLAN_OPTIONS = {"hardware": [], "kunpeng920": ["--cpu", "kunpeng920", "--counters", "6"]}


def plan(run, models):
    """[[event]] of the groups that evprof plans for the guest's CPU."""
    options = PLAN_OPTIONS.get(run.guest, ["--cpu", run.guest])
    done = subprocess.run([run.args.evprof, "plan", *options, models], capture_output=True, text=True, check=False)
    return [line.split(": ", 1)[1].split() for line in done.stdout.splitlines() if line.startswith("group ")]


def planned(models):
    """What was planned is what was opened, in the same groups, and every group had its turns; what the kernel
    refused stands in a note."""
    def check(checks, run, truth, processes):
        process = next(iter(processes.values()))
        refused = {name for n in process.notes for name in re.findall("'([^']*)'", n.partition(" not counted: ")[0])}
        wanted = [sorted(set(group) - refused) for group in plan(run, models)]
        opened = [sorted(process.events[e] for e in group) for group in process.groups]
        checks.check(wanted and opened == wanted, f"{run.name}: {len(wanted)} groups are opened as planned",
                     f"planned {wanted}", f"opened {opened}", f"notes {process.notes}")
        running = [g["running_ns"] for t in process.threads.values() for g in t["groups"]]
        checks.check(take_turns(run, len(process.groups)) and min(running) > 0,
                     f"{run.name}: its groups take turns and run", f"windows {windows(run)}", f"running {running}")
    return check


def model_instructions(checks, run, truth, processes):
    """The model's always-on instructions are the loops' and the kernel's."""
    process = next(iter(processes.values()))
    names = [e for e in process.events if re.search("INST_RETIRED|INST_CMPL|RETIRED_INSTRUCTIONS|ex_ret_instr", e)]
    value, expected = max([total(processes, e) for e in names], default=0), sum(truth.values())
    checks.check(expected <= value <= 1.05 * expected, f"{run.name}: {names} are the loops' and the kernel's",
                 f"{value:.0f}, loops {expected}")


# Which events count in emulation, by their names in the models; every other one is an honest 0. (POWER: QEMU counts
# something else than PM_CMPLU_STALL_NTC_FLUSH under its code.)
COUNTING = {"CPU_CYCLES", "INST_RETIRED", "PM_RUN_CYC", "PM_RUN_INST_CMPL", "PM_CMPLU_STALL_NTC_FLUSH"}


def honest_zeros(checks, run, truth, processes):
    """What emulation does not count is 0, not missing and not made up."""
    if run.guest == "hardware":
        return
    values = {e: total(processes, e) for e in next(iter(processes.values())).events}
    odd = {e: v for e, v in values.items() if (e in COUNTING) != (v > 0)}
    checks.check(not odd, f"{run.name}: {sum(v == 0 for v in values.values())} events are 0, the others are not", odd)


# Shares of level 1 in the guests' trees. (On hardware: whatever the CPU's model has.)
TREES = {
    "a64fx": ["4_Instruction_Commit", "3_Instruction_Commit", "2_Instruction_Commit", "1_Instruction_Commit",
              "0_Instruction_Commit"],
    "neoverse-n1": ["Frontend_Stalled", "Backend_Stalled", "Not_Stalled"],
    "kunpeng920": ["Frontend_Bound", "Bad_Speculation", "Retiring", "Backend_Bound"],
    "power9": ["No_Instruction_To_Execute", "Instruction_Held_In_Issue", "Backend_Bound", "Completion_Cycles"],
}
VALUES = ("ok", "negative", "above1")  # a share made of zeros may be impossible, and says so
MIN_SILENT = 4  # fewer zeros are no reason for a warning


def tree(checks, run, truth, processes):
    """evreport's metrics: each a number or a reason why not, and the report says what so many zeros mean."""
    text, complaint = run.report("metrics", "--format", "json", "--model", "topdown")
    metrics = {m["metric"]: m for model in json.loads(text or "[]") for m in model["metrics"]}
    bad = [m for m in metrics.values() if (m["status"] in VALUES) != isinstance(m["value"], float)]
    bad += [name for name in TREES.get(run.guest, []) if metrics.get(name, {}).get("status") not in VALUES]
    if run.guest == "hardware":
        bad += [m for m in metrics.values() if m["status"] in VALUES[1:] and m["coverage"] > 0.9]
    checks.check(metrics and not bad, f"{run.name}: {len(metrics)} metrics of the tree are values or say why not",
                 bad, complaint)
    n_silent = sum(total(processes, e) == 0 for e in next(iter(processes.values())).events)
    text, complaint = run.report()
    says_so = "were 0 in every slice" in " ".join(text.split())
    checks.check(says_so == (n_silent >= MIN_SILENT), f"{run.name}: the report says what {n_silent} zeros mean",
                 text[-1500:], complaint)


CYCLES_PER_INSTRUCTION = {"a64fx": 2, "neoverse-n1": 2, "kunpeng920": 2, "power9": 1}
CHECKS = {
    "ocoe": [instructions, ratio("cycles:u", "instructions:u", CYCLES_PER_INSTRUCTION)],
    "mpx1": [copies(1)], "mpx2": [copies(2)], "mpx3": [copies(3)], "mpx4": [copies(4)],
    "threads": [per_thread("instructions:u")],
    "threads_mpx": [lambda *a: [per_thread(e, True)(*a) for e in COPIES[a[1].machine][:3]]],
    "processes": [per_thread("instructions:u")],
    "exec": [images],
    "naps": [instructions],
    "faults": [between("minor-faults", 2000, 2300)],
    "default": [no_less_than_truth, at_least("cycles", 1)],
    "topdown": [planned("topdown"), model_instructions, honest_zeros, tree],
    "models": [planned("topdown,ipc,caches,branches,tlb,memory"), model_instructions, honest_zeros],
    "papi": [by_papi],
    "papi_threads": [per_thread("perf::INSTRUCTIONS")],
    "bash": [at_least("instructions:u", 10000000)],
    "xz": [at_least("instructions:u", 10000000), compares],
    "mpx4_always": [copies(4), cycles_always],
    "packed": [all_copies], "overcommitted": [all_copies],
    "power_conflict": [at_least("r10002", 1000), at_least("r1001e", 1000)],
    "power_conflicts": [at_least("r10002", 1000), at_least("r1001e", 1000), at_least("r500fa", 1000)],
    "arm_never_runs": [instructions, missing("r1e:u")],
    "arm_silent": [instructions, zero("r184:u")],
    "unknown": [instructions, says("note", "NO_SUCH_EVENT")],
    "taken_all": [nothing_counted, says("note", "in use")],
    "taken_most": [two_at_a_time],
    "shared": [instructions, share(0.4, 0.6)],
    "user_paranoid2": [instructions],
    "user_paranoid3": [says("stderr", "perf_event_paranoid", "3")],
}
# Without a PMU the same scenarios must say so and record what there is.
NO_PMU_CHECKS = {
    "default": [says("note", "no hardware events"), at_least("minor-faults", 1)],
    "ocoe": [says("stderr", "instructions")],
    "faults": [between("minor-faults", 2000, 2300)],
    "threads": [], "processes": [], "exec": [], "bash": [], "xz": [compares],
}
DOCTOR_CHECKS = {
    "doctor": {"pmu": [says("stdout", "counters")], "no-pmu": [says("stdout", "no hardware PMU")]},
    "doctor_paranoid3": {"pmu": [says("stdout", "perf_event_paranoid", "3")]},
    "doctor_taken": {"pmu": [says("stdout", "never runs", "holds the counters")]},
}


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
