#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs of known work under evprof and compares what evreport says with what they did.

run.py --preload LIB --evreport COMMAND --programs BUILT [NAME...]: prints `ok NAME` or
`not ok NAME: why`, then `N passed, N failed`.
"""

import collections
import json
import math
import pathlib
import platform
import re
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
# Of a share, between two busy CPUs: 7 % were up to 19.5. A first slice of a whole period gave 0 for 40 %.
TIMER_BIAS = 0.2
# Of a share, where looks by the same ticks divide the kernel's time alone: 0.014 in the mean of 12 runs beside two
# busy programs, which took from the calls at a turn's end. Faults without looks were 0.1 to 0.2 off.
LOOKS_BIAS = 0.03
# Some 300 looks; the steps of a program that sleeps are met a few times in the same place.
CALLS_POINTS = 14.0
# Two busy threads on one CPU: together they have it for no longer than the clock says. Others may want it, too.
LEAST_READY = 0.4
# What a thread waits for a CPU as it begins and ends, on such a machine.
AROUND_READY_NS = 300e6
# A slice of its own writes its stack, record and rows: some 9 pages; 3 where only the fork's own are.
LEAST_COPIED, MOST_COPIED = 6, 40
# Pages that evprof touches in a child that ends at once: 20 and 48 where one fault maps 16 pages of a file.
MOST_TOUCHED = {"fork": 30, "exec": 65}
# A block leaves a running thread every second; the rest is for writing it.
UNWRITTEN_S = 1.2
# Records are kept for the next thread and fill up; a KiB for each of 10,000 threads would be more.
GROWTH_KIB = 8192
# What a process takes before the library is there and after its last word, on a busy machine.
LIFE_AROUND_S = 0.02


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


def check_copies(truth, report):
    """What the kernel counted less what evprof did: the pages that its own slice after a fork wrote."""
    main = next(t for t in report["threads"] if t["pid"] == t["tid"] == truth["pid"])
    own = (truth["minor_faults"] - main["events"]["minor-faults"]["value"]) / truth["n_forks"]
    if not LEAST_COPIED <= own <= MOST_COPIED:
        yield f"{own:.1f} page faults a fork are evprof's own"


def check_touched(truth, report):
    """Page faults are most of what a child costs that ends at once; smaller pages than 4 KiB there are not."""
    for kind, (plain, preloaded) in truth.items():
        if not 0 < preloaded - plain <= MOST_TOUCHED[kind]:
            yield f"a child by {kind} has {plain} page faults without evprof, {preloaded} with it"


def check_switches(truth, report):
    """On a busy machine a sleep may be over before it began: the kernel's own count is the truth."""
    yield from check_threads(truth, report, "rusage", "n_voluntary_switches",
                             AROUND_SWITCHES)


def check_ready(truth, report):
    """As the kernel told the threads themselves; and as it must be."""
    by_tid = {(t["pid"], t["tid"]): t for t in report["threads"]}
    found = [by_tid[truth["pid"], thread["tid"]] for thread in truth["threads"]]
    if any(thread["ready_ns"] < 0 for thread in truth["threads"]):
        if any(thread["ready_ns"] is not None for thread in found) or report["run"]["ready_ns"] is not None:
            yield "reported, though this kernel keeps no account"
        return
    shares = {0: [], 1: []}
    for thread, got in zip(truth["threads"], found):
        shares[thread["busy"]].append(got["ready_ns"] / 1e9 / got["duration_s"])
        if not -1e6 <= got["ready_ns"] - thread["ready_ns"] <= AROUND_READY_NS:
            yield f"thread {thread['tid']} was ready for {thread['ready_ns']} ns, reported {got['ready_ns']}"
    if not LEAST_READY <= sum(shares[1]) / len(shares[1]) or max(shares[1]) > 1:
        yield f"busy threads on one CPU were ready {shares[1]} of their time"
    if max(shares[0]) >= min(shares[1]):
        yield f"a sleeping thread was ready {shares[0]} of its time, busy ones {shares[1]}"
    if report["run"]["ready_ns"] != sum(thread["ready_ns"] for thread in report["threads"]):
        yield f"the run's {report['run']['ready_ns']} ns are not its threads'"


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


