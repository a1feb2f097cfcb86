#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The networks of Wang, Wang and Lin (2022) as they describe them: one for each event.

  models/train_paper.py --tables DIR -o FOLDER [--events A,B] [--epochs 40]

All events take turns, four at a time and nothing always on. A network sees log10(1 + x) of what fixed
interpolation makes of every event in a slice, and gives log10(1 + count) of its own event: mlp a
perceptron 128-64-1 with dropout 0.3, gru three bidirectional GRU layers of 64 and a dense layer over the
slices. Runs below 0.2 of their program's largest total are left out, and the last 2 % and 5 slices of
each. The first run of a program is kept out of training, as models/train.py does it.

FOLDER/EVENT.mlp.safetensors and EVENT.gru.safetensors hold the weights, FOLDER/paper.csv the accuracies
(RA, as in docs/estimators.md) on runs kept out, FOLDER/paper.png each event's validation curve. These
weights are for comparison: they know one event each, and evreport does not load them.
"""
import argparse
import csv
import os
import sys
import time

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plot
import numpy as np
import torch

from pictures import read
from train import program_of, split_tables, write_safetensors

WINDOW = 64  # slices that a GRU is trained on at once


def kept_slices(n):
    return n - n // 50 - 5


class Run:
    """One table, masked: what fixed interpolation gives (slices, events), the truth, and what was measured."""

    def __init__(self, path, n_counters, random):
        rows = read(path)
        self.program, self.events = program_of(path), rows[0]
        self.truth = np.array(rows[1:], float)
        n_slices, n_events = self.truth.shape
        groups = np.empty(n_events, int)
        groups[random.permutation(n_events)] = np.arange(n_events) // n_counters
        turn = np.arange(n_slices) % (groups.max() + 1)
        self.measured = groups[None, :] == turn[:, None]
        last = np.maximum.accumulate(np.where(self.measured, np.arange(n_slices)[:, None], -1), 0)
        first = self.measured.argmax(0)
        self.fixed = np.take_along_axis(self.truth, np.where(last < 0, first, last), 0)
        self.inputs = torch.tensor(np.log10(1 + self.fixed), dtype=torch.float32)
        self.targets = torch.tensor(np.log10(1 + self.truth), dtype=torch.float32)


def clean(runs):
    """The paper's cleaning: runs below 0.2 of the largest total of their program hold nothing to learn."""
    most = {}
    for r in runs:
        most[r.program] = max(most.get(r.program, 0), r.truth.sum())
    return [r for r in runs if r.truth.sum() >= 0.2 * most[r.program]]


def accuracy(run, e, estimate):
    """RA of one event: unmeasured slices with a count above 0, at least 5 of them, not below 0."""
    n = kept_slices(len(run.truth))
    scored = ~run.measured[:n, e] & (run.truth[:n, e] > 0)
    if scored.sum() < 5:
        return np.nan
    truth = run.truth[:n, e][scored]
    return max(0, 1 - np.mean(np.abs(estimate[:n][scored] - truth) / truth))


class Mlp(torch.nn.Module):
    def __init__(self, n_events):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            [torch.nn.Linear(n_events, 128), torch.nn.Linear(128, 64), torch.nn.Linear(64, 1)])
        self.dropout = torch.nn.Dropout(0.3)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.dropout(torch.relu(layer(x)))
        return self.layers[-1](x)[..., 0]


class Gru(torch.nn.Module):
    def __init__(self, n_events):
        super().__init__()
        self.gru = torch.nn.GRU(n_events, 64, 3, batch_first=True, bidirectional=True, dropout=0.3)
        self.dense = torch.nn.Linear(128, 1)

    def forward(self, x):
        return self.dense(self.gru(x)[0])[..., 0]


KINDS = {"mlp": (Mlp, 1, 512), "gru": (Gru, WINDOW, 16)}  # slices of a window, windows of a batch


def windows(runs, e, length):
    """(N, length, events) and (N, length)."""
    x, y = [], []
    for r in runs:
        n = kept_slices(len(r.truth))
        for start in range(0, n - length + 1, length):
            x.append(r.inputs[start:start + length])
            y.append(r.targets[start:start + length, e])
    return torch.stack(x), torch.stack(y)


