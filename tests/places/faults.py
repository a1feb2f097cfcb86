#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report's page faults of each procedure, placed by the faults' own ticks, are the program's.

faults.py EVPROF EVREPORT FAULTS: prints TAP. The program knows how many pages it touches and where. A
procedure in which no tick fell has a bar all the same: to have seen nothing is no exact count.
"""
import json
import os
import subprocess
import sys
import tempfile

N_TURNS = 40000


def record(evprof, evreport, program, folder):
    trace = os.path.join(folder, "trace.gz")
    run = subprocess.run([evprof, "run", "--ticks", "events", "--events", "minor-faults", "--period", "200us",
                          "--quiet", "--output", trace, "--", program, str(N_TURNS)],
                         text=True, capture_output=True, check=True)
    report = subprocess.run([evreport, "--format", "json", trace], text=True, capture_output=True, check=True)
    return int(run.stdout), json.loads(report.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        n_pages, report = record(*sys.argv[1:4], folder)
    faults = {row["name"]: row["events"]["minor-faults"] for row in report["procedures"]}
    if not any(value.get("n_ticks") for value in faults.values()):
        print("1..0 # SKIP page faults end no slices here (perf_event_open is not permitted)")
        return 0
    touch = faults["touch"]
    sure = [name for name, value in faults.items() if value["error"] == 0]
    checks = [
        (abs(touch["value"] - n_pages) <= max(5 * touch["error"], 0.01 * n_pages),
         f"touch has its {n_pages} faults", touch),
        (faults["compute"]["value"] <= 5 * touch["error"], "compute has none", faults["compute"]),
        (not sure, "no procedure is sure of its faults", sure),
    ]
    print(f"1..{len(checks)}")
    for i, (passed, name, detail) in enumerate(checks, 1):
        print(f"{'ok' if passed else 'not ok'} {i} - {name}")
        if not passed:
            print(f"# {detail}")
    return not all(passed for passed, _, _ in checks)


if __name__ == "__main__":
    sys.exit(main())
