# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of In short, and what must hold of a run that has them."""
import re

from near import (BUSY, LIBRARY_OF_PLACE, PLACES, READY, ROUND, check_others, is_near, list_of, percent, share_error,
                  true_share)

WAIT_WORDS = {"mutex": "lock", "condition": "lock", "barrier": "lock", "sleep": "slept", "read": "data", "child": "another program"}
BOUND = "{taskset, mpirun --bind-to, a batch system or a container's limit}"


def check_share_of(run, name, said, what="share"):
    """A procedure's share, against the program's own account of it and the report's table."""
    rows = [r for r in run.report["procedures"] if short(r["name"]) == short(name)]
    if not rows and name not in ("the kernel", "code made at run time"):
        yield f"the tables have no {name}"
    if rows and not any(is_near(said, percent(r["self_share"]), ROUND) for r in rows) and what == "share":
        yield f"{name} has {[percent(r['self_share']) for r in rows]} % in the table, not {said}"
    truth = true_share(run, name)
    if truth is not None and not is_near(said, percent(truth), ROUND + percent(share_error(run, rows))):
        yield f"{name} had {percent(truth):.1f} % by the program's own account, not {said}"


def short(name):
    return name.split("(")[0].split(" [")[0]


def check_list(run, said):
    """a (23 %), b (20 %) and c (11 %)"""
    for name, share in list_of(said["list"]):
        if name == "the kernel":
            yield from check_kernel_share(run, share)
        else:
            yield from check_share_of(run, name, share)


def check_spread(run, said):
    yield from check_list(run, said)
    if said["n"] != len(run.report["procedures"]):
        yield f"{len(run.report['procedures'])} procedures are in the table"


def check_sum(run, said):
    yield from check_list(run, said)
    if not is_near(said["share"], sum(share for _, share in list_of(said["list"])), 2):
        yield "shares do not add up"


def check_one(run, said):
    if said["name"] == "the kernel":
        yield from check_kernel_share(run, said["share"])
    else:
        yield from check_share_of(run, said["name"], said["share"])


def check_kernel_share(run, share):
    """Time that nobody claims is a part of the kernel's; samples of user mode that stand for more are chance."""
    error = share_error(run, [r for r in run.report["procedures"] if r["name"] == "[kernel]"])
    if share > percent(run.system_s / run.cpu_s) + percent(error) + ROUND:
        yield f"the kernel charged {percent(run.system_s / run.cpu_s):.1f} % as its own"


def check_library(run, said):
    places = [p for p in PLACES if LIBRARY_OF_PLACE.get(p) and said["library"].startswith(LIBRARY_OF_PLACE[p])]
    if run.has_facts:
        truth = sum(run.facts.places[p] for p in places) / run.facts.cpu_ns
        if said["share"] > percent(truth) + 10:
            yield f"{percent(truth):.1f} % was in what calls it"
    rows = [r for r in run.report["modules"] if r["name"] == said["library"]]
    if not any(is_near(said["share"], percent(r["self_share"]), ROUND) for r in rows):
        yield f"the table has {rows}"


def check_programs(run, said):
    rows = {r["name"]: r for r in run.report["programs"]}
    all_ns = sum(r["cpu_ns"] for r in run.report["programs"])
    named = re.findall(r"(\S+) \((\d+) % in (\d+) process", said["list"]) if "list" in said else [
        (said["program"], said["share"], said["n"])]
    for name, share, n in named:
        if name not in rows:
            yield f"no program is {name}"
        elif rows[name]["n_processes"] != int(n) or not is_near(float(share), percent(rows[name]["cpu_ns"] / all_ns), ROUND):
            yield f"the table has {rows[name]}"
    if "all" in said and said["all"] != len(run.report["processes"]):
        yield f"{len(run.report['processes'])} processes are in the table"
    if run.has_facts and any(p in named[0][0] for p in ("known",)):
        known = rows[named[0][0]]["cpu_ns"]
        if known < 0.8 * sum(t["cpu_ns"] for t in run.facts.threads):
            yield f"{run.facts.cpu_ns / 1e6} ms by its own account"


ACTIVITY_PLACES = {"allocating and freeing memory": ("allocate_some",), "copying, filling and comparing memory and text": ("copy_some",),
                   "system calls (the kernel's work for the program)": ("call_kernel", "touch_memory")}


