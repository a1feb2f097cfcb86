#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a projection of filled counts onto identities does to totals and their bars.

identities.py EVREPORT TABLES... [--estimator linear,auto] [--counters 4] [--seeds 99,7]

Each recorded table gets the hits beside its misses, so that five identities hold exactly: accesses = hits +
misses. Groups of events take turns, evreport fill fills the gaps, and the filled counts x with their
covariance S (measured counts have none) become x - S A'(A S A')^-1 A x, in each slice or in the totals.
"""

import argparse
import csv
import gzip
import os
import random
import statistics
import subprocess
import tempfile

# What is had, the hits that the table lacks, what missed.
IDENTITIES = [("L1D_LOADS", "L1D_LOAD_HIT", "L1D_LOAD_MISS"), ("L1D_STORES", "L1D_STORE_HIT", "L1D_STORE_MISS"),
              ("L1D_LOAD_MISS", "LL_LOAD_HIT", "LL_LOAD_MISS"), ("BR_COND", "BR_COND_OK", "BR_COND_MISP"),
              ("BR_IND", "BR_IND_OK", "BR_IND_MISP")]
ALWAYS = ["CYCLES", "INSTR"]
SIZES = [("all", 0, 1e99), ("below 1,000", 0, 1e3), ("1,000 to 100,000", 1e3, 1e5), ("above", 1e5, 1e99)]


def read_table(path):
    """Rows {event: count}; without STALL, which follows from the events that are always on."""
    with gzip.open(path, "rt") as file:
        rows = [{name: float(count) for name, count in row.items() if name != "STALL"}
                for row in csv.DictReader(file)]
    for row in rows:
        for whole, hits, misses in IDENTITIES:
            row[hits] = row[whole] - row[misses]
    return rows


def fill(evreport, rows, estimator, n_counters, seed):
    """Filled counts and standard errors, a row {event: number} per slice each."""
    names = list(rows[0])
    rotated = [name for name in names if name not in ALWAYS]
    random.Random(seed).shuffle(rotated)
    group_of = {name: i // n_counters for i, name in enumerate(rotated)}
    n_groups = max(group_of.values()) + 1
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("in.csv", "out.csv", "errors.csv")]
        with open(paths[0], "w") as file:
            print(",".join(names), file=file)
            for t, row in enumerate(rows):
                is_on = [group_of.get(name, t % n_groups) == t % n_groups for name in names]
                print(",".join(f"{row[n]:.0f}" if on else "" for n, on in zip(names, is_on)), file=file)
        subprocess.run([evreport, "fill", paths[0], "-o", paths[1], "--errors", paths[2], "--estimator", estimator,
                        "--always", ",".join(ALWAYS)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return [[{name: float(text or 0) for name, text in row.items()} for row in csv.DictReader(open(path))]
                for path in paths[1:]]


def solve(matrix, right):
    """Gauss and Jordan; what does not matter (a row of zeros) is 0."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(n):
            if r != i and rows[r][i] and abs(rows[i][i]) > 1e-12:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] if abs(rows[i][i]) > 1e-12 else 0 for i in range(n)]


def project(counts, variances):
    """Projected counts, none below 0, and their variances."""
    out, left = dict(counts), dict(variances)
    used = [{w: 1, h: -1, m: -1} for w, h, m in IDENTITIES if variances[w] + variances[h] + variances[m] > 0]
    if not used:
        return out, left
    matrix = [[sum(variances[n] * a[n] * b.get(n, 0) for n in a) for b in used] for a in used]
    weights = solve(matrix, [sum(a[n] * counts[n] for n in a) for a in used])
    for a, weight in zip(used, weights):
        for name in a:
            out[name] -= variances[name] * a[name] * weight
    for name in {name for a in used for name in a}:
        column = [a.get(name, 0) * variances[name] for a in used]
        left[name] -= sum(x * y for x, y in zip(solve(matrix, column), column))
    return {n: max(0, value) for n, value in out.items()}, {n: max(0, value) for n, value in left.items()}


def follow(counts, variances):
    """Only cells that measured ones determine: accesses and hits tell misses."""
    out, left = dict(counts), dict(variances)
    for _ in IDENTITIES:
        for whole, hits, misses in IDENTITIES:
            unknown = [name for name in (whole, hits, misses) if left[name] > 0]
            if len(unknown) == 1:
                name = unknown[0]
                out[name] = (out[hits] + out[misses] if name == whole else
                             max(0, out[whole] - out[misses if name == hits else hits]))
                left[name] = 0
    return out, left


def add_up(rows):
    return {name: sum(row[name] for row in rows) for name in rows[0]}


def totals(filled, errors):
    """{way: (totals, their variances)}; errors of slices are taken as independent."""
    variances = [{name: error * error for name, error in row.items()} for row in errors]
    plain = add_up(filled), add_up(variances)
    ways = {"as filled": plain, "totals": project(*plain)}
    for name, way in ("cells that follow", follow), ("slices", project):
        both = [way(counts, variance) for counts, variance in zip(filled, variances)]
        ways[name] = add_up([counts for counts, _ in both]), add_up([left for _, left in both])
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("evreport")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--estimator", default="linear,auto")
    parser.add_argument("--counters", type=int, default=4)
    parser.add_argument("--seeds", default="99,7")
    options = parser.parse_args()
    for estimator in options.estimator.split(","):
        found = []  # (event, true total, {way: (error, bar)})
        for seed in options.seeds.split(","):
            for path in options.tables:
                rows = read_table(path)
                truth = add_up(rows)
                ways = totals(*fill(options.evreport, rows, estimator, options.counters, int(seed)))
                found += [(name, true, {way: (abs(of[name] - true) / true, 1.96 * left[name] ** .5 / true)
                                        for way, (of, left) in ways.items()})
                          for name, true in truth.items() if name not in ALWAYS and true > 0]
        print_table(estimator, found)


def print_table(estimator, found):
    ways = list(found[0][2])
    print(f"\n| {estimator}: counts in a run | n | " + " | ".join(ways) + " |\n|---|---:|" + "---:|" * len(ways))
    picks = [(name, lambda row, least=least, most=most: least <= row[1] < most) for name, least, most in SIZES]
    picks += [(name, lambda row, name=name: row[0] == name) for name in dict.fromkeys(row[0] for row in found)]
    for name, is_wanted in picks:
        rows = [row[2] for row in found if is_wanted(row)]
        if rows:
            cells = [f"{statistics.mean(min(1, row[way][0]) for row in rows):.4f}" for way in ways]
            print(f"| {name} | {len(rows)} | " + " | ".join(cells) + " |")
    for what, of in (("median bar", lambda row, way: row[way][1]),
                     ("totals inside it", lambda row, way: row[way][0] <= row[way][1])):
        mean = statistics.median if what == "median bar" else statistics.mean
        print(f"| {what} | {len(found)} | " + " | ".join(f"{mean(of(row[2], way) for row in found):.4f}" for way in ways)
              + " |")


if __name__ == "__main__":
    main()
