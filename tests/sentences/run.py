#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No sentence of In short and Good to know says what is not so.

run.py EVPROF EVREPORT KNOWN OTHER CONDITION [PROGRAM...]: runs programs below evprof under the CONDITION and holds every sentence
against accounts that evprof did not make (accounts.py). A sentence that the tables do not know fails, too. Nothing is said of what
a report must have: what is held is that all that it has is so. CONDITION "words" runs nothing much: it holds the tables against
the reporter's source, and false sentences against the tables.
"""
import collections
import os
import pathlib
import shutil
import sys

import good_to_know
import in_short
from accounts import Run
from patterns import NUMBER, Said, expression, words_of

TABLES = [(expression(row[0]), *row) for row in in_short.ROWS + good_to_know.ROWS]
CPUS = os.sched_getaffinity(0)
FIRST = {min(CPUS)}

Condition = collections.namedtuple("Condition", "cpus neighbours options")
CONDITIONS = {
    "alone": Condition(CPUS, (), []),
    "beside": Condition(CPUS, CPUS, []),
    "bound": Condition(FIRST, (), []),
    "bound_beside": Condition(FIRST, FIRST, []),
    "waits": Condition(CPUS, (), ["--waits", "on"]),
    "waits_bound_beside": Condition(FIRST, FIRST, ["--waits", "on"]),
}

KINDS = ["compute", "copy", "allocate", "calls", "faults", "brief", "fail", "pair", "crowd", "uneven", "alone_first", "short_threads",
         "self_bound", "yields", "sleeper", "sleepers", "bursts", "convoy", "slow_convoy", "turns", "pipeline", "fork_storm",
         "exec_storm", "server", "slow_file", "killed", "killed_hard", "outside", "becomes"]
UNKNOWN = {"killed", "killed_hard", "outside", "becomes"}  # a child's account is not written
STATUS = {"fail": 3}

THREADS = """import threading
def work():
    x = 0
    for i in range(600000): x += i * i
