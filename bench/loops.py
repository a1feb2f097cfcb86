#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long finding loops takes beside objdump -d, and how many begin where their source says: loops.py BUILD [--programs N]

Goes through N programs of /usr/bin (every one, where there are fewer) and a corpus that it compiles: C files of this tree by gcc
and clang, and a file of Fortran by gfortran, each at -O0 to -O3. CPU times; programs above 12 MB are left out. A program in which
bench_loops fails is named. The lines are looked at in the corpus alone, whose sources are here.
"""
import argparse
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
MOST_BYTES = 12_000_000
LEVELS = "-O0", "-O1", "-O2", "-O3"
AT_ONCE = 20  # programs of a command


def is_program(path):
    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def compile_corpus(folder):
    """[(compiler and level, path)]"""
    made = []
    for compiler, sources in (("gcc", glob.glob(f"{TREE}/reporter/estimate/*.c")), ("clang", glob.glob(f"{TREE}/reporter/estimate/*.c")),
                              ("gfortran", [f"{HERE}/programs/nests.f90"])):
        for level in LEVELS if shutil.which(compiler) else ():
            for source in sorted(sources):
                path = f"{folder}/{compiler}{level}-{os.path.basename(source)}.so"
                run = subprocess.run([compiler, level, "-g", "-w", "-fPIC", "-shared", f"-I{TREE}", "-D_GNU_SOURCE", "-J" + folder
                                      if compiler == "gfortran" else "-w", "-o", path, source], stderr=subprocess.PIPE)
                if not run.returncode:
                    made.append((f"{compiler} {level}", path))
    return made


def cpu_s(*command):
    """The children's CPU time, and whether all went well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, not done.returncode


def measure(bench, paths):
    loops_s = objdump_s = 0
    failed = []
    for at in range(0, len(paths), AT_ONCE):
        some = paths[at:at + AT_ONCE]
        took_s, is_well = cpu_s(bench, *some)
        loops_s += took_s
        objdump_s += cpu_s("objdump", "-d", *some)[0]
        if not is_well:
            failed += [path for path in some if not cpu_s(bench, path)[1]]
    return loops_s, objdump_s, failed


def count_lines(bench, corpus):
    sums = {}
    for kind, path in corpus:
        for line in subprocess.run([bench, "--lines", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            cells = line.split("\t")
            if len(cells) == 9:
                row = sums.setdefault(kind, [0, 0, 0, 0])
                for i in range(4):
                    row[i] += int(cells[5 + i])
    return sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--programs", type=int, default=500)
    args = parser.parse_args()
    bench = os.path.abspath(f"{args.build}/bench/bench_loops")
    programs = [path for path in sorted(glob.glob("/usr/bin/*")) if is_program(path)]
    with tempfile.TemporaryDirectory() as folder:
        corpus = compile_corpus(folder)
        for kind, (n_loops, n_lines, n_seen, n_right) in count_lines(bench, corpus).items():
            print(f"{kind:12} {n_loops} loops, {n_lines} with a line, {n_right} of {n_seen} begin one: {100 * n_right / n_seen:.1f} %", flush=True)
        paths = [path for _, path in corpus] + programs[:max(args.programs - len(corpus), 0)]
        loops_s, objdump_s, failed = measure(bench, paths)
    print(f"{len(paths)} programs, {len(corpus)} of them compiled here: loops {loops_s:.1f} s, objdump -d {objdump_s:.1f} s, "
          f"{loops_s / objdump_s:.2f} times; failed: {failed or 'none'}")
    sys.exit(bool(failed))


main()
