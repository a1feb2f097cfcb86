#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/sql.md is true: sql_questions.py PAGE EVREPORT GENERATE [EVPROF HEAT]. Prints TAP.

The page's queries are run on several traces, and what they answer is held against the JSON report; the page
names every column of every table. With EVPROF, the traces are recordings of HEAT instead: of real time, and by valgrind.
"""
import collections
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

page, evreport, generate = map(os.path.abspath, sys.argv[1:4])
recorder = sys.argv[4:]
SYSROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "sysroot")
RUNS = (("basic",), ("estimates",), ("tree",), ("topdown",), ("mixed",), ("parallel",), ("other-host", "later"))
failed = number = 0


def check(name, problem=None):
    global failed, number
    number += 1
    failed += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}")
    if problem:
        print(f"# {problem!r:.600}")


def keys(table, *names):
    return [tuple(row[name] for name in names) for row in table]


def events(report):
    return [(e["name"], e["total"], e["error"], e["n_slices"], e["n_slices_measured"]) for e in report["events"]]


def counts(report):
    rows = []
    for event in report["events"]:
        of_event = [(event["name"], p["name"], p["events"][event["name"]]["value"], p["events"][event["name"]]["error"])
                    for p in report["procedures"] if p["events"].get(event["name"])]
        rows += sorted(of_event, key=lambda row: -row[2])
    return rows


def activities(report):
    nothing = {"name": None, "ns": None, "caller": None}
    return [(a["title"], a["ns"], a["share_error"], e["name"], e["ns"], e["caller"])
            for a in report["activities"] for e in a["entries"] or [nothing]]


def calls(report):
    sums, above = collections.Counter(), []
    for call in report["calls"]:
        above[call["depth"]:] = [call["name"]]
        if call["depth"]:
            sums[above[-2], call["name"]] += call["total_ns"]
    return sorted(((*names, ns) for names, ns in sums.items() if ns), key=lambda row: (-row[2], row[0].encode(), row[1].encode()))


def timeline(report):
    """An event without a rate (floating point, which valgrind counts for the whole run) is in neither."""
    line = report["timeline"]
    return [(i, busy, event["name"], line["events_per_s"][event["name"]][i])
            for i, busy in enumerate(line["cpus_busy"]) for event in report["events"]
            if event["name"] in line["events_per_s"]]


def summed(rows):
    """Samples by procedure, and by thread: the report has no table of both."""
    of_procedure, of_thread = collections.Counter(), collections.Counter()
    for pid, tid, name, n in rows:
        of_procedure[name] += n
        of_thread[pid, tid] += n
    return of_procedure, of_thread


def samples(report):
    of_procedure, of_thread = collections.Counter(), collections.Counter()
    for row in report["procedures"]:
        of_procedure[row["name"]] += row["n_samples"]
    for row in () if report["run"]["exact"] else report["threads"]:
        of_thread[row["pid"], row["tid"]] += row["n_samples"]
    return +of_procedure, +of_thread


def waits(report):
    rows = [(row["pid"], row["tid"], *(report["waits"][row["wait"]][key] for key in ("kind", "what", "path")), row["n_waits"],
             row["ns"]) for row in report.get("thread_waits", ())]
    return sorted(rows, key=lambda row: -row[6])


def loops(report):
    rows = keys([row for row in report.get("loops", []) if row.get("depth") and row["self_ns"]], "name", "self_ns")
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def by_work(column):
    """Rows of which some may have worked as much as others: in an order of their own."""
    return lambda rows: (sorted(rows, key=repr), [row[column] for row in rows])


ANSWERS = [
    ("Which procedures take the time?",
     lambda r: keys(r["procedures"], "name", "self_ns", "self_share", "self_share_error")[:10], list),
    ("Which lines take the time?", lambda r: keys(r["lines"], "file", "line", "self_ns")[:10], list),
    ("How many events were there, and how well is that known?", events, list),
    ("Which procedures have most of each event?", counts, list),
    ("What was the time spent on, and by which calls?", activities, list),
    ("Which threads worked, and which waited?",
     lambda r: by_work(3)(keys(r["threads"], "pid", "tid", "name", "cpu_ns", "waiting_ns", "ready_ns")), by_work(3)),
    ("Which rank has most work?",
     lambda r: by_work(2)(sorted(keys([p for p in r["processes"] if p["rank"] is not None], "rank", "host", "cpu_ns",
                                      "mpi_share"), key=lambda row: -row[2])), by_work(2)),
    ("Which calls take how long?", calls, list),
    ("When was the machine busy, and with which events?", timeline, list),
    ("Which procedure ran on which thread, by the slices themselves?", samples, summed),
    ("Which thread waited for what, and for how long?", lambda r: by_work(6)(waits(r)), by_work(6)),
    ("Which loops take the time?", loops, list),
]


def digits(value):
    return float("%.15g" % value) if isinstance(value, float) else value


def first_difference(got, want):
    if got == want:
        return None
    if isinstance(got, list):
        pairs = [pair for pair in zip(got, want) if pair[0] != pair[1]]
        return (len(got), len(want), *pairs[:1])
    return got, want


def columns_said(text):
    """{table: its columns} of the page's list."""
    said = {}
    for name, item in re.findall(r"^- `(\w+)`(.*?)(?=^- |^$)", text, re.M | re.S):
        said[name] = re.findall(r"`(\w+)`", re.sub(r"\(.*?\)|\..*The view.*", "", item, flags=re.S))
        for shared in "count", "account":
            if re.search(rf"columns\s+of\s+an?\s+{shared}\b", item):
                said[name] += said[shared]
    return said


