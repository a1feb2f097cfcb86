#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""documented.py EVREPORT GENERATE: every key of the JSON report is in docs/report-json.md, every key that the page's section
on the run names is there, and the numbers add up as the page says. The CSV has the same rows, and the columns and keys of
metrics, advise and compare are on the page, too."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "report-json.md")
# Each is one trace, or several that are reported together.
CASES = ("basic", "crowded", "stolen", "estimates", "topdown", "tree", "simulated", "basic later", "tree later",
         "efficient efficient-later")
COUNTED = "simulated", "efficient efficient-later"  # what metrics and advise need
ORDER = {"procedures": "self_ns", "lines": "self_ns", "modules": "self_ns", "activities": "ns", "threads": "cpu_ns",
         "processes": "cpu_ns", "programs": "cpu_ns"}
# A sum and what it is held against: a time may lose a microsecond of each of some hundred rows.
NEAR_NS = 200000


def keys_of(value):
    if isinstance(value, list):
        for element in value:
            yield from keys_of(element)
    elif isinstance(value, dict):
        yield from value
        for element in value.values():
            yield from keys_of(element)


TABLES = {"procedure": "procedures", "line": "lines", "module": "modules", "thread": "threads", "process": "processes"}
COMMANDS = (["metrics"], ["metrics", "--by", "procedure"], ["metrics", "--by", "time"], ["advise"], ["phases"],
            ["annotate", "--sysroot", os.path.join(os.path.dirname(os.path.abspath(__file__)), "sysroot")])


