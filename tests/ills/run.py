#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Known ills and their repairs on a machine without a PMU: evprof names the right loop (the one that a comment of the source
marks), the right cause and a sensible remedy, finds the repaired program better, and the gate lets it pass. What only a PMU's
events show is held on the PMU that counted.c drives. run.py EVPROF EVREPORT ILLS COUNTED STALLS: prints TAP.

Counts and orders are held, not times: a program is made longer until it has enough samples, and CPU times are compared where
the repair makes them several times less. The gate's limit is wide, since at a narrow one 1 of 20 fails by chance.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from loop_marks import is_at  # noqa: E402

SOURCE, COUNTED = (os.path.join(HERE, name) for name in ("ills.c", "counted.c"))
SAMPLES = 40  # with 20 the report has sentences on shares
MOST_TIMES = 64
N_RUNS = 2  # of a side, as the gate asks for
PROCESSOR = os.uname().machine
UNSEEN = "The simulated machine does not know"
failed = number = 0


def check(name, holds, seen=""):
    global failed, number
    number += 1
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {number} - {name}", flush=True)
    if not holds:
        print(f"# {seen!s:.900}")


class Ill:
    """Runs of one ill and of its repair."""

    def __init__(self, tools, folder, name, *options):
        self.evprof, self.evreport, self.program = tools[:3]
        self.folder, self.name, self.options, self.times = folder, name, options, 1

    def trace(self, version, run=0):
        return os.path.join(self.folder, f"{self.name}.{version}.{run}.gz")

    def record(self, version, run=0):
        env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_")}
        subprocess.run([self.evprof, "run", "-q", *self.options, "-o", self.trace(version, run), "--", self.program, self.name,
                        version, str(self.times)], env=env, check=True, timeout=300)

    def record_all(self):
        self.record("ill")
        while self.report()["run"]["n_samples"] < SAMPLES and self.times < MOST_TIMES:
            self.times *= 2
            self.record("ill")
        for run in range(N_RUNS):
            if run:
                self.record("ill", run)
            self.record("repaired", run)

    def ask(self, command, *arguments, **options):
        done = subprocess.run([self.evreport, *command.split(), *arguments], stdout=subprocess.PIPE, timeout=120,
                              env=os.environ | {"COLUMNS": "1000"}, check=True, **options)
        return done.stdout.decode(errors="replace")

    def report(self, version="ill"):
        return json.loads(self.ask("-f json --top 0", self.trace(version)))

    def sides(self):
        return [*(self.trace("ill", run) for run in range(N_RUNS)), "--", *(self.trace("repaired", run) for run in range(N_RUNS))]

    def compare(self):
        done = subprocess.run([self.evreport, "compare", "-f", "json", "--fail-above", "100%", *self.sides()],
                              stdout=subprocess.PIPE, timeout=120, check=False)
        check(f"{self.name}: the gate is green", done.returncode == 0, done.stdout.decode(errors="replace"))
        return json.loads(done.stdout)

    def check_procedure(self, procedure, loop):
        """loop is what the comment says; without capstone there are no loops."""
        first = self.report()["procedures"][0]["name"]
        check(f"{self.name}: the procedure is {procedure}", first == procedure, first)
        loops = self.loops("ill")
        check(f"{self.name}: the loop is the marked one", loops is None or is_at(loops[0], SOURCE, loop), loops)

    def loops(self, version):
        """None: evreport was built without capstone."""
        done = subprocess.run([self.evreport, "-f", "json", "--top", "0", "--by", "loop", self.trace(version)], capture_output=True,
                              timeout=120, check=False)
        return None if b"capstone" in done.stderr else json.loads(done.stdout)["loops"]

    def check_sentence(self, what, *parts):
        said = self.report()["in_short"]
        check(f"{self.name}: {what}", any(all(p in s for p in parts) for s in said), said)
        repaired = self.report("repaired")["in_short"]
        check(f"{self.name}: not of the repaired one", not any(all(p in s for p in parts) for s in repaired), repaired)


def check_uneven(ill):
    """Of a program that hardly gets a CPU In short may tell that alone: the table of threads is always there."""
    report = ill.report()
    run, busiest = report["run"], report["threads"][0]
    check("imbalance: one thread has most of the time", busiest["cpu_ns"] > 0.75 * run["cpu_ns"], report["threads"])
    lacks_cpus = run["ready_ns"] > 0.2 * (run["ready_ns"] + run["cpu_ns"])
    says = any("One of" in s and "more evenly" in s for s in report["in_short"])
    check("imbalance: In short says so, or that there was no CPU", says or lacks_cpus, report["in_short"])
    repaired = ill.report("repaired")["in_short"]
    check("imbalance: not of the repaired one", not any("more evenly" in s for s in repaired), repaired)


def check_imbalance(tools, folder):
    ill = Ill(tools, folder, "imbalance")
    ill.record_all()
    ill.check_procedure("do_share", "share")
    check_uneven(ill)
    change = ill.compare()
    check("imbalance: In short says that work is spread more evenly",
          any("spread more evenly over the threads" in s for s in change["in_short"]), change["in_short"])
    shares = [change[side]["busiest_thread_s"] / change[side]["cpu_s"] for side in ("before", "after")]
    check("imbalance: the busiest thread has less of the work", shares[1] < shares[0] and shares[0] > 0.75, shares)