def check_short_lives(truth, report, bias=0):
    """A share is a draw of as many as there are ticks: four times its standard deviation off is wrong."""
    yield from check_draws(truth, report, sum(t["n_samples"] for t in report["threads"]), bias)


def check_touches(truth, report):
    """A moment has one tick in each period: of the clock in user mode, of a look in the kernel."""
    run = report["run"]
    yield from check_draws(truth, report, run["cpu_ns"] / 1e6 / run["period_ms"], LOOKS_BIAS)


def check_draws(truth, report, n_ticks, bias):
    times = {p["name"]: p["total_ns"] for p in report["procedures"]}
    sum_ns = sum(truth["procedures_ns"].values())
    reported_ns = sum(times.get(name, 0) for name in truth["procedures_ns"])
    if not reported_ns:
        yield f"no procedure is reported of {n_ticks} ticks"
        return
    for name, ns in truth["procedures_ns"].items():
        share, found = ns / sum_ns, times.get(name, 0) / reported_ns
        if abs(found - share) > bias + 4 * math.sqrt(share * (1 - share) / n_ticks):
            yield f"{name}: {100 * share:.1f} %, reported {100 * found:.1f} % of {n_ticks:.0f} ticks"


def check_short_lives_by_timer(truth, report):
    """On a busy machine the scheduler begins and ends turns of threads at the very ticks that serve the timer."""
    yield from check_short_lives(truth, report, TIMER_BIAS)


def check_calls(truth, report):
    """Kernel time is found at the calls that it was for, though no tick comes in the kernel."""
    shares = {p["name"]: p["total_share"] for p in report["procedures"]}
    sum_ns = sum(truth["procedures_ns"].values())
    for name, ns in truth["procedures_ns"].items():
        if abs(100 * (shares.get(name, 0) - ns / sum_ns)) > CALLS_POINTS:
            yield f"{name}: {100 * ns / sum_ns:.1f} %, reported {100 * shares.get(name, 0):.1f} %"


def check_system_calls(truth, report):
    """Time in system calls is told as such, whether a look or the clock's own tick met it."""
    times = truth["procedures_ns"]
    share = (times["read_much"] + times["read_little"]) / sum(times.values())
    found = sum(a["share"] for a in report["activities"] if a["name"] == "system-calls")
    if abs(100 * (found - share)) > CALLS_POINTS:
        yield f"system calls: {100 * share:.1f} %, reported {100 * found:.1f} %"


def check_busy_calls(truth, report):
    yield from check_calls(truth, report)
    yield from check_system_calls(truth, report)


def check_long_calls(truth, report, dump):
    """The looks that were due in a system call count, though the kernel sends one signal for all of them."""
    if dump.calls_ns and dump.n_looks * dump.calls_ns < truth["calls_ns"] / 2:
        yield f"{dump.n_looks} looks of {dump.calls_ns} ns for {truth['calls_ns']} ns in system calls"


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


# A PMU with an always-on event and three that take turns, one of which has the counter at a time.
SIM_EVENTS = ("cycles", "a", "b", "c")
SIM_ROWS = 20000


def sim_count(row, event):
    return (row + 1) * (event + 3) + 7 * event


def write_sim_table(path):
    rows = (",".join(str(sim_count(row, e)) for e in range(len(SIM_EVENTS))) for row in range(SIM_ROWS))
    path.write_text(",".join(SIM_EVENTS) + "\n" + "\n".join(rows) + "\n")
    path.chmod(0o644)


def looks_of(flags):
    """For how many looks for system calls a slice stands that one ended (docs/trace-format.md)."""
    return 1 + (flags >> 16 & 63) if flags >> 22 & 1 else 0


