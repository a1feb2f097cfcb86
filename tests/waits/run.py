#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that wait in known ways: each wait is in the trace, with its kind and its time, and nothing else is.

run.py EVPROF EVREPORT WAITING: prints TAP. Number and time are exact by the program's construction (waiting*.c): a wait takes
HOLD_NS at least, whatever else the machine does, and its time off the CPU is no longer than what the program saw.
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HOLD_NS = 5e6
LEAST_SHARE = 0.95  # of a wait the thread is off its CPU; the rest are the system call's own microseconds
N_WAITS = 8
N_TURNS = 12
N_OFTEN = 4000
MORE_SLEEPS = 100  # of a program's start and end, of writes that wait for a disk
KINDS = {"mutex": 1, "rwlock": 2, "condition": 3, "semaphore": 4, "barrier": 5, "join": 6, "read": 7, "write": 8,
         "fflush": 8, "fclose": 8, "accept": 9, "poll": 11, "select": 11, "fread": 7, "getc": 7, "getline": 7, "fgets": 7, "epoll": 11, "sleep": 12, "child": 13, "file_lock": 14, "range": 14,
         "signal": 16}
SLEEP, CHILD = 12, 13
SUM = re.compile(r"  node (?P<node>\d+): kind (?P<kind>\d+), (?P<n>\d+) waits, (?P<ns>\d+) ns, longest (?P<longest>\d+) ns, "
                 r"module (?P<module>\d+) address (?P<address>\S+), name (?P<name>\d+), "
                 r"holder (?P<holder>\d+) at node (?P<holder_node>\d+) kind (?P<holder_kind>\d+)$")


class Waits:
    """Sums of WAITS blocks by process (in the order of their first blocks), thread and kind."""

    def __init__(self, dump):
        self.rows, self.n_lost, self.n_unseen, pids, pid, thread, names = [], 0, 0, [], None, None, {}
        self.n_sleeps = {}  # by process and thread, as the kernel counts them
        for line in dump.splitlines():
            if line.startswith("@"):
                kind, pid = line.split()[1], line.split()[3]
                pids += [pid] if pid not in pids else []
                thread, names = None, {}
            elif kind == "WAITS" and (head := re.match(r"  thread (\d+) epoch \d+: (\d+) waits lost", line)):
                thread, self.n_lost = int(head[1]), self.n_lost + int(head[2])
            elif kind == "WAITS" and (name := re.match(r"  name (\d+): (.*)", line)):
                names[int(name[1])] = name[2]
            elif kind == "WAITS" and (unseen := re.match(r"  kind \d+: (\d+) calls not looked at", line)):
                self.n_unseen += int(unseen[1])
            elif kind == "TOTALS" and (head := re.match(r"  thread (\d+) tid", line)):
                thread = int(head[1])
            elif kind == "TOTALS" and (switches := re.search(r"switches (\d+) voluntary", line)):
                self.n_sleeps[pids.index(pid), thread] = int(switches[1])
            elif kind == "WAITS":
                row = {k: int(v, 0) for k, v in SUM.match(line).groupdict().items()}
                self.rows.append(row | {"process": pids.index(pid), "thread": thread, "name": names.get(row["name"])})

    def of(self, kind, process=0, thread=0):
        return [r for r in self.rows if (r["kind"], r["process"], r["thread"]) == (kind, process, thread)]


def record(evprof, evreport, program, *arguments, waits="on"):
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_")}
        trace = f"{folder}/trace.gz"
        run = subprocess.run([evprof, "run", "--waits", waits, "--keep", "off", "-o", trace, "--", program, *arguments],
                             env=env, stdout=subprocess.PIPE, timeout=120)
        dump = subprocess.run([evreport, "dump", trace], stdout=subprocess.PIPE, check=True, timeout=60).stdout
        said = run.stdout.split()
        waits = Waits(dump.decode(errors="replace"))
        table = subprocess.run([evreport, "--by", "wait", "--format", "csv", trace], env=env, stdout=subprocess.PIPE, check=True,
                               timeout=60).stdout.decode(errors="replace")
        waits.table = list(csv.DictReader(io.StringIO(table)))
        waits.report = json.loads(subprocess.run([evreport, "--top", "0", "--format", "json", trace], env=env,
                                                 stdout=subprocess.PIPE, check=True, timeout=60).stdout)
        return waits, [int(word) for word in said]


def check_number(rows, n, least=HOLD_NS, most=float("inf")):
    got, ns = sum(r["n"] for r in rows), sum(r["ns"] for r in rows)
    if got != n:
        yield f"{got} waits, not {n}"
    if not LEAST_SHARE * n * least <= ns <= most:
        yield f"{ns / 1e6:.2f} ms, not {LEAST_SHARE * n * least / 1e6:.2f} to {most / 1e6:.2f}"


