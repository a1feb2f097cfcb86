# SPDX-License-Identifier: BSD-3-Clause
"""Threads, their time and their counts in the report, held against known work and the program's own account."""
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

from session import EARLY, EVPROF, WORK, expect


def numbers(text):
    return [[int(n) for n in re.findall(r"\d+", line)] for line in text.splitlines()]


def check_shares(session, *work):
    run = session.record(["-p", "1000Hz"], WORK, *work)
    truth = {name: int(ns) for name, ns in (line.split() for line in run.stdout.splitlines())}
    report = session.report()
    selves = {p["name"]: p["self_ns"] for p in report["procedures"]}
    expect(report["run"]["n_threads"] == 4, f"{report['run']['n_threads']} threads")
    spent = sum(selves.get(name, 0) for name in truth)
    expect(spent > 0.75 * sum(selves.values()), f"{spent} of {sum(selves.values())} ns: a busy machine adds some in the kernel")
    for name, ns in truth.items():
        share = selves.get(name, 0) / spent
        true_share = ns / sum(truth.values())
        expect(abs(share - true_share) < 0.02, f"{name}: {share:.3f}, truth {true_share:.3f}")


def test_shares_of_procedures(session):
    """60/30/10 in three threads at 1 kHz, within 2 points of what the program itself measured."""
    check_shares(session, "shares", "3000")


def test_threads_whose_creation_is_looked_up(session):
    session.record(["-p", "1000Hz"], WORK, "looked-up", "500")
    report = session.report()
    spent = sum(p["self_ns"] for p in report["procedures"] if p["name"].startswith("spend_"))
    busy = [t for t in report["threads"] if t["cpu_ns"] > report["run"]["cpu_ns"] / 6]
    expect(report["run"]["n_threads"] == 4 and len(busy) == 3, f"threads {report['threads']}")
    expect(spent > 0.7 * report["run"]["cpu_ns"], f"{spent} of {report['run']['cpu_ns']} ns")


def test_a_handler_on_a_small_stack_has_its_time(session):
    """Ticks wait for its end, and are its own: 90 % of the work."""
    session.record(["-p", "1000Hz"], WORK, "small-stack", "1000")
    report = session.report()
    selves = {p["name"]: p["self_ns"] for p in report["procedures"]}
    share = selves.get("handle_alarm", 0) / report["run"]["cpu_ns"]
    expect(platform.machine() != "x86_64" or share > 0.6, f"{selves}")


def test_page_faults_by_thread(session):
    """A thread's page faults are what getrusage told it at its end (those of its last write come later); its event counts
    the pages it touched, without the library's own faults; the events add up to the total."""
    run = session.record([], WORK, "faults", "3000", "700")
    report = session.report()
    threads = [t for t in report["threads"] if t["tid"] != t["pid"]]
    threads.sort(key=lambda t: t["start_s"])
    expect(len(threads) == 2, f"{len(threads)} threads besides the main one")
    for (touched, total), wanted, thread in zip(numbers(run.stdout), (3000, 700), threads):
        faults, event = thread["n_minor_faults"], thread["events"]["minor-faults"]["value"]
        expect(touched >= wanted, f"only {touched} of {wanted} pages")
        expect(total <= faults <= total + 200, f"{faults} faults, told {total}")
        expect(wanted <= event <= faults, f"{event} counted of {wanted} pages, faults {faults}")
    total = sum(t["events"]["minor-faults"]["value"] for t in report["threads"])
    reported = {e["name"]: e["total"] for e in report["events"]}
    expect(reported["minor-faults"] == total, f"{reported['minor-faults']}, threads {total}")


def test_context_switches(session):
    run = session.record([], WORK, "switches", "500")
    _, total = numbers(run.stdout)[0]
    thread = max(session.dump()[1], key=lambda t: t["thread"])
    expect(total >= 450, f"blocked only {total} times")  # a late wake-up needs no switch
    expect(total <= thread["switches"] <= total + 40, f"{thread['switches']} switches, told {total}")


def test_many_forks(session):
    session.record([], WORK, "forks", "1000")
    run = session.report()["run"]
    expect(run["n_processes"] == 1001, f"{run['n_processes']} processes")
    expect(run["n_lost"] == 0, f"{run['n_lost']} samples lost")


NAMES = """
import ctypes, threading
libc, named, parked = ctypes.CDLL(None), threading.Event(), threading.Event()
libc.pthread_self.restype = ctypes.c_void_p
def by_prctl():
    libc.prctl(15, b"by-prctl", 0, 0, 0)
def by_itself():
    libc.pthread_setname_np(ctypes.c_void_p(libc.pthread_self()), b"by-itself")
def stays():
    by_prctl()
    libc.prctl(15, b"stays", 0, 0, 0)
    parked.set()
    threading.Event().wait()
def from_outside():
    named.wait()
threads = [threading.Thread(target=f) for f in (by_prctl, by_itself, from_outside)]
threads.append(threading.Thread(target=stays, daemon=True))
for t in threads: t.start()
libc.pthread_setname_np(ctypes.c_void_p(threads[2].ident), b"from-outside")
named.set()
for t in threads[:3]: t.join()
parked.wait()
"""