class Dump:
    """`evreport dump`: slices as (process, thread) -> {number: (group, {event: count})}, the last
    totals of each thread as {group: counts}, the groups' events, and looks for system calls that met some."""

    def __init__(self, text):
        self.groups, self.slices = {}, collections.defaultdict(dict)
        self.totals = {}
        self.calls_ns, self.n_looks = 0, 0
        process = thread = None
        for line in text.splitlines():
            words = line.replace(",", " ").replace(":", " ").split()
            if line.startswith("@"):
                process = (words[3], words[5])
            elif words[0] == "group" and "slices" not in words:
                self.groups[int(words[1])] = [int(e) for e in words[2:]]
            elif words[0] == "calls_ns":
                self.calls_ns = int(words[1])
            elif words[0] == "thread":
                thread = (*process, words[1])
            elif words[0] == "slice":
                counts = {int(e): int(n) for e, n in re.findall(r"e(\d+)=(\d+)", line)}
                self.n_looks += looks_of(int(words[words.index("flags") + 1]))
                self.slices[thread][int(words[1])] = (int(words[words.index("group") + 1]), counts)
            elif words[0] == "group":
                counts = words[words.index("counts") + 1:]
                self.totals.setdefault(thread, {})[int(words[1])] = [int(n) for n in counts]


def check_sim_thread(dump, thread):
    slices = dump.slices[thread]
    if sorted(slices) != list(range(len(slices))):
        yield f"{thread}: slices are missing"
    sums = {group: [0] * len(events) for group, events in dump.groups.items()}
    for row, (group, counts) in slices.items():
        expected = {e: sim_count(row, e) for e in dump.groups[group]}
        if counts != expected:
            yield f"{thread}: slice {row} is {counts}, the table has {expected}"
        for i, e in enumerate(dump.groups[group]):
            sums[group][i] += sim_count(row, e)
    if dump.totals.get(thread) != sums:
        yield f"{thread}: totals {dump.totals.get(thread)}, the table's rows give {sums}"


def check_sim(truth, report, dump):
    """Each slice has its row's counts, totals are their sums: by thread, and over the tree."""
    for name in ("n_processes", "n_threads"):
        if report["run"][name] != truth[name]:
            yield f"{name}: {report['run'][name]}, not {truth[name]}"
    if len(dump.slices) != truth["n_threads"]:
        yield f"samples of {len(dump.slices)} threads"
    for thread in dump.slices:
        yield from check_sim_thread(dump, thread)
    always = sum(sim_count(row, 0) for slices in dump.slices.values() for row in slices)
    total = next(e["total"] for e in report["events"] if e["name"] == SIM_EVENTS[0])
    if total != always:
        yield f"{SIM_EVENTS[0]}: {total} reported, {always} in the table's rows"
    used = {e for events in dump.groups.values() for e in events[1:]}
    if len(dump.groups) != 3 or used != {1, 2, 3}:
        yield f"groups are {dump.groups}"
    yield from check_lost(report)


def check_outside(truth, report):
    """A lower bound of what the kernel says; start and end of each process that is measured are between."""
    found, least = report["run"]["outside_s"], truth["outside_s"] - LIFE_AROUND_S * truth["n_processes"]
    if not least <= found <= truth["outside_s"] + LIFE_AROUND_S * truth["n_processes"]:
        yield f"{truth['outside_s']} s outside of the trace, reported {found}"
    if not any("not in this trace took" in f["text"] for f in report["findings"]):
        yield "nothing is said of it"


class Case:
    def __init__(self, name, command, check, expected=0, sim=None, period=None, n_files=None,
                 needs_dump=False):
        self.name, self.command, self.check, self.expected = name, command.split(), check, expected
        self.sim, self.period, self.n_files = sim, period, n_files
        self.needs_dump = needs_dump or sim