ACTIVITIES = set(ACTIVITY_PLACES) | {
    "MPI (passing data, waiting for other ranks)", "OpenMP (threads that wait for others, or for work)", "linear algebra (BLAS, LAPACK)",
    "Fourier transforms", "mathematical functions", "locks and signals between threads",
    "threads that wait with their CPU (in a loop, sched_yield)", "exceptions (throwing, unwinding the stack, catching)",
    "a GPU's runtime (starting work there, waiting for it)", "importing modules (Python)",
    "reading, writing and formatting", "starting (loading libraries, mpirun, MPI_Init)", "starting (loading libraries)"}


def check_activity(run, said):
    row = [a for a in run.report["activities"] if a["title"] == said["activity"]]
    if not row or not is_near(said["share"], percent(row[0]["share"]), ROUND):
        yield f"the table has {row}"
    elif run.has_facts and said["activity"] in ACTIVITY_PLACES:
        truth = sum(run.facts.places[p] for p in ACTIVITY_PLACES[said["activity"]]) / run.facts.cpu_ns
        bar = 5 * percent(row[0]["share_error"]) + 5  # what a process takes beside its work is of no place
        if not is_near(said["share"], percent(truth), bar):
            yield f"{percent(truth):.1f} % by the program's own account (±{bar:.1f})"
    elif run.has_facts and said["share"] > percent(1 - sum(run.facts.places.values()) / run.facts.cpu_ns) + 5 * percent(
            row[0]["share_error"]) + 5:
        yield f"the program spent {run.facts.places} of {run.facts.cpu_ns} ns otherwise"


def check_ready(run, said):
    """The kernel's account of the threads that work, as they read it themselves."""
    least, most = run.ready_shares()
    if not percent(least) - READY <= said["ready"] <= percent(most) + READY:
        yield f"the kernel's account has {percent(least):.1f} to {percent(most):.1f} %"
    n = {len(run.workers(part)) for part in (0.07, 0.1, 0.14)}
    if "ready" in said and said.text.startswith("The program was") and 1 not in n:
        yield f"{n} threads worked, not one"
    if "k" in said and said["k"] not in n and run.has_facts:
        yield f"{n} threads worked, not {said['k']}"
    if "n" in said and said["n"] != run.n_cpus:
        yield f"the machine has {run.n_cpus} CPUs"
    if "others" in said:
        yield from check_others(run, said["others"])


def check_bound(run, said):
    yield from check_ready(run, said)
    if said["few"] != len(run.allowed) or len(run.allowed) == run.n_cpus:
        yield f"it may use {sorted(run.allowed)} of {run.n_cpus}"


def ready_s(run):
    return sum(t["ready_ns"] or 0 for t in run.workers(0.1)) / 1e9


def check_taken_beside(run, said):
    """Who was on the run's CPUs: others, where no thread of its own could be."""
    yield from check_bound(run, said)
    if " or " not in said["who"] and run.others_beside_s < 0.3 * ready_s(run):
        yield f"others had {run.others_beside_s:.2f} s on its CPUs, and it lacked {ready_s(run):.2f} s"


def check_too_many(run, said):
    yield from check_ready(run, said)
    if len(run.allowed) < run.n_cpus:
        yield f"it may use {sorted(run.allowed)} alone"
    if said["k"] <= run.n_cpus:
        yield "there are no more threads than CPUs"


def check_together(run, said):
    yield from check_ready(run, said)
    wanted = (run.cpu_s + sum(t["ready_ns"] or 0 for t in run.report["threads"]) / 1e9) / run.duration_s
    if said["there"] != len(run.allowed):
        yield f"it may use {len(run.allowed)}"
    if said["wanted"] > wanted + BUSY:
        yield f"the kernel's account has {wanted:.2f}"


def check_kept_by_others(run, said):
    yield from check_ready(run, said)
    if run.others_beside_s < 0.3 * ready_s(run):
        yield f"others had {run.others_beside_s:.2f} s on its CPUs, and it lacked {ready_s(run):.2f} s"


def check_idle(run, said):
    """CPUs that stood still on average, and threads that had none: if no others were there, none may be named."""
    yield from check_ready(run, said)
    idle = run.n_cpus - (sum(run.busy_s.values()) + run.stolen_s) / run.wall_s
    if not is_near(said["idle"], idle, BUSY + run.n_cpus * (1 - run.duration_s / run.wall_s)):
        yield f"{idle:.2f} CPUs were idle"
    if "other programs" in said.text and run.others_s < 0.1 * ready_s(run):
        yield f"others had {run.others_s:.2f} s of CPU time, and it lacked {ready_s(run):.2f} s"


