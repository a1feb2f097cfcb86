# SPDX-License-Identifier: BSD-3-Clause
"""Counts the results of one 'meson test': passed, failed, skipped single cases.

usage: count.py testlog.json. A test that prints TAP, or lines `ok NAME`, `not ok NAME`, `skip NAME`,
counts by these, any other as one; a test that fails without saying which case counts as one
failure. Failures, with the first comments (# ...) behind each, and reasons for skipping go to stderr.
"""
import itertools
import json
import re
import sys

LINE = re.compile(r"^(ok|not ok|skip)\b(.*)$")
SKIPPED = re.compile(r"# *skip", re.I)
N_COMMENTS = 4


def comments_behind(lines, at):
    """The first comments on the case in lines[at]."""
    following = itertools.takewhile(lambda line: line.startswith("#"), lines[at + 1:])
    return [line[:500] for line in itertools.islice(following, N_COMMENTS)]


def count_test(test):
    """(passed, failed, skipped) of one line of the log."""
    lines = test.get("stdout", "").splitlines()
    cases = [m for m in map(LINE.match, lines) if m]
    skipped = [m[2] for m in cases if m[1] == "skip" or SKIPPED.search(m[2])]
    failed = [(at, m[2]) for at, m in enumerate(map(LINE.match, lines))
              if m and m[1] == "not ok" and not SKIPPED.search(m[2])]
    for reason in skipped:
        print(f"skipped: {test['name']}:{reason}", file=sys.stderr)
    for at, name in failed:
        print(f"FAILED: {test['name']}:{name}", *comments_behind(lines, at), sep="\n  ", file=sys.stderr)
    if test["result"] in ("OK", "EXPECTEDFAIL"):
        return max(len(cases) - len(skipped), 0 if skipped else 1), 0, len(skipped)
    if test["result"] == "SKIP":
        if not skipped:
            print(f"skipped: {test['name']}: {test.get('stdout', '').strip()}", file=sys.stderr)
        return 0, 0, max(len(skipped), 1)
    if not failed:
        print(f"FAILED: {test['name']}: {test['result']}", file=sys.stderr)
        print(test.get("stdout", "")[-4000:] + test.get("stderr", "")[-4000:], file=sys.stderr)
    return len(cases) - len(failed) - len(skipped), max(len(failed), 1), len(skipped)


def main():
    with open(sys.argv[1], encoding="utf-8") as log:
        counts = [count_test(json.loads(line)) for line in log if line.strip()]
    print(*(sum(column) for column in zip((0, 0, 0), *counts)))


main()
