# SPDX-License-Identifier: BSD-3-Clause
"""Where a run's trace lies and what becomes of it: kills, limits, older traces, several runs, several ranks."""
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

from session import EVPROF, EVREPORT, WORK, expect


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


HOLDS_ALL = """
import os, resource, signal, sys, threading, time
if sys.argv[2] == "thread":
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
try:
    while True:
        os.open("/dev/null", os.O_RDONLY)
except OSError:
    pass
while time.process_time() < float(sys.argv[3]):
    pass
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime + usage.ru_stime, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGTERM)
os._exit(7)
"""


def test_a_program_that_holds_every_descriptor_is_written_at_its_end(session):
    """The trace is opened for each write, and none is left to open it by."""
    limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", sys.executable, "-S", "-c", HOLDS_ALL]
    for end, status in (("exits", 7), ("killed", -signal.SIGTERM)):
        for beside in ("alone", "thread"):
            run = session.record(["-p", "1ms"], *limited, end, beside, "0.5", status=status)
            report = session.report()
            cpu_ns, truth_ns = report["run"]["cpu_ns"], float(run.stdout) * 1e9
            expect(cpu_ns > 0.8 * truth_ns, f"{end}, {beside}: {cpu_ns} of {truth_ns} ns are in the trace")
            texts = [finding["text"] for finding in report["findings"]]
            expect(not any("no end in the trace" in text for text in texts), f"{end}, {beside}: {texts}")
            expect(not run.stderr, f"said {run.stderr}")


HOLDS_FILES = """
import ctypes, itertools, os, time
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.fputs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
null = os.open("/dev/null", os.O_RDONLY)
readers = [os.dup2(null, 61), os.dup2(null, 62)]
for i in itertools.count():
    file = libc.fopen(b"%d.out" % i, b"w")
    if not file:
        break
    libc.fputs(b"kept", file)
while time.process_time() < 0.5:
    pass
os.write(1, b"%d" % i)
libc.exit(0)
"""


def test_files_that_stdio_writes_at_the_end_keep_what_is_in_them(session):
    """The last write of the trace takes none of the descriptors that exit() is going to write to."""
    limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", sys.executable, "-S", "-c", HOLDS_FILES]
    run = session.record(["-p", "1ms"], *limited)
    texts = [path.read_text() for path in session.folder.glob("*.out")]
    expect(texts == ["kept"] * int(run.stdout) and texts, f"{run.stdout} files: {texts}")
    expect(session.report()["run"]["cpu_ns"] > 400e6, "the end of the trace is lost")


def test_samples_lost_for_want_of_a_descriptor_have_a_reason(session):
    """A thread's rows are full before its end: within 3 s at the period asked for, later at the scheduler's ticks."""
    limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", sys.executable, "-S", "-c", HOLDS_ALL]
    for cpu_s in (3, 12, 48):
        session.record(["-p", "50us"], *limited, "exits", "alone", str(cpu_s), status=7)
        if any(thread["n_lost"] for thread in session.dump()[1]):
            break
    texts = [finding["text"] for finding in session.report()["findings"]]
    expect(sum("as many files open as it may (ulimit -n)" in text for text in texts) == 1, f"findings: {texts}")


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


def test_arguments_of_the_command_reach_no_terminal_as_controls(session):
    """C0, C1 and an override of the writing direction; text, CSV and dump have a sign in their place."""
    session.record(["-q"], "/bin/true", "a\x1b[31mb", "c\x9b31md", "e\u202ef", "\u00fc")
    for command in ([], ["--format", "csv"], ["--format", "json"], ["info"], ["dump"]):
        shown = session.evreport(*command, str(session.trace))
        found = [sign for sign in "\x1b\x9b\u202e" if sign in shown]
        expect(not found, f"evreport {' '.join(command)}: {found}")
    expect("\u00fc" in shown, "a letter is gone")


def test_json_is_valid_whatever_names_are(session):
    """A name in Latin-1 and one that the kernel cuts within a letter; a folder and an argument, too."""
    folder = session.folder / os.fsdecode(b"f\xf6lder")
    folder.mkdir()
    for name in (b"W\xf6rk", "arbeitet_langs\u00e4mer".encode()):
        program = folder / os.fsdecode(name)
        shutil.copy("/bin/true", program)
        session.record(["-q"], str(program), os.fsdecode(b"\xe4"))
        shown = subprocess.run([EVREPORT, "--format", "json", str(session.trace)], stdout=subprocess.PIPE, check=True).stdout
        json.loads(shown.decode("utf-8"))


def test_a_pipe_whose_reader_leaves_ends_no_program(session):
    os.mkfifo(session.trace)

    def look():
        with open(session.trace, "rb") as pipe:
            pipe.read(1)

    reader = threading.Thread(target=look, daemon=True)
    reader.start()
    run = session.record(["-q", "-p", "1ms", "-o", str(session.trace)], WORK, "spin", "2500")
    reader.join(20)
    expect(not reader.is_alive(), "nothing was written")
    expect(run.stdout.count("\n") > 10, "the program ended early")


def test_four_descriptors_are_seen_at_most(session):
    """/proc/self/fd of a child, as docs/preload.md says of it."""
    listing = ["/bin/sh", "-c", "ls /proc/self/fd | wc -l; :"]
    plain = int(subprocess.run(listing, stdout=subprocess.PIPE, check=True).stdout)
    seen = int(session.record(["-q"], *listing).stdout)
    expect(plain <= seen <= plain + 4, f"{seen} descriptors, {plain} plain")
