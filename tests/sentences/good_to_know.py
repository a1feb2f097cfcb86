# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of Good to know, and what must hold of a run that has them."""
import re

from near import BUSY, PLACES, READY, ROUND, check_others, is_near, percent

SIGNALS = {"killed": {"15 (TERM)": 2, "11 (SEGV)": 1}}


def never(_run, _said):
    yield "nothing of this kind happened"


def check_trace(run, said, key, what):
    if said[key] != what:
        yield f"the trace has {what}"


def check_few(run, said):
    yield from check_trace(run, said, "n", run.report["run"]["n_samples"])


def check_lost(run, said):
    yield from check_trace(run, said, "n", run.report["run"]["n_lost"])


def check_no_sample(run, said):
    if run.report["run"]["n_samples"]:
        yield "there are samples"
    if "ms" in said and said["ms"] > 1000 * run.cpu_s + 0.1:
        yield f"it computed for {1000 * run.cpu_s:.1f} ms"


def check_covered(run, said):
    whole = run.report["run"]
    if not is_near(said["share"], percent(whole["sampled_ns"] / whole["cpu_ns"]), 2):
        yield f"it is {percent(whole['sampled_ns'] / whole['cpu_ns']):.1f} %"


def check_hidden(run, said):
    """The kernel's account has its time in all, that of system calls included."""
    high = percent(run.system_s / run.cpu_s)
    n = run.report["run"]["n_samples"]
    if said["share"] > high + ROUND + 500 / max(n, 1) ** 0.5:
        yield f"{high:.1f} % of the CPU time was in the kernel at all ({n} samples)"


def check_tails(run, said):
    ends = [r for r in run.report["procedures"] if r["name"] == "[ended before the next sample]"]
    if not ends or not is_near(said["share"], percent(ends[0]["self_share"]), ROUND):
        yield f"the table has {ends}"


def check_lines(run, said):
    if run.has_facts:
        known = sum(run.facts.places[p] for p in ("burn_a", "burn_b", "burn_c")) / 1e9 / run.cpu_s
        if said["share"] > percent(1 - known) + 25:
            yield f"{percent(known):.0f} % was in procedures that have lines"


def check_nameless(run, said):
    if run.has_facts and said["share"] > percent(1 - sum(run.facts.places.values()) / run.facts.cpu_ns) + 30:
        yield f"{run.facts.places} were in procedures with names"


def check_untold(run, said):
    inside = sum(t["cpu_ns"] for t in run.report["threads"]) / 1e9
    rest = run.cpu_s - inside - run.report["run"]["outside_s"]
    if said["s"] > rest + 0.02 + 0.02 * run.cpu_s:
        yield f"the kernel charged {run.cpu_s:.3f} s in all, of which {inside:.3f} are in the tables"
    if "n" in said and said["n"] != len(run.report["processes"]):
        yield f"there are {len(run.report['processes'])} processes"
    if "own" in said and said["own"] > said["s"] + 0.01:
        yield "a part is more than the whole"


def check_outside(run, said):
    if run.name not in ("outside", "becomes"):
        yield "all of its programs are in the trace"
    elif not is_near(said["s"], 0.12, 0.06):
        yield "it took 0.12 s"


def check_unseen(run, said):
    if run.has_facts:
        yield "all of its threads began by pthread_create"


def check_unfinished(run, said):
    if run.name != "killed_hard" or said["n"] != 1:
        yield "no process was ended by SIGKILL"


def check_became(run, said):
    if run.name not in ("outside", "becomes") or said["n"] != 1:
        yield "no process executed a static program"


def check_one_signal(run, said):
    if SIGNALS.get(run.name, {}).get(said.groups["signal"]) != 1:
        yield f"signals were {SIGNALS.get(run.name)}"


def check_signals(run, said):
    if SIGNALS.get(run.name, {}).get(said.groups["signal"]) != said["n"]:
        yield f"signals were {SIGNALS.get(run.name)}"


def check_waiting(run, said):
    """The busiest threads are those with a tenth of the CPU time."""
    shares, ready = [], []
    for least in (0.07, 0.1, 0.14):
        cpu = sum(t["cpu_ns"] for t in run.threads())
        threads = [t for t in run.threads() if t["cpu_ns"] >= least * cpu]
        shares += [percent(1 - s) for s in run.shares_of(threads, "cpu_ns")]
        ready += [percent(s) for s in run.shares_of(threads, "ready_ns")]
    shares += [min(shares) - percent(run.beside), max(shares) + percent(run.beside)]
    ready += [min(ready) - percent(run.beside), max(ready) + percent(run.beside)]
    if not min(shares) - READY <= said["share"] <= max(shares) + READY:
        yield f"it was {min(shares):.1f} to {max(shares):.1f} %"
    if "ready" in said and not min(ready) - READY <= said["ready"] <= max(ready) + READY:
        yield f"{min(ready):.1f} to {max(ready):.1f} % was without a CPU"
    if "hardly ever for a CPU" in said.text and min(ready) > READY:
        yield f"{min(ready):.1f} % was without a CPU"


