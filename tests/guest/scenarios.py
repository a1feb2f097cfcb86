# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what each scenario of scenarios.sh left: tables of functions of (checks, run, truth, processes)."""
import json
import os
import re
import subprocess

import shares
from decode import estimate, total

# COPIES stand for "instructions" under names of their own, one group each.
COPIES = {"aarch64": ["r8:u", "r08:u", "r008:u", "r0008:u"], "ppc64le": ["r2:u", "r02:u", "r002:u", "r0002:u"],
          "x86_64": ["rc0:u", "r0c0:u", "r00c0:u", "r000c0:u"]}
TOLERANCE = 0.005
# What surrounds the loops (starting a thread, a child, an image) is some 10,000 instructions; POWER counts the
# kernel's work for it as well (docs/pmu-guests.md).
SUM_TOLERANCE = {"power9": 0.01}
ARM_SUM_TOLERANCE = 0.002


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
        refused = {name for n in process.notes if " not counted: " in n
                   for name in re.findall("'([^']*)'", n.partition(" not counted: ")[0])}
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
    "shares_10us": [shares.short_turns], "shares_1ms": [shares.middling_turns], "shares_100ms": [shares.long_turns],
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
    "doctor": {"pmu": [says("stdout", "counters"), shares.doctor], "no-pmu": [says("stdout", "no hardware PMU")]},
    "doctor_paranoid3": {"pmu": [says("stdout", "perf_event_paranoid", "3")]},
    "doctor_taken": {"pmu": [says("stdout", "never runs", "holds the counters")]},
}
