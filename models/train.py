#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains the shipped networks: complete tables -> masked features (evreport export-training) -> weights.

  models/train.py --evreport build/reporter/evreport --tables DIR --kind mlp -o models/mlp.safetensors

A network sees one cell of the table (mlp) or an event's whole series of cells (gru) and gives three
numbers: the estimate and the expected count, as differences from the log of the linear interpolation,
and the log of the error that 95 % of the cells stay below.  Needs Debian's python3-torch and
python3-numpy (python3-matplotlib for the picture).
"""
import argparse
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

HELD_OUT = ["gcc", "sqlite3", "srad", "streamcluster"]
# Rotations: always-on events, events of a group, first seed, how many. Seed 0 is the header's order.
ROTATIONS = {
    "mlp": [("CYCLES,INSTR", 4, 0, 16), ("CYCLES,INSTR", 3, 20, 2), ("CYCLES,INSTR", 6, 30, 2), ("", 4, 40, 5)],
    "gru": [("CYCLES,INSTR", 4, 1, 2), ("", 4, 40, 1)],
}
CLIP = 5.0
N_WORDS = 8  # the last features: what the event's name says
SERIES_AT_ONCE = 10  # about as many cells as a perceptron's batch


def program_of(path):
    return os.path.basename(path).split(".")[0].rsplit("-", 1)[0]


def run_of(path):
    return os.path.basename(path).split(".")[0].rsplit("-", 1)[1]


def split_tables(folder):
    """Training runs, validation runs (one of each seen program), runs of programs kept out."""
    train, valid, unseen = [], [], []
    known = set()
    for path in sorted(glob.glob(os.path.join(folder, "*.csv.gz"))):
        if program_of(path) in HELD_OUT:
            unseen.append(path)
        elif program_of(path) not in known:
            known.add(program_of(path))
            valid.append(path)
        else:
            train.append(path)
    return train, valid, unseen


def read_safetensors(path):
    with open(path, "rb") as f:
        length, = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(length))
    tensors = {}
    for name, t in header.items():
        if name == "__metadata__":
            continue
        begin, end = t["data_offsets"]
        tensors[name] = np.fromfile(path, "<f4", (end - begin) // 4, offset=8 + length + begin).reshape(t["shape"])
    return tensors, header.get("__metadata__", {})


def write_safetensors(path, tensors, metadata):
    header, at = {"__metadata__": metadata}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + 4 * t.size]}
        at += 4 * t.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(np.ascontiguousarray(t, "<f4").tobytes())


class Data:
    """Rows of all series, one after the other; a series is (start, length, program, event)."""

    def __init__(self, evreport, tables, rotations, pairs=()):
        parts, self.series, at = [], [], 0
        exports = [[*tables, "--always", always, "--counters", str(counters), "--seed", str(seed),
                    "--rotations", str(n)] for always, counters, seed, n in rotations]
        if pairs:
            exports.append([word for pair in pairs for word in ("--pair", pair)])
        for arguments in exports:
            with tempfile.NamedTemporaryFile(suffix=".safetensors") as f:
                subprocess.run([evreport, "export-training", *arguments, "-o", f.name], check=True)
                parts.append(read_safetensors(f.name)[0])
                names = open(f.name + ".series").read()
                os.unlink(f.name + ".series")
            for entry in names.strip(";").split(";"):
                named, length = entry.rsplit(":", 1)
                run, event = named.split(":", 1) # an event's name may hold colons
                self.series.append((at, int(length), run.rsplit("-", 1)[0], event))
                at += int(length)
        self.x = torch.from_numpy(np.concatenate([p["features"] for p in parts]))
        self.base, self.truth, self.judged, self.exposure = (
            torch.from_numpy(np.concatenate([p[k] for p in parts])[:, 0])
            for k in ("base", "truth", "judged", "exposure"))
        self.offset = torch.zeros(len(self.x), 3)

    def hide_words(self, random):
        """Half of the series lose what their event's name says: the network must do without, too."""
        for start, length, *_ in self.series:
            if random.random() < 0.5:
                self.x[start:start + length, -N_WORDS:] = 0

    def scale(self, mean, deviation):
        self.x.sub_(mean).div_(deviation).clamp_(-CLIP, CLIP)

    def extend(self, baseline):
        """Three more features: what the baseline network says, which is also what outputs are added to."""
        with torch.no_grad():
            self.offset = torch.cat([baseline(x) for x in self.x.split(65536)])
        self.x = torch.cat([self.x, self.offset], 1)

    def weigh(self):
        """Each cell's share in the accuracies of all counts, of counts of 100 and more, and of the expected
        count: series count alike, however long."""
        weights = [torch.zeros_like(self.base) for _ in range(2)]
        self.mean_weight = torch.zeros_like(self.base)
        for start, length, *_ in self.series:
            rows = slice(start, start + length)
            truth, hidden = self.truth[rows], self.judged[rows] != 0
            for weight, least in zip(weights, (0, 99)):
                scored = (self.judged[rows] == 1) & (truth > least)
                weight[rows] = scored / (scored.sum() + 20.0).sqrt()
            self.mean_weight[rows] = hidden * self.exposure[rows] / (length * (truth.mean() + 1))
        self.value_weight = sum(w / w.mean() for w in weights) / 2
        self.mean_weight *= len(self.base) / len(self.series)
        self.hidden = (self.judged != 0).float()
        self.cells = torch.nonzero(self.judged != 0)[:, 0]
        self.sum_up()

    def sum_up(self):
        """True sums of the hidden and of all slices; a series whose samples are all 0 is filled with 0 anyway."""
        self.hidden_sum, self.sum = torch.zeros(2, len(self.series))
        for k, (start, length, *_) in enumerate(self.series):
            counts = self.truth[start:start + length] * self.exposure[start:start + length]
            self.sum[k] = counts.sum()
            self.hidden_sum[k] = (counts * self.hidden[start:start + length]).sum()
        self.summable = torch.nonzero(self.sum > self.hidden_sum)[:, 0]

    def at(self, rows):
        return Batch(*(t[rows] for t in (self.x, self.offset, self.base, self.truth, self.value_weight,
                                         self.mean_weight, self.hidden)))


