#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi.py EVREPORT GENERATE EVREPORT_REDUCE MPIRUN: ranks of MPI write the same file in any number, go on past damage, and a
second call goes on from the parts that are written."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import replicate  # noqa: E402

N_RANKS = 24
PART_BYTES = "4096"

evreport, generate, evreport_reduce, mpirun = map(os.path.abspath, sys.argv[1:5])
n_tests, n_failed = 0, 0


def check(is_good, name, why=""):
    global n_tests, n_failed
    n_tests += 1
    n_failed += not is_good
    print(f"{'ok' if is_good else 'not ok'} {n_tests} - {name}" + ("" if is_good else f": {why}"))


def command(*args):
    return [evreport_reduce, "-p", PART_BYTES, *args]


def start(*args):
    """By mpirun, with its arguments."""
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader", OMPI_MCA_plm_rsh_agent="true")
    return subprocess.run([mpirun, *args], capture_output=True, text=True, env=env)


def reduce(n, *args):
    return start("-n", str(n), *command(*args))


def report(path):
    """Without the first line, which names the file."""
    done = subprocess.run([evreport, path], capture_output=True, text=True)
    return done.stdout.split("\n", 1)[1] if done.returncode == 0 else done.stderr


def make_traces():
    sources = []
    for case in ("basic", "parallel", "tree", "crowded"):
        made = subprocess.run([generate, case], stdout=subprocess.PIPE, check=True).stdout
        sources.append(list(replicate.members(made)))
    os.mkdir("ranks")
    for k in range(N_RANKS):
        with open(f"ranks/trace.{k}.gz", "wb") as file:
            file.write(replicate.copy_of(sources[k % len(sources)], k))


def same_for_any_number():
    subprocess.run([evreport, "reduce", "-o", "one.gz", "ranks"], check=True)
    subprocess.run([evreport, "reduce", "-p", PART_BYTES, "-o", "of-threads.gz", "ranks"], check=True)
    for n in (1, 2, 3):
        done = reduce(n, "-o", f"of{n}.gz", "ranks")
        check(done.returncode == 0 and report(f"of{n}.gz") == report("one.gz"), f"{n} ranks: the report of evreport reduce",
              done.stderr)
        check(not os.path.exists(f"of{n}.gz.parts"), f"{n} ranks: no parts are left")
    check(len({open(f"of{n}.gz", "rb").read() for n in (1, 2, 3, "-threads")}) == 1,
          "the same bytes, whatever the number of ranks, and as of threads")
    reduce(2, "-p", "100000000", "-o", "of-one-part.gz", "ranks")
    check(open("of-one-part.gz", "rb").read() == open("one.gz", "rb").read(), "one part is the file that evreport reduce writes")


def damage():
    shutil.copytree("ranks", "damaged")
    with open("damaged/trace.5.gz", "w") as file:
        file.write("no trace\n")
    done = reduce(2, "-o", "some.gz", "damaged")
    check(done.returncode == 0 and "trace.5.gz" in done.stderr and "left out" in done.stderr, "a damaged trace is told", done.stderr)
    check(f"{N_RANKS - 1} MPI ranks" in " ".join(report("some.gz").split()), "all others are there", report("some.gz")[:400])
    bad = range(0, N_RANKS, 2)
    for k in bad:
        with open(f"damaged/trace.{k}.gz", "w") as file:
            file.write("no trace\n")
    done = reduce(3, "-o", "half.gz", "damaged")
    told = re.findall(r"damaged/trace\.(\d+)\.gz: .*; it is left out", done.stderr)
    check(told == [str(k) for k in sorted({*bad, 5})], "damaged traces are told once each, in their order", done.stderr)

    # The second part: nothing is written of it.
    shutil.copytree("ranks", "lost")
    for k in (3, 4, 5):
        with open(f"lost/trace.{k}.gz", "w") as file:
            file.write("no trace\n" * 200)
    done = reduce(2, "-o", "lost.gz", "lost")
    told = " ".join(report("lost.gz").split())
    check(f"3 of {N_RANKS} traces could not be read" in told and "trace.3.gz" in told,
          "a part of which no trace can be read is told in the report", told[-600:])


