#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""end_to_end.py EVPROF EVREPORT FORMULAS FOLDER...: one run tells what a full table tells.

Every table of FOLDER (complete counts of a real program, slice by slice) is played to a running program
as a CPU with four counters: `evprof run` rotates the groups of the plan for the Top-Down, cache and
branch models, `evreport metrics` fills the gaps. Each metric shall lie within twice its standard error
of what `evreport eval` makes of the table's own sums over the slices that ran, nine times in ten. What
was measured in every slice says nothing here and is left out.
"""
import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MODELS = ("topdown", "caches", "branches")
CPU = "ocoe"
LEAST_SHARE = 0.9
SKIP = 77


class Tools:
    def __init__(self, evprof, evreport):
        self.evprof, self.evreport = evprof, evreport
        plan = self.output(evprof, "plan", ",".join(MODELS), "--cpu", CPU)
        groups = [line.split(": ")[1] for line in plan.splitlines() if line.startswith("group ")]
        self.events = ";".join(",".join(group.split()) for group in groups)

    @staticmethod
    def output(*command):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
        return done.stdout


def record(tools, table, trace, n_steps):
    """Number of slices of a program that loops n_steps times."""
    trace.unlink(missing_ok=True)
    tools.output(tools.evprof, "run", "-q", "-s", f"sim:{table},counters=4", "-e", tools.events, "-p", "1ms",
                 "-o", trace, "--", sys.executable, "-S", "-c", f"for i in range({n_steps}): pass")
    info = tools.output(tools.evreport, "info", trace)
    return int(next(line.split()[-1] for line in info.splitlines() if line.split()[:1] == ["slices"]))


def record_within(tools, table, trace, n_rows):
    """A run of not more slices than the table has rows, and more than half of them."""
    n_steps = 40000 * n_rows
    for _ in range(8):
        n = record(tools, table, trace, n_steps)
        if n_rows / 2 < n <= n_rows:
            return n
        n_steps = int(n_steps * 0.8 * n_rows / n)
    sys.exit(f"{table}: no run of {n_rows / 2:.0f} to {n_rows} slices in eight")


def true_metrics(tools, names, rows, folder):
    """Name -> value, each name once: models share what they derive from."""
    values = folder / "values.tsv"
    values.write_text("".join(f"{name}\t{sum(int(row[i]) for row in rows)}\n" for i, name in enumerate(names)))
    metrics = {}
    for model in MODELS:
        for line in tools.output(tools.evreport, "eval", "--model", model, "--cpu", CPU, "--values", values).splitlines():
            name, value, status = line.split("\t")[:3]
            if status == "ok":
                metrics[name] = float(value)
    return metrics


def reported_metrics(tools, trace):
    text = tools.output(tools.evreport, "metrics", "--cpu", CPU, "-m", ",".join(MODELS), "-f", "json", trace)
    return {m["metric"]: m for tree in json.loads(text) for m in tree["metrics"]}


def compare(tools, table, folder):
    """(name, is within its error bar) of each metric of one table."""
    with gzip.open(table, "rt") as file:
        names, *rows = csv.reader(file)
    n = record_within(tools, table, folder / "trace.gz", len(rows))
    reported = reported_metrics(tools, folder / "trace.gz")
    for name, truth in true_metrics(tools, names, rows[:n], folder).items():
        metric = reported[name]
        if not metric["status"].startswith("ok"):
            yield name, False
        elif metric["coverage"] < 1:
            yield name, abs(metric["value"] - truth) <= 2 * metric["standard_error"] + 1e-9 * abs(truth)


def main():
    evprof, evreport, formulas, *folders = map(pathlib.Path, sys.argv[1:])
    tables = [table for folder in folders for table in sorted(folder.glob("*.csv.gz"))]
    if not tables:
        print(f"recorded tables that are not ours to hand on: none in {', '.join(map(str, folders))}")
        return SKIP
    os.environ["EVPROF_FORMULAS"] = str(formulas.resolve())
    tools = Tools(evprof.resolve(), evreport.resolve())
    n_inside = n_metrics = 0
    with tempfile.TemporaryDirectory(prefix="evprof-end-to-end-") as folder:
        for table in tables:
            for name, is_inside in compare(tools, table.resolve(), pathlib.Path(folder)):
                n_metrics += 1
                n_inside += is_inside
                if not is_inside:
                    print(f"# {table.name}: {name} outside its error bar")
    print(f"{len(tables)} tables: {n_inside} of {n_metrics} metrics within their error bars")
    return not (n_metrics >= 10 * len(tables) and n_inside >= LEAST_SHARE * n_metrics)


if __name__ == "__main__":
    sys.exit(main())