def test_names_that_threads_have_later(session):
    session.record([], sys.executable, "-c", NAMES)
    names = sorted(t["name"] for t in session.report()["threads"] if t["tid"] != t["pid"])
    expect(names == ["by-itself", "by-prctl", "from-outside", "stays"], f"names {names}")
    return None


def test_many_threads(session):
    session.record([], WORK, "threads", "10000")
    run = session.report()["run"]
    expect(run["n_threads"] == 10001, f"{run['n_threads']} threads")
    expect(run["n_lost"] == 0, f"{run['n_lost']} samples lost")


def test_own_time_has_what_threads_took_to_begin(session):
    session.record([], WORK, "threads", "50")
    threads = session.report()["threads"]
    expect(len(threads) == 51 and all(t["evprof_ns"] > 0 for t in threads), f"{[t['evprof_ns'] for t in threads]}")


def test_thread_of_a_librarys_constructor(session):
    """A library that is set up before libevprof.so starts a thread: it is profiled like any other."""
    session.record(["-p", "1ms"], EARLY, "an argument")
    report = session.report()
    expect(report["run"]["command"].endswith("early 'an argument'"), report["run"]["command"])
    expect(len(report["threads"]) == 2, f"{len(report['threads'])} threads")
    worker = next(t for t in report["threads"] if t["tid"] != t["pid"])
    expect(worker["cpu_ns"] >= 290e6, f"{worker['cpu_ns']} ns of the thread's 300 ms")
    expect(worker["n_samples"] >= 10, f"{worker['n_samples']} samples")


def watch(process):
    """The most descriptors and resident KiB that were seen from outside while the process ran."""
    most_fds = most_kib = 0
    folder = pathlib.Path("/proc", str(process.pid))
    while process.poll() is None:
        try:
            most_fds = max(most_fds, len(os.listdir(folder / "fd")))
            status = (folder / "status").read_text()
            most_kib = max(most_kib, int(re.search(r"VmHWM:\s+(\d+)", status)[1]))
        except (OSError, TypeError):  # it ended meanwhile
            pass
        time.sleep(0.01)
    return most_fds, most_kib


def test_descriptors_and_memory_stay_bounded(session):
    """64 threads at once, 3000 in all: a few descriptors and 256 KiB each, and all given back."""
    seen = []
    for before in ([], [EVPROF, "run", "--"]):
        with subprocess.Popen([*before, WORK, "threads", "3000"], cwd=session.folder) as process:
            seen.append(watch(process))
        expect(process.returncode == 0, f"exit status {process.returncode}")
    (plain_fds, plain_kib), (fds, kib) = seen
    expect(fds - plain_fds <= 4 * 66, f"{fds} descriptors, {plain_fds} plain")
    expect(kib - plain_kib <= 16384 + 64 * 256, f"{kib} KiB, {plain_kib} plain")
    expect(session.report()["run"]["n_threads"] == 3001, "threads are missing")


def test_samples_tell_which_clock_ended_them(session):
    for period, may_be_the_schedulers in (("1ms", False), ("40ms", True)):
        session.record(["--period", period], WORK, "spin", "2000")
        run = session.report()["run"]
        by_timer = run["clock"] == "thread-cputime" or (may_be_the_schedulers and "+" in run["clock"])
        share = run["schedulers_share"]
        expect(share > 0.6 if by_timer else share == 0, f"{run['clock']}, {period}: {share}")


NOT_SYSTEM = 64


def test_far_too_long_slices_tell_the_kernels_from_others(session):
    """By a system call of a tenth of a second; with the slices' signal blocked behind our back."""
    for work, is_systems in (("read", True), ("deaf", False)):
        session.record(["--period", "1ms"], WORK, work, "5")
        slices = re.findall(r"^  slice .* cpu (\d+) .* flags (\d+)", session.dump()[0], re.M)
        long = [int(flags) & NOT_SYSTEM for cpu_us, flags in slices if int(cpu_us) > 20000]
        # of either kind some; on a virtual machine a host may make others
        expect(NOT_SYSTEM * (not is_systems) in long, f"{work}: {len(long)} long slices of {len(slices)}")
        short = [int(flags) & NOT_SYSTEM for cpu_us, flags in slices if int(cpu_us) < 10000]
        expect(not any(short), f"{work}: short slices")


