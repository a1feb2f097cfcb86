#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names of code made at run time stay in the trace when the map that the program wrote is gone.

made_code.py EVPROF EVREPORT: prints TAP.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
PROGRAM = """
function known_work(n) { return n < 2 ? n : known_work(n - 1) + known_work(n - 2) }
const end = process.cpuUsage().user + 1e6
while (process.cpuUsage().user < end) known_work(20)
console.log(process.pid)
"""


def record(folder):
    """The trace, and the process's number."""
    (folder / "work.js").write_text(PROGRAM)
    done = subprocess.run([EVPROF, "run", "-q", "-o", folder / "trace.gz", "--", "node", "--perf-basic-prof", folder / "work.js"],
                          check=True, text=True, stdout=subprocess.PIPE, cwd=folder)
    return folder / "trace.gz", int(done.stdout)


def check(folder):
    trace, pid = record(folder)
    pathlib.Path(f"/tmp/perf-{pid}.map").unlink()
    done = subprocess.run([EVREPORT, "--format", "json", "--top", "0", trace], check=True, text=True,
                          stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    rows = [row for row in report["procedures"] if "known_work" in row["name"]]
    nameless = sum(row["n_samples"] for row in report["procedures"] if row["name"] == "[code made at run time]")
    n = sum(row["n_samples"] for row in rows)
    if report["run"]["n_samples"] < 20:
        return f"only {report['run']['n_samples']} samples"
    return f"{n} samples in known_work, {nameless} nameless" if n < 10 or nameless > n / 10 else ""


def main():
    print("1..1")
    if not shutil.which("node"):
        print("ok 1 - names of code made at run time are kept # SKIP node is not installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="evprof-made-code-") as folder:
        fault = check(pathlib.Path(folder))
    print(f"{'not ok' if fault else 'ok'} 1 - names of code made at run time are kept")
    if fault:
        print(f"# {fault}")
    return bool(fault)


sys.exit(main())