def judge(model, runs, e, mean, deviation):
    """Mean RA over runs; what was measured stays."""
    model.eval()
    found = []
    with torch.no_grad():
        for r in runs:
            out = model(((r.inputs - mean) / deviation)[None])[0].numpy()
            found.append(accuracy(r, e, np.clip(10.0 ** np.clip(out, 0, 15) - 1, 0, None)))
    return np.nanmean(found) if not np.isnan(found).all() else np.nan


def train(kind, e, data, checks, args):
    torch.manual_seed(args.seed)
    make, length, batch = KINDS[kind]
    x, y = windows(data, e, length)
    mean, deviation = x.mean((0, 1)), x.std((0, 1)) + 0.01
    x = (x - mean) / deviation
    model, curve = make(x.shape[-1]), []
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(args.epochs):
        model.train()
        for rows in torch.randperm(len(x)).split(batch):
            loss = torch.nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % args.every == args.every - 1:
            curve.append((epoch + 1, judge(model, checks, e, mean, deviation)))
    tensors = {"input.mean": mean.numpy(), "input.deviation": deviation.numpy(),
               **{name: t.numpy() for name, t in model.state_dict().items()}}
    return curve, tensors


def draw(curves, path):
    columns = min(4, len(curves))
    figure, axes = plot.subplots(-(-len(curves) // columns), columns, squeeze=False, sharex=True, sharey=True,
                                 figsize=(3 * columns, 2.2 * -(-len(curves) // columns)))
    for axis, (event, (fixed, by_kind)) in zip(axes.flat, curves.items()):
        axis.axhline(fixed, color="gray", lw=0.8, label="fixed")
        for kind, curve in by_kind.items():
            axis.plot(*zip(*curve), label=kind)
        axis.set_title(event, fontsize=8)
    for axis in axes.flat[len(curves):]:
        axis.axis("off")
    axes[0, 0].legend(fontsize=7)
    axes[-1, 0].set_xlabel("epoch")
    axes[-1, 0].set_ylabel("RA")
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def train_event(event, data, checks, args):
    """RA of fixed interpolation and each kind's curve; writes the weights."""
    e = data[0].events.index(event)
    fixed = np.nanmean([accuracy(r, e, r.fixed[:, e]) for r in checks])
    by_kind = {}
    for kind in KINDS:
        began = time.time()
        by_kind[kind], tensors = train(kind, e, data, checks, args)
        write_safetensors(os.path.join(args.output, "%s.%s.safetensors" % (event, kind)), tensors, {
            "architecture": kind, "event": event, "inputs": ",".join(data[0].events), "scale": "log10(1 + x)",
            "gate_order": "r,z,n", "seed": str(args.seed), "license": "BSD-3-Clause"})
        print("%-16s fixed %.3f  %s %.3f  %3.0f s" % (event, fixed, kind, by_kind[kind][-1][1], time.time() - began),
              flush=True)
    return fixed, by_kind


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tables", required=True, help="folder of complete tables, PROGRAM-RUN.csv.gz")
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--events", help="which, of the tables' header (all)")
    p.add_argument("--counters", type=int, default=4)
    p.add_argument("--masks", type=int, default=4, help="rotations that each run is masked by")
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--every", type=int, default=5, help="epochs between validations")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=1)
    return p.parse_args()


def main():
    args = parse()
    torch.set_num_threads(args.threads)
    os.makedirs(args.output, exist_ok=True)
    train_tables, valid_tables, _ = split_tables(args.tables)
    random = np.random.default_rng(args.seed)
    data = clean([Run(path, args.counters, random) for path in train_tables for _ in range(args.masks)])
    checks = [Run(path, args.counters, random) for path in valid_tables]
    events = args.events.split(",") if args.events else data[0].events
    curves = {event: train_event(event, data, checks, args) for event in events}
    with open(os.path.join(args.output, "paper.csv"), "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["event", "fixed", *KINDS])
        for event, (fixed, by_kind) in curves.items():
            out.writerow([event] + ["%.3f" % v for v in (fixed, *(by_kind[kind][-1][1] for kind in KINDS))])
    draw(curves, os.path.join(args.output, "paper.png"))


if __name__ == "__main__":
    sys.exit(main())