for t in [threading.Thread(target=work) for _ in range(3)]: t.start()
"""
SCRIPTS = {
    "shell": ["sh", "-c", "for i in $(seq 60); do echo $i | sed s/1/2/ | wc -c; done"],
    "gzip": ["sh", "-c", "seq 400000 | gzip -9 | gzip -d | tail -1"],
    "sort": ["sh", "-c", "seq 300000 | sort -R | sort -n --parallel=2 | tail -1"],
    "xz": ["sh", "-c", "seq 150000 | xz -T2 --block-size=200000 | wc -c"],
    "python": [sys.executable, "-c", THREADS],
    "cc": ["sh", "-c", "for i in 1 2; do echo '#include <stdio.h>\nint main(void) { return puts(\"a\") < 0; }' | cc -O2 -x c -o a$i - & "
           "done; wait; ./a1; ./a2"],
    "sleep": ["sh", "-c", "sleep 0.3; (sleep 0.2 & sleep 0.1; wait)"],
    "sqlite": ["sqlite3", ":memory:", "create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c where x < "
               "200000) insert into t select x, x % 1000 from c; select count(*), sum(a) from t where b in (select b from t where a < 9);"],
}


def judge(run, text):
    """Why the sentence is not so."""
    for regex, _, check, *is_one in TABLES:
        if (match := regex.fullmatch(text)) and all(guard(Said(match)) for guard in is_one):
            yield from (f"{reason}: {text}" for reason in check(run, Said(match)))
            return
    yield f"the tables do not know: {text}"


def fact_free(run, name):
    if name in UNKNOWN:
        run.facts = None
    return run


def check_program(tools, name, condition, known, other):
    command = SCRIPTS.get(name) or [known, name, "FACTS", other]
    run = fact_free(Run(tools, name, command, condition, condition.options), name)
    if run.exit != STATUS.get(name, 0):
        yield f"exit status {run.exit}: {run.errors}"
    reasons = [reason for _, text in run.said for reason in judge(run, text)]
    yield from reasons
    if reasons:
        yield run.told()
    if os.environ.get("SENTENCES_SHOW"):
        print(*(f"#   {text}" for _, text in run.said), sep="\n")


FALSE = [  # of a program whose four threads sleep, alone, and unbound
    "The program was ready to run but had no CPU 40 % of its time: CPUs of the machine were idle, so it is bound to a few of them.",
    "The threads were ready to run but had no CPU 60 % of their time: other programs kept 1.9 of the machine's 2 CPUs busy.",
    "The threads were ready to run but had no CPU 60 % of their time: 4 threads share 1 of the machine's 2 CPUs, to which the process is "
    "bound (by taskset, mpirun --bind-to, a batch system or a container's limit). Try 1 thread (OMP_NUM_THREADS, where OpenMP makes them), "
    "or give it more CPUs.",
    "For most of its 9.5 s the program slept, or waited (for data, a lock, another program or a user): computing took 20 % of that time. What "
    "it waits for matters more than its procedures.",
    "For most of its 0.33 s the program waited (for data, a lock, another program or a user): computing took 20 % of that time. What it waits "
    "for matters more than its procedures.",
    "13 % of the CPU time went to allocating and freeing memory: malloc_usable_size 9 %. Memory that is kept and used again need not be "
    "allocated each time.",
    "98 % of the CPU time went to burn_c.", "Look first at lookup, line server.cpp:19: at most 52 % can be saved there.",
    "One of 9 threads (known 1) did 97 % of the work: more CPUs help only when it is spread more evenly.",
    "On average 1.9 of the machine's 64 CPUs were busy with it.", "Threads waited for 95 % of their time: 90 % of that for a mutex (cm) in "
    "lookup.", "Only 93 samples: shares are "
    "rough (50 % may as well be 40 or 60). A longer run helps, or a shorter evprof run --period.",
    "known (process 1) was killed by signal 11 (SEGV).", "1 process became a program that is not in this trace: env. Not measured are static "
    "and set-user-ID programs, those that --include or --exclude leaves out, and programs started without LD_PRELOAD (env -i, sudo, su -, "
    "a chroot). Programs of other users have a trace beside this one.",
    "The busiest threads spent 12 % of their time waiting (asleep or blocked, hardly ever for a CPU); the shares in this report are of CPU "
    "time.", "On average the program was good.",
]
FALSE_OF_COMPUTE = [  # which makes no system calls; most of the little that sleepers use may be the kernel's
    "90 % of the CPU time was spent in the kernel, for the program (system calls, page faults).",
]

FIELD_TEXTS = {  # what stands in a field of a pattern
    "the rest of the run, or other programs", "other programs, or other ranks", "other programs, or others of its threads",
    "read as far as 256", "names code made at run time", "no regular file", "its owner is neither", "it is older than the run",
    "two processes of this trace had that process ID", "The same holds for", "evprof names the functions of CPython", "name the script's functions",
    "own profilers tell", "writes them to /tmp/perf-PID.map", "dotnet with DOTNET", "PyPy does not tell", "LuaJIT, as it is usually",
    "of them from disk", "Its CPU ran at", "the thread with most of them was", "Other programs used", "Look at what else runs",
    "it was ready to run for", "the host took", "The others wait for it", "Work spread more evenly", "Much of this time may be waiting",
    "whose holder waited for", "whose holder computed in", "computes no longer than the others", "The same holds for", "a part of the run",
    "some of a process's threads", "code made at run time", "regions of a thread", "in the report, which keeps", "nearly all", "%u processes",
    "regions of all threads (a region", "heat, a limit of power or clock", "s longer in the kernel", "run where no other program runs",
}


def known_words():
    text = " \0 ".join(row[1] for row in TABLES)
    for mark in "{}|<>":
        text = text.replace(mark, "\0")
    return " ".join(text.split())


def is_known(piece, table):
    """Are most of its words, in their order, in the tables?"""
    words = piece.split()
    least = min(4, len(words))
    return any(f in piece for f in FIELD_TEXTS) or any(
        " ".join(words[i:i + least]) in table for i in range(len(words) - least + 1))


def check_source(_tools):
    """Each text of reporter/words that is long enough for a sentence is in the tables."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "reporter" / "words"
    table, n = known_words(), 0
    for path in sorted(folder.glob("*.c")):
        for piece in words_of(path.read_text()):
            n += 1
            if not is_known(piece, table):
                yield f"{path.name}: {piece}"
    if n < 100:
        yield f"only {n} texts were found: the way to find them is out of date"


N_RUNS = 3


def check_again(check):
    """Bars of 95 % do not hold one number of 20, and short runs have rough accounts: a sentence is false where each of
    three runs has a false one. Yields what was wrong in the last of them."""
    for run in range(N_RUNS):
        reasons = list(check())
        if not reasons:
            return
        if run < N_RUNS - 1:
            print("# once, so that it runs again:", *reasons, sep="\n#   ", flush=True)
    yield from reasons


def main():
    evprof, evreport, known, other = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])
    name, chosen = sys.argv[5], sys.argv[6:] or KINDS + list(SCRIPTS)
    tools = evprof, evreport
    if name == "words":
        sleepers, compute = (Run(tools, kind, [known, kind, "FACTS"], CONDITIONS["alone"], []) for kind in ("sleepers", "compute"))
        false = [(sleepers, text) for text in FALSE] + [(compute, text) for text in FALSE_OF_COMPUTE]
        cases = {"source": lambda: check_source(tools)}
        cases |= {f"refuses {n}": lambda run=run, text=text: () if list(judge(run, text)) else [f"taken for true: {text}"]
                  for n, (run, text) in enumerate(false, 1)}
    else:
        cases = {program: lambda program=program: check_again(lambda: check_program(tools, program, CONDITIONS[name], known, other))
                 for program in chosen if program not in SCRIPTS or shutil.which(SCRIPTS[program][0])}
    failed = 0
    for number, (case, check) in enumerate(cases.items(), 1):
        reasons = list(check())
        failed += bool(reasons)
        print(f"{'not ok' if reasons else 'ok'} {number} - {case}", *reasons, sep="\n# ", flush=True)
    print(f"1..{len(cases)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
