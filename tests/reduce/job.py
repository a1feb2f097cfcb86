#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""job.py EVPROF EVREPORT [MPIRUN]: evprof run --reduce leaves job.gz when the last rank of a job has ended, and the program
does not notice."""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

evprof, evreport = map(os.path.abspath, sys.argv[1:3])
mpirun = sys.argv[3] if len(sys.argv) > 3 else None
WORK = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo $i; exit 3"
n_tests, n_failed = 0, 0


def check(is_good, name, why=""):
    global n_tests, n_failed
    n_tests += 1
    n_failed += not is_good
    print(f"{'ok' if is_good else 'not ok'} {n_tests} - {name}" + ("" if is_good else f": {why}"), flush=True)


def start(*args, rank=None, size=None, reduce="--reduce", preexec_fn=None):
    """As mpirun starts a rank, with variables that say which."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_", "EVPROF_"))}
    if size:
        env.update(PMI_RANK=str(rank), PMI_SIZE=str(size))
    return subprocess.Popen([evprof, "run", reduce, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                            preexec_fn=preexec_fn)


def block_term():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])


def few_bytes():
    """No file grows past this."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24, 1 << 24))


def run(*args, **of_job):
    child = start(*args, **of_job)
    out, err = child.communicate()
    return subprocess.CompletedProcess(args, child.returncode, out, err)


# A reduced file has no slices, hence no phases: the sentence of In short with its further lines, which may be all that
# stands there, and the marks.
PHASES = re.compile(r"^  - The run has \d+ phases of .*\n(?:    .*\n)*|^  phases .*\n", re.MULTILINE)


def report(*paths):
    """Without the first line, which names the files, and without phases."""
    done = subprocess.run([evreport, *paths], capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    return PHASES.sub("", done.stdout.split("\n", 1)[1]).replace("\nIn short\n\n", "\n")


def left():
    return sorted(os.listdir("."))


def alone():
    done = run("sh", "-c", WORK)
    check((done.returncode, done.stdout, done.stderr) == (3, "30000\n", ""), "the program's output and status stay", done)
    check(left() == ["job.gz", "trace.gz"], "job.gz lies beside the trace, and nothing else", left())
    check(report("job.gz") == report("trace.gz"), "its report is the trace's")
    done = run("sh", "-c", "kill -TERM $$")
    check(done.returncode == -signal.SIGTERM and report("job.gz") == report("trace.gz"), "a program that a signal ends: the same", done)
    check(not done.stderr and report("job.gz.old") == report("trace.gz.old"), "the job.gz before stays as job.gz.old", done.stderr)
    done = run("python3", "-c", "import os, signal as s; s.pthread_sigmask(s.SIG_UNBLOCK, [s.SIGTERM]); os.kill(os.getpid(), s.SIGTERM)",
               preexec_fn=block_term)
    check(done.returncode == -signal.SIGTERM, "a program ends by a signal that was blocked as it began", done)
    child = start("sh", "-c", "trap 'exit 5' TERM; echo; while :; do sleep 0.01; done")
    child.stdout.read(1)
    child.terminate()
    _, err = child.communicate()
    check(child.returncode == 5 and not err and report("job.gz") == report("trace.gz"), "signals reach the program",
          (child.returncode, err))
    run("-o", "named-%p.gz", "sh", "-c", WORK)
    named = [name for name in left() if name.startswith("named-")]
    check(len(named) == 1 and report("job.gz") == report(*named), "the process's id in the trace's name", named)
    done = run("-o", "in%%r.gz", "sh", "-c", WORK, preexec_fn=few_bytes)
    check(done.returncode == 3 and not done.stderr and report("job.gz") == report("in%r.gz"), "a percent sign before an r", done)


def ranks():
    os.mkdir("job.gz.ranks")
    for k in (3, 7):
        open(f"job.gz.ranks/{k}.ended", "w").close()
    done = [run("sh", "-c", WORK, rank=k, size=3) for k in (2, 0, 0)]
    check("job.gz" not in left() and not any(d.stderr for d in done), "as long as a rank has not ended there is no job.gz",
          (left(), done))
    done = run("sh", "-c", WORK, rank=1, size=3)
    check(done.returncode == 3 and not done.stderr, "the last rank", done)
    check([n for n in left() if not n.endswith(".old")] == ["job.gz"] + [f"trace.{k}.gz" for k in range(3)],
          "job.gz stands beside the traces of all, and nothing else", left())
    check(report("job.gz") == report(*[f"trace.{k}.gz" for k in range(3)]), "its report is that of all traces")
    children = [start("-o", "of%r/trace.gz", "sh", "-c", WORK, rank=k, size=4) for k in range(4)]
    told = [child.communicate()[1] for child in children]
    check(any("without being measured" in text for text in told) and "job.gz" in left(), "folders that are not there", told)
    for k in range(4):
        os.mkdir(f"of{k}")
    children = [start("-o", "of%r/trace.gz", "sh", "-c", WORK, rank=k, size=4) for k in range(4)]
    told = "".join(child.communicate()[1] for child in children)
    check(not told and report("job.gz") == report(*[f"of{k}/trace.gz" for k in range(4)]),
          "four at once, in folders of their own: job.gz lies above", told)


def shares(table, row, by, *paths):
    """{procedure: share} of a table of the text."""
    done = subprocess.run([evreport, "--top", "0", "--by", by, *paths], capture_output=True, text=True, env=dict(os.environ, COLUMNS="160"))
    rows = done.stdout.split(table, 1)[-1].split("\n\n", 1)[0] if table in done.stdout else ""
    return {name: share for share, name in re.findall(row, rows, re.M)}


def system_calls():
    """Ranks that spend their time in system calls, each another part of it."""
    for k in range(3):
        run("sh", "-c", f"{WORK.replace('exit 3', '')} dd if=/dev/zero of=/dev/null bs=64 count={400000 * (3 - k)} 2>/dev/null", rank=k, size=3)
    traces = [f"trace.{k}.gz" for k in range(3)]
    for paths in (traces, ["job.gz"]):
        ranks = shares("Procedures over ranks", r"^ +([0-9.]+) % .*\(\d+\) +(\S+)$", "rank", *paths)
        all_of_them = shares("Where the time went", r"^ +\S+ \S+ +([0-9.]+) % .* % +(\S+)", "procedure", *paths)
        odd = {name: (share, all_of_them.get(name)) for name, share in ranks.items() if all_of_them.get(name) != share}
        check(not odd and bool(ranks) == bool(all_of_them), "system calls: procedures over ranks have the report's shares", odd)


def names():
    os.mkdir("sums")
    for _ in range(2):
        done = run("-o", "of.%p.gz", "sh", "-c", WORK, reduce="--reduce=sums/all.gz")
        check(done.returncode == 3 and not done.stderr and sorted(os.listdir("sums"))[0] == "all.gz", "--reduce=FILE", done)
    check(sorted(os.listdir("sums")) == ["all.gz", "all.gz.old"] and "job.gz" not in left(),
          "the sums and those before lie there, and nothing else", (os.listdir("sums"), left()))
    done = run("-o", "t.gz", "sh", "-c", WORK, reduce="--reduce=t.gz")
    check(done.returncode == 3 and "t.gz is there" in done.stderr and "t.gz.old" not in left(),
          "the name of the trace itself is refused", done)


def is_left_alone(name, what):
    with open(name, "rb") as file:
        before = file.read()
    done = run("sh", "-c", WORK)
    with open(name, "rb") as file:
        check(done.returncode == 3 and f"{name} is there" in done.stderr and "job.gz is not written" in done.stderr and
              file.read() == before, f"{what} is not replaced", done)


def refusals():
    done = run("-s", "valgrind", "true")
    check(done.returncode == 125 and "cannot be reduced" in done.stderr, "valgrind is refused", done)
    run("true")
    os.replace("trace.gz", "job.gz")
    is_left_alone("job.gz", "a trace named job.gz")
    with open("job.gz", "w") as file:
        file.write("precious\n")
    is_left_alone("job.gz", "what is no trace")
    os.replace("job.gz", "job.gz.old")
    run("true")
    is_left_alone("job.gz.old", "what is no trace and named job.gz.old")
    os.remove("job.gz")
    os.mkdir("job.gz")
    done = run("true")
    check(done.returncode == 0 and "job.gz is there" in done.stderr and not os.listdir("job.gz"), "a folder", done)
    os.rmdir("job.gz")
    done = run("true", reduce="--reduce=")
    check(done.returncode == 125 and "is empty" in done.stderr, "an empty name", done)
    done = run("/nowhere/program")
    check(done.returncode == 127 and "left no trace" in done.stderr, "no program: no trace", done)


def mpi():
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm_rsh_agent="true",
               OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader")
    done = subprocess.run([mpirun, "-n", "3", evprof, "run", "--reduce", "sh", "-c", "true"], env=env, capture_output=True, text=True)
    check(done.returncode == 0 and left() == ["job.gz"] + [f"trace.{k}.gz" for k in range(3)], "mpirun evprof run --reduce",
          (done, left()))
    check(report("job.gz") == report(*[f"trace.{k}.gz" for k in range(3)]), "has the report of all ranks")


def main():
    print("TAP version 13")
    for test in [alone, ranks, system_calls, names, refusals] + ([mpi] if mpirun else []):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test()
            os.chdir("/")
    print(f"1..{n_tests}")
    return n_failed != 0


if __name__ == "__main__":
    sys.exit(main())