def other_sysroot():
    """Names are found below the sysroot: a part made with another one is made anew."""
    os.makedirs("named.gz/x")
    reduce(1, "-o", "named.gz", "ranks")
    before = set(os.listdir("named.gz.parts"))
    reduce(1, "-s", "/nowhere", "-o", "named.gz", "ranks")
    after = set(os.listdir("named.gz.parts"))
    check(len(after) == 2 * len(before) and before < after, "parts of another sysroot are not taken", (before, after))


def other_times():
    """Of nodes that see other times of the same traces: the names of parts are those of the first rank."""
    for node in ("a", "b"):
        shutil.copytree("ranks", f"node-{node}/ranks")
        for k in range(N_RANKS):
            os.utime(f"node-{node}/ranks/trace.{k}.gz", (k, ord(node)))
    out = os.path.abspath("of-nodes.gz")
    done = start("-n", "1", "-wdir", "node-a", *command("-o", out, "ranks"), ":", "-n", "1", "-wdir", "node-b",
                 *command("-o", out, "ranks"))
    check(done.returncode == 0 and open(out, "rb").read() == open("of1.gz", "rb").read(),
          "ranks that see other times of the traces: the same bytes", done.stderr)
    os.remove("node-b/ranks/trace.3.gz")
    done = start("-n", "1", "-wdir", "node-a", *command("-o", "x.gz", "ranks"), ":", "-n", "1", "-wdir", "node-b",
                 *command("-o", "x.gz", "ranks"))
    check(done.returncode != 0 and done.stderr.count("do not see the same traces") == 1 and not glob.glob("node-*/x.gz*"),
          "ranks that see other traces: one error", done.stderr)


def going_on():
    """A folder in the place of the output keeps the last step from being done, as a death before it would."""
    os.makedirs("late.gz/x")
    done = reduce(2, "-o", "late.gz", "ranks")
    parts = sorted(glob.glob("late.gz.parts/*.gz"))
    check(done.returncode == 1 and len(parts) > 2 and done.stderr.count("the same call goes on") == 1,
          "parts stay where the last step fails, and it is said", (done.returncode, done.stderr, parts))
    shutil.rmtree("late.gz")
    os.replace(parts[0], parts[0] + ".4242.part")  # of a reducer that died
    # A part that holds one rank more tells that it was taken, and not made anew.
    with open("extra.gz", "wb") as file:
        made = subprocess.run([generate, "basic"], stdout=subprocess.PIPE, check=True).stdout
        file.write(replicate.copy_of(list(replicate.members(made)), 1000))
    subprocess.run([evreport, "reduce", "-o", "more.gz", parts[1], "extra.gz"], check=True)
    os.replace("more.gz", parts[1])
    done = reduce(3, "-o", "late.gz", "ranks")
    check(done.returncode == 0 and f"{N_RANKS + 1} MPI ranks" in " ".join(report("late.gz").split()),
          "a second call makes what is missing, and takes what is there", done.stderr)
    check(not os.path.exists("late.gz.parts"), "then the parts are gone")


def doubled():
    """The same call would fail again: no part stays."""
    done = reduce(3, "-o", "doubled.gz", "ranks", "ranks/trace.1.gz")
    check(done.returncode == 1 and done.stderr.count("twice") == 1 and not glob.glob("doubled.gz*"),
          "a doubled trace is told once, and nothing stays", (done.returncode, done.stderr, glob.glob("doubled.gz*")))


def wrong_use():
    done = reduce(2, "-o", "x.gz")
    check(done.returncode != 0 and done.stderr.count("usage:") == 1, "the usage is told once", done.stderr)
    for size in ("64x", "0", "-1", "99999999999", "4G"):
        done = reduce(2, "-p", size, "-o", "x.gz", "ranks")
        check(done.returncode != 0 and done.stderr.count(f"--part-bytes {size}: expected a number of bytes") == 1 and not os.path.exists("x.gz"),
              f"-p {size} is refused once", done.stderr)
    done = reduce(2, "-o", "x.gz", "absent.gz")
    check(done.returncode != 0 and not os.path.exists("x.gz"), "nothing readable: no file", done.stderr)


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_traces()
        same_for_any_number()
        damage()
        other_sysroot()
        other_times()
        going_on()
        doubled()
        wrong_use()
    print(f"1..{n_tests}")
    return n_failed != 0


if __name__ == "__main__":
    sys.exit(main())
