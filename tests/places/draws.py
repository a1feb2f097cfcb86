#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ticks by events are fair draws: what they say of each procedure is what the program counted itself.

draws.py EVPROF EVREPORT TURNS [SECONDS]: prints TAP. For each shape of tests/places/turns.c the share of
each event's weighted ticks (2^k each) in each procedure is held against the program's own account, once
by the ticks of the event, once by the counts of the slices that end in the procedure, which is what a
profiler without such ticks has. The estimate here is the plainest one; evreport's is tested elsewhere.
"""
import bisect
import collections
import math
import os
import re
import subprocess
import sys
import tempfile

SHAPES = (("two", 10), ("two", 100), ("two", 1000), ("two", 10000), ("five", 100), ("twenty", 100),
          ("tails", 100), ("recursion", 100), ("threads", 100), ("phases", 100))
PERIOD = "200us"
EVENTS = "e0,e1,e2,e3"


def procedures_of(program):
    """Addresses where a procedure of the test begins, and its name; sorted."""
    lines = subprocess.run(["nm", "--defined-only", program], text=True, capture_output=True, check=True).stdout
    found = [(int(a, 16), name) for a, kind, name in re.findall(r"^([0-9a-f]+) (\w) (\S+)$", lines, re.M)
             if kind in "tT"]
    return sorted(found)


def name_at(procedures, address):
    at = bisect.bisect_right(procedures, (address, "~"))
    return re.sub(r"\..*", "", procedures[at - 1][1]) if at else "?"


def read_account(text):
    account = collections.defaultdict(lambda: collections.defaultdict(int))
    for name, event, count in (line.split() for line in text.splitlines()):
        account[event][name] += int(count)
    return account


def read_samples(dump, procedures, program):
    """(thread, procedure, cpu, flags, {event: count}) of each slice."""
    nodes, parents, modules, thread = {}, {}, set(), None
    for line in dump.splitlines():
        if m := re.match(r"  module (\d+) at .* bias \S+ (.*) build-id", line):
            if os.path.basename(m[2]) == os.path.basename(program):
                modules.add(m[1])
        elif m := re.match(r"  thread (\d+) ", line):
            thread = m[1]
        elif m := re.match(r"  node (\d+): parent (\d+) module (\d+) address 0x([0-9a-f]+)", line):
            nodes[thread, m[1]] = name_at(procedures, int(m[4], 16)) if m[3] in modules else None
            parents[thread, m[1]] = m[2]
        elif m := re.match(r"  slice \d+: .* cpu (\d+) .* node (\d+) group \d+ flags (\d+)(.*)", line):
            node = m[2]
            while node != "0" and nodes.get((thread, node)) is None:
                node = parents.get((thread, node), "0")
            counts = {e: int(n) for e, n in re.findall(r"(e\d)=(\d+)", m[4])}
            yield thread, nodes.get((thread, node)), int(m[1]), int(m[3]), counts


AT_EVENT, IN_CALL = 1 << 7, 1 << 22  # flags of docs/trace-format.md


def shares_by_ticks(samples):
    """{event: {procedure: [share, standard error, ticks]}}; windows are what varies independently."""
    sums = collections.defaultdict(lambda: collections.defaultdict(float))
    squares = collections.defaultdict(lambda: collections.defaultdict(float))
    ticks = collections.Counter()
    for _, procedure, _, flags, _ in samples:
        if flags & AT_EVENT and not flags & IN_CALL:
            event, weight = f"e{(flags >> 8 & 255) - 1}", 2.0 ** (flags >> 16 & 63)
            sums[event][procedure] += weight
            squares[event][procedure] += weight * weight
            ticks[event] += 1
    result = {}
    for event, of in sums.items():
        total = sum(of.values())
        result[event] = {}
        for procedure, weight in of.items():
            share = weight / total
            variance = sum((1 - share if p == procedure else share) ** 2 * s for p, s in squares[event].items())
            result[event][procedure] = (share, math.sqrt(variance) / total, ticks[event])
    return result


def shares_by_slices(samples):
    sums = collections.defaultdict(collections.Counter)
    for _, procedure, _, _, counts in samples:
        for event, n in counts.items():
            sums[event][procedure] += n
    return {e: {p: n / max(1, sum(of.values())) for p, n in of.items()} for e, of in sums.items()}


def record(tools, program, shape, turn_us, seconds, ticks, folder):
    trace = os.path.join(folder, "trace.gz")
    run = subprocess.run([tools[0], "run", "--source", "program", "--events", EVENTS, "--period", PERIOD,
                          "--ticks", ticks, "--quiet", "--output", trace, "--", program, shape, str(turn_us),
                          str(seconds)], text=True, capture_output=True, check=True)
    dump = subprocess.run([tools[1], "dump", trace], text=True, capture_output=True, check=True).stdout
    return read_account(run.stdout), dump


def main():
    tools, program = sys.argv[1:3], sys.argv[3]
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 0.7
    procedures = procedures_of(program)
    n_bad = 0
    print(f"1..{len(SHAPES)}")
    with tempfile.TemporaryDirectory() as folder:
        for i, (shape, turn_us) in enumerate(SHAPES, 1):
            truth, dump = record(tools, program, shape, turn_us, seconds, "events", folder)
            samples = list(read_samples(dump, procedures, program))
            _, dump_of_time = record(tools, program, shape, turn_us, seconds, "time", folder)
            by_time = shares_by_slices(list(read_samples(dump_of_time, procedures, program)))
            worst, worst_by_slices, n_held, n_all = 0, 0, 0, 0
            by_ticks = shares_by_ticks(samples)
            for event, of in by_ticks.items():
                total = sum(truth[event].values())
                for name, n in truth[event].items():
                    true = n / total if total else 0
                    n_ticks = max(n for _, _, n in of.values())
                    share, error, _ = of.get(name, (0, 0, 0))
                    if max(true, share) < 0.05:
                        continue
                    n_all += 1
                    # five standard errors, and the chance of a share that few ticks tell
                    n_held += abs(share - true) <= 5 * error + 5 / max(1, n_ticks)
                    worst = max(worst, abs(share - true))
                    worst_by_slices = max(worst_by_slices, abs(by_time.get(event, {}).get(name, 0) - true))
            print(f"# {shape} {turn_us} us: {sum(1 for s in samples if s[3] & 128)} ticks by events of {len(samples)}; "
                  f"worst share off by {100 * worst:.1f} points, by counts of slices {100 * worst_by_slices:.1f}")
            occurring = {event for event, of in truth.items() if event != "time" and sum(of.values())}
            bad = not n_all or n_held < n_all or set(by_ticks) != occurring
            n_bad += bad
            print(f"{'not ok' if bad else 'ok'} {i} - {shape}, turns of {turn_us} us")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())