class Batch:
    def __init__(self, x, offset, base, truth, value_weight, mean_weight, hidden):
        self.x, self.offset, self.base, self.truth = x, offset, base, truth
        self.value_weight, self.mean_weight, self.hidden = value_weight, mean_weight, hidden


def batches_of_cells(data, n, random):
    """A perceptron's batches: cells from anywhere."""
    order = data.cells[torch.from_numpy(random.permutation(len(data.cells)))]
    for i in range(0, len(order) - n + 1, n):
        yield data.at(order[i:i + n])


class WholeSeries:
    """A few series with all their cells: what their sums are judged by."""

    def __init__(self, data, which):
        spans = [data.series[k][:2] for k in which]
        rows = torch.cat([torch.arange(start, start + length) for start, length in spans])
        self.of = torch.repeat_interleave(torch.arange(len(which)), torch.tensor([length for _, length in spans]))
        self.x, self.base = data.x[rows], data.base[rows]
        self.share = data.hidden[rows] * data.exposure[rows]
        self.hidden_sum, self.sum = data.hidden_sum[which], data.sum[which]


def batches_of_series(data, n, random):
    while True:
        order = data.summable[torch.from_numpy(random.permutation(len(data.summable)))]
        for i in range(0, len(order) - n + 1, n):
            yield WholeSeries(data, order[i:i + n])


