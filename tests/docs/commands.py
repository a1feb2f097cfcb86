#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command of README.md and docs/tutorial.md runs, here, without an error and not in silence.

commands.py ROOT HEAT EVPROF EVREPORT EVCAL [EVREPORT-REDUCE]: prints TAP. A command is a line that is indented by four blanks; the
files and programs that it names are made before, programs of batch systems are played by scripts.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SET_UP = ("./quickstart.sh", "./test.sh")  # they made the programs that run here
# Exit statuses beside 0: the gate finds that something is slower; the doctor finds no hardware counters;
# heat names no region, and evreport says so; without capstone, or beside x86-64, nothing counts operations.
ALSO = {"evreport compare --fail-above": {3}, "evprof doctor": {3}, "evreport --region": {1},
        "evreport roofline": {1}}
HEAT = '#!/bin/sh\nexec {heat} -n 12 -s 30 -t 2 "$@"\n'
# Two ranks, one after the other.
SRUN = '#!/bin/sh\nfor rank in 0 1; do SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=2 "$@" || exit; done\n'
MAIN = "def solve():\n    return sum(i * i for i in range(2000000))\n\nprint(solve())\n"
# Kernels of some seconds in place of all; a part of a run that is not as long.
SHORTER = {"evcal measure": "evcal measure -k branch -r 2", "evcal roofs": "evcal roofs -r 2", "--from 2.5 --to 8": "--from 0.01 --to 0.1"}
# {word of a command: traces that are made before it runs}
COPIES = {"traces/": ("traces/0.gz", "traces/1.gz"), "a.gz": ("a.gz", "b.gz"), "a?.gz": ("a1.gz", "a2.gz", "b1.gz", "b2.gz"),
          "1.gz": ("1.gz", "2.gz", "4.gz")}
number = failed = 0


def report(name, reason):
    global number, failed
    number += 1
    failed += reason is not None
    print(f"{'ok' if reason is None else 'not ok'} {number} - {name}")
    for line in (reason or "").splitlines()[-20:]:
        print(f"# {line}")


def commands_of(page):
    is_code = False
    for line in page.read_text().splitlines():
        is_code ^= line.startswith("```")
        if not is_code and re.match(r" {4}[^ |]", line):
            command = re.split(r"\s+# ", line.strip())[0].strip()
            if command and not command.startswith("#"):
                yield command


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)


@contextlib.contextmanager
def place(heat, *programs):
    """A folder to work in, and an environment in which the programs have their names."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        for program in programs:
            (folder / "bin" / pathlib.Path(program).name).symlink_to(os.path.abspath(program))
        for program in ("app", "bin/heat", "old", "new"):
            script(folder / program, HEAT.format(heat=os.path.abspath(heat)))
        if not shutil.which("srun"):
            script(folder / "bin/srun", SRUN)
        (folder / "main.py").write_text(MAIN)
        env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_") or k == "EVPROF_KEEP"}
        env |= {"PATH": f"{folder}/bin:{env['PATH']}", "PAGER": "", "EVPROF_PERIOD": "2ms", "HOME": name,
                "LD_LIBRARY_PATH": os.path.dirname(os.path.abspath(programs[0])), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        yield folder, env


def record(folder, env, path, *options):
    (folder / path).parent.mkdir(exist_ok=True)
    subprocess.run(["evprof", "run", "-q", *options, "-o", path, "--", "./app"], cwd=folder, env=env, check=True,
                   stdout=subprocess.DEVNULL, timeout=240)


def prepare(folder, env, command):
    """Makes the traces that only this command reads."""
    if "exact.gz.old" in command:
        record(folder, env, "exact.gz", "--source", "valgrind")
    for word, paths in COPIES.items():
        if f" {word}" not in command:
            continue
        for path in paths:
            if not (folder / path).exists():
                record(folder, env, path)


def written(command):
    """The files that a command is asked to write."""
    return [m for m in re.findall(r"(?:-o|--html) (\S+\.\w+)(?!\S)", command) if "%" not in m]


def fault_of(folder, env, command):
    for word, shorter in SHORTER.items():
        command = command.replace(word, shorter)
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
    if "was built without pages" in done.stdout:
        return None
    allowed = {0}.union(*(also for start, also in ALSO.items() if command.startswith(start)))
    if done.returncode not in allowed:
        return f"exit status {done.returncode}\n{done.stdout}"
    if re.search(r"^usage: |: unknown |not found|Traceback", done.stdout, flags=re.M):
        return done.stdout
    missing = [path for path in written(command) if not (folder / path).exists() or not (folder / path).stat().st_size]
    if missing:
        return f"{missing} not written\n{done.stdout}"
    return None if written(command) or done.stdout.strip() else "it says nothing"


def fault_of_several(folder, env, command):
    """A trace has no sample where other programs fill the user's queue of signals for a moment: it is recorded anew."""
    for attempt in range(4):
        fault = fault_of(folder, env, command)
        if fault is None or attempt == 3:
            return fault
        time.sleep(2)
        for path in re.findall(r"[a-z]+\.gz", command):
            if not command.startswith("evprof") and path != "exact.gz":
                record(folder, env, path)


def run_page(page, programs):
    with place(*programs) as (folder, env):
        for command in dict.fromkeys(commands_of(page)):
            name = f"{page.name}: {command}"
            if command.startswith(SET_UP) or command.startswith("export PATH="):
                continue
            if command.startswith("mpirun ") and not shutil.which("mpirun"):
                print(f"# {name}: MPI is not installed")
                continue
            prepare(folder, env, command)
            report(name, fault_of_several(folder, env, command))


def main():
    root, programs = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for page in (root / "README.md", root / "docs/tutorial.md"):
        run_page(page, programs)
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
