#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of a tick in a script of 20 functions over a tick that leaves them unread.

interpreter.py BUILD [--rounds N] [PYTHON...]: runs of a second with and without the functions, in turns,
for a script whose innermost function stays (deep) and one where eight take turns (leaves). The cost is the
handler's own CPU time for each tick, as the trace's TOTALS tells it; medians over rounds, and their quartiles.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile

N_FUNCTIONS = 20
LEAF = "def leaf{0}(n):\n    total = {0}\n    for i in range(n):\n        total += i * i % 7\n    return total\n"
CALL = "def f{0}(n):\n    return f{1}(n)\n"
LAST = "def f{0}(n):\n    return sum([leaf(n) for leaf in leaves])\n"
END = """leaves = [{leaves}]
import time
end = time.process_time() + 1
while time.process_time() < end:
    f0({n})
"""


def script(n_leaves, n):
    """20 functions deep, the innermost included; the list's own frame is one of them in some versions."""
    parts = [LEAF.format(i) for i in range(n_leaves)]
    parts += [CALL.format(i, i + 1) for i in range(N_FUNCTIONS - 3)]
    parts += [LAST.format(N_FUNCTIONS - 3), END.format(leaves=", ".join(f"leaf{i}" for i in range(n_leaves)), n=n)]
    return "\n".join(parts)


def own_us(build, trace):
    """CPU us in the handler for each tick."""
    dump = subprocess.run([build / "reporter/evreport", "dump", trace], capture_output=True, text=True, check=True)
    words = [line for line in dump.stdout.splitlines() if " own " in line][-1].replace(",", "").split()
    return int(words[words.index("own") + 1]) / 1000 / int(words[words.index("samples") - 1])


def run(build, folder, python, program, switch):
    trace = folder / "trace.gz"
    subprocess.run([build / "preload/evprof", "run", "-q", "--period", "1ms", "--interpreters", switch, "-o", trace,
                    "--", python, program], check=True)
    return own_us(build, trace)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("pythons", nargs="*", default=["/usr/bin/python3"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        programs = {"deep": script(1, 20000), "leaves": script(8, 200)}
        for name, text in programs.items():
            (folder / f"{name}.py").write_text(text)
        for python in options.pythons:
            for name in programs:
                pairs = [[run(options.build, folder, python, folder / f"{name}.py", switch) for switch in ("off", "on")]
                         for _ in range(options.rounds)]
                low, middle, high = statistics.quantiles([on - off for off, on in pairs], n=4)
                print(f"{python} {name:7} {middle:5.2f} us more ({low:.2f} to {high:.2f}), "
                      f"over {statistics.median(off for off, _ in pairs):.2f}", flush=True)


main()
