#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""documented.py EVREPORT GENERATE: every key of the JSON report is in docs/report-json.md, and every key that the page's section
on the run names is there."""
import json
import os
import re
import subprocess
import sys
import tempfile

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "report-json.md")
CASES = ("basic", "estimates", "topdown", "tree")


def keys_of(value):
    if isinstance(value, list):
        for element in value:
            yield from keys_of(element)
    elif isinstance(value, dict):
        yield from value
        for element in value.values():
            yield from keys_of(element)


def report(evreport, generate, case):
    with tempfile.NamedTemporaryFile(suffix=".gz") as trace:
        subprocess.run([generate, case], stdout=trace, check=True)
        return json.loads(subprocess.run([evreport, "--format", "json", trace.name], stdout=subprocess.PIPE, check=True).stdout)


def main():
    evreport, generate = map(os.path.abspath, sys.argv[1:])
    with open(PAGE) as file:
        page = file.read()
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", page))))
    of_run = set(re.findall(r"`([a-z_]+)`", re.search(r"\n## run\n(.*?)\n## ", page, re.S)[1]))
    print(f"1..{len(CASES)}")
    n_failed = 0
    for number, case in enumerate(CASES, 1):
        got = report(evreport, generate, case)
        events = {event["name"] for event in got["events"]}
        wrong = sorted(set(keys_of(got)) - named - events) + sorted(of_run - set(got["run"]))
        n_failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {number} - {case}" + (": " + ", ".join(wrong) if wrong else ""))
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
