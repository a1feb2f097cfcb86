#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of a tick in a script of 20 functions over a tick that leaves them unread.

interpreter.py BUILD [--rounds N] [PYTHON...]: runs of a second with and without the functions, in turns,
for a script whose innermost function stays (deep), one where eight take turns (leaves), deep in a thread, and a
program without an interpreter (native: gzip). The cost is the handler's own CPU time for each tick behind the first
0.2 s, as the trace's TOTALS tells it; then what these 0.2 s cost, in which the interpreter is found and functions are
met first. Medians over rounds, and the interval that each is good to (95 times of 100).
"""

import argparse
import math
import pathlib
import re
import statistics
import subprocess
import tempfile

N_FUNCTIONS = 20
LEAF = "def leaf{0}(n):\n    total = {0}\n    for i in range(n):\n        total += i * i % 7\n    return total\n"
CALL = "def f{0}(n):\n    return f{1}(n)\n"
LAST = "def f{0}(n):\n    return sum([leaf(n) for leaf in leaves])\n"
END = """leaves = [{leaves}]
import threading, time
def work():
    end = time.process_time() + 1
    while time.process_time() < end:
        f0({n})
{call}
"""
IN_THREAD = "thread = threading.Thread(target=work); thread.start(); thread.join()"


def script(n_leaves, n, call="work()"):
    """20 functions deep, the innermost included; the list's own frame is one of them in some versions."""
    parts = [LEAF.format(i) for i in range(n_leaves)]
    parts += [CALL.format(i, i + 1) for i in range(N_FUNCTIONS - 4)]
    leaves = ", ".join(f"leaf{i}" for i in range(n_leaves))
    parts += [LAST.format(N_FUNCTIONS - 4), END.format(leaves=leaves, n=n, call=call)]
    return "\n".join(parts)


def own_us(build, trace):
    """CPU us in the handler for each tick behind the first block of the thread with most, and for that block."""
    dump = subprocess.run([build / "reporter/evreport", "dump", trace], capture_output=True, text=True, check=True)
    rows = {}
    for thread, n, own_ns in re.findall(r"thread (\d+) tid .* (\d+) samples, .* own (\d+) ns", dump.stdout):
        rows.setdefault(thread, []).append((int(n), int(own_ns) / 1000))
    first, *_, last = max(rows.values(), key=max)
    return (last[1] - first[1]) / (last[0] - first[0]), first[1]


def run(build, folder, command, switch):
    trace = folder / "trace.gz"
    subprocess.run([build / "preload/evprof", "run", "-q", "--period", "1ms", "--interpreters", switch, "-o", trace,
                    "--", *command], check=True, stdout=subprocess.DEVNULL)
    return own_us(build, trace)


def median(values):
    """With the order statistics between which it lies, 95 times of 100."""
    values, n, k, below = sorted(values), len(values), 0, 0.5 ** len(values)
    while below <= 0.025:
        k += 1
        below += math.comb(n, k) * 0.5 ** n
    return f"{statistics.median(values):6.2f} us ({values[max(k - 1, 0)]:.2f} to {values[n - max(k, 1)]:.2f})"


def compare(options, folder, name, command):
    pairs = [[run(options.build, folder, command, switch) for switch in ("off", "on")] for _ in range(options.rounds)]
    print(f"{command[0]} {name:7} {median([on[0] - off[0] for off, on in pairs])} more a tick over "
          f"{statistics.median(off[0] for off, _ in pairs):.2f}; the first 0.2 s "
          f"{median([on[1] - off[1] for off, on in pairs])} more", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("pythons", nargs="*", default=["/usr/bin/python3"])
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        programs = {"deep": script(1, 20000), "leaves": script(8, 200), "thread": script(1, 20000, IN_THREAD)}
        for name, text in programs.items():
            (folder / f"{name}.py").write_text(text)
        for python in options.pythons:
            for name in programs:
                compare(options, folder, name, [python, folder / f"{name}.py"])
        (folder / "zeros").write_bytes(bytes(200 << 20))
        compare(options, folder, "native", ["gzip", "-c", folder / "zeros"])


main()