def check_convoy(tools, folder):
    ill = Ill(tools, folder, "lock_convoy", "--waits", "on")
    ill.record_all()
    ill.check_procedure("do_share", "share")
    loops = ill.loops("ill")
    around = loops and max((row for row in loops if is_at(row, SOURCE, "lock_convoy")), key=lambda row: row["total_ns"], default=None)
    check("lock_convoy: all of it in the loop that locks", loops is None or around and around["total_ns"] > 0.8 * loops[0]["self_ns"], loops)
    ill.check_sentence("threads wait for the lock", "waited for locks", "a mutex (lock) in add_shares", "Do less while it is held")
    change = ill.compare()
    check("lock_convoy: less waiting for locks", change["after"]["locks_s"] < change["before"]["locks_s"] / 2, change["after"])


def check_faulting_loop(ill):
    """Most time of the loops is the kernel's, which gives pages, in the one that touches them."""
    loops = ill.loops("ill")
    own = loops and [row for row in loops if row["name"].startswith("loop at ills.c")]
    check("page_faults: the loop is the marked one", loops is None or own and is_at(own[0], SOURCE, "page_faults"), loops)


def check_faults(tools, folder):
    ill = Ill(tools, folder, "page_faults")
    ill.record_all()
    check_faulting_loop(ill)
    ill.check_sentence("memory comes anew", "got memory from the kernel again and again", "keep it for the next iteration")
    change = ill.compare()
    faults = next(e for e in change["events"] if e["name"] == "minor-faults")
    check("page_faults: repaired, there are few", faults["after"] < faults["before"] / 20, faults)
    check("page_faults: repaired, it takes less", change["after"]["cpu_s"] < change["before"]["cpu_s"] / 2, change["after"])


def inner_loop(ill, version):
    loops = json.loads(ill.ask("annotate -f json", "divide_down", ill.trace(version)))["loops"]
    return max(loops, key=lambda loop: loop["self_ns"])


def check_divisions(tools, folder):
    ill = Ill(tools, folder, "divide_chain")
    ill.record_all()
    ill.check_procedure("divide_down", "divide_chain")
    loops = [inner_loop(ill, version) for version in ("ill", "repaired")]
    check("divide_chain: the loop divides, the repaired one does not", [l["mix"]["divide"] for l in loops] == [1, 0], loops)
    text = ill.ask("annotate", "divide_down", ill.trace("ill"))
    check("divide_chain: multiply by the reciprocal", "a floating-point divisor stays the same, compute its reciprocal once and multiply" in text, text)
    check("divide_chain: one instruction is told as one", "its floating-point instruction computes one number" in text, text)
    if shutil.which("llvm-mca") and all(l["bound"] for l in loops):
        check("divide_chain: a turn waits for the one before", loops[0]["bound"]["limit"] == "chain", loops[0]["bound"])
        check("divide_chain: a repaired turn takes half and less",
              2 * loops[1]["bound"]["cycles"] <= loops[0]["bound"]["cycles"], loops)
    change = ill.compare()
    check("divide_chain: repaired, it takes less", change["after"]["cpu_s"] < change["before"]["cpu_s"], change)


def advised(ill, by="procedure"):
    """None: evreport was built without capstone, and has no loops."""
    if by == "loop" and ill.loops("ill") is None:
        return None
    return json.loads(ill.ask(f"advise -m 5 -b {by} -f json", ill.trace("ill")))["procedures"][0]


def check_gather(tools, folder):
    ill = Ill(tools, folder, "gather", "--source", "valgrind")
    for version in "ill", "repaired":
        ill.record(version)
    first = advised(ill)
    worst = max((c for c in first["categories"] if c["cycles_per_instruction"]), key=lambda c: c["cycles_per_instruction"])
    check("gather: the procedure is sum_indexed", first["name"] == "sum_indexed", first)
    loop = advised(ill, "loop")
    check("gather: the loop is the marked one", loop is None or is_at(loop, SOURCE, "gather"), loop)
    check("gather: its remedy is the same", loop is None or "Order the work items" in loop["remedies"][0]["remedy"], loop)
    check("gather: its worst are data accesses", worst["name"] == "data accesses", worst)
    check("gather: order the items, or fetch ahead", "Order the work items" in first["remedies"][0]["remedy"], first["remedies"])
    change = subprocess.run([ill.evreport, "compare", "-f", "json", "--fail-above", "100%", ill.trace("ill"), ill.trace("repaired")],
                            stdout=subprocess.PIPE, timeout=120, check=False)
    row = next(r for r in json.loads(change.stdout)["rows"] if r["name"] == "sum_indexed")
    check("gather: the gate is green", change.returncode == 0, change.stdout)
    check("gather: repaired, it takes half and less", 2 * row["after_s"] < row["before_s"], row)


