# SPDX-License-Identifier: BSD-3-Clause
"""Whose counts they are: the procedures of shares.c, whose instructions are known, held against evreport's counts.

QEMU 7.2 interrupts for the overflow of Arm's counter of cycles alone, and for none of POWER9's (docs/pmu-guests.md):
the other events' counts must be marked as mixed where procedures take turns within slices, and the reason be said.
"""
import json

POINTS = 0.01  # of an event's total
# A count by ticks is off by chance: by more than its bar of 95 % in one of 20 recordings, by more than 2.5 bars in one
# of 70,000 (Student's t with 32 degrees of freedom, docs/estimators.md). Bars are of 0.9 points for turns of 10 us and
# of 0.3 for those of 1 ms.
FAR = 2.5
LARGEST_BAR = 1.5 * POINTS
INTERRUPTS = {"a64fx": {"cycles:u"}, "neoverse-n1": {"cycles:u"}, "kunpeng920": {"cycles:u"}}
SILENT = "do not interrupt the program when they overflow"


def counts(run, truth):
    """[(event, procedure, its share by evreport, the bar of 95 %, the true share, the row)]. In emulation cycles follow
    from instructions."""
    sysroot = ["--sysroot", run.args.sysroot] if run.args.sysroot else []
    report = json.loads(run.report("--format", "json", *sysroot)[0] or "{}")
    rows = {row["name"]: row["events"] for row in report.get("procedures", [])}
    found, everything = [], sum(truth.values())
    for name, total in ((e["name"], e["total"]) for e in report.get("events", [])):
        if not total or (run.guest == "hardware" and name != "instructions:u"):
            continue
        for procedure, count in truth.items():
            value = rows.get(procedure, {}).get(name)
            if value:
                found.append((name, procedure, value["value"] / total, 1.96 * value["error"] / total,
                              count / everything, value))
    return found


def judge(checks, run, found):
    for event, procedure, share, bar, true, _ in found:
        checks.check(abs(share - true) <= max(POINTS, FAR * bar),
                     f"{run.name}: {event} of {procedure} {share:.2%} +-{bar:.2%}, truth {true:.2%}",
                     f"{100 * abs(share - true):.2f} points off")


def say_why(checks, run, found, processes):
    """Counts of an event without ticks of its own are mixed; the recording, the trace and the report say why."""
    checks.check(all(value["mixed"] for *_, value in found),
                 f"{run.name}: counts of events that do not interrupt are marked as mixed", found)
    notes = [n for p in processes.values() for n in p.notes]
    for place, text in (("trace", "\n".join(notes)), ("recording", run.text("stderr")), ("report", run.report()[0])):
        checks.check(SILENT in " ".join(text.split()), f"{run.name}: the {place} says that counters {SILENT}",
                     text[-1500:])


def by_own_overflow(checks, run, found):
    own = [row for row in found if row[-1].get("n_ticks")]
    events = {row[0] for row in own}
    checks.check(len(found) >= 3 and events >= INTERRUPTS.get(run.guest, set()),
                 f"{run.name}: counts by own overflow of {', '.join(sorted(events)) or 'no event'}", found)
    if own:
        checks.check(not any(value["mixed"] or bar > LARGEST_BAR for *_, bar, _, value in own),
                     f"{run.name}: such counts are not mixed, and known to {LARGEST_BAR:.1%}", own)
    return own


def short_turns(checks, run, truth, processes):
    found = counts(run, truth)
    own = by_own_overflow(checks, run, found)
    judge(checks, run, own)
    if len(own) < len(found):
        say_why(checks, run, [row for row in found if row not in own], processes)


def middling_turns(checks, run, truth, processes):
    judge(checks, run, by_own_overflow(checks, run, counts(run, truth)))


def long_turns(checks, run, truth, processes):
    """Turns of many slices need no ticks by events."""
    found = counts(run, truth)
    checks.check(len(found) >= 3 and not any(value["mixed"] for *_, value in found),
                 f"{run.name}: no count of a procedure is mixed", found)
    judge(checks, run, found)


def doctor(checks, run, truth, processes):
    said = " ".join(run.text("stdout").split())
    answers = ["yes:", "of cycles and page faults only"]
    if run.guest not in INTERRUPTS:
        answers.append("of page faults only")
    checks.check(any(f"ticks by events {answer}" in said for answer in answers),
                 f"{run.name}: doctor says which events end slices", said)
