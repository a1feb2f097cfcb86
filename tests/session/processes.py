# SPDX-License-Identifier: BSD-3-Clause
"""Processes of one run: shells, programs that become others, containers, other users."""
import json
import os
import subprocess
import sys

from session import EVPROF, WORK, expect


def test_a_shell_and_what_it_starts_share_a_trace(session):
    session.record([], "sh", "-c", f"{WORK} threads 2 | cat; {WORK} forks 2; exit 3", status=3)
    processes = session.report()["processes"]
    programs = sorted(p["program"] for p in processes)
    expect(programs.count("work") >= 4, f"programs {programs}")
    expect("cat" in programs, f"programs {programs}")


def test_fork_has_the_time_of_forks(session):
    """Ticks wait until a fork is over, and arrive in a handler that libc calls behind it: not that call has their time."""
    session.record(["-p", "1ms"], "bash", "-c", "a=$(seq 200000); for i in $(seq 150); do (:); done")
    leaves = {row["name"] for row in session.report()["procedures"] if row["self_ns"]}
    expect(any(name.endswith("fork") for name in leaves), f"procedures {sorted(leaves)}")
    expect("__run_postfork_handlers" not in leaves, "libc's calls of handlers have time")


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
