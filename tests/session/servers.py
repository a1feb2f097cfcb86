# SPDX-License-Identifier: BSD-3-Clause
"""Servers that go on after their trace has ended, by evprof stop or by --max-size."""
import subprocess
import sys

from session import EVPROF, expect, wait_until


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
    # with shorter periods, or names of functions, Python's start alone would fill it on a slow machine
    server = serve(session, "--max-size", "64k", "--period", "500us", "--interpreters", "off")
    expect_stopped(session, server)
    size = session.trace.stat().st_size
    expect(40000 < size < 400000, f"{size} bytes")
