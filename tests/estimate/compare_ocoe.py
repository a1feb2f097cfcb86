#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""evreport compare-ocoe and export-training --pair, end to end on a simulated PMU.

compare_ocoe.py EVPROF EVREPORT TABLES prints TAP.
The same table is played with four counters and with as many as there are events. What compare-ocoe says of the two
traces must be what `evreport accuracy` says of the table, for both look at the same counts.
"""

import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

EVPROF, EVREPORT, TABLES = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
TABLE = f"{TABLES}/sqlite3-06.csv.gz"
ALWAYS = ["CYCLES", "INSTR"]
FIGURES = ["ra", "ra_100", "total_error", "dtw", "covered", "total_covered"]
# More CPU time than the table has slices of 1 ms; what comes after its last row is not counted.
WORK = "import time\nwhile time.process_time() < 1.2: sum(range(20000))"


def evreport(*arguments, status=0):
    run = subprocess.run([EVREPORT, *map(str, arguments)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=100)
    expect(run.returncode == status, f"exit status {run.returncode}: {run.stderr}")
    return run


def rows_of(text, **wanted):
    rows = csv.DictReader(text.splitlines())
    return {row["event"]: row for row in rows if all(row[k] == v for k, v in wanted.items())}


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


class Runs:
    """A folder with the traces that the tests share."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        with gzip.open(TABLE, "rt") as table:
            self.lines = table.read().splitlines()
        self.events = self.lines[0].split(",")
        self.mpx = self.record("mpx", TABLE, 4)
        self.ocoe = self.record("ocoe", TABLE, 32)

    def record(self, name, table, n_counters, events=None, period="1ms"):
        trace = self.folder / f"{name}.gz"
        options = ["-q", "-s", f"sim:{table},counters={n_counters}", "-p", period, "-o", trace]
        options += ["-e", ",".join(events)] if events else []
        subprocess.run([EVPROF, "run", *options, "--", sys.executable, "-S", "-c", WORK], check=True, timeout=100)
        return trace


def compare(*traces, estimator="linear"):
    return evreport("compare-ocoe", *traces, "--estimator", estimator, "--format", "csv")


def expect_same(got, expected, figures):
    for event, row in expected.items():
        for figure in figures:
            expect(got[event][figure] == row[figure],
                   f"{event} {figure} is {got[event][figure]}, of the table {row[figure]}")


def test_is_what_accuracy_says_of_the_table(runs):
    for estimator in "linear", "auto":
        truth = rows_of(evreport("accuracy", TABLE, "--estimator", estimator, "--format", "csv").stdout)
        text = compare(runs.mpx, runs.ocoe, estimator=estimator).stdout
        expect(len(truth) == 13, f"{len(truth)} events")
        for aligned in "step", "dtw":
            expect_same(rows_of(text, aligned=aligned), truth, FIGURES)


def test_the_text_says_what_its_columns_are(runs):
    lines = evreport("accuracy", TABLE, "--estimator", "linear").stdout.splitlines()
    legend = " ".join(lines[lines.index("") + 1:])
    for column in "RA:", "RA>=100:", "total:", "DTW:", "covered:":
        expect(column in legend, f"{column} is not in: {legend}")


def test_several_traces_cover_different_events(runs):
    first = runs.record("first", TABLE, 32, ALWAYS + runs.events[2:9])
    second = runs.record("second", TABLE, 32, ALWAYS + runs.events[9:14])
    whole = rows_of(compare(runs.mpx, runs.ocoe).stdout, aligned="dtw")
    run = compare(runs.mpx, first, second)
    got = rows_of(run.stdout, aligned="dtw")
    expect(set(whole) - set(got) == {"STALL"}, f"compared: {sorted(got)}")
    expect("STALL: no OCOE trace counted it in every slice" in run.stderr, run.stderr)
    del whole["STALL"]
    expect_same(got, whole, FIGURES)