def check_unseen(tools, folder, name, procedure):
    """The simulator does not see it: evprof says so, and gives no remedy for something else."""
    ill = Ill(tools, folder, name, "--source", "valgrind")
    ill.record("ill")
    first = advised(ill)
    check(f"{name}: the procedure is {procedure}", first["name"] == procedure, first)
    loop = advised(ill, "loop")
    check(f"{name}: the loop is the marked one", loop is None or is_at(loop, SOURCE, name), loop)
    check(f"{name}: no remedy for another ill", not first["remedies"], first["remedies"])
    check(f"{name}: the simulator does not see it", any(UNSEEN in s for s in ill.report()["in_short"]), ill.report()["in_short"])


def check_repaired(tools, folder, name, procedure):
    """Whether this machine has the ill, and how much of it, is not ours: the loop and the gate hold where it has none, too."""
    ill = Ill(tools, folder, name)
    ill.record_all()
    ill.check_procedure(procedure, name)
    ill.compare()


def check_blocked(tools, folder):
    """The loop's code shows it: two narrow stores, then a load of both."""
    ill = Ill(tools, folder, "store_to_load")
    ill.record_all()
    ill.check_procedure("join_halves", "store_to_load")
    loops = [json.loads(ill.ask("annotate -f json", "join_halves", ill.trace(version)))["loops"] for version in ("ill", "repaired")]
    said = "waits until they are in the cache"
    texts = [ill.ask("annotate", "join_halves", ill.trace(version)) for version in ("ill", "repaired")]
    if loops[0] and PROCESSOR == "x86_64":
        hottest = max(loops[0], key=lambda loop: loop["self_ns"])
        check("store_to_load: a load of the loop waits for stores", hottest["blocked_loads"] == 1, loops)
        check("store_to_load: join the parts in a register", said in texts[0] and "Join the parts in a register" in texts[0], texts[0])
    change = ill.compare()
    check("store_to_load: repaired, it takes less", change["after"]["cpu_s"] < change["before"]["cpu_s"], change)


class Counted(Ill):
    """An ill on the PMU that its program drives: what a CPU's counters would have is known exactly."""

    def __init__(self, tools, folder, name):
        super().__init__((*tools[:2], tools[3]), folder, name, "--source", "program", "--events", "e0,e1,e2,e3,e4", "--period", "200us",
                         "--ticks", "events")
        self.model = tools[4]

    def record(self, version, run=0):
        env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_")}
        subprocess.run([self.evprof, "run", "-q", *self.options, "-o", self.trace(version, run), "--", self.program, self.name, version],
                       env=env, check=True, timeout=300)

    def metric(self, version, metric):
        """By loop, or by procedure without capstone: {name: (value, bar beyond which one of a million is)}, of those with time."""
        by = "procedure" if self.loops(version) is None else "loop"
        scopes = json.loads(self.ask(f"metrics -f json --top 0 -b {by} -m {self.model}", self.trace(version)))
        return {scope["scope"]: (m["value"], 2.5 * 1.96 * m["standard_error"]) for scope in scopes for m in scope["metrics"]
                if m["metric"] == metric and m["status"] == "ok" and scope["scope"] != "run"}


def check_counted(tools, folder, name, procedure, metric, least):
    """The metric is the ill loop's alone, and not of the one beside it, nor of the repaired one."""
    ill = Counted(tools, folder, name)
    ill.record("ill")
    ill.record("repaired")
    values = ill.metric("ill", metric)
    worst = max(values, key=values.get, default="")
    near = 0.03 * least
    check(f"{name}: {metric} is most of the marked loop", procedure == worst or is_at({"name": worst}, COUNTED, name), values)
    check(f"{name}: and is as much as was counted", values and abs(values[worst][0] - least) < max(near, values[worst][1]), (values, least))
    well = [pair for scope, pair in values.items() if "be_well" in scope]
    check(f"{name}: the loop beside it has none", well and all(value <= max(near, bar) for value, bar in well), values)
    repaired = ill.metric("repaired", metric)
    check(f"{name}: repaired, there is none", repaired and max(repaired.values())[0] == 0, repaired)


def main():
    tools = sys.argv[1:6]
    with tempfile.TemporaryDirectory() as folder:
        check_imbalance(tools, folder)
        check_convoy(tools, folder)
        check_faults(tools, folder)
        check_divisions(tools, folder)
        check_blocked(tools, folder)
        check_repaired(tools, folder, "false_sharing", "count_up")
        check_repaired(tools, folder, "denormals", "damp")
        check_counted(tools, folder, "store_to_load", "join_halves", "Blocked_Loads", 13 / 20)
        check_counted(tools, folder, "false_sharing", "count_up", "Contested_Loads", 1000 / 8)
        check_counted(tools, folder, "denormals", "damp", "Floating_Point_Assists", 1000 / 8)
        if shutil.which("valgrind"):
            check_gather(tools, folder)
            check_unseen(tools, folder, "false_sharing", "count_up")
            check_unseen(tools, folder, "denormals", "damp")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
