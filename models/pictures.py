#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of gap filling from complete tables.

  models/pictures.py --evreport build/reporter/evreport TABLES... -o FOLDER [--event EVENT]

FOLDER/ra.png: RA of each event under fixed, linear and auto (evreport accuracy).
FOLDER/series.png: one event of the first table, masked as four groups would: truth, measured points,
estimate and 95 % band (evreport fill).
"""
import argparse
import csv
import gzip
import os
import subprocess
import tempfile

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plot
import numpy as np

ESTIMATORS = ["fixed", "linear", "auto"]


def ra_by_event(evreport, tables):
    text = subprocess.run([evreport, "accuracy", *tables, "--estimator", ",".join(ESTIMATORS), "--format", "csv"],
                          check=True, capture_output=True, text=True).stdout
    found = {}
    for row in csv.DictReader(text.splitlines()):
        if row["ra"]:
            found.setdefault(row["event"], {}).setdefault(row["estimator"], []).append(float(row["ra"]))
    return found


def draw_ra(found, path):
    events = list(found)
    at = np.arange(len(events))
    plot.figure(figsize=(10, 4))
    for i, name in enumerate(ESTIMATORS):
        plot.bar(at + 0.27 * (i - 1), [np.mean(found[e].get(name, [0])) for e in events], 0.27, label=name)
    plot.xticks(at, events, rotation=45, ha="right", fontsize=8)
    plot.ylabel("RA")
    plot.legend()
    plot.tight_layout()
    plot.savefig(path, dpi=90)


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        return list(csv.reader(f))


def masked(rows, n_always=2, n_groups=4):
    """The events after the always-on ones in n_groups groups, one a slice."""
    n_rotated = len(rows[0]) - n_always
    size = -(-n_rotated // n_groups)
    return [rows[0]] + [row[:n_always] + [v if k // size == t % n_groups else "" for k, v in enumerate(row[n_always:])]
                        for t, row in enumerate(rows[1:])]


def draw_series(evreport, table, event, path):
    truth = read(table)
    column = truth[0].index(event)
    with tempfile.TemporaryDirectory() as folder:
        gaps, filled, errors = (os.path.join(folder, name) for name in ("gaps.csv", "filled.csv", "errors.csv"))
        with open(gaps, "w", newline="") as f:
            csv.writer(f).writerows(masked(truth))
        subprocess.run([evreport, "fill", gaps, "-o", filled, "--errors", errors], check=True,
                       stdout=subprocess.DEVNULL)
        value, error = (np.array([float(r[column]) for r in read(p)[1:]]) for p in (filled, errors))
    true = np.array([float(r[column]) for r in truth[1:]])
    at = np.arange(len(true))
    measured = error == 0
    plot.figure(figsize=(10, 4))
    plot.fill_between(at, np.maximum(value - 1.96 * error, 0), value + 1.96 * error, alpha=0.3, label="95 %")
    plot.plot(at, true, "k-", lw=0.6, label="true")
    plot.plot(at, value, lw=0.9, label="estimate")
    plot.plot(at[measured], value[measured], ".", ms=3, label="measured")
    plot.xlabel("slice")
    plot.ylabel(event)
    plot.legend()
    plot.tight_layout()
    plot.savefig(path, dpi=90)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tables", nargs="+")
    p.add_argument("--evreport", required=True)
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--event", default="L1D_LOAD_MISS")
    args = p.parse_args()
    os.makedirs(args.output, exist_ok=True)
    draw_ra(ra_by_event(args.evreport, args.tables), os.path.join(args.output, "ra.png"))
    draw_series(args.evreport, args.tables[0], args.event, os.path.join(args.output, "series.png"))


if __name__ == "__main__":
    main()