def try_run(name, report, db, text):
    queries = re.findall(r"^## (.*?)\n.*?^```sql\n(.*?)^```$", text, re.M | re.S)
    check(f"{name}: the page's questions", [q for q, _ in queries] != [a[0] for a in ANSWERS] and queries)
    for (question, query), (_, answer, arrange) in zip(queries, ANSWERS):
        got = [tuple(map(digits, row)) for row in db.execute(query)]
        check(f"{name}: {question}", first_difference(arrange(got), answer(report)))
    said = columns_said(text)
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        own = {column for (column,) in db.execute("SELECT slices_column FROM events")} if table == "slices" else set()
        there = {row[1] for row in db.execute(f"PRAGMA table_info({table})")} - own
        check(f"{name}: columns of {table}", there ^ set(said.get(table, ())))


def try_traces(name, traces, sysroot, text):
    path = os.path.join(os.path.dirname(traces[0]), "run.db")
    more = ["--sysroot", sysroot, *traces]
    text_of = subprocess.run([evreport, "--format", "json", "--calls", "all", *more], stdout=subprocess.PIPE, check=True)
    report = json.loads(text_of.stdout.decode(errors="replace"))
    by_loop = subprocess.run([evreport, "--format", "json", "--by", "loop", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not by_loop.returncode:
        report["loops"] = json.loads(by_loop.stdout.decode(errors="replace")).get("loops", [])
    subprocess.run([evreport, "export", "--format", "sqlite", "-o", path, *more], check=True)
    db = sqlite3.connect(path)
    try_run(name, report, db, text)
    db.close()
    return report


def make(folder, cases):
    for case in cases:
        with open(os.path.join(folder, case + ".gz"), "wb") as file:
            subprocess.run([generate, case], stdout=file, check=True)
        yield file.name


def record(folder, size, *source):
    trace = os.path.join(folder, "trace.gz")
    subprocess.run([recorder[0], "run", *source, "-o", trace, "--", recorder[1], "-n", size, "-t", "3"],
                   stdout=subprocess.DEVNULL, check=True)
    return trace


def main():
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        for cases in RUNS if not recorder else ():
            report = try_traces("+".join(cases), list(make(folder, cases)), SYSROOT, text)
            check("there is something to ask", not report["procedures"] or not report["threads"])
        if recorder:
            report = try_traces("recorded", [record(folder, "20", "--waits", "on")], "/", text)
            check("threads waited", not report["thread_waits"] or not report["locks"])
            check("it was sampled", not report["run"]["n_samples"] or not report["calls"])
            check("loops have time", "loops" in report and report["run"]["n_samples"] > 20 and not loops(report))
        if recorder and shutil.which("valgrind"):
            report = try_traces("valgrind", [record(folder, "6", "--source", "valgrind")], "/", text)
            check("it is exact", not report["run"]["exact"])
            check("loops have exact costs", "loops" in report and not loops(report))
    print(f"1..{number}")


main()
sys.exit(failed > 0)