def test_a_run_that_begins_later_is_aligned_by_dtw(runs):
    table = runs.folder / "later.csv"
    table.write_text("\n".join([runs.lines[0], *runs.lines[11:]]) + "\n")
    text = compare(runs.record("later", table, 4), runs.ocoe).stdout
    step, dtw = (rows_of(text, aligned=aligned) for aligned in ("step", "dtw"))
    truth = rows_of(evreport("accuracy", table, "--estimator", "linear", "--format", "csv").stdout)
    for event in "L1D_LOADS", "STALL", "BR_COND":
        near, far, own = (float(rows[event]["ra"]) for rows in (dtw, step, truth))
        expect(abs(near - own) < 0.02, f"{event}: {near} by DTW, {own} against its own counts")
        expect(far < near - 0.02, f"{event}: {far} by step, {near} by DTW")


def test_a_pair_trains_as_its_table_does(runs):
    pair, table = runs.folder / "pair.safetensors", runs.folder / "table.safetensors"
    evreport("export-training", "--pair", f"{runs.mpx},{runs.ocoe}", "-o", pair)
    evreport("export-training", TABLE, "--seed", 0, "-o", table)
    expect(pair.stat().st_size > 100_000 and pair.read_bytes() == table.read_bytes(), "the tensors differ")
    expect(pathlib.Path(f"{pair}.series").read_text().startswith("mpx:L1D_LOADS:233;"), "the list of series differs")
    both = runs.folder / "both.safetensors"
    evreport("export-training", TABLE, "--pair", f"{runs.mpx},{runs.ocoe}", "-o", both)
    expect(both.stat().st_size - 4096 == 2 * (table.stat().st_size - 4096), f"{both.stat().st_size} bytes")


def test_pairs_that_teach_nothing_are_refused(runs):
    for pair, said in ((f"{runs.mpx}", "expected MPX.gz,OCOE.gz"), (f"{runs.ocoe},{runs.ocoe}", "nothing to learn"),
                       (f"{runs.mpx},{runs.mpx}", "nothing to learn"), (f"{runs.mpx},{TABLE}", "sqlite3-06.csv.gz")):
        run = evreport("export-training", "--pair", pair, "-o", runs.folder / "none.safetensors", status=1)
        expect(said in run.stderr, f"{pair}: {run.stderr}")


def test_formats(runs):
    data = json.loads(evreport("compare-ocoe", runs.mpx, runs.ocoe, "--estimator", "fixed,linear", "--format",
                               "json").stdout)
    expect([(m["aligned"], m["estimator"]) for m in data["all"]] ==
           [("step", "fixed"), ("step", "linear"), ("dtw", "fixed"), ("dtw", "linear")], f"{data['all']}")
    expect(len(data["rows"]) == 4 * 13, f"{len(data['rows'])} rows")
    text = evreport("compare-ocoe", runs.mpx, runs.ocoe, "--estimator", "fixed").stdout
    expect("aligned by step\n" in text and "aligned by dtw\n" in text, text)
    expect(sum(line.startswith("fixed      STALL") for line in text.splitlines()) == 2, text)


def test_what_cannot_be_compared_is_said(runs):
    other = runs.record("slower", TABLE, 32, period="2ms")
    for traces, said in (((runs.mpx, other), "record both with the same period"),
                         ((runs.ocoe, runs.ocoe), "every event was counted in every slice"),
                         ((runs.mpx, runs.mpx), "none of its rotated events was counted in every slice"),
                         ((TABLE, runs.ocoe), "sqlite3-06.csv.gz"),
                         ((runs.mpx, runs.folder / "none.gz"), "none.gz")):
        run = evreport("compare-ocoe", *traces, status=1)
        expect(said in run.stderr and not run.stdout, f"{said}: {run.stderr}")
    evreport("compare-ocoe", runs.mpx, runs.ocoe, "--estimator", "nobody", status=1)
    evreport("compare-ocoe", runs.mpx, runs.ocoe, "--format", "xml", status=1)
    evreport("compare-ocoe", runs.mpx, status=2)


def main():
    tests = {name: f for name, f in globals().items() if name.startswith("test_")}
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(folder)
        for i, (name, test) in enumerate(tests.items(), 1):
            try:
                test(runs)
                print(f"ok {i} - {name[5:]}")
            except Failure as failure:
                print(f"not ok {i} - {name[5:]}\n# " + str(failure).replace("\n", "\n# "))


main()