def write_table(path, n_rows):
    rows = [(k + 1, 3 * k, 1000 + k, k * 7919 % 1000) for k in range(n_rows)]
    path.write_text("A,B,C,D\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return rows


def check_table(session, n_counters):
    """Every slice of a thread holds its row's counts of the group that was on; the sums agree."""
    rows = write_table(session.folder / "table.csv", 20000)
    session.record(["-s", f"sim:table.csv,counters={n_counters}", "-p", "1ms"], WORK, "shares", "900")
    text, totals = session.dump()
    groups = [[int(e) for e in m.split(",")] for m in re.findall(r"^  group\t\d+\t([\d,]+)$", text, re.M)]
    expect(len(groups) == 4 // n_counters, f"groups {groups}")
    sums = {}
    thread = None
    n_slices = 0
    for line in text.splitlines():
        if match := re.match(r"  thread (\d+) epoch \d+: \d+ samples", line):
            thread = int(match[1])
        if not (match := re.match(r"  slice (\d+): .* group (\d+) flags \d+((?: e\d+=\d+)*)$", line)):
            continue
        k, group = int(match[1]), int(match[2])
        found = {int(e): int(v) for e, v in re.findall(r"e(\d+)=(\d+)", match[3])}
        expected = {e: rows[k][e] for e in groups[group]}
        expect(found == expected, f"thread {thread} slice {k}: {found}, table {expected}")
        n_slices += 1
        for e, v in found.items():
            sums[thread, group, e] = sums.get((thread, group, e), 0) + v
    expect(n_slices > 500, f"only {n_slices} slices")
    for total in totals:
        for group, (_, *counts) in enumerate(total["groups"]):
            expected = [sums.get((total["thread"], group, e), 0) for e in groups[group]]
            expect(counts == expected, f"thread {total['thread']} group {group}: {counts}, {expected}")


def test_sim_table_comes_back_exactly(session):
    check_table(session, 4)
    exact = {e["name"]: e for e in session.report()["events"]}
    for name, column in (("A", 0), ("D", 3)):
        total = sum(t["groups"][0][1 + column] for t in session.dump()[1])
        expect(exact[name]["total"] == total and not exact[name]["estimate"], f"{name}: {exact[name]}")


def test_rotated_groups_add_up(session):
    check_table(session, 2)
    for event in session.report()["events"]:
        expect(event["estimate"], f"{event['name']} was not on every slice, but no estimate")


def test_other_ways_lead_through_the_stacks(session):
    """Threads' stacks begin where threads do, whoever walks; with libunwind no tick comes within another."""
    for way in ("own", "libunwind"):
        run = session.record(["--unwind", way, "-p", "200us"], WORK, "shares", "300")
        if "libunwind is not installed" in run.stderr or "without libunwind" in run.stderr:
            return run.stderr
        expect(not run.stderr, f"{way}: {run.stderr}")
        procedures = session.report()["procedures"]
        work = sum(p["self_ns"] for p in procedures if p["name"].startswith("spend_"))
        below = max(p["total_ns"] for p in procedures if p["name"] in ("start_thread", "clone3", "__clone3", "clone"))
        expect(work and below >= 0.98 * work, f"{way}: {below} of {work} ns begin in start_thread")
    return None


def test_valgrind_repeats_itself(session):
    """Callgrind's counts of one program are the same twice."""
    if subprocess.run(["which", "valgrind"], stdout=subprocess.DEVNULL, check=False).returncode:
        return "valgrind is not installed"
    totals = []
    for _ in range(2):
        # a tick's way into our handler and back is counted, too: none comes within a second
        # one thread: whether a join has to wait for another depends on which of them ran first
        session.record(["-s", "valgrind", "-p", "1s", "-e", "instructions,indirect-branches"], WORK, "spin", "0")
        # what caches and predictors miss depends on where the kernel puts the stack
        totals.append({e["name"]: e["total"] for e in session.report()["events"]
                       if e["name"] in ("instructions", "indirect-branches")})
    expect(totals[0]["instructions"] > 5000, f"{totals[0]}")
    expect(totals[0] == totals[1], f"{totals}")
    report = session.report()
    expect({t["name"] for t in report["threads"]} == {"work"}, f"names {[t['name'] for t in report['threads']]}")
    expect(report["processes"][0]["user_s"] is None, "the simulator's CPU time was taken for the program's")
    return None


def test_times_are_the_machines_where_the_program_sees_others(session):
    clock = pathlib.Path(EARLY).parent / "libother_clock.so"
    begin = time.time()
    run = subprocess.run([EVPROF, "run", "-q", "--", WORK, "spin", "500"], cwd=session.folder, timeout=300, text=True,
                         stdout=subprocess.PIPE, env={**os.environ, "LD_PRELOAD": str(clock)}, check=True)
    took_s = time.time() - begin
    shown_ns = int(run.stdout.split()[-1])
    facts = session.report()["run"]
    expect(shown_ns > 4e9, f"the program saw {shown_ns} ns")
    expect(0.4 < facts["duration_s"] < took_s, f"{facts['duration_s']} s of {took_s} s")
    expect(begin - 1 < facts["started"] < begin + took_s, f"started at {facts['started']}, not {begin}")


def test_ticks_in_the_kernel_leave_the_program_time(session):
    for options, period_ms in ((["-k"], 0.1), ([], 0.05)):
        session.record(["-q", "-p", "50us", *options], "/bin/true")
        run = session.report()["run"]
        expect(run["period_ms"] == period_ms, f"{options}: {run['period_ms']} ms")
        expect(("100 us apart" in (run["missing"] or "")) == bool(options), f"{options}: {run['missing']}")
