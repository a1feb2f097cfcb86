# SPDX-License-Identifier: BSD-3-Clause
"""Ticks under callgrind: a period far below what a tick takes does not keep the program from ending, and what
threads counted at theirs is, together, what callgrind counted."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from run import FAILED, expect

HEAT = ["-n", "8", "-t", "3"]
ENDS_WITHIN_S = 300  # without ticks it takes a second or two
LEAST_COVERED = 0.999  # the end of a thread, behind its last slice, is in none


def report_of(evprof, evreport, heat, folder, *options):
    trace = os.path.join(folder, "trace.gz")
    subprocess.run([evprof, "run", "--source", "valgrind", "-o", trace, *options, "--", heat, *HEAT],
                   stdout=subprocess.DEVNULL, timeout=ENDS_WITHIN_S, check=True)
    text = subprocess.run([evreport, "-f", "json", "-n", "0", trace], capture_output=True,
                          check=True).stdout
    return json.loads(text)


def cut_costs(evreport, trace):
    """Takes the first piece of callgrind's file out of a trace that has several."""
    dump = subprocess.run([evreport, "dump", trace], capture_output=True, text=True, check=True).stdout
    blocks = [line[1:].split() for line in dump.splitlines() if line.startswith("@")]
    costs = [int(words[0]) for words in blocks if words[1] == "COSTS"]
    expect("callgrind's file is in pieces", len(costs) > 1, costs)
    with open(trace, "rb") as file:
        data = file.read()
    with open(trace, "wb") as file:
        file.write(data[:costs[0]] + data[costs[1]:])


def main():
    evprof, evreport, heat = sys.argv[1:4]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        report = report_of(evprof, evreport, heat, folder, "-p", "100us")
        expect("a period of 100 us ends", report["run"]["n_samples"] > 3, report["run"])
        report = report_of(evprof, evreport, heat, folder)
        total = next(e["total"] for e in report["events"] if e["name"] == "instructions")
        counts = [t["events"]["instructions"] for t in report["threads"]]
        covered = sum(c["value"] for c in counts) / total
        expect("three threads", len(counts) == 3, counts)
        expect("none of them is an estimate", not any(c["estimate"] for c in counts), counts)
        trace = os.path.join(folder, "trace.gz")
        cut_costs(evreport, trace)
        text = subprocess.run([evreport, "-f", "json", trace], capture_output=True, check=True).stdout
        expect("costs with a part missing are not used", not json.loads(text)["run"]["exact"])
        expect("together they have the total", LEAST_COVERED < covered <= 1.0001, covered)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