def check_stolen(run, said):
    if said["share"] > percent(run.stolen_s / max(run.stolen_s + sum(run.busy_s.values()), 1e-9)) + 5:
        yield f"the host took {run.stolen_s:.2f} s"


def check_slept(run, said):
    computed = percent(run.cpu_s / said["time"])
    if not is_near(said["time"], run.duration_s, 0.02 * run.duration_s + 0.01) or said["time"] > run.wall_s + 0.01:
        yield f"the run took {run.wall_s:.3f} s"
    if said["share"] > computed + 1 or said["share"] > 50:
        yield f"it computed for {computed:.1f} % of that"
    if run.has_facts:
        what, _ = max(((k, v) for k, v in run.facts.waits.items() if k not in ("join", "child")), key=lambda kv: kv[1],
                      default=(None, 0))
        if what and WAIT_WORDS[what] not in said.text:
            yield f"it waited for a {what}, which is not named"
    if run.ready_shares()[0] > 0.15 and "CPU" not in said.text and not any("had no CPU" in text for _, text in run.said):
        yield "it lacked a CPU, too"


def check_balance(run, said):
    if run.has_facts:
        most = max(run.facts.threads, key=lambda t: t["cpu_ns"])
        n = sum(t["pid"] == most["pid"] for t in run.facts.threads)
        share = percent(most["cpu_ns"] / run.facts.cpu_ns)
        if said["n"] != n or not is_near(said["share"], share, 4):
            yield f"thread {most['tid']} of {n} did {share:.1f} %"
        second = sorted(t["cpu_ns"] for t in run.facts.threads if t["pid"] == most["pid"])[-2:][0]
        if said["tid"] != most["tid"] and second < 0.9 * most["cpu_ns"]:
            yield f"it was thread {most['tid']}"


def check_turns(run, said):
    used = run.cpu_s / run.duration_s
    if said["busy"] > used + BUSY:
        yield f"{used:.2f} CPUs were busy"
    if run.has_facts:
        what, _ = max(((k, v) for k, v in run.facts.waits.items() if k not in ("join", "child")), key=lambda kv: kv[1],
                      default=("no wait", 0))
        if what == "no wait" and "other programs" not in said.text:
            yield "it neither slept nor waited"
    if run.ready_shares()[0] > 0.15 and not any("had no CPU" in text for _, text in run.said):
        yield "it lacked a CPU, too"


def check_average(run, said):
    """The kernel's account has what evprof's run lacks at both ends (loading and linking), which one CPU does."""
    most = run.cpu_s / run.duration_s
    least = (run.cpu_s - max(0, run.wall_s - run.duration_s)) / run.duration_s
    slack = BUSY + 0.05 * most
    if not least - slack <= said["busy"] <= most + slack or said["n"] != run.n_cpus:
        yield f"{least:.2f} to {most:.2f} of {run.n_cpus} CPUs were busy"


def check_alone(run, said):
    """With at most n threads at a time CPU time bounds the share: C = a T + m (1 - a) T, m from 2 to n."""
    parallel = run.report["parallel"]
    most = max(len(parallel["times_s"]), 2)
    truth = parallel["times_s"][0] / sum(parallel["times_s"])
    if not is_near(said["share"], percent(truth), ROUND):
        yield f"the table has {percent(truth):.1f} %"
    if len(run.allowed) == 1:
        yield "with one CPU one thread runs at a time, whatever the program does"
    high = (most - run.cpu_s / run.wall_s) / (most - 1)
    if said["share"] > percent(high) + 10 and parallel["busy_s"] > 0.9 * run.wall_s:
        yield f"it can be {percent(high):.0f} % at most"
    if run.ready_shares()[0] > 0.1:
        yield "threads lacked CPUs: others may have been ready meanwhile"


def check_look(run, said):
    rows = [r for r in run.report["procedures"] if short(r["name"]) == short(said["name"])]
    if not rows:
        yield f"no procedure is {said['name']}"
        return
    if "saved" in said:
        yield from check_share_of(run, said["name"], said["saved"])
    else:
        yield from check_share_of(run, said["name"], said["cpu"])
        if not any(is_near(said["ran"], percent(r["self_latency_share"]), ROUND) for r in rows):
            yield f"the table has {percent(rows[0]['self_latency_share']):.1f} %"


def check_busy_for(run, said):
    caller = said["caller"]
    if run.has_facts and caller not in PLACES and caller not in ("spend", "read_clock", "now_ns", "sleep_some", "read_some", "lock_mutex", "fork_known", "wait_for_children", "main", "run_threads", "run_one"):
        yield f"{caller} is no procedure of the program's"


