#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An evreport without pages says so, and reports: absent.py EVREPORT GENERATE. It is skipped then: no page is tested."""
import os
import subprocess
import sys
import tempfile

evreport, generate = sys.argv[1:3]
with tempfile.TemporaryDirectory() as folder:
    trace, page = os.path.join(folder, "trace.gz"), os.path.join(folder, "page.html")
    with open(trace, "wb") as file:
        subprocess.run([generate, "basic"], stdout=file, check=True)
    for command in (["--html", page, trace], ["--format", "html", "-o", page, trace], ["compare", "--html", page, trace, trace]):
        refused = subprocess.run([evreport, *command], capture_output=True, text=True)
        if refused.returncode != 2 or "esbuild, node-d3-axis" not in refused.stderr.splitlines()[0] or os.path.exists(page):
            sys.exit(f"{command}: {refused}")
    subprocess.run([evreport, trace], stdout=subprocess.DEVNULL, check=True)
print("skipped:", refused.stderr.splitlines()[0])
sys.exit(77)
