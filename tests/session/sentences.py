# SPDX-License-Identifier: BSD-3-Clause
"""A run's own words: its decisions (EVPROF_DEBUG), values that are unknown, sentences about waits."""
import os
import re
import sys

from session import WORK, expect


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