CASES = [
    Case("faults", "faults 4 1000", check_faults),
    Case("faults-many-threads", "faults 64 20", check_faults),
    Case("copies", "copies 100", check_copies),
    Case("touched-pages", "touched 50", check_touched),
    Case("switches", "switches 4 150", check_switches),
    Case("ready", "ready 1000", check_ready),
    Case("forks", "forks 1000", check_forks),
    Case("threads", "threads 10000 8", check_short_threads),
    Case("threads-64-at-once", "threads 640 64", check_short_threads),
    Case("shares", "shares 3 4000", check_shares),
    # A clock of fixed slices, of 1 ms or short of it, would meet the same phases of one of these.
    Case("shares-in-steps-of-3-slices", "shares 1 5000 3000000", check_shares),
    Case("shares-in-steps-of-3-short-slices", "shares 1 5000 2953125", check_shares),
    Case("short-threads", "short threads 200 15000", check_short_lives, period="10ms"),
    # With so few files evprof holds none: a timer ticks, at the scheduler's ticks.
    Case("short-threads-by-timer", "short threads 200 15000", check_short_lives_by_timer, period="10ms", n_files=1024),
    Case("shorter-threads-by-timer", "short threads 3000 1000", check_short_lives_by_timer, period="10ms",
         n_files=1024),
    Case("shorter-threads", "short threads 3000 1000", check_short_lives, period="10ms"),
    Case("short-threads-of-two-kinds", "short threads 600 1000 9000", check_short_lives, period="10ms"),
    Case("short-processes", "short processes 300 8000", check_short_lives, period="10ms"),
    Case("calls", "calls 3000", check_calls, period="10ms"),
    Case("calls-of-a-busy-thread", "calls 3000 busy", check_busy_calls, period="10ms"),
    # Other processors do not tell a page fault from user mode.
    *([Case("touches", "touches 6000", check_touches, period="5ms")] if platform.machine() == "x86_64" else []),
    Case("long-calls", "long_calls 20", check_long_calls, period="1ms", needs_dump=True),
    Case("outside", "outside 3 200", check_outside),
    Case("deep", "deep 1500", check_deep),
    Case("killed", "killed 3500", check_killed, -9),
    Case("sim", "tree 2 3 200", check_sim, sim="counters=1"),
]


def read_with(options, *arguments):
    output = subprocess.run([options.evreport, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if output.returncode:
        raise RuntimeError(f"evreport: {output.stderr.decode(errors='replace')[:200]}")
    return output.stdout.decode()


def read_report(options, trace):
    return json.loads(read_with(options, "--format", "json", "--top", "0", str(trace)))


def run_case(case, options):
    def make_environment(folder, work):
        env = side_by_side.base_environment(options, work)
        env.update(COUNTS_TRUTH=str(work / "truth"), EVPROF_OUTPUT=str(folder / "trace.gz"),
                   LD_PRELOAD=str(options.preload))
        if case.period:
            env["EVPROF_PERIOD"] = case.period
        if case.sim:
            write_sim_table(folder / "table.csv")
            env["EVPROF_SOURCE"] = f"sim:{folder / 'table.csv'},{case.sim}"
        return env

    command = [str(options.programs / ("counts_" + case.command[0])), *case.command[1:]]
    if case.n_files:
        command = ["bash", "-c", f'ulimit -n {case.n_files}; exec "$0" "$@"', *command]
    run = side_by_side.run_once(command, make_environment, options.timeout)
    if run.returncode != case.expected or run.stderr:
        return "not ok", f"{side_by_side.describe(run.returncode)}, stderr {run.stderr[:200]!r}"
    reasons = list(side_by_side.check_trace(run.trace))
    if not reasons:
        with tempfile.NamedTemporaryFile(suffix=".gz") as trace:
            trace.write(run.trace)
            trace.flush()
            try:
                facts = [json.loads(run.files["truth"]), read_report(options, trace.name)]
                if case.needs_dump:
                    facts.append(Dump(read_with(options, "dump", trace.name)))
                reasons = list(case.check(*facts))
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