def check_own_cost(run, said):
    whole = run.report["run"]
    if not is_near(said["share"], percent(whole["evprof_ns"] / whole["cpu_ns"]), ROUND):
        yield f"the trace has {whole['evprof_ns']} of {whole['cpu_ns']} ns"
    if run.has_facts and whole["evprof_ns"] / 1e9 > run.cpu_s:
        yield f"the kernel charged {run.cpu_s} s at all"


def check_busy(run, said):
    yield from check_others(run, said["others"])
    if "n" in said and said["n"] != run.n_cpus:
        yield f"the machine has {run.n_cpus}"
    least, most = run.ready_shares()
    if "ready" in said and not percent(least) - READY <= said["ready"] <= percent(most) + READY:
        yield f"the kernel's account has {percent(least):.1f} to {percent(most):.1f} %"
    if "hardly held it up" in said.text and least > 0.1:
        yield f"its threads had no CPU for {percent(least):.0f} %"


def check_load(run, said):
    if said["n"] != run.n_cpus:
        yield f"the machine has {run.n_cpus}"


def check_stolen(run, said):
    busy = sum(run.busy_s.values()) + run.stolen_s
    if said["share"] > percent(run.stolen_s / max(busy, 1e-9)) + 5:
        yield f"the host took {run.stolen_s:.2f} s"


def nothing(_run, _said):
    return ()


def check_python(run, said):
    if "python" not in " ".join(run.command):
        yield "it is no script"


