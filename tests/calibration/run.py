#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The calibration's loop: evcal measure, derive, evprof run -m derived-..., evreport metrics, evcal check.

run.py EVCAL EVPROF EVREPORT BRANCHING: prints TAP. Nothing here measures time: counts are callgrind's, or
a table's rows.
"""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

EVCAL, EVPROF, EVREPORT, BRANCHING = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])
N_BRANCHES = 1000000
MODEL = "derived-branch"


class Failure(Exception):
    """A test's expectation that did not hold, with what was found."""


class Skipped(Exception):
    """The reason for which a test cannot run here."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


class Loop:
    """A user's folders: measurements, formulas where evprof looks for them, a trace."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.formulas = self.folder / "data/evprof/formulas"
        self.formulas.parent.mkdir(parents=True)
        self.env = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data")}
        for name in [name for name in self.env if name.startswith("EVPROF_") and name != "EVPROF_KEEP"]:
            del self.env[name]

    def call(self, *command, status=0):
        done = subprocess.run(command, cwd=self.folder, env=self.env, text=True, timeout=250,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        expect(done.returncode == status,
               f"{' '.join(command)}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def calibrate(self, source):
        self.call(EVCAL, "measure", "--source", source, "-k", "branch", "-r", "2", "-o", "cal")
        self.call(EVCAL, "derive", "-o", str(self.formulas), "cal")

    def record(self, source, *options):
        self.call(EVPROF, "run", "--source", source, "-m", MODEL, "-q", *options, "--", BRANCHING,
                  str(N_BRANCHES))

    def metrics(self, *options):
        """{(scope, metric): value}"""
        text = self.call(EVREPORT, "metrics", "-m", MODEL, "--format", "csv", *options, "trace.gz")
        return {(row["scope"], row["metric"]): float(row["value"])
                for row in csv.DictReader(text.splitlines()) if row["value"]}

    def verdicts(self):
        """{event or metric: verdict}"""
        lines = self.call(EVCAL, "check", str(self.formulas / "branch.formula"), "cal").splitlines()
        table = [line.split("  ") for line in lines if line and "verdict" not in line]
        return {words[0]: next(word.strip() for word in words[1:] if word) for words in table}


def by_valgrind(loop):
    """Simulated counts on any machine: known work has the branches that it has."""
    if not shutil.which("valgrind"):
        raise Skipped("valgrind is not installed")
    loop.calibrate("valgrind")
    loop.record("valgrind")
    values = loop.metrics("--by", "procedure", "--top", "0")
    retired = {scope: value for (scope, name), value in values.items()
               if name == "conditional_branches_retired" and "branch_so_often" in scope}
    expect(list(retired.values()) == [N_BRANCHES], f"{N_BRANCHES} branches, found {retired}")
    total = {name: value for (_, name), value in loop.metrics().items()}
    expect(total["conditional_branches_retired"] == total["mispredicted_branches"] +
           total["correctly_predicted_branches"], total)
    expect(total["mispredicted_branches"] > 0, total)
    verdicts = loop.verdicts()
    expect(set(verdicts.values()) == {"confirmed"} and len(verdicts) == 5, verdicts)


RESPONSES = """event,CE,CR,T,D,M
BR_INST_RETIRED:COND,0,1,0,0,0
BR_INST_RETIRED:COND_TAKEN,0,0,1,0,0
BR_INST_RETIRED:ALL_BRANCHES,0,1,0,1,0
BR_MISP_RETIRED:COND,0,0,0,0,1
INST_RETIRED:ANY_P,0,7,3,2,11
"""
COLUMNS = {"CPU_CLK_UNHALTED:THREAD_P": 1000, "INST_RETIRED:ANY_P": 2000, "BR_INST_RETIRED:COND": 100,
           "BR_INST_RETIRED:COND_TAKEN": 60, "BR_INST_RETIRED:ALL_BRANCHES": 130, "BR_MISP_RETIRED:COND": 5}
# What the metrics are in each row.
EXPECTED = {"unconditional_branches": 30, "conditional_branches_taken": 60, "conditional_branches_not_taken": 40,
            "mispredicted_branches": 5, "correctly_predicted_branches": 95, "conditional_branches_retired": 100}


def by_simulated_sapphire_rapids(loop):
    """Events that evprof's own table of the CPU lacks go through plan, run and report."""
    (loop.folder / "responses.csv").write_text(RESPONSES)
    rows = [",".join(COLUMNS)] + [",".join(str(count) for count in COLUMNS.values())] * 2000
    (loop.folder / "pmu.csv").write_text("\n".join(rows) + "\n")
    loop.calibrate("sim:responses.csv,cpuid=GenuineIntel-6-8F-8")
    plan = loop.call(EVPROF, "plan", "--cpu", "spr", MODEL)
    expect("6 events in 1 group of 8 general counters (Sapphire Rapids)" in plan, plan)
    expect("not in the event table of spr" in plan and "BR_INST_RETIRED:COND_TAKEN" in plan, plan)
    loop.record("sim:pmu.csv,counters=8,cpuid=GenuineIntel-6-8F-8", "--period", "1ms")
    values = {name: value for (_, name), value in loop.metrics().items()}
    n_rows = values["conditional_branches_retired"] / EXPECTED["conditional_branches_retired"]
    expect(n_rows >= 1 and n_rows == int(n_rows), values)
    expect(values == {name: n_rows * value for name, value in EXPECTED.items()}, values)
    verdicts = loop.verdicts()
    expect(set(verdicts.values()) == {"confirmed"} and len(verdicts) == 10, verdicts)


# Counts of each row, in which every latency has another weight.
ACCESSES = {"CPU_CLK_UNHALTED:THREAD_P": 4000, "INST_RETIRED:ANY_P": 1000, "MEM_INST_RETIRED:ALL_LOADS": 300,
            "MEM_INST_RETIRED:ALL_STORES": 100, "BR_INST_RETIRED:ALL_BRANCHES": 50,
            "BR_MISP_RETIRED:ALL_BRANCHES": 2}
SHIPPED_L1 = 5
LATENCIES = """point,ns_per_access,cycles_per_access
stride64_L1_0,1.5,4.4
stride64_L1_1,1.5,4.5
stride64_L1_2,1.5,9.0
stride64_L2_0,5,15.5
stride64_MM_0,40,120
stride64_MM_1,80,240
stride64_MM_2,100,300
stride128_MM_2,110,330
"""


def write_chases(loop):
    """A measurement of another machine's, whose latencies are known."""
    folder = loop.folder / "cal/dcache-reads"
    folder.mkdir(parents=True)
    (folder / "events.csv").write_text("event,rep,thread,stride64_L1_0,stride64_L2_0\nE,0,0,0,1\nE,1,0,0,1\n")
    (folder / "basis.csv").write_text("point,hit,miss\nstride64_L1_0,1,0\nstride64_L2_0,0,1\n")
    (folder / "signatures.csv").write_text("metric,hit,miss\nMisses.,0,1\n")
    (folder / "params.json").write_text('{"cpu_key": "GenuineIntel-6-8F", "date": "2026-01-02"}')
    (folder / "latencies.csv").write_text(LATENCIES)


def by_measured_latencies(loop):
    """LCPI with the latencies of the user's machine; --param still wins, and each says where it is from."""
    write_chases(loop)
    rows = [",".join(ACCESSES)] + [",".join(str(count) for count in ACCESSES.values())] * 2000
    (loop.folder / "pmu.csv").write_text("\n".join(rows) + "\n")
    loop.call(EVPROF, "run", "-q", "--source", "sim:pmu.csv,counters=8,cpuid=GenuineIntel-6-8F-8",
              "-e", ",".join(ACCESSES), "--period", "1ms", "--", BRANCHING, str(N_BRANCHES))

    def hits(*options):
        text = loop.call(EVREPORT, "metrics", "-m", "lcpi", "--format", "csv", *options, "trace.gz")
        values = {row["metric"]: row["value"] for row in csv.DictReader(text.splitlines())}
        return round(float(values["data_accesses.L1_hits"]), 6)

    accesses = .4
    expect(hits() == round(SHIPPED_L1 * accesses, 6), f"shipped: {hits()}")
    loop.call(EVCAL, "derive", "-o", str(loop.formulas), "cal")
    expect(hits() == round(4.5 * accesses, 6), f"the median of three points: {hits()}")
    expect(hits("--param", "L1_dlat=7") == round(7 * accesses, 6), "--param does not win")
    tree = loop.call(EVREPORT, "metrics", "-m", "lcpi", "trace.gz")
    words = "L1_dlat 4.5, L2_lat 15.5, mem_lat 315: measured by evcal on GenuineIntel-6-8F, 2026-01-02"
    expect(words in tree, tree)
    tree = loop.call(EVREPORT, "metrics", "-m", "lcpi", "--param", "mem_lat=9", "trace.gz")
    expect("L2_lat 15.5: measured by evcal" in tree, tree)
    why = loop.call(EVREPORT, "metrics", "-m", "lcpi", "--explain", "data_accesses.L1_hits", "trace.gz")
    expect("source: measured by evcal on GenuineIntel-6-8F, 2026-01-02" in why, why)
    advice = " ".join(loop.call(EVREPORT, "advise", "trace.gz").split())
    expect(words in advice, advice)


def names_of_nobody(loop):
    """A slip in a formula is told before the run, where somebody knows the CPU's events."""
    if not shutil.which("valgrind"):
        raise Skipped("valgrind is not installed")
    loop.formulas.mkdir()
    (loop.formulas / "slip.formula").write_text(
        "evprof-formula 1\n[model]\nname = slip\nserves = valgrind\n[metric a]\nexpr = conditional\\-brunches\n")
    done = subprocess.run([EVPROF, "run", "--source", "valgrind", "-m", "slip", "--", "true"], cwd=loop.folder,
                          env=loop.env, text=True, capture_output=True, check=False)
    expect("conditional-brunches is not in the event table of valgrind" in done.stderr, done.stderr)


def main():
    tests = [by_valgrind, by_simulated_sapphire_rapids, by_measured_latencies, names_of_nobody]
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix="evprof-loop-") as folder:
            try:
                test(Loop(folder))
                print(f"ok {number} - {test.__name__}")
            except Skipped as reason:
                print(f"ok {number} - {test.__name__} # SKIP {reason}")
            except (Failure, subprocess.TimeoutExpired) as failure:
                print(f"not ok {number} - {test.__name__}")
                print("# " + str(failure).replace("\n", "\n# "))


if __name__ == "__main__":
    main()
