#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs of known work under evprof and compares what evreport says with what they did.

run.py --preload LIB --evreport COMMAND --programs BUILT [NAME...]: prints `ok NAME` or
`not ok NAME: why`, then `N passed, N failed`.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import side_by_side  # noqa: E402

# A thread's life around its work costs it some faults (its stack) and switches (its start, its end).
AROUND_FAULTS = 12
AROUND_SWITCHES = 4
# At 1 kHz; the bar.
SHARE_POINTS = 2.0
# A block leaves a running thread every second; the rest is for writing it.
UNWRITTEN_S = 1.2
# Records are kept for the next thread and fill up; a KiB for each of 10,000 threads would be more.
GROWTH_KIB = 8192


def check_threads(truth, report, amount, reported, around):
    """Each thread's count is its work and what surrounds it; and the sum over the tree likewise."""
    by_tid = {(t["pid"], t["tid"]): t for t in report["threads"]}
    for thread in truth["threads"]:
        found = by_tid.get((truth["pid"], thread["tid"]))
        if not found:
            yield f"thread {thread['tid']} is missing"
        elif not 0 <= found[reported] - thread[amount] <= around:
            yield f"thread {thread['tid']} did {thread[amount]}, reported {found[reported]}"
    if report["run"]["n_threads"] != len(truth["threads"]) + 1:
        yield f"{report['run']['n_threads']} threads reported of {len(truth['threads']) + 1}"


def check_event(truth, report, amount, event, around):
    """The event itself, without what evprof did in the thread."""
    done = sum(thread[amount] for thread in truth["threads"])
    total = next((e["total"] for e in report["events"] if e["name"] == event), None)
    if total is None:
        yield f"{event} is not among the events"
    elif not 0 <= total - done <= around * (len(truth["threads"]) + 1):
        yield f"{event}: {done} done, {total} reported"


def check_faults(truth, report):
    by_tid = {(t["pid"], t["tid"]): t for t in report["threads"]}
    for thread in truth["threads"]:
        found = by_tid.get((truth["pid"], thread["tid"]))
        counted = found["events"]["minor-faults"]["value"] if found else -1
        if not 0 <= counted - thread["minor_faults"] <= AROUND_FAULTS:
            yield f"thread {thread['tid']} touched {thread['minor_faults']}, counted {counted}"
    yield from check_event(truth, report, "minor_faults", "minor-faults", 5 * AROUND_FAULTS)


def check_switches(truth, report):
    """On a busy machine a sleep may be over before it began: the kernel's own count is the truth."""
    yield from check_threads(truth, report, "rusage", "n_voluntary_switches",
                             AROUND_SWITCHES)


def check_forks(truth, report):
    ended = [sum(p["ended"].endswith(f" status {status}") and p["born"] == "fork"
                 for p in report["processes"]) for status in range(7)]
    if report["run"]["n_processes"] != truth["n_processes"]:
        yield f"{report['run']['n_processes']} processes reported of {truth['n_processes']}"
    if ended != truth["ended"]:
        yield f"endings {truth['ended']}, reported {ended}"
    yield from check_lost(report)
    yield from check_holdings(truth)


def check_short_threads(truth, report):
    if report["run"]["n_threads"] != truth["n_threads"]:
        yield f"{report['run']['n_threads']} threads reported of {truth['n_threads']}"
    yield from check_lost(report)
    yield from check_holdings(truth)


def check_holdings(truth):
    """After thousands of threads or children the process holds what it held after the first."""
    early, late = truth["descriptors"]
    if late > early:
        yield f"{early} descriptors at first, {late} at the end"
    early, late = truth["resident_kib"]
    if late - early > GROWTH_KIB:
        yield f"{early} KiB resident at first, {late} at the end"


def check_lost(report):
    if report["run"]["n_lost"]:
        yield f"{report['run']['n_lost']} samples lost"


def check_shares(truth, report):
    shares = {p["name"]: p["total_share"] for p in report["procedures"]}
    sum_ns = sum(truth["procedures_ns"].values())
    for name, ns in truth["procedures_ns"].items():
        points = 100 * (shares.get(name, 0) - ns / sum_ns)
        if abs(points) > SHARE_POINTS:
            yield f"{name}: {100 * ns / sum_ns:.1f} %, reported {100 * shares.get(name, 0):.1f} %"


def check_deep(truth, report):
    shares = {p["name"]: p["total_share"] for p in report["procedures"]}
    for level in range(truth["n_levels"]):
        share = shares.get(f"level_{level:02}", 0)
        if share < 0.95:
            yield f"level_{level:02} is on {100 * share:.1f} % of the stacks"


def check_killed(truth, report):
    missing_s = truth["duration_s"] - report["run"]["duration_s"]
    if missing_s > UNWRITTEN_S:
        yield f"{missing_s:.2f} s of {truth['duration_s']} s are missing"


class Case:
    def __init__(self, name, command, check, expected=0):
        self.name, self.command, self.check, self.expected = name, command.split(), check, expected


CASES = [
    Case("faults", "faults 4 1000", check_faults),
    Case("faults-many-threads", "faults 64 20", check_faults),
    Case("switches", "switches 4 150", check_switches),
    Case("forks", "forks 1000", check_forks),
    Case("threads", "threads 10000 8", check_short_threads),
    Case("threads-64-at-once", "threads 640 64", check_short_threads),
    Case("shares", "shares 3 2000", check_shares),
    Case("deep", "deep 1500", check_deep),
    Case("killed", "killed 3500", check_killed, -9),
]


def read_report(options, trace):
    output = subprocess.run([options.evreport, "--format", "json", "--top", "0", str(trace)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if output.returncode:
        raise RuntimeError(f"evreport: {output.stderr.decode(errors='replace')[:200]}")
    return json.loads(output.stdout)


def run_case(case, options):
    def make_environment(folder, work):
        env = side_by_side.base_environment(options, work)
        env.update(COUNTS_TRUTH=str(work / "truth"), EVPROF_OUTPUT=str(folder / "trace.gz"),
                   LD_PRELOAD=str(options.preload))
        return env

    command = [str(options.programs / ("counts_" + case.command[0])), *case.command[1:]]
    run = side_by_side.run_once(command, make_environment, options.timeout)
    if run.returncode != case.expected or run.stderr:
        return "not ok", f"{side_by_side.describe(run.returncode)}, stderr {run.stderr[:200]!r}"
    reasons = list(side_by_side.check_trace(run.trace))
    if not reasons:
        with tempfile.NamedTemporaryFile(suffix=".gz") as trace:
            trace.write(run.trace)
            trace.flush()
            try:
                reasons = list(case.check(json.loads(run.files["truth"]), read_report(options, trace.name)))
            except RuntimeError as error:
                reasons = [str(error)]
    return ("not ok", "; ".join(reasons[:5])) if reasons else ("ok", None)


def main():
    parser = side_by_side.argument_parser(__doc__)
    parser.add_argument("--evreport", default="build/reporter/evreport")
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("build/tests/counts"))
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    return side_by_side.run_all(CASES, options, run_case)


if __name__ == "__main__":
    sys.exit(main())