def check_kind(tools, kind):
    waits, (n, ns) = record(*tools, kind)
    rows = waits.of(KINDS[kind])
    yield from check_number(rows, n, most=ns)
    if waits.n_lost:
        yield f"{waits.n_lost} waits are lost"
    if kind == "mutex":
        yield from check_holder(rows)
    if kind in ("read", "write", "fread", "getc", "getline", "fgets", "fflush"):
        yield from (f"the name is {r['name']}" for r in rows if r["name"] != "a pipe")
    yield from check_path(waits, kind, rows)
    locks = {(r["module"], r["address"]) for r in rows}
    if kind in ("mutex", "rwlock", "condition", "semaphore", "barrier") and (len(locks) != 1 or (0, 0) in locks):
        yield f"the locks are {locks}"


def check_path(waits, kind, rows):
    """The report has each of them below the procedure that waits, and the main thread's way to it."""
    path = f"wait_for_{kind}"
    of_kind = [r for r in waits.table if r["path"].split(" > ")[-1] == path]
    got = sum(int(r["ns"]) for r in of_kind)
    if got < LEAST_SHARE * sum(r["ns"] for r in rows) or len({r["kind"] for r in of_kind}) != 1:
        yield f"{got} ns are below {path}: {waits.table}"
    yield from (f"the way to it is {r['path']}" for r in of_kind if not r["path"].startswith("main > "))


def check_holder(rows):
    """The other thread holds it, and sleeps: unless it was at its own record just then, its place is known."""
    yield from (f"the holder is {r['holder']}" for r in rows if r["holder"] != 2)
    if not any(r["holder_kind"] == SLEEP and r["holder_node"] for r in rows):
        yield f"the holder's place is never known: {rows}"


def check_crowd(tools):
    """A lock that others have had since: its holder is not where it went meanwhile. Both sleeps are as long."""
    waits, _ = record(*tools, "crowd")
    report, names = waits.report, {"hold_in_turn": 0, "be_elsewhere": 0}
    for holder in (h for w in report["waits"] if w["kind"] == "mutex" for h in w["holders"]):
        names[holder["path"].split(" > ")[-1]] += holder["ns"]
    if not names["hold_in_turn"] or names["be_elsewhere"] > 0.1 * names["hold_in_turn"]:
        yield f"the holder was {names}"
    locks = [lock for lock in report["locks"] if lock["kind"] == "mutex"]
    if [lock["name"] for lock in locks] != ["mutex"] or locks[0]["n_threads"] != 3:
        yield f"the locks are {locks}"
    of_threads = {}
    for row in report["thread_waits"]:
        of_threads.setdefault(row["tid"], {})[report["waits"][row["wait"]]["procedure"]] = row["n_waits"]
    if len(of_threads) != 4:
        yield f"the threads are {of_threads}"
    # a wait is not noted while another thread looks at this one's record, to see where the holder is
    yield from (f"a thread has {n}" for n in of_threads.values()
                if "be_elsewhere" in n and not 0.8 * N_TURNS <= n["be_elsewhere"] <= N_TURNS)
    yield from check_sums(report)


def check_sums(report):
    """Waits by thread add up to those by place, and locks to the waits that have one."""
    for number, wait in enumerate(report["waits"]):
        rows = [row for row in report["thread_waits"] if row["wait"] == number]
        if [sum(r[key] for r in rows) for key in ("n_waits", "ns")] != [wait["n_waits"], wait["ns"]]:
            yield f"threads have {rows} of {wait}"
    of_kind = sum(wait["ns"] for wait in report["waits"] if wait["kind"] == "mutex")
    if (of_locks := sum(lock["ns"] for lock in report["locks"])) != of_kind:
        yield f"locks have {of_locks} ns, not {of_kind}"