def output(evreport, *arguments):
    return subprocess.run([evreport, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def make(generate, case, folder):
    for name in case.split():
        trace = os.path.join(folder, name + ".gz")
        with open(trace, "wb") as file:
            subprocess.run([generate, name], stdout=file, check=True)
        yield trace


def as_cell(value):
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)


def is_same(cell, value):
    try:
        return cell == as_cell(value) or abs(float(cell) - float(value)) <= 1e-3 * abs(value) + 1e-6
    except (TypeError, ValueError):
        return False


def wrong_csv(evreport, traces, got):
    """What of the tables differs from the JSON's."""
    for by, table in TABLES.items():
        lines = csv.reader(output(evreport, "--by", by, "--format", "csv", *traces).splitlines(), strict=True)
        names, *rows = lines
        if len(rows) != len(got[table]):
            yield f"{len(rows)} rows of {table} as CSV, {len(got[table])} as JSON"
        for cells, row in zip(rows, got[table]):
            for event, value in row.get("events", {}).items():
                row[event], row[event + " error"] = value["value"], value["error"]
                row[event + " measured_share"] = value["measured_share"]
            yield from (f"CSV, {by}: {name} is {cell}, not {row.get(name, 'there')}" for name, cell in zip(names, cells, strict=True)
                        if name not in row or not is_same(cell, row[name]))


def unnamed(evreport, traces, named):
    """Keys of other commands that the page has not."""
    events = {event["name"] for event in json.loads(output(evreport, "--format", "json", *traces))["events"]}
    for command in COMMANDS:
        keys = set(keys_of(json.loads(output(evreport, *command, "--format", "json", *traces))))
        yield from (f"{' '.join(command)}: {key}" for key in sorted(keys - named - events))


def compared(evreport, generate, named):
    """What is wrong with compare's gate: the runs after take half the time, and those before fail against them."""
    with tempfile.TemporaryDirectory() as folder:
        slow, quick = (list(make(generate, case, folder)) for case in ("basic later", "estimates efficient-later"))
        for verdict, before, after in (("undecided", slow, quick), ("failed", quick, slow)):
            run = subprocess.run([evreport, "compare", "--fail-above", "3%", "--format", "json", *before, "--", *after],
                                 stdout=subprocess.PIPE, text=True)
            got = json.loads(run.stdout)
            yield from (f"compare: {key}" for key in sorted(set(keys_of(got)) - named))
            failed = [item for item in got["gate"]["items"] if item["failed"]]
            if got["gate"]["verdict"] != verdict or run.returncode != (3 if failed else 0):
                yield f"{got['gate']['verdict']} and exit status {run.returncode} in place of {verdict}"
            series = output(evreport, "compare", "--format", "json", *before, "--", *after, "--", before[0])
            yield from (f"series: {key}" for key in sorted(set(keys_of(json.loads(series))) - named))
            if any(item["change"] <= got["gate"]["limit"] or item["chance"] >= item["level"] for item in failed):
                yield "failed without being surely slower"


def total(rows, key):
    return sum(row[key] for row in rows)


def sums(got):
    """What must be alike: what it is, a sum, and another."""
    run, timeline = got["run"], got["timeline"]
    yield "processes", len(got["processes"]), run["n_processes"]
    yield "threads", len(got["threads"]), run["n_threads"]
    for table in ("threads", "processes"):
        yield f"samples of {table}", total(got[table], "n_samples"), run["n_samples"]
    for table in ("procedures", "lines", "modules"):
        yield f"self_ns of {table}", total(got[table], "self_ns"), run["sampled_ns"]
    for key in ("cpu_ns", "hidden_kernel_ns", "evprof_ns", "waiting_ns"):
        yield f"{key} of threads", total(got["threads"], key), run[key]
    yield "waiting_ns of processes", total(got["processes"], "waiting_ns"), run["waiting_ns"]
    for table in ("threads", "processes"):
        rows = [row["ready_ns"] for row in got[table]]
        yield f"unknown ready_ns of {table}", None in rows, run["ready_ns"] is None
        yield f"ready_ns of {table}", sum(n or 0 for n in rows), run["ready_ns"] or 0
    for table in ("processes", "programs"):
        yield f"cpu_ns of {table}", total(got[table], "cpu_ns"), run["cpu_ns"]
    busy_ns = run["sampled_ns"] + run["stolen_cpu_ns"]
    yield "cpus_busy", sum(timeline["cpus_busy"]) * timeline["bin_s"] * 1e9, busy_ns
    yield "busy of threads", sum(sum(t["busy"]) for t in got["threads"]) * timeline["bin_s"] * 1e9, busy_ns
    yield "bins", len(timeline["cpus_busy"]) * timeline["bin_s"] * 1e9, run["duration_s"] * 1e9


def wrong_numbers(got):
    run = got["run"]
    for what, one, other in sums(got):
        if abs(one - other) > (NEAR_NS if other > NEAR_NS else 0):
            yield f"{what}: {one}, not {other}"
    for table, key in ORDER.items():
        values = [row[key] for row in got[table]]
        if values != sorted(values, reverse=True):
            yield f"{table} are not in the order of {key}"
    for row in got["procedures"] + got["lines"] + got["modules"]:
        if not 0 <= row["self_share"] <= row["total_share"] <= 1:
            yield f"shares of {row['name']}"
    for row in got["threads"] + got["processes"] + [run]:
        if (row["ready_ns"] or 0) > row["waiting_ns"]:
            yield f"{row['ready_ns']} ns ready of {row['waiting_ns']} waiting"
    for thread in got["threads"]:
        if len(thread["busy"]) != len(got["timeline"]["cpus_busy"]) or not all(0 <= b <= 1.000001 for b in thread["busy"]):
            yield f"thread {thread['tid']} is busy {max(thread['busy'])}"


def main():
    evreport, generate = map(os.path.abspath, sys.argv[1:])
    with open(PAGE) as file:
        page = file.read()
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", page))))
    of_run = set(re.findall(r"`([a-z_]+)`", re.search(r"\n## run\n(.*?)\n## ", page, re.S)[1]))
    print(f"1..{len(CASES) + 1}")
    n_failed = 0
    for number, case in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            traces = list(make(generate, case, folder))
            got = json.loads(output(evreport, "--format", "json", *traces))
            events = {event["name"] for event in got["events"]}
            wrong = sorted(set(keys_of(got)) - named - events) + sorted(of_run - set(got["run"])) + list(wrong_numbers(got))
            wrong += wrong_csv(evreport, traces, got)
            wrong += unnamed(evreport, traces, named) if case in COUNTED else []
        n_failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {number} - {case}" + (": " + ", ".join(wrong) if wrong else ""))
    wrong = list(compared(evreport, generate, named))
    n_failed += bool(wrong)
    print(f"{'not ' if wrong else ''}ok {len(CASES) + 1} - compare" + (": " + ", ".join(wrong) if wrong else ""))
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
