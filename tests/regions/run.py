#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Regions that programs name: run.py EVPROF EVREPORT INCLUDE REGIONS REGIONS-FIXED. Prints TAP.

How often each is entered, and in which others, is exact by the program's construction (regions.c). Of the time only
that heavy, with three times the instructions of light and in step with it, has far more of it is looked at.
"""
import contextlib
import csv
import json
import math
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

evprof, evreport, include, program, fixed = map(os.path.abspath, sys.argv[1:6])
HERE = pathlib.Path(__file__).parent
LEAST_SAMPLES = 60  # with fewer the shares say nothing: something else took the ticks
failed, n_checks = 0, 0


def check(title, is_right, what=""):
    global failed, n_checks
    n_checks += 1
    failed += not is_right
    print(f"{'ok' if is_right else 'not ok'} {n_checks} - {title}")
    if not is_right:
        print(f"# {what}")


def plain_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_")}


def record(trace, *command, options=()):
    run = subprocess.run([evprof, "run", "--keep", "off", "--period", "1ms", *options, "-o", trace, "--", *command],
                         env=plain_environment(), stdout=subprocess.PIPE, timeout=120)
    return run.returncode, run.stdout


def report(trace, *options):
    run = subprocess.run([evreport, "--format", "json", *options, trace], stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def rows_of(got):
    """{names from the outermost region on: row}"""
    rows, path = {}, []
    for row in got.get("regions", []):
        path = path[:row["depth"]] + [row["name"]]
        rows[" > ".join(path)] = row
    return rows


def entries(got):
    return {path: row["n_entries"] for path, row in rows_of(got).items()}


def notes(got):
    return " ".join(finding["text"] for finding in got["findings"] if "region" in finding["text"])


def check_plain():
    """Without the library nothing is there to be called."""
    for one in program, fixed:
        run = subprocess.run([one, "longjmp"], stdout=subprocess.PIPE, env=plain_environment())
        check(f"{os.path.basename(one)} runs without the library", (run.returncode, run.stdout) == (0, b"done\n"), run)


def check_work(folder, one):
    for _ in range(3):
        trace = f"{folder}/work.gz"
        ran = record(trace, one, "work")
        got = report(trace)
        if got["run"]["n_samples"] >= LEAST_SAMPLES:
            break
    name = os.path.basename(one)
    check(f"{name}: output and exit status stay", ran == (0, b"done\n"), ran)
    check(f"{name}: 200 steps in each of two threads, and two regions in each",
          entries(got) == {"step": 400, "step > heavy": 400, "step > light": 400}, entries(got))
    if got["run"]["n_samples"] < LEAST_SAMPLES:
        check(f"{name}: heavy has far more time than light # SKIP no ticks in three recordings", True)
        return None, 0
    rows = rows_of(got)
    heavy, light = (rows.get(f"step > {which}", {"total_ns": 0})["total_ns"] for which in ("heavy", "light"))
    check(f"{name}: heavy has far more time than light", 1.5 * light < heavy, f"{heavy} and {light} ns")
    check(f"{name}: a region's total is its own time and that of those in it",
          rows["step"]["total_ns"] == rows["step"]["self_ns"] + heavy + light, rows)
    check(f"{name}: it waited for as long as it lasted without CPU time",
          all(abs(row["waiting_s"] - max(0, row["wall_s"] - row["total_ns"] / 1e9)) < 1e-9 for row in rows.values()), rows)
    return trace, heavy


def check_selection(trace, heavy_ns):
    got = report(trace, "--region", "heavy")
    check("--region shows that region's time alone",
          (got["run"]["selection"], rows_of(got).get("step > heavy", {}).get("total_ns"), got["run"]["cpu_ns"] // 1000)
          == ("only what ran in region heavy", heavy_ns, heavy_ns // 1000), (got["run"], heavy_ns))
    for command in ["metrics"], ["annotate", "compute"], ["export", "--format", "folded"]:
        run = subprocess.run([evreport, command[0], "--region", "light", *command[1:], trace], stdout=subprocess.PIPE)
        check(f"evreport {command[0]} takes --region", run.returncode == 0 and run.stdout, run)
    for command in [], ["advise"], ["compare", trace]:
        run = subprocess.run([evreport, *command, "--region", "nothing", trace], stderr=subprocess.PIPE, text=True)
        check(f"evreport {' '.join(command[:1])}: a region that is not there is refused in a line that names those that are",
              run.returncode == 1 and run.stderr.count("\n") == 1 and "step, heavy, light" in run.stderr, run)
    run = subprocess.run([evreport, "compare", "--format", "json", "--region", "heavy", trace, trace], stdout=subprocess.PIPE,
                         check=True)
    got = json.loads(run.stdout)
    check("evreport compare --region compares that region's time alone",
          (got["selection"], round(got["before"]["cpu_s"] * 1e6), got["after"]["cpu_s"])
          == ("only what ran in region heavy", heavy_ns // 1000, got["before"]["cpu_s"]), (got["before"], heavy_ns))
    run = subprocess.run([evreport, "compare", "--format", "json", "--region", "heavy", trace, "--", trace, "--", trace],
                         stdout=subprocess.PIPE, check=True)
    got = json.loads(run.stdout)
    check("evreport compare --region compares three runs as well",
          (got["selection"], [round(column["cpu_s"] * 1e6) for column in got["columns"]])
          == ("only what ran in region heavy", 3 * [heavy_ns // 1000]), (got["columns"], heavy_ns))
    check_phases(trace)
    text = subprocess.run([evreport, trace], stdout=subprocess.PIPE, text=True).stdout
    check("the text has a table of regions", "By region" in text and "  heavy" in text, text)


def check_phases(trace):
    """light and heavy take turns of a ms and less, and compute alike: each is alike from its beginning to its end."""
    run = subprocess.run([evreport, "phases", "--region", "heavy", "--format", "json", trace], stdout=subprocess.PIPE)
    got = json.loads(run.stdout or "{}")
    # a tick may find the beginning of a region itself, which reads its name
    procedures = [p["name"] for kind in got.get("kinds", []) for p in kind["procedures"] if p["self_share"] > 0.01]
    check("evreport phases takes --region", run.returncode == 0 and got["region"] == "heavy" and got["phases"], run)
    check("and knows the procedures that ran in it alone", procedures and set(procedures) <= {"compute", "work", "[kernel]"}, got)
    last = len(got.get("phases", []))
    run = subprocess.run([evreport, "--region", "heavy", "--phase", str(last), "--format", "json", trace], stdout=subprocess.PIPE)
    check("--region with --phase takes its numbers", run.returncode == 0, run)
    run = subprocess.run([evreport, "--region", "heavy", "--phase", str(last + 1), trace], stderr=subprocess.PIPE, text=True)
    has = last if last > 1 else "no phases"  # one is the whole region
    check("and says how many the region has", run.returncode == 1 and f"the region has {has};" in run.stderr, run)
    run = subprocess.run([evreport, "phases", "--region", "nothing", trace], stderr=subprocess.PIPE, text=True)
    check("evreport phases: a region that is not there is refused", run.returncode == 1 and "step, heavy, light" in run.stderr, run)


def number(value):
    return None if value in ("", None) else float(value)


def are_alike(got, wanted):
    """JSON has 15 digits of a number."""
    cells = [(a, b) for rows in zip(got, wanted) for a, b in zip(*rows)]
    return len(got) == len(wanted) and all(a == b or isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-12)
                                           for a, b in cells)


def check_tables(folder, trace):
    """CSV and SQL have the numbers of JSON."""
    keys = ["name", "depth", "n_entries", "wall_s", "self_ns", "total_ns", "self_share", "total_share", "waiting_s", "waiting_error_s"]
    for options in [], ["--from", "0.01"]:
        wanted = [[row["name"], *(number(row[key]) for key in keys[1:])] for row in report(trace, *options).get("regions", [])]
        run = subprocess.run([evreport, "--by", "region", "--format", "csv", *options, trace], stdout=subprocess.PIPE, text=True)
        got = [[row["name"], *(number(row[key]) for key in keys[1:])] for row in csv.DictReader(run.stdout.splitlines())]
        check(f"CSV has the table of regions {' '.join(options)}", run.returncode == 0 and are_alike(got, wanted), (got, wanted))
        db = f"{folder}/run.db"
        run = subprocess.run([evreport, "export", "--format", "sqlite", *options, "-o", db, trace], stderr=subprocess.PIPE, text=True)
        if run.returncode and "SQLite" in run.stderr:
            check("SQL has the table of regions # SKIP evreport was built without SQLite", True)
            continue
        with contextlib.closing(sqlite3.connect(db)) as opened:
            got = [[row[0], *map(number, row[1:])] for row in opened.execute(f"SELECT {', '.join(keys)} FROM regions ORDER BY region")]
            inner = opened.execute("SELECT i.name, o.name FROM regions i LEFT JOIN regions o ON i.around = o.region").fetchall()
        check(f"SQL has the table of regions {' '.join(options)}", are_alike(got, wanted), (got, wanted))
        check("SQL has the region around each", options or sorted(inner, key=str) == [("heavy", "step"), ("light", "step"), ("step", None)], inner)


def check_reduced(folder, trace):
    """Sums of two runs, of one file and merged from two, are those of the traces read at once."""
    record(f"{folder}/longjmp.gz", program, "longjmp")
    wanted = subprocess.run([evreport, "--format", "json", trace, f"{folder}/longjmp.gz"], stdout=subprocess.PIPE, check=True).stdout
    wanted = json.loads(wanted)
    for output, *paths in (["both", "work", "longjmp"], ["first", "work"], ["second", "longjmp"], ["merged", "first", "second"]):
        subprocess.run([evreport, "reduce", "-o", f"{folder}/{output}.gz", *(f"{folder}/{path}.gz" for path in paths)],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    for output in "both", "merged":
        got = report(f"{folder}/{output}.gz")
        same = {path: {key: value for key, value in row.items() if not key.endswith("error_s")} for path, row in rows_of(got).items()}
        check(f"a reduced file ({output}) has the regions of its traces, and notes on them",
              [*same] == [*rows_of(wanted)] and notes(got) == notes(wanted)
              and all(same[path][key] == row[key] for path, row in rows_of(wanted).items() for key in ("n_entries", "self_ns", "total_ns", "wall_s")),
              (rows_of(got), rows_of(wanted)))
        check(f"and their errors ({output})", all(math.isclose(same[path][key] or 0, row[key] or 0, rel_tol=1e-9)
                                                  for path, row in rows_of(wanted).items() for key in ("self_error", "total_error")), rows_of(got))


def check_loops(trace):
    """The call tree with loops: work's steps call compute, whose own loop has the time."""
    run = subprocess.run([evreport, "--by", "loop", "--format", "json", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if b"capstone" in run.stderr:
        check("the call tree by loop # SKIP evreport was built without capstone", True)
        return
    path, paths = [], []
    for row in json.loads(run.stdout)["calls"]:
        path = path[:row["depth"]] + [row["name"] if "loop" not in row else row["name"].split(":")[0]]
        paths.append(path[-4:])
    check("the call tree by loop has the loops of both procedures",
          ["work", "loop at regions.c", "compute", "loop at regions.c"] in paths, paths)


CASES = {
    "fork": ({"outer": 2, "outer > child": 1}, b"done\n", ""),
    "longjmp": ({"outer": 10, "outer > left": 10}, b"done\n", "10 begins without an end of its own"),
    "handler": ({"outer": 1000, "outer > handler": 100}, b"done\n", ""),
    "unbalanced": ({"open": 1}, b"done\n", "2 ends of a region had no begin"),
    "exec": ({"before": 1}, b"", "1 region had not ended"),
}


def check_cases(folder):
    for case, (wanted, output, note) in CASES.items():
        trace = f"{folder}/{case}.gz"
        ran = record(trace, program, case)
        got = report(trace)
        check(f"{case}: the program notices nothing", ran == (0, output), ran)
        check(f"{case}: each region as often as it was entered", entries(got) == wanted, entries(got))
        check(f"{case}: the notes tell of what does not fit, and of nothing else",
              note in notes(got) and bool(note) == bool(notes(got)), notes(got))


def check_rest(folder):
    """A region's time is that in it, and not that of the slice that began in the sleep before it."""
    trace = f"{folder}/rest.gz"
    record(trace, program, "rest")
    for name in "burst", "rest":
        got = report(trace, "--region", name)
        row, thread = rows_of(got)[name], got["threads"][0]
        wall_ns = row["wall_s"] * 1e9
        check(f"{name}: a thread lasts as long as the region in it", abs(thread["duration_s"] - row["wall_s"]) < 1e-6, (thread, row))
        check(f"{name}: it waits for what of that it did not compute",
              abs(thread["waiting_ns"] - max(0, wall_ns - thread["cpu_ns"])) < 2000 and thread["ready_ns"] is None, (thread, row))
        run = subprocess.run([evreport, "metrics", "--model", "software", "--region", name, "--format", "json", trace],
                             stdout=subprocess.PIPE, check=True)
        metrics = {m["metric"]: m["value"] for m in json.loads(run.stdout)[0]["metrics"]}
        check(f"{name}: the CPUs that it used are those of its time",
              abs(metrics["CPU_Use"] - metrics["CPU_Time"] / row["wall_s"]) < 1e-4, (metrics, row))
    rest, burst = (rows_of(report(trace))[name]["wall_s"] for name in ("rest", "burst"))
    check("the time of the rest is not in the burst's", rest >= 0.3 and rest + burst <= report(trace)["run"]["duration_s"] + 0.01,
          (rest, burst))
    got = report(trace, "--region", "rest")
    row = rows_of(got)["rest"]
    check("without a sample no error of a share is told, least of all 0",
          got["run"]["n_samples"] or (row["self_error"] is None and row["total_error"] is None), row)
    thread = report(trace, "--region", "burst", "--from", "0.1")["threads"][0]
    check("a part of a region tells no time of waiting", thread["waiting_ns"] is None and thread["duration_s"] is None, thread)


def check_waits(folder):
    """The waits of a region are those in it, however few slices end there; each of 4 ms at least."""
    trace = f"{folder}/waits.gz"
    ran = record(trace, program, "waits", options=["--waits", "on"])
    check("waits: the program notices nothing", ran == (0, b"done\n"), ran)
    for options, wanted in (["--region", "outer"], 15), (["--region", "inner"], 9), (["--region", "other"], 12), ([], 37):
        got = report(trace, *options)
        sleeps = [row for row in got.get("waits", []) if row["kind"] == "sleep"]
        check(f"waits: {wanted} sleeps {' '.join(options)}", sum(row["n_waits"] for row in sleeps) == wanted, sleeps)
        check("waits: each lasted", sum(row["ns"] for row in sleeps) >= 4_000_000 * wanted, sleeps)
        check("waits: nothing is said to be missing", "in which regions" not in notes(got), notes(got))
    joins = [row["n_waits"] for row in report(trace, "--region", "outer")["waits"] if row["kind"] == "join"]
    check("waits: those of a thread without regions are in none", not joins, joins)
    text = subprocess.run([evreport, "--region", "inner", "--by", "wait", trace], stdout=subprocess.PIPE, text=True).stdout
    check("waits: the text has them", "wait_in_regions" in text and "wait_in_none" not in text, text)
    info = subprocess.run([evreport, "info", trace], check=True, text=True, stdout=subprocess.PIPE).stdout
    check("waits: info names all blocks", "WAIT_REGIONS" in info and "unknown" not in info, info)


def check_handler_anywhere(folder):
    """How many handlers come depends on the machine, and so do their regions."""
    trace = f"{folder}/anywhere.gz"
    ran = record(trace, program, "handler-anywhere")
    got = report(trace)
    check("handler-anywhere: the program notices nothing", ran == (0, b"done\n"), ran)
    check("handler-anywhere: the region as often as it was entered", entries(got).get("outer") == 2000000, entries(got))
    check("handler-anywhere: each end has its begin", not notes(got), notes(got))


def check_ends_in_handler(folder):
    """How many ends find no begin depends on when the handler comes."""
    trace = f"{folder}/ended.gz"
    ran = record(trace, program, "ended-by-handler")
    check("ended-by-handler: the program notices nothing", ran == (0, b"done\n"), ran)
    if ran[0] == 0:
        got = entries(report(trace))
        check("ended-by-handler: the region as often as it was entered", got == {"outer": 2000000}, got)


def check_room(folder):
    trace = f"{folder}/room.gz"
    ran = record(trace, program, "room")
    got = report(trace)
    check("room: the program notices nothing", ran == (0, b"done\n"), ran)
    check("room: what was entered first is there, and the rest is told of",
          entries(got).get("many") == 1 and "could not be kept" in notes(got), notes(got))


def check_room_of_sums(folder):
    """Two runs with more regions than a report keeps, merged from their sums: no block is lost."""
    for name in "first", "second":
        record(f"{folder}/{name}-steps.gz", program, "steps")
        subprocess.run([evreport, "reduce", "-o", f"{folder}/{name}-sums.gz", f"{folder}/{name}-steps.gz"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    ran = subprocess.run([evreport, "reduce", "-o", f"{folder}/steps.gz", f"{folder}/first-sums.gz", f"{folder}/second-sums.gz"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    got = report(f"{folder}/steps.gz")
    check("room: sums with more regions than there is room for merge whole", "no sense" not in ran.stdout + notes(got),
          ran.stdout + notes(got))
    check("room: each begin is in a region or told of", f"{4400 - 4096:,}" in notes(got) and sum(entries(got).values()) == 4096,
          (sum(entries(got).values()), notes(got)))


def check_languages(folder):
    """The header in C++, and the module in Fortran."""
    sources = {"g++": ["cxx.cc"], "gfortran": [f"{include}/evprof.f90", "fortran.f90", f"{include}/evprof_fortran.c"]}
    for compiler, files in sources.items():
        if not shutil.which(compiler):
            check(f"{compiler} # SKIP it is not installed", True)
            continue
        paths = [file if os.path.isabs(file) else str(HERE / file) for file in files]
        subprocess.run([compiler, "-I", include, "-O1", "-o", f"{folder}/program", *paths], cwd=folder, check=True)
        run = subprocess.run([f"{folder}/program"], stdout=subprocess.PIPE, env=plain_environment())
        check(f"{compiler}: the program runs without the library", run.returncode == 0, run)
        record(f"{folder}/{compiler}.gz", f"{folder}/program")
        got = entries(report(f"{folder}/{compiler}.gz"))
        check(f"{compiler}: its regions are there", got == {"outer": 1, "outer > inner": 5}, got)


def main():
    check_plain()
    with tempfile.TemporaryDirectory() as folder:
        trace, heavy_ns = check_work(folder, program)
        if trace:
            check_selection(trace, heavy_ns)
            check_tables(folder, trace)
            check_reduced(folder, trace)
            check_loops(trace)
        check_work(folder, fixed)
        check_cases(folder)
        check_rest(folder)
        check_waits(folder)
        check_handler_anywhere(folder)
        check_ends_in_handler(folder)
        check_room(folder)
        check_room_of_sums(folder)
        check_languages(folder)
    print(f"1..{n_checks}")
    sys.exit(failed > 0)


main()