ROWS = [
    ("The trace is damaged: <bytes> byte{s|} in <places> place{s|} could not be read (the first at byte <at>{ of <path~>|}). The report "
     "covers the rest. A process that is killed while it writes causes this.", never),
    ("The trace was cut: its last <bytes> byte{s|} are the beginning of an incomplete block. Everything after them is missing.", never),
    ("The inside of <n> piece{s|} of the trace could not be decoded from some point on; what follows there was left out.", never),
    ("<n> piece{s|} of the trace could not be read: its format is version <v>, which this evreport does not know.", never),
    ("Left out because they made no sense: <n> block{s|}.", never),
    ("Left out because the description of their process is not in the trace: <n> block{s|} of samples.", never),
    ("Skipped because a newer evprof wrote them: <n> block{s|} of unknown kind.", never),
    ("{A file|The file} holds more than one run: <n> process{ is|es are} not of the first one's tree. Sums include all of them; --process "
     "PID shows one.", never),
    ("The traces were not recorded at one time: one ended <s> s before another began. Files of an older run may be among them.", never),
    ("Lost while recording: <n> sample{s|}, less than <share> % of all.", check_lost),
    ("Lost while recording: <n> sample{s|} (<share> %), because a thread could not write in time. A longer period (evprof run --period) "
     "loses fewer.", check_lost),
    ("Missing, as gaps in their numbers show: <n> sample{s|}. They were in a part of the trace that is lost.", never),
    ("The call path of <n> sample{s|} is not in the trace; their time is under [call path lost].", never),
    ("Left out because their times are impossible: <n> sample{s|}.", never),
    ("Callgrind could not write the costs of <n> of <all> processes (killed, or still running when the run ended): their procedures are "
     "known from samples only. valgrind takes samples at system calls, so the shares and lines of these processes are rough.", never),
    ("Callgrind's exact costs are known only for whole processes. For {a part of the run|some of a process's threads}"
     " there are only samples, which valgrind takes at system calls, so shares are rough. Leave out the selection to see the exact costs.",
     never),
    ("No thread was measured.", never),
    ("There is no sample in this part of the run: it computed for less than one slice (<ms> ms) there, and waited.", never),
    ("There is no sample, because no tick could come. Totals are right, but it is not known which procedures took the time.", never),
    ("There is no sample: no tick came to the threads, which computed for <ms> ms. Totals are right, but it is not known which procedures "
     "took the time.",
     check_no_sample),
    ("There is no sample: <ms> ms of CPU time is less than one slice (<slice> ms). Totals are right, but it is not known which procedures "
     "took the time. A longer "
     "run helps, or a shorter evprof run --period.", check_no_sample),
    ("Only <n> sample{s|}: shares are rough (50 % may as well be <low> or <high>). A longer run helps, or a shorter evprof run --period.",
     check_few),
    ("Samples cover <share> % of the CPU time; the other samples are not in the trace. Shares of procedures are shares of the covered time.",
     check_covered),
    ("<share> % of the CPU time was in the kernel, but in none of the system calls and page faults that were seen: interrupts, what was "
     "missed, and page faults of CPUs other than x86. The report shows this time as [kernel], half of it called by the procedure sampled "
     "before it and half by the one after it. evprof run --kernel shows where it was.",
     check_hidden),
    ("<share> % of the CPU time was in the kernel (system calls, page faults), which the samples do not see into. The report shows this "
     "time as [kernel], half of it called by the procedure sampled before it and half by the one after it. evprof run --kernel shows "
     "which procedures called the kernel.", check_hidden),
    ("<share> % of the CPU time was in the kernel (system calls, page faults), which the samples do not see into. The report shows this "
     "time as [kernel], half of it called by the procedure sampled before it and half by the one after it: that part of their totals, of "
     "the activities and of the callers is a guess. evprof run --kernel measures it.", check_hidden),
    ("<name~>: the time between each thread's last sample and its end, and all time of threads without a sample; together <share> % of the CPU "
     "time.", check_tails),
    ("<name~>: the time between each thread's last sample and its end; together <share> % of the CPU time.", check_tails),
    ("<share> % of the call paths could not be followed to their beginning (code without unwinding tables): the self times are right, the "
     "totals of the callers are too small.", nothing),
    ("<share> % of the call paths were deeper than is recorded: the self times are right, the totals of their outermost callers are too "
     "small.", never),
    ("<file~> is not the file that ran (its build-id differs): its <share> % of the time has no names.", never),
    ("<file~> is not the file that ran any more; its names and lines are those of the copy that evprof kept then.", never),
    ("<file~> is newer than the run and has no build-id: its names (<share> % of the time) may be wrong.", never),
    ("<file~> is not on this machine: its <share> % of the time has no names. --sysroot DIR tells where its files are.", never),
    ("<share> % of the time is in code without line information. Compiled with -g (optimisation may stay on), the report names its source "
     "lines and inlined procedures.", check_lines),
    ("<share> % of the time is in procedures without a name (LIBRARY+0xSTART): their files are stripped. On Debian a -dbgsym package brings "
     "the names.", check_nameless),
    ("/tmp/perf-<pid>.map <what~>", never),
    ("The program ran code of a GPU's runtime. This report covers the CPUs only: the profiler of a GPU's maker shows what the GPU did (nsys and "
     "ncu, rocprofv3).", never),
    ("The counters never ran: something else held them during the whole run ('evprof doctor' may say who). No count of hardware events is "
     "known.", nothing),
    ("In <share> % of the slices the counters did not run; their values are estimated.", nothing),
    ("Something else used the counters for <share> % of the time (the kernel shared them out); counts are scaled for that.", nothing),
    ("Dropped because they are impossible in one slice (negative, or overflowed): <n> count{s|}. Their values are estimated.", nothing),
    ("In <share> % of the slices the counts are incomplete.", nothing),
    ("{More events than counters: each was measured in a part of the slices and estimated for the others|Slices in which the counters did "
     "not run are estimated} (<filler~>). ~ marks such values, and {their errors are not known: --estimator path takes longer and "
     "computes errors.|the true value lies within the error beside it in 95 of 100 cases.{ --estimator auto takes longer and picks the "
     "best for each event.|}}",
     nothing),
    ("Far above the event's other slices, and kept: <n> count{s|} (<k> of <name~>). Estimates near them are less sure.", nothing),
    ("<names~> {was|were} never measured: the run was too short for {its|their} turn, or {it|they} could not be counted. A longer run "
     "measures more, or a shorter evprof run --period.", nothing),
    ("<n> of <all> hardware events were 0 in every slice that measured them. The PMU of a virtual or emulated machine may accept events "
     "that it never counts: metrics computed from them mean nothing here.", nothing),
    ("<n> frame{s|} of scripts could not be read, in <all> sample{s|}: their call paths have the interpreter's loop in place "
     "of a function, or lack a caller. All other names are right.", check_python),
    ("<share> % of the time is below <name~>, which interprets <language~>: the procedures here are the interpreter's. <remedy~>", nothing),
    ("<share> % of the time is {in|in, or called by,} code made at run time that has no names. <remedy~>", never),
    ("<share> % of the time is {in|in, or called by,} code made at run time that has no names. If its maker can write /tmp/perf-PID.map "
     "(node --perf-basic-prof, python3.12 -X perf, java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit), the report reads it.", never),
    ("The evprof that recorded this run noted waits, but not in which regions they were: regions have no waits here. A new recording has "
     "them.", never),
    ("<n> {end|ends} of a region had no begin in its thread, and {is|are} left out.", never),
    ("<n> {begin|begins} without an end of its own until that of the region around: an exception or a longjmp left it, or an end is missing "
     "in the program.", never),
    ("<n> {region|regions} had not ended when the thread or the program ended: the time counts up to that end.", never),
    ("<n> {begin|begins} of a region could not be kept: <rest~>", never),
    ("<program~> (process <pid>) used <s> s of CPU time by the kernel's account, <more> s more than the threads in this trace: threads that "
     "began before evprof did, without the C library, or by a function that the program looked up in the library itself (as Free Pascal "
     "does), are not in it.", check_unseen),
    ("<n> process{ has|es have} no end in the trace: {killed, still running, ended by a system call of its own as Go programs do, or without "
     "a free descriptor at its end (the trace is opened for each write where a program may open few). At most the last second is missing|"
     "killed, still running, or lost with a part of the file}.", check_unfinished),
    ("<n> process{es|} became a program that is not in this trace: <list~>. Not measured are static and set-user-ID programs, those that "
     "--include or --exclude leaves out, and programs started without LD_PRELOAD (env -i, sudo, su -, a chroot). Programs of other users have a trace "
     "beside this one.", check_became),
    ("<s> s of CPU time, <share> % of what the kernel charged, are in no table: {<own> s evprof's own work when processes and threads "
     "began and at ticks, the rest is |}what {the process|the <n> processes} took before evprof began in {it|them} and after it ended "
     "there (loading and "
     "linking, evprof's own work, the kernel's at exec and exit).", check_untold),
    ("Programs that are not in this trace took <s> s of CPU time, <share> % of all: such as were started by those here and are linked "
     "statically or with musl, set-user-ID or Go's, lost LD_PRELOAD (env -i, sudo, su -, a chroot), or are left out by --include or "
     "--exclude.", check_outside),
    ("<program~> (process <pid>) was killed by signal <signal~>.{ That is usual where the reader of a pipe ends first.|}", check_one_signal),
    ("<n> processes were killed by signal <signal~>: <list~>.{ That is usual where the reader of a pipe ends first.|}", check_signals),
    ("Other programs kept <others> of the machine's <n> CPUs busy during the run. {The run may have taken longer for that|{They hardly held "
     "it up: its threads|Its threads} were ready without a CPU {about |}<ready> % of their time}; shares of CPU time change little.",
     check_busy),
    ("The machine was busy in the minute before the run (a load of <load> on <n> CPUs). {It hardly held the run up: its threads were ready "
     "without a CPU {about |}<ready1> % of their time.|If it still was, that is a part of the time in which the threads were ready without "
     "a CPU, {about |}<ready2> % of theirs; shares of CPU time change little.|If it still was, the run took longer and its threads waited "
     "more than on a free machine; shares of CPU time change little.}", check_load),
    ("The host of this virtual machine gave <share> % of the CPU time that the machine had work for to others (steal). The run took longer "
     "for that, and {CPU times may have some of it in them|CPU times have <s> s of it in them: slices that neither their clock nor a system "
     "call can have made so long. Shares are without}.", check_stolen),
    ("The CPU limit of the run's container or batch job stopped it in <share> % of the scheduler's periods, for <s> s in all (of each CPU). "
     "Threads that it stops are ready without a CPU.", nothing),
    ("The busiest threads spent <share> % of their time waiting ({asleep, blocked, or ready without a CPU|asleep or blocked, hardly ever "
     "for a CPU|ready to run, for a CPU|{about |}<asleep> % asleep or blocked, <ready> % ready without a CPU}); the shares in this report "
     "are of CPU time.{ Of the times that they left a CPU, <left> % were to wait; at the others it was taken from them, or offered "
     "(sched_yield).|}", check_waiting),
    ("evprof itself took <share> % on top of the program's CPU time (not counted in it).{ A longer evprof run --period makes it less.|}",
     check_own_cost),
    ("Beside this trace {lies a newer trace|lie newer traces} (<path~>), of other ranks or of runs that began while it was written: "
     "evreport reads "
     "several as one.", never),
    ("No metrics: <why~>", nothing),
]
