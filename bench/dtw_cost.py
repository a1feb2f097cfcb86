#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What DTW cost rewards: series that nobody would want, beside estimates.

dtw_cost.py EVREPORT TABLES... masks complete tables as four counters would, CYCLES and INSTR always on, fills
them, and prints RA, DTW cost and the error of the total (docs/estimators.md explains them), means over
events and tables. Needs python3-numpy.
"""

import csv
import gzip
import pathlib
import subprocess
import sys
import tempfile

import numpy

N_COUNTERS, N_ALWAYS, SEED = 4, 2, 99


def read(path):
    with gzip.open(path, "rt") as file:
        rows = csv.reader(file)
        return next(rows), numpy.array([[float(count) for count in row] for row in rows])


def rotation(n_slices, n_events, chance):
    """(T, E) whether the slice measures the event."""
    order = chance.permutation(numpy.arange(N_ALWAYS, n_events))
    n_groups = -(-len(order) // N_COUNTERS)
    measured = numpy.ones((n_slices, n_events), bool)
    for rank, event in enumerate(order):
        measured[:, event] = numpy.arange(n_slices) % n_groups == rank // N_COUNTERS
    return measured


def fill(evreport, names, counts, measured, estimator):
    with tempfile.TemporaryDirectory() as folder:
        masked, filled = pathlib.Path(folder, "masked.csv"), pathlib.Path(folder, "filled.csv")
        with masked.open("w") as file:
            print(",".join(names), file=file)
            for row, known in zip(counts, measured):
                print(",".join(f"{count:.0f}" if is_known else "" for count, is_known in zip(row, known)), file=file)
        subprocess.run([evreport, "fill", masked, "-o", filled, "--estimator", estimator, "--always",
                        ",".join(names[:N_ALWAYS])], check=True, stdout=subprocess.DEVNULL)
        return numpy.genfromtxt(filled, delimiter=",", skip_header=1)


def dtw(a, b):
    distance = numpy.abs(a[:, None] - b[None, :])
    cost = numpy.full((len(a) + 1, len(b) + 1), numpy.inf)
    cost[0, 0] = 0
    for diagonal in range(2, len(a) + len(b) + 1):
        i = numpy.arange(max(1, diagonal - len(b)), min(len(a), diagonal - 1) + 1)
        j = diagonal - i
        cost[i, j] = distance[i - 1, j - 1] + numpy.minimum(numpy.minimum(cost[i - 1, j], cost[i, j - 1]),
                                                            cost[i - 1, j - 1])
    return cost[-1, -1]


def judge(values, truth, measured):
    n_kept = len(truth) - len(truth) // 50 - 5
    judged = ~measured & (truth > 0)
    judged[n_kept:] = False
    errors = numpy.abs(values - truth)[judged] / truth[judged]
    return (max(0, 1 - errors.mean()) if judged.sum() >= 5 else numpy.nan,
            dtw(numpy.log10(1 + values[:n_kept]), numpy.log10(1 + truth[:n_kept])),
            abs(values.sum() - truth.sum()) / max(truth.sum(), 1))


def series(truth, measured, by_linear, by_auto, chance):
    """Name -> what an estimator could have said."""
    at = numpy.flatnonzero(measured)
    last = numpy.maximum(numpy.searchsorted(at, numpy.arange(len(truth)), side="right") - 1, 0)
    beside = numpy.clip(last + chance.integers(0, 2, len(truth)), 0, len(at) - 1)
    yield "the last measured count holds", truth[at[last]]
    yield "one of the two samples beside, by lot", numpy.where(measured, truth, truth[at[beside]])
    yield "linear", by_linear
    yield "auto", by_auto
    yield "auto, rounded to whole counts", numpy.where(measured, by_auto, numpy.rint(by_auto))
    yield "the truth, seven slices too early", numpy.roll(truth, -7)


def main():
    evreport, tables = sys.argv[1], sys.argv[2:]
    figures = {}
    for table in tables:
        names, counts = read(table)
        chance = numpy.random.default_rng(SEED)
        measured = rotation(*counts.shape, chance)
        filled = [fill(evreport, names, counts, measured, estimator) for estimator in ("linear", "auto")]
        for event in range(N_ALWAYS, len(names)):
            of = (counts[:, event], measured[:, event], filled[0][:, event], filled[1][:, event])
            for name, values in series(*of, chance):
                figures.setdefault(name, []).append(judge(values, *of[:2]))
    for name, rows in figures.items():
        accuracy, cost, total = numpy.nanmean(numpy.array(rows), axis=0)
        print(f"{name:40} RA {accuracy:.3f}  DTW cost {cost:5.1f}  total error {total:.3f}")


main()