def batches_of_windows(data, n, random, window=64):
    """A recurrent network's batches (n, window): each series is covered about once."""
    starts = []
    for start, length, *_ in data.series:
        first = start + int(random.integers(0, window // 2))
        starts += list(range(first, start + length - window + 1, window)) + [start + length - window]
    starts = np.array(starts)[random.permutation(len(starts))]
    for i in range(0, len(starts) - n + 1, n):
        yield data.at(torch.from_numpy(starts[i:i + n])[:, None] + torch.arange(window))


class Mlp(torch.nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            [torch.nn.Linear(n_features, 192), torch.nn.Linear(192, 64), torch.nn.Linear(64, 3)])
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, x):
        x = self.dropout(torch.relu(self.layers[0](x)))
        return self.layers[2](torch.relu(self.layers[1](x)))


class Gru(torch.nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.gru = torch.nn.GRU(n_features, 64, 3, batch_first=True, bidirectional=True)
        self.dense = torch.nn.Linear(128, 3)
        torch.nn.init.zeros_(self.dense.weight)  # starts as its baseline
        torch.nn.init.zeros_(self.dense.bias)

    def forward(self, x):
        return self.dense(self.gru(x)[0])


KINDS = {"mlp": Mlp, "gru": Gru}


def estimates(out, base):
    """Count and expected count of every cell."""
    return (torch.expm1((base + out[..., k]).clamp(0, 30)) for k in (0, 1))


def bent(loss, knee):
    """Beyond the knee by its logarithm: one cell in a thousand must not rule, but it must still pull."""
    return torch.where(loss > knee, knee * (1 + torch.log(loss.clamp(min=knee) / knee)), loss)


def value_loss(out, b):
    """Relative error as RA has it. An error above 100 % counts by its logarithm: RA is cut at 0."""
    log_estimate = b.base + out[..., 0]
    relative = (torch.expm1(log_estimate.clamp(0, 30)) - b.truth).abs() / b.truth.clamp(min=0.5)
    return (bent(relative, 1) * b.value_weight).mean()


def mean_loss(out, b):
    """Poisson deviance, whose least is at the expected count."""
    log_mean = (b.base + out[..., 1]).clamp(max=30)
    deviance = torch.exp(log_mean) - (b.truth + 1) * (1 + log_mean - torch.log1p(b.truth))
    return bent(deviance * b.mean_weight, 50).mean()


def total_loss(out, s, head):
    """Error of a series' sum relative to its sum, as the accuracies have it: of the sums that may be, the
    least expected relative error has a low one. Beyond 2 it counts by its logarithm."""
    counts = torch.expm1((s.base + out[..., head]).clamp(0, 30))
    sums = torch.zeros_like(s.sum).index_add(0, s.of, counts * s.share)
    return bent((sums - s.hidden_sum).abs() / s.sum, 2).mean()


def width_loss(out, b):
    """Pinball loss at 95 % of the log of the absolute error."""
    value = next(estimates(out, b.base)).detach()
    away = torch.log1p((value - b.truth).abs()) - out[..., 2]
    return (torch.maximum(0.95 * away, -0.05 * away) * b.hidden).mean()


def loss_of(out, b, corrects):
    """With a baseline only the estimate is learned; the expected count and the width stay the baseline's
    (learned again from fewer masks they got worse: total error .21 for .12, 83 % covered for 96 %)."""
    if corrects:
        return value_loss(out, b)
    return value_loss(out, b) + 0.1 * mean_loss(out, b) + 0.3 * width_loss(out, b)


def accuracy(model, data):
    """Mean over series of RA, RA of counts of 100 and more, total error, share inside the interval."""
    model.eval()
    sums = []
    with torch.no_grad():
        for k in range(len(data.series)):
            rows = slice(data.series[k][0], data.series[k][0] + data.series[k][1])
            base, truth, judged = data.base[rows], data.truth[rows], data.judged[rows]
            out = model(data.x[rows][None])[0] + data.offset[rows]
            value, mean = estimates(out, base)
            hidden = judged == 1
            relative = (value - truth).abs() / truth.clamp(min=0.5)
            row = []
            for least in (0, 99):
                scored = hidden & (truth > least)
                row.append(max(0, 1 - relative[scored].mean().item()) if scored.sum() >= 5 else np.nan)
            gap = (judged != 0) * data.exposure[rows]
            total = (truth * data.exposure[rows]).sum()
            row.append((((mean - truth) * gap).sum().abs() / total).item() if total > 0 else np.nan)
            width = torch.expm1(out[..., 2].clamp(0, 30))
            row.append(((value - truth).abs() <= width)[hidden].float().mean().item())
            sums.append(row)
    return np.nanmean(np.array(sums), 0)


def train(model, data, checks, args):
    random = np.random.default_rng(args.seed)
    batches = {"mlp": batches_of_cells, "gru": batches_of_windows}[args.kind]
    per_epoch = sum(1 for _ in batches(data, args.batch, np.random.default_rng(0)))
    optimizer = torch.optim.AdamW(model.parameters(), args.rate / 4, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.rate, total_steps=args.epochs * (per_epoch + 20))
    whole = None if args.baseline else batches_of_series(data, SERIES_AT_ONCE, random)
    curve, began = [], time.time()
    for epoch in range(args.epochs):
        losses = []
        model.train()
        for b in batches(data, args.batch, random):
            loss = loss_of(model(b.x) + b.offset, b, args.baseline)
            if whole:
                series = next(whole)
                out = model(series.x)
                loss = loss + 0.3 * total_loss(out, series, 0) + 0.7 * total_loss(out, series, 1)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        if epoch % args.every == args.every - 1 or epoch == args.epochs - 1:
            rows = [accuracy(model, c) for c in checks]
            curve.append((epoch + 1, np.mean(losses), *rows))
            print("epoch %d loss %.4f %4.0f s " % (epoch + 1, np.mean(losses), time.time() - began) +
                  " | ".join(" ".join("%.3f" % v for v in r) for r in rows), flush=True)
    return curve


def draw(curve, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    epochs = [c[0] for c in curve]
    for label, k in (("runs kept out", 2), ("programs kept out", 3)):
        plot.plot(epochs, [c[k][0] for c in curve], label="RA, " + label)
        plot.plot(epochs, [c[k][2] for c in curve], "--", label="total error, " + label)
    plot.xlabel("epoch")
    plot.legend()
    plot.savefig(path, dpi=80)


def read_baseline(path):
    tensors, _ = read_safetensors(path)
    model = Mlp(len(tensors["input.mean"]))
    model.load_state_dict({k: torch.from_numpy(v) for k, v in tensors.items() if not k.startswith("input.")})
    return model.eval(), torch.from_numpy(tensors["input.mean"]), torch.from_numpy(tensors["input.deviation"])


def prepare(args, data, checks):
    """Scales every set; returns the scaling of the network's inputs."""
    if args.baseline:
        baseline, mean, deviation = read_baseline(args.baseline)
    else:
        mean, deviation = data.x.mean(0), data.x.std(0) + 0.05
    for d in (data, *checks):
        d.scale(mean, deviation)
        if args.baseline:
            d.extend(baseline)
    if args.baseline:
        mean, deviation = torch.cat([mean, torch.zeros(3)]), torch.cat([deviation, torch.ones(3)])
    data.weigh()
    return mean, deviation


def tensors_of(model, mean, deviation):
    tensors = {"input.mean": mean.numpy(), "input.deviation": deviation.numpy()}
    for name, t in model.state_dict().items():
        tensors[name] = t.numpy()
    return tensors


def metadata_of(kind, args, train_tables):
    metadata = {
        "format": "evprof-network-1", "architecture": kind, "features": "evprof-cells-2", "input_clip": str(CLIP),
        "outputs": "value,mean,width", "output_scale": "log1p, value and mean relative to the linear interpolation",
        "window": "64" if kind == "gru" else "1", "training_programs": ",".join(sorted({program_of(p) for p in train_tables})),
        "held_out_programs": ",".join(HELD_OUT), "seed": str(args.seed), "license": "BSD-3-Clause",
    }
    if args.baseline:
        metadata["baseline"] = "mlp"
    if kind == "gru":
        metadata.update({"gate_order": "r,z,n", "gate_biases": "two", "directions": "2"})
    else:
        metadata["activation"] = "relu"
    return metadata


def write_golden(path, model, data):
    """Inputs (before scaling is undone: as the network sees them) and outputs of a few cells."""
    model.eval()
    start = data.series[len(data.series) // 2][0]
    x = data.x[start:start + 40][None]
    with torch.no_grad():
        out = model(x)
    write_safetensors(path, {"input": x[0].numpy(), "output": out[0].numpy()}, {"what": "golden vector"})


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--evreport", required=True)
    p.add_argument("--tables", required=True, help="folder of complete tables, PROGRAM-RUN.csv.gz")
    p.add_argument("--pair", action="append", default=[], metavar="MPX.gz,OCOE.gz,...",
                   help="a multiplexed trace and complete ones of the same program, to train on too")
    p.add_argument("--kind", choices=sorted(KINDS), required=True)
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--baseline", help="an mlp's weights whose answers the gru sees and corrects")
    p.add_argument("--golden", help="write a golden vector here")
    p.add_argument("--curve", help="write the validation curve's picture here")
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--every", type=int, default=5, help="epochs between validations")
    p.add_argument("--batch", type=int, default=0, help="cells (mlp: 4096) or windows (gru: 128)")
    p.add_argument("--rate", type=float, default=4e-3)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    args.batch = args.batch or {"mlp": 4096, "gru": 64}[args.kind]
    return args


def main():
    args = parse()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    train_tables, valid_tables, unseen_tables = split_tables(args.tables)
    data = Data(args.evreport, train_tables, ROTATIONS[args.kind], args.pair)
    checks = [Data(args.evreport, t, [("CYCLES,INSTR", 4, 99, 1)]) for t in (valid_tables, unseen_tables)]
    data.hide_words(np.random.default_rng(args.seed + 1))
    mean, deviation = prepare(args, data, checks)
    print("%d series, %d cells, %d features" % (len(data.series), *data.x.shape), flush=True)
    print("columns: RA, RA of counts >= 100, total error, share in the 95 % interval; runs kept out | programs kept out")
    model = KINDS[args.kind](data.x.shape[1])
    curve = train(model, data, checks, args)
    runs = train_tables + [pair.split(",")[0] for pair in args.pair]
    write_safetensors(args.output, tensors_of(model, mean, deviation), metadata_of(args.kind, args, runs))
    if args.golden:
        write_golden(args.golden, model, checks[1])
    if args.curve:
        draw(curve, args.curve)


if __name__ == "__main__":
    sys.exit(main())