def check_callers(run, said):
    if not any(short(r["name"]) == short(said["name"]) for r in run.report["procedures"]):
        yield f"no procedure is {said['name']}"


def check_kernel(run, said):
    yield from check_kernel_share(run, said["share"])


def check_faults(run, said):
    n = run.n_minor_faults
    if not 0.7 * n <= said["faults"] <= 1.02 * n + 1000:
        yield f"the kernel counted {n} page faults"
    times = said["faults"] * 4096 / (run.peak_kib * 1024)
    if not 0.5 * times <= said["times"] <= 2 * times:
        yield f"it had {run.peak_kib} KiB at most, {times:.0f} times"
    if run.has_facts and "place" in said and said["place"] != "touch_memory":
        yield "it was touch_memory"


def check_outside(run, said):
    if run.name not in ("outside", "becomes"):
        yield "all of its programs are in the trace"
    else:
        least, most = 0.12 / run.cpu_s, 0.12 / (0.12 + run.report["run"]["cpu_ns"] / 1e9)  # with beginnings and ends, and without
        if not percent(least) - 15 <= said["share"] <= percent(most) + 10:
            yield f"it was {percent(least):.0f} to {percent(most):.0f} %"


def check_waited(run, said):
    """Waits that were noted, against the program's clock around each call: it is off its CPU for less than that."""
    if not any(option == "on" for option in run.options):
        yield "waits were not noted"
    walls = sum(t["wall_ns"] for t in run.facts.threads) if run.has_facts else 0
    if run.has_facts:
        late = sum(t["late_ns"] for t in run.facts.threads)
        share = percent(sum(run.facts.waits.values()) / (walls - late))
        if said["share"] > share + 3 + percent(run.beside):
            yield f"by the program's clock it was {share:.1f} %"
        yield from check_kind(run, said)
    if "what" in said and run.has_facts and said["what"] not in ("mutex", "barrier", "changed", "a pipe", "a socket"):
        yield f"there is no {said['what']}"


TITLE_OF_WAIT = {"mutex": "mutex", "condition": "condition", "barrier": "barrier", "join": "thread", "read": "data|read", "sleep": "time|sleep",
                 "child": "child|process"}


def check_kind(run, said):
    """The kind that is named is the one that has most time, or near to it."""
    fits = [k for k, words in TITLE_OF_WAIT.items() if re.search(words, said["kind"]) and k in run.facts.waits]
    if not fits:
        yield f"it never waited for {said['kind']}: {run.facts.waits}"
        return
    most = sum(run.facts.waits.values())
    if "part" in said and said["part"] > percent(sum(run.facts.waits[k] for k in fits) / most) + 10:
        yield f"of its waits {percent(sum(run.facts.waits[k] for k in fits) / most):.0f} % were such"


def check_lock(run, said):
    """Of time in which threads ran or waited for more than an end or a CPU."""
    if not any(option == "on" for option in run.options):
        yield "waits were not noted"
    if run.has_facts:
        threads, waits = run.facts.threads, run.facts.waits
        ready = sum(t["ready_ns"] for t in threads)
        all_ns = sum(t["wall_ns"] for t in threads) - waits["join"] - waits["child"]
        high = percent(waits["mutex"] / max(all_ns - ready, 1))
        if said["share"] > high + 3:
            yield f"by the program's clock it was {high:.1f} % at most"
        yield from check_kind(run, said)
        if "holder" in said and run.name == "slow_convoy" and "sleep" not in said["holder"] and "time" not in said["holder"]:
            yield "its holder sleeps"
        if "holder" in said and run.name == "convoy" and "computed" not in said["holder"]:
            yield "its holder computes"


def check_headers(run, said):
    """Procedures and their shares, which are parts of one whole."""
    if run.has_facts:
        yield "it has no code of headers"
    shares = [float(share) for share in re.findall(r" (\d+) %", said["list"])]
    if not shares or sum(shares) > 101 or shares != sorted(shares, reverse=True):
        yield f"they have {shares}"


def check_scripts(run, said):
    """Functions and their shares, which are parts of one whole."""
    if run.has_facts:
        yield "it has no script"
    shares = [float(share) for share in re.findall(r" (\d+) %(?=,| \(|$)", said["list"])]
    if not shares or sum(shares) > 101 or shares != sorted(shares, reverse=True):
        yield f"they have {shares}"


