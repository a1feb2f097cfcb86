# SPDX-License-Identifier: BSD-3-Clause
"""Floating-point instructions by class in runs inside valgrind: equal to the digit to what stands in the
program, in the report, in metrics and in advice."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from run import FAILED, expect, record

N, ROUNDS = 30, 1000
WANTED = {
    "multiply_matrices": {"fp-scalar-double-add": N ** 3, "fp-scalar-double-mul": N ** 3},
    "scalar_and_128": {name: n * ROUNDS for name, n in {
        "fp-scalar-double-add": 2, "fp-scalar-double-mul": 1, "fp-scalar-double-div": 1,
        "fp-scalar-single-add": 2, "fp-scalar-single-mul": 1, "fp-scalar-single-div": 1,
        "fp-128-double-add": 1, "fp-128-double-mul": 1, "fp-128-double-div": 1,
        "fp-128-single-add": 1, "fp-128-single-mul": 1, "fp-128-single-div": 1}.items()},
    "x87": {"fp-scalar-double-add": ROUNDS, "fp-scalar-double-mul": ROUNDS,
            "fp-scalar-double-div": 2 * ROUNDS},
    "wide": {name: n * ROUNDS for name, n in {
        "fp-256-double-add": 1, "fp-256-single-mul": 1, "fp-256-double-div": 1,
        "fp-scalar-double-add": 1, "fp-256-double-fma": 1, "fp-128-single-fma": 1,
        "fp-scalar-double-fma": 1, "fp-256-single-fma": 1}.items()},
}


def classes(events):
    return {name: round(event["value"]) for name, event in events.items()
            if name.startswith("fp-") and event["value"]}


def flop(counts):
    """Operations: a vector's elements, and two of each for a fused multiply-add."""
    n = 0
    for name, count in counts.items():
        _, width, precision, operation = name.split("-")
        elements = 1 if width == "scalar" else int(width) // (64 if precision == "double" else 32)
        n += count * elements * (2 if operation == "fma" else 1)
    return n


def run_json(*command):
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def main():
    evprof, evreport, program = sys.argv[1:4]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.gz")
        record(evprof, trace, [program], check=True)
        asked = subprocess.run([evprof, "run", "--source", "valgrind", "-m", "flops", "-o", trace + "2", "--", "true"],
                               capture_output=True, text=True, check=True).stderr
        report = run_json(evreport, "-f", "json", "-n", "0", trace)
        metrics = run_json(evreport, "metrics", "-f", "json", "-b", "procedure", "-n", "0", "-m", "flops", trace)
        advice = subprocess.run([evreport, "advise", trace], capture_output=True, text=True, check=True).stdout
    expect("the model flops can be asked for", "cannot be counted" not in asked and "fp-" not in asked, asked)
    rows = {p["name"]: p for p in report["procedures"]}
    for name, wanted in WANTED.items():
        if name == "wide" and name not in rows:
            print("ok - wide: this CPU has no AVX2")
            continue
        seen = classes(rows[name]["events"])
        expect(f"{name}: by class", seen == wanted, seen)
        expect(f"{name}: with its callees is not known", rows[name]["totals"]["fp-scalar-double-add"] is None)
        operations = [m["value"] for s in metrics if s["scope"] == name
                      for m in s["metrics"] if m["metric"] == "FLOP"]
        expect(f"{name}: operations", operations and operations[0] == flop(wanted), operations)
    made = [row["events"] for name, row in rows.items() if name.startswith("0x") and
            row["events"]["instructions-unread"]["value"] == 2 * ROUNDS]
    expect("made code may have as many as it has instructions",
           made and made[0]["fp-scalar-double-add"]["error"] == 2 * ROUNDS, made)
    of_made = [m for s in metrics if s["scope"].startswith("0x") for m in s["metrics"]
               if m["metric"] == "FLOP" and m["standard_error"] >= 2 * ROUNDS]
    expect("so may its operations be", of_made, of_made)
    sums = {e["name"]: e["total"] for e in report["events"]}
    per_procedure = sum(round(p["events"]["fp-scalar-double-add"]["value"]) for p in report["procedures"])
    expect("procedures are all", per_procedure == sums["fp-scalar-double-add"], (per_procedure, sums))
    expect("few instructions are in no file", sums["instructions-unread"] < 2 * ROUNDS + 0.01 * sums["instructions"], sums)
    expect("advice has floating-point instructions", "FAD_INS was not counted" not in advice, advice)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
