#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One run, end to end: known work under `evprof run`, and what evreport says of it.

run.py EVPROF EVREPORT WORK EARLY [NAME...]: prints TAP. No test measures time; kill -9 compares what the
program said it had done with what the trace covers.
"""

import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time

EVPROF, EVREPORT, WORK, EARLY = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])


class Session:
    """A folder of its own, the runs in it, and their traces."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.trace = self.folder / "trace.gz"
        self.servers = []

    def end(self):
        """What a test that failed left running."""
        for server in self.servers:
            try:
                os.killpg(server.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            server.wait()

    def record(self, options, *command, status=0):
        run = subprocess.run([EVPROF, "run", *options, "--", *command], cwd=self.folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        expect(run.returncode == status, f"exit status {run.returncode}: {run.stderr}")
        return run

    def report(self, trace=None):
        return json.loads(self.evreport("--format", "json", "--top", "0", str(trace or self.trace)))

    def dump(self):
        """The text of evreport dump, and the threads' totals in it."""
        text = self.evreport("dump", str(self.trace))
        totals = []
        for line in text.splitlines():
            if match := re.match(r"  thread (\d+) tid (\d+) .*? (final: )?.* (\d+) samples, (\d+) lost", line):
                thread = {"thread": int(match[1]), "tid": int(match[2]), "n_samples": int(match[4]),
                          "n_lost": int(match[5]), "groups": []}
                if match[3]: # the last word; earlier ones are on the way
                    totals.append(thread)
            elif match := re.match(r"  faults (\d+) minor .* switches (\d+) voluntary (\d+) ", line):
                thread.update(minor=int(match[1]), switches=int(match[2]) + int(match[3]))
            elif match := re.match(r"  group \d+: (\d+) slices, .* counts ([\d ]+)$", line):
                thread["groups"].append([int(match[1]), *map(int, match[2].split())])
        return text, totals

    @staticmethod
    def evreport(*arguments):
        return subprocess.run([EVREPORT, *arguments], text=True, stdout=subprocess.PIPE, check=True,
                              timeout=300).stdout


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def numbers(text):
    return [[int(n) for n in re.findall(r"\d+", line)] for line in text.splitlines()]


def check_shares(session, *work):
    run = session.record(["-p", "1000Hz"], WORK, *work)
    truth = {name: int(ns) for name, ns in (line.split() for line in run.stdout.splitlines())}
    report = session.report()
    selves = {p["name"]: p["self_ns"] for p in report["procedures"]}
    expect(report["run"]["n_threads"] == 4, f"{report['run']['n_threads']} threads")
    for name, ns in truth.items():
        share = selves.get(name, 0) / sum(selves.values())
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
    """A thread's page faults are what getrusage told it at its end (a few come later); its event counts
    the pages it touched, without the library's own faults; the events add up to the total."""
    run = session.record([], WORK, "faults", "3000", "700")
    report = session.report()
    threads = [t for t in report["threads"] if t["tid"] != t["pid"]]
    threads.sort(key=lambda t: t["start_s"])
    expect(len(threads) == 2, f"{len(threads)} threads besides the main one")
    for (touched, total), wanted, thread in zip(numbers(run.stdout), (3000, 700), threads):
        faults, event = thread["n_minor_faults"], thread["events"]["minor-faults"]["value"]
        expect(touched >= wanted, f"only {touched} of {wanted} pages")
        expect(total <= faults <= total + 40, f"{faults} faults, told {total}")
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
        long = [int(flags) & NOT_SYSTEM for cpu_us, flags in slices if int(cpu_us) > 40000]
        # of either kind some; on a virtual machine a host may make others
        expect(NOT_SYSTEM * (not is_systems) in long, f"{work}: {len(long)} long slices of {len(slices)}")
        short = [int(flags) & NOT_SYSTEM for cpu_us, flags in slices if int(cpu_us) < 20000]
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


def test_kill_9_loses_a_second_at_most(session):
    command = [EVPROF, "run", "--", WORK, "spin", "60000"]
    with subprocess.Popen(command, cwd=session.folder, stdout=subprocess.PIPE, text=True) as process:
        done_ns = 0
        while done_ns < 2.5e9:
            done_ns = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
    done_ns = int(rest[-1]) if rest else done_ns
    report = session.report()
    covered_s = report["run"]["duration_s"]
    expect(covered_s >= done_ns / 1e9 - 1.2, f"covers {covered_s:.2f} s of {done_ns / 1e9:.2f} s")
    expect(report["run"]["n_lost"] == 0, "samples lost")


def test_an_older_trace_is_kept(session):
    session.record([], WORK, "threads", "1")
    first = session.trace.read_bytes()
    session.record([], WORK, "threads", "1")
    expect((session.folder / "trace.gz.old").read_bytes() == first, "trace.gz.old is not the first")
    expect(session.trace.read_bytes() != first, "trace.gz is still the first")


def test_a_full_queue_of_signals_kills_nobody(session):
    limited = ["bash", "-c", 'ulimit -i 0 && exec "$@"', "bash"]
    for _ in range(3):
        run = subprocess.run([*limited, EVPROF, "run", "-q", "--", WORK, "forks", "3"], cwd=session.folder,
                             stdout=subprocess.PIPE, text=True)
        expect(run.returncode == 0, f"the program ended by {run.returncode}")


def test_a_full_queue_of_signals_is_no_kernel_time(session):
    limited = ["bash", "-c", 'ulimit -i 0 && exec "$@"', "bash"]
    subprocess.run([*limited, EVPROF, "run", "-q", "--", WORK, "shares", "300"], cwd=session.folder, check=True,
                   stdout=subprocess.DEVNULL)
    report = session.report()
    names = [p["name"] for p in report["procedures"] if p["self_ns"]]
    texts = [finding["text"] for finding in report["findings"]]
    expect(report["run"]["n_samples"] == 0 and report["run"]["cpu_ns"] > 0, f"the run: {report['run']}")
    expect(names == ["[ended before the next sample]"], f"procedures with time of their own: {names}")
    expect(report["run"]["hidden_kernel_ns"] == 0, f"{report['run']['hidden_kernel_ns']} ns in the kernel")
    expect(any("queue of pending signals" in text for text in texts), f"findings: {texts}")
    expect(not any("in the kernel" in text or "less than one slice" in text for text in texts), f"findings: {texts}")


def test_a_queue_of_signals_that_fills_later_is_no_kernel_time(session):
    session.record(["--period", "1ms"], WORK, "no-queue", "300")
    report = session.report()
    texts = [finding["text"] for finding in report["findings"]]
    run = report["run"]
    if run["clock"] == "thread-cputime":  # its ticks have their place in the queue from the start on
        return
    # the tick of the program's first millisecond may have come before the queue was full
    expect(run["hidden_kernel_ns"] < run["cpu_ns"] / 4, f"{run['hidden_kernel_ns']} of {run['cpu_ns']} ns in the kernel")
    expect(any("queue of pending signals" in text for text in texts), f"findings: {texts}")


def test_a_trace_at_the_limit_of_file_sizes_says_so(session):
    limited = ["bash", "-c", 'ulimit -f 8 && exec "$@"', "bash"]
    subprocess.run([*limited, EVPROF, "run", "-q", "--period", "50us", "--", WORK, "shares", "1500"],
                   cwd=session.folder, check=True, stdout=subprocess.DEVNULL)
    texts = [finding["text"] for finding in session.report()["findings"]]
    expect(session.trace.stat().st_size <= 8192, f"{session.trace.stat().st_size} bytes")
    expect(sum("limit on the size of files (ulimit -f)" in text for text in texts) == 1, f"findings: {texts}")
    expect(not any("no end in the trace" in text for text in texts), f"findings: {texts}")


def test_runs_at_the_same_time_keep_out_of_each_others_way(session):
    runs = [subprocess.Popen([EVPROF, "run", "--", WORK, "spin", "60000"], cwd=session.folder,
                             stdout=subprocess.DEVNULL) for _ in range(4)]
    for _ in range(600):
        if len(list(session.folder.iterdir())) >= 4:
            break
        time.sleep(0.1)
    for run in runs:
        run.terminate()
    expect(all(run.wait() == -signal.SIGTERM for run in runs), "a run failed")
    names = sorted(path.name for path in session.folder.iterdir())
    others = [f"trace.{run.pid}.gz" for run in runs]
    expect(len(names) == 4 and "trace.gz" in names, f"files {names}")
    expect(set(names) - {"trace.gz"} < set(others), f"files {names}, processes {others}")
    pids = {p["pid"] for name in names for p in session.report(session.folder / name)["processes"]}
    expect(pids == {run.pid for run in runs}, f"processes {pids}")


def test_each_rank_has_a_trace(session):
    for rank in "01":
        subprocess.run([EVPROF, "run", "--", WORK, "threads", "1"], cwd=session.folder, check=True,
                       env={**os.environ, "PMI_RANK": rank, "PMI_SIZE": "2"}, stdout=subprocess.DEVNULL)
    names = sorted(path.name for path in session.folder.iterdir())
    expect(names == ["trace.0.gz", "trace.1.gz"], f"files {names}")
    done = subprocess.run([EVREPORT, "--format", "json"], cwd=session.folder, check=True, stdout=subprocess.PIPE)
    run = json.loads(done.stdout)["run"]
    expect((run["n_ranks"], run["n_processes"]) == (2, 2), f"run {run}")


def test_what_is_no_file_stays(session):
    link = session.folder / "link"
    link.symlink_to("/dev/null")
    session.record(["-o", "link"], WORK, "threads", "1")
    expect(link.is_symlink() and os.readlink(link) == "/dev/null", "the link was replaced")
    expect(not list(session.folder.glob("*.old")), "something was renamed")


def test_a_shell_and_what_it_starts_share_a_trace(session):
    session.record([], "sh", "-c", f"{WORK} threads 2 | cat; {WORK} forks 2; exit 3", status=3)
    processes = session.report()["processes"]
    programs = sorted(p["program"] for p in processes)
    expect(programs.count("work") >= 4, f"programs {programs}")
    expect("cat" in programs, f"programs {programs}")


def test_a_process_is_chosen_by_its_command(session):
    """A program under another name, as python3 is of python3.11."""
    (session.folder / "alias").symlink_to(WORK)
    session.record([], "sh", "-c", "./alias threads 2; true")
    shown = {name: json.loads(session.evreport("--format", "json", "-p", name, str(session.trace)))["processes"]
             for name in ("alias", "work", "sh")}
    expect([len(rows) for rows in shown.values()] == [1, 1, 1], f"{shown}")
    expect(shown["alias"] == shown["work"] != shown["sh"], f"{shown}")


def test_a_root_that_becomes_another_program_ends_the_trace(session):
    """sh looks for the program along PATH: execs that fail before the one that does not."""
    session.record([], "env", f"PATH=/nowhere:{os.path.dirname(WORK)}:{os.environ['PATH']}",
                   "sh", "-c", "exec work threads 1")
    info = session.evreport("info", str(session.trace))
    expect("whole: nothing is missing" in info, info)
    programs = [p["program"] for p in sorted(session.report()["processes"], key=lambda p: p["start_s"])]
    expect(len(programs) == 3 and programs[0] == "env" and programs[2] == "work", f"programs {programs}")


def namespace_of_its_own():
    """unshare with a namespace of process numbers as a container has one, its first program process 1."""
    command = ["unshare", *([] if os.getuid() == 0 else ["-Ur"]), "-pf", "--mount-proc"]
    refused = subprocess.run([*command, "true"], stderr=subprocess.DEVNULL, check=False).returncode
    return None if refused else command


def test_process_1_of_a_container_and_what_it_starts_share_a_trace(session):
    command = namespace_of_its_own()
    if not command:
        return "namespaces are refused here"
    subprocess.run([*command, EVPROF, "run", "--", "sh", "-c", f"{WORK} threads 1; exec {WORK} forks 2"],
                   cwd=session.folder, stdout=subprocess.DEVNULL, check=True)
    names = [path.name for path in session.folder.iterdir()]
    expect(names == ["trace.gz"], f"files {names}")
    processes = [(p["pid"], p["program"], p["born"]) for p in session.report()["processes"]]
    expect({(1, "work", "exec"), (2, "work", "exec")} < set(processes), f"processes {processes}")
    expect("whole: nothing is missing" in session.evreport("info", str(session.trace)), "not whole")
    return None


ENTRY_POINT = """
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
child = os.fork()
if child:
    for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM): os.kill(1, s)
else:
    while True: sum(range(1000))
end = time.thread_time() + 0.2
while time.thread_time() < end: sum(range(1000))
os.kill(child, signal.SIGTERM)
print(os.getpid(), os.WTERMSIG(os.wait()[1]))
os.kill(1, signal.SIGTERM)
os._exit(7)
"""


def test_process_1_is_spared_what_the_kernel_spares_it(session):
    """docker stop's SIGTERM, where the program has no handler: it goes on, and is measured on."""
    command = namespace_of_its_own()
    if not command:
        return "namespaces are refused here"
    run = subprocess.run([*command, EVPROF, "run", "--", sys.executable, "-S", "-c", ENTRY_POINT], cwd=session.folder,
                         stdout=subprocess.PIPE, text=True, check=False, timeout=60)
    expect((run.stdout, run.returncode) == ("1 15\n", 7), f"{run}")
    ended = {p["pid"] == 1: p["ended"] for p in session.report()["processes"]}
    expect(ended == {True: "left by _exit with status 7", False: "killed by signal 15 (TERM)"}, f"{ended}")
    return None


def test_a_container_that_is_started_in_a_run_goes_on_in_its_trace(session):
    command = namespace_of_its_own()
    if not command:
        return "namespaces are refused here"
    inner = " ".join(command)
    session.record([], "sh", "-c", f"{inner} sh -c '{WORK} threads 1; true'; {inner[:-13]} {WORK} threads 2; true")
    names = [path.name for path in session.folder.iterdir()]
    expect(names == ["trace.gz"], f"files {names}")
    processes = session.report()["processes"]
    expect([p["program"] for p in processes].count("work") == 2, f"{[p['program'] for p in processes]}")
    return None


def test_another_user_has_a_trace_beside_it(session):
    """As su and the start of most servers: who may not write root's trace begins one, or says once why not."""
    if os.getuid() != 0:
        return "only root becomes somebody else"
    become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if subprocess.run([*become, "test", "-x", EVPROF], check=False).returncode:
        return "the build lies in a folder that other users may not enter"
    command = [*become, "sh", "-c", "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; true'; true"]
    session.folder.chmod(0o755)
    said = session.record([], "sh", "-c", f"{' '.join(become)} sh -c 'env true; env true; true'; true").stderr
    expect(said.count("\n") == 1 and "belongs to another user" in said, f"said {said}")
    session.folder.chmod(0o777)
    said = session.record([], "sh", "-c", '"$@"; true', "sh", *command).stderr
    others = list(session.folder.glob("trace.[0-9]*.gz"))
    expect(not said and len(others) == 1, f"said {said}, files {others}")
    processes = session.report(others[0])["processes"]
    expect(len(processes) == 2 and "whole" in session.evreport("info", str(others[0])), f"processes {processes}")
    return None


SERVER = """
import os, subprocess, sys, threading
def work():
    while not os.path.exists("end"): sum(i * i for i in range(20000))
child = os.fork()
threads = [threading.Thread(target=work) for _ in range(2 if child else 0)]
[t.start() for t in threads]
work()
if not child: os._exit(0)
[t.join() for t in threads]
os.wait()
subprocess.run(["/bin/sh", "-c", "i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done"], check=True)
print("done")
"""


def serve(session, *options):
    """A server with threads and a worker process, until there is a file named end; its trace has begun."""
    server = subprocess.Popen([EVPROF, "run", *options, "--", sys.executable, "-S", "-c", SERVER], cwd=session.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    session.servers.append(server)
    wait_until(lambda: session.trace.exists() and session.trace.stat().st_size > 5000, "a trace")
    wait_until(lambda: len(session.report()["processes"]) == 2, "both processes in it")
    return server


def wait_until(condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise Failure(f"not within a minute: {what}")


def expect_stopped(session, server):
    """Both of its processes said that they were, the server went on, and what came later is not there."""
    def ended():
        return [p["ended"] for p in session.report()["processes"]]

    wait_until(lambda: ended() == ["stopped: measured until then"] * 2, "both processes stopped")
    size = session.trace.stat().st_size
    (session.folder / "end").touch()
    expect(server.communicate(timeout=60)[0] == "done\n" and server.returncode == 0, f"ended {server.returncode}")
    expect(session.trace.stat().st_size == size, "the trace grew")
    expect([path.name for path in session.folder.glob("trace*")] == ["trace.gz"], "another trace")
    expect("whole: nothing is missing" in session.evreport("info", str(session.trace)), "not whole")


def test_a_server_is_looked_at_and_stopped_while_it_runs(session):
    server = serve(session)
    expect(session.report()["run"]["n_samples"] > 0, "no samples")
    stopped = subprocess.run([EVPROF, "stop"], cwd=session.folder, check=True, stdout=subprocess.PIPE, text=True)
    expect(stopped.stdout.startswith("trace.gz: stopped"), stopped.stdout)
    expect_stopped(session, server)


def test_a_trace_that_has_its_size_ends_there(session):
    # names of the functions by which Python starts would fill it before there are two processes
    server = serve(session, "--max-size", "64k", "--period", "50us", "--interpreters", "off")
    expect_stopped(session, server)
    size = session.trace.stat().st_size
    expect(40000 < size < 400000, f"{size} bytes")


def test_debug_tells_what_was_decided(session):
    """EVPROF_DEBUG's file has a line for each decision, of each process; a pipe there holds nobody up."""
    log = session.folder / "why"
    session.record(["--debug", str(log), "-s", "rusage", "-p", "30ms", "--exclude", "false"],
                   "sh", "-c", "/bin/true; (/bin/false; exit 0); exit 0")
    text = log.read_text()
    expect(all(re.match(r"evprof \d+: \S", line) for line in text.splitlines()), text)
    for part in ("begins the trace", "goes on with the trace", "forked by process", "source rusage (asked for: rusage)",
                 "a slice takes 30000 us of CPU time, as asked for", "clock set", "the process ends with status 0",
                 "EVPROF_EXCLUDE leaves this program out"):
        expect(part in text, f"no '{part}' in: {text}")
    pipe = session.folder / "pipe"
    os.mkfifo(pipe)
    session.record(["--debug", str(pipe)], "true")


def test_what_the_kernel_did_not_tell_is_null(session):
    """Its account of a thread that still runs when the process ends."""
    session.record([], sys.executable, "-S", "-c", "import threading, time\n"
                   "threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); time.sleep(0.1)")
    known = {t["tid"] == t["pid"]: t["n_voluntary_switches"] for t in session.report()["threads"]
             if t["program"].startswith("python")}
    expect(known[True] > 0 and known[False] is None, f"{known}")


def test_sentences_name_all_that_a_wait_may_be(session):
    """The trace does not hold what a thread waits for: no sentence may leave out what it really was."""
    for what, causes in (("sleeps", ["slept"]), ("lock", ["slept", "a lock"])):
        session.record([], WORK, what, "25")
        said = session.report()["in_short"]
        waits = [s for s in said if "waited" in s]
        expect(waits or any("ready to run" in s for s in said), f"{what}: nothing is said of its waits: {said}")
        for sentence in waits:
            for cause in causes:
                expect(cause in sentence, f"{what}: '{cause}' is not among what is named: {sentence}")


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


def main():
    wanted = sys.argv[5:]
    tests = [(n[5:], f) for n, f in globals().items() if n.startswith("test_") and (not wanted or n[5:] in wanted)]
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix="evprof-session-") as folder:
            session = Session(folder)
            try:
                reason = test(session)
                print(f"ok {number} - {name}" + (f" # SKIP {reason}" if reason else ""), flush=True)
            except (Failure, subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
                failed += 1
                print(f"not ok {number} - {name}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
            session.end()
    print(f"1..{len(tests)}")
    return failed > 0


sys.exit(main())
