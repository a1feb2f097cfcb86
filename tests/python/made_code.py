#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names of code made at run time stay in the trace when the map or the jitdump that the program wrote is gone.

made_code.py EVPROF EVREPORT: prints TAP.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
PROGRAM = """
function known_work(n) { return n < 2 ? n : known_work(n - 1) + known_work(n - 2) }
const end = process.cpuUsage().user + 6e5
while (process.cpuUsage().user < end) known_work(20)
if (process.argv[2]) {
  const fs = require('fs'), map = `/tmp/perf-${process.pid}.map`, names = fs.readFileSync(map)
  fs.writeFileSync(map, Buffer.concat([Buffer.alloc(33 << 20, '0 10 an_old_name_of_no_use\\n'), names]))
}
console.log(process.pid)
"""


def record(folder, option, *arguments):
    """The trace, and the process's number."""
    (folder / "work.js").write_text(PROGRAM)
    done = subprocess.run([EVPROF, "run", "-q", "-o", folder / "trace.gz", "--", "node", option, folder / "work.js", *arguments],
                          check=True, text=True, stdout=subprocess.PIPE, cwd=folder)
    return folder / "trace.gz", int(done.stdout)


def check(folder, option, *arguments):
    trace, pid = record(folder, option, *arguments)
    (folder / f"jit-{pid}.dump" if option == "--perf-prof" else pathlib.Path(f"/tmp/perf-{pid}.map")).unlink()
    done = subprocess.run([EVREPORT, "--format", "json", "--top", "0", trace], check=True, text=True,
                          stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    rows = [row for row in report["procedures"] if "known_work" in row["name"]]
    nameless = sum(row["n_samples"] for row in report["procedures"] if row["name"] == "[code made at run time]")
    n = sum(row["n_samples"] for row in rows)
    if report["run"]["n_samples"] < 20:
        return f"only {report['run']['n_samples']} samples"
    if arguments and "last 32 MiB" not in done.stdout:
        return "the trace does not say that the map was too long"
    if n < 10 or nameless > n / 10:
        return f"{n} samples in known_work, {nameless} nameless"
    broken = re.search(r"(\d+) % of the call paths could not be followed", done.stdout)
    return f"{broken[0]} to their beginning" if broken and int(broken[1]) > 20 else ""


def main():
    cases = {"names of code made at run time are kept": ["--perf-basic-prof"],
             "so are the last ones of a map that is too long": ["--perf-basic-prof", "long"],
             "so are those of a jitdump": ["--perf-prof"]}
    failed = False
    print(f"1..{len(cases)}")
    for number, (title, arguments) in enumerate(cases.items(), 1):
        if not shutil.which("node"):
            print(f"ok {number} - {title} # SKIP node is not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="evprof-made-code-") as folder:
            fault = check(pathlib.Path(folder), *arguments)
        print(f"{'not ok' if fault else 'ok'} {number} - {title}")
        if fault:
            print(f"# {fault}")
        failed |= bool(fault)
    return failed


sys.exit(main())