def check_openmp(run, _):
    if run.has_facts:
        yield "it has no OpenMP"


def check_ranks(run, _):
    if run.has_facts:
        yield "it has no ranks"


def check_guess(_run, _):
    yield "the kernel keeps account of threads without a CPU here: no guess is needed"


def nothing(_run, _said):
    return ()


READY_HEAD = "{The program was|The threads were} ready to run but had no CPU {about |}<ready> % of {its|their} time: "
BESIDES = "{other programs kept <others> of the {machine's|machines'} <n_> CPUs busy; besides, |}"
TRY = "{Try OMP_NUM_THREADS=<try1>|Try <try2> thread{s|} (OMP_NUM_THREADS, where OpenMP makes them)}"
HOLDER = "{, whose holder <holder~>|}"

ROWS = [
    ("<share> % of the CPU time went to programs that are not in this trace: Good to know says which those can be. What follows is about "
     "the rest.", check_outside),
    ("Threads that had something to do waited for locks for <share> % of their time{ (that without a CPU left out)|}, most for "
     "<kind~>{ (<what~>)|} in <name~>" + HOLDER + ". {Do less while it is held, or divide the data and give each part its own lock.|"
     "Python carries out the functions of one thread at a time: use processes (multiprocessing), or libraries that compute "
     "without this lock, as NumPy does.}", check_lock),
    ("Threads waited for <share> % of their time: <part> % of that for <kind~>{ (<what~>)|} in <name~>" + HOLDER + ".", check_waited),
    ("Threads slept for <share> % of their time in calls that are not noted. OpenMP's library lets its threads wait for each other by "
     "such calls, at barriers and at the ends of parallel regions{; its samples are most in <name~>|}.", check_openmp),
    ("<program~> took <share> % of the CPU time, in <n> of <all> processes.", check_programs),
    ("The programs that took most of the CPU time: <list~>.", check_programs),
    ("Of the rest most went to <list~>.", check_list),
    ("The CPU time is spread over <n> procedures: the largest {is|are} <list~>. See the table 'How it got there' for their callers.",
     check_spread),
    ("<share> % of the CPU time was spent in <runtime~>, <library~>, which carries out the program's own code.", check_library),
    ("<share> % of the CPU time was spent in a library, <library~>, not in the program's own code.", check_library),
    ("<share> % of the CPU time was spent in the kernel, for the program (system calls, page faults).{ evprof run --kernel shows which "
     "procedures cause it.|}", check_kernel),
    ("<share> % of the CPU time went to <activity~>{: <entries~>|}.{ Much of this time may be waiting for threads that had no CPU: see below.|<advice~>|}",
     check_activity, lambda said: said["activity"] in ACTIVITIES),
    ("<share> % of the CPU time went to <list~> %).", check_sum),
    ("Together with library code that is compiled into them (from headers), the program's own procedures take: <list~>.", check_headers),
    ("The script's own functions took, each with the interpreter's and libraries' code that it calls: <list~>.", check_scripts),
    ("<share> % of the CPU time went to <name~>{, mostly for <user~>|}{, {nearly all|most} of it in the loop at <loop~>|}"
     "{, which goes through memory one element after the other|, which goes through memory in strides|"
     ", which goes through memory by a step that is a variable: in strides, unless the step is one element|"
     ", which loads from addresses that other data give (a gather)|"
     ", which needs each loaded value to know where the next one is|}.", check_one),
    ("Rank <rank~> computes longest: <own> s outside of MPI, <times> times the mean of the <n> ranks. <why~>", check_ranks),
    ("The <n> ranks compute about equally long (<mean> s outside of MPI; the longest <most> s): they do not wait for uneven work."
     "{ Fewer and larger messages, and a CPU for each rank, reduce it.|}", check_ranks),
    ("Rank <rank~> computes no longer than the others but is done later: <why~>", check_ranks),
    (READY_HEAD + "the CPU limit of the run's container or batch job stopped it in <share> % of the scheduler's periods. {" + TRY +
     ", or a higher limit|A higher limit makes it quicker}.", check_ready),
    (READY_HEAD + "<k> threads share <few> of the {machine's|machines'} <n> CPUs, to which the process is bound (by taskset, mpirun "
     "--bind-to, a batch system or a container's limit). " + TRY + ", or give it more CPUs.", check_bound),
    (READY_HEAD + BESIDES + "<k> threads share the {machine's|machines'} <n> CPUs.{ They wait for each other, and each wait lasts until "
     "others had their turn.|} {" + TRY + "{ for each of <ranks> ranks|}|Try no more than <max> rank{s|}{, or give them more CPUs|}}.",
     check_too_many),
    (READY_HEAD + BESIDES + "<k> threads share <few> of the {machine's|machines'} <n> CPUs, to which all ranks are bound (mpirun "
     "--report-bindings shows it).<rest~>.", check_ranks),
    (READY_HEAD + BESIDES + "together they had work for <wanted> CPUs on average, and there {is|are} <there>.", check_together),
    (READY_HEAD + "<idle> of the machine's <n> CPUs were idle on average, so <who~> wanted the same ones at the same moments: work comes "
     "in bursts, or threads are bound to CPUs (OMP_PLACES, sched_setaffinity).", check_idle),
    (READY_HEAD + "{it|they} and other programs (<others> of the machine's <n> CPUs) wanted the CPUs at the same moments.", check_ready),
    (READY_HEAD + "other programs kept <others> of the machine's <n> CPUs busy.", check_kept_by_others),
    (READY_HEAD + "other programs used the CPUs, or {it|they} wanted the same ones at the same moments.", check_ready),
    (READY_HEAD + "the rest of the run or other programs used the CPUs.", check_ready),
    (READY_HEAD + "<who~> ran on the <few> of the {machine's|machines'} <n> CPUs to which it is bound (by taskset, mpirun --bind-to, a "
     "batch system or a container's limit).{ mpirun --report-bindings shows where ranks run.|}", check_taken_beside),
    ("<n> threads share <few> of the {machine's|machines'} <all> CPUs: the process is bound to {it|them} (by taskset, mpirun --bind-to, a "
     "batch system or a container's limit).", check_guess),
    ("<n> threads shared the {machine's|machines'} <all> CPUs and waited for each other: each wait lasts until others had their turn. Try "
     "fewer (OMP_NUM_THREADS{, or ranks|}).", check_guess),
    ("For most of its <time> s {the program|what is shown} slept, or waited (for data, {a lock, |}another program{ or a user|, a user or a "
     "free CPU}): computing took <share> % of that time. What it waits for matters more than its procedures.", check_slept),
    ("One of <n> threads (<name~> <tid>) did <share> % of the work: more CPUs help only when it is spread more evenly.", check_balance),
    ("<n> threads shared the work, but together kept only <busy> CPUs busy: {either |}{other programs used the CPUs (a load of <load> on "
     "<cpus> CPUs in the minute before), or |}they slept, or waited for data, a lock (python's GIL is one) or each other{, or other "
     "programs used the CPUs|}.", check_turns),
    ("On average <busy> of the {machine's|machines'} <n> CPUs were busy with it.", check_average),
    ("For <share> % of the time in which threads ran, one ran alone{, <points> points of that in <name~>|}: more CPUs do not shorten that "
     "part.", check_alone),
    ("Look first at <name~>{, which works mostly for <user~>|, line <line~>|}: {at most <saved> % can be saved there|<ran> % of the "
     "time in which threads ran is there "
     "(<cpu> % of the CPU time)}{, <total> % with what it calls|}.", check_look),
    ("<name~> is code of <library~>, called by a script in <language~>.", check_callers),
    ("<name~> is code of <library~>; <part> % of its time is spent for <caller~>: look there first.", check_busy_for),
    ("<name~> is code of <library~>. See the table 'How it got there' for its callers; evreport --callers shows the share of each.", check_callers),
    ("<part> % of the time of <name~> is spent for <caller~>: look there first.", check_busy_for),
    ("<program~> got memory from the kernel again and again, in <faults> page faults{, most of them in <place~>|}, <times> times the most "
     "that it had at once, and the kernel clears each page first. Allocate memory once and keep it for the next iteration; where malloc "
     "gives it back, "
     "MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ keep it.", check_faults),
    ("Code made at run time has no names here: Good to know says how it gets them.", nothing),
    ("The host of this virtual machine gave <share> % of its CPU time to others (steal): on CPUs of its own the run is quicker."
     "{ <charged> s of it are in the run's CPU time, and in no share below.|}", check_stolen),
    # from phases and advice
    ("The run has <n> phases of <kinds> kinds{ (<which~>)|}: evreport phases tells more, --phase N shows one alone.", nothing),
    ("What <name~> counted is mixed with what took turns with it within the same slices: why it takes its time cannot be said. A shorter "
     "evprof run --period tells longer turns apart.", nothing),
    ("<name~> takes <cycles> cycles for an instruction<rest~>", nothing),
]
