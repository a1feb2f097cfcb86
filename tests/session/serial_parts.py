#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Serial parts of a program that says itself when one of its threads ran alone: serial_parts.py EVPROF EVREPORT ALONE.

Prints TAP. A machine that has no CPU for each thread shows none: then the report says that threads were ready without one.
"""
import json
import os
import subprocess
import sys
import tempfile

EVPROF, EVREPORT, ALONE = (os.path.abspath(path) for path in sys.argv[1:4])
LACKED = 0.02  # share of a thread's time in which it was ready without a CPU, above which the report lists nothing
NEARLY = 0.01  # a share this close to that may be on either side
EDGE_S = 0.05  # the program begins that much later than its process, and slices blur the ends


def overlap(part, begins, ends):
    return max(0, min(part["to_s"], ends + EDGE_S) - max(part["from_s"], begins))


def check(report, said):
    parts = report["parallel"]["serial_parts"]
    for begins, ends, name in said:
        within = [part for part in parts if overlap(part, begins, ends) > 0.5 * (part["to_s"] - part["from_s"])]
        covered = sum(overlap(part, begins, ends) for part in within)
        if covered < 0.7 * (ends - begins):
            yield f"{name} ran alone for {ends - begins:.3f} s, of which {covered:.3f} s are listed: {parts}"
        if not all(name in (part["calls"] or "") for part in within):
            yield f"{name} is not named: {parts}"
    for part in parts:
        if sum(overlap(part, begins, ends) for begins, ends, _ in said) < 0.7 * (part["to_s"] - part["from_s"]):
            yield f"no thread ran alone from {part['from_s']} to {part['to_s']} s: {said}"


def main():
    print("1..1")
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.gz")
        done = subprocess.run([EVPROF, "run", "-q", "-p", "2ms", "-o", trace, "--", ALONE], check=True, text=True, stdout=subprocess.PIPE)
        report = json.loads(subprocess.run([EVREPORT, "--format", "json", "--top", "0", trace], check=True, stdout=subprocess.PIPE).stdout)
    said = [(float(begins), float(ends), name) for begins, ends, name in map(str.split, done.stdout.splitlines())]
    ready = max((t["ready_ns"] or 0) / 1e9 / (t["duration_s"] or 1) for t in report["threads"])
    lacked = not report["parallel"]["serial_parts"] and ready > LACKED - NEARLY
    faults = [] if lacked else list(check(report, said))
    if not lacked and ready > LACKED + NEARLY:
        faults.append(f"a thread lacked a CPU for {ready:.1%} of its time, and serial parts are listed")
    print(f"{'not ok' if faults else 'ok'} 1 - serial parts{', of which there are none where threads lack CPUs' if lacked else ''}")
    for fault in faults:
        print(f"# {fault}")
    return bool(faults)


sys.exit(main())