def check_often(tools):
    """What waits often is noted by chance, once for 8 ms of CPU time, and more seldom from half a second on: time is right, in all and by
    place. 0.9 s of CPU time give 100 points at exponential distances: a deviation of the sum is 10 %, of a place's part, a half, 5 %. Six
    are allowed of the sum, five of the part."""
    waits, (long_ns, short_ns) = record(*tools, "often")
    ns = {name: sum(int(r["ns"]) for r in waits.table if name in r["path"].split(" > ")) for name in ("sleep_long", "sleep_short")}
    n, all_ns = sum(r["n"] for r in waits.of(SLEEP)), sum(r["ns"] for r in waits.of(SLEEP))
    if not 0 < waits.n_sleeps[0, 0] <= N_OFTEN + MORE_SLEEPS:
        yield f"the kernel woke the thread {waits.n_sleeps[0, 0]} times, not {N_OFTEN}: noting adds no sleep of its own"
    if own := [p for p in waits.report["procedures"] if "libevprof" in json.dumps(p)]:
        yield f"the hooks are procedures: {own}"
    exact = [w["path"] for w in waits.report["waits"] if w["kind"] == "sleep" and w["n_waits"] > 1 and not w["is_estimate"]]
    if exact:
        yield f"said to be exact: {exact}"
    if not N_OFTEN / 3 <= n <= 3 * N_OFTEN:
        yield f"{n} waits, not {N_OFTEN}"
    if not 0.4 * (long_ns + short_ns) <= all_ns <= 1.6 * (long_ns + short_ns):
        yield f"{all_ns / 1e6:.2f} ms, not {(long_ns + short_ns) / 1e6:.2f}"
    if abs(ns["sleep_long"] / all_ns - long_ns / (long_ns + short_ns)) > 0.25:
        yield f"the long ones have {ns['sleep_long'] / 1e6:.2f} of {all_ns / 1e6:.2f} ms, not {long_ns / 1e6:.2f}"


def check_after_short(tools):
    """Short waits leave room for long ones: these are each noted, though the others are chosen by chance by then. The CPU time of a short
    wait that is not noted may be missing in the long one behind it: on a virtual machine a single one has had 4 ms."""
    waits, (n, ns, cpu_ns) = record(*tools, "after_short")
    rows = [w for w in waits.report["waits"] if w["procedure"] == "wait_for_sleep"]
    yield from check_number([{"n": w["n_waits"], "ns": w["ns"]} for w in rows], n, least=HOLD_NS - cpu_ns / n, most=ns)


def check_nothing(tools):
    """A thread that loses its CPU in a call has waited for nobody."""
    waits, _ = record(*tools, "nothing")
    if (n := sum(r["n"] for r in waits.rows if r["kind"] != SLEEP)) > 1:
        yield f"{n} waits: {waits.rows}"


def check_computing(tools):
    """Calls that compute do not have the time of the sleeps before them, which are not noted. The sleeps' own CPU time, 20 us of each,
    is allowed for: 10 ms are six times that of all."""
    waits, (off_ns,) = record(*tools, "computing")
    if (ns := sum(r["ns"] for r in waits.of(KINDS["read"]))) > off_ns + 10e6:
        yield f"reads have {ns / 1e6:.2f} ms, and the thread was off its CPU for {off_ns / 1e6:.2f}"


def check_flags(tools):
    """A descriptor that was known not to block does so now: its flags or its number were given anew."""
    waits, (n, ns) = record(*tools, "flags")
    yield from check_number(waits.of(KINDS["read"]), n, most=ns)


def check_fork(tools):
    waits, _ = record(*tools, "fork")
    yield from check_number(waits.of(SLEEP, process=1), N_WAITS)
    if sum(r["n"] for r in waits.of(CHILD)) > 1 or waits.of(SLEEP):
        yield f"the parent has {waits.of(CHILD)} and {waits.of(SLEEP)}"


def check_killed(tools):
    """By SIGKILL: all is there but the last second."""
    waits, (n_old, _) = record(*tools, "killed")
    if not n_old or (n := sum(r["n"] for r in waits.of(SLEEP))) < n_old:
        yield f"{n} waits of {n_old} that were over for more than a second"


def check_off(tools):
    waits, _ = record(*tools, "mutex", waits="off")
    if waits.rows:
        yield f"{len(waits.rows)} sums of waits that nobody asked for"


def main():
    tools = [str(pathlib.Path(path).resolve()) for path in sys.argv[1:4]]
    cases = {kind: lambda kind=kind: check_kind(tools, kind) for kind in KINDS}
    cases |= {"crowd": lambda: check_crowd(tools), "often": lambda: check_often(tools),
              "after_short": lambda: check_after_short(tools),
              "nothing": lambda: check_nothing(tools), "computing": lambda: check_computing(tools), "flags": lambda: check_flags(tools),
              "fork": lambda: check_fork(tools),
              "killed": lambda: check_killed(tools), "off": lambda: check_off(tools)}
    failed = 0
    for number, (name, check) in enumerate(cases.items(), 1):
        reasons = list(check())
        failed += bool(reasons)
        print(f"{'not ok' if reasons else 'ok'} {number} - {name}", *reasons, sep=" ; ", flush=True)
    print(f"1..{len(cases)}")
    return failed > 0


sys.exit(main())
