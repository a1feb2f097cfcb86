# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs by evprof run --source valgrind and holds evreport against callgrind_annotate."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import annotated


FAILED = []


def expect(what, holds, seen=""):
    if not holds:
        FAILED.append(what)
    print(f"{'ok' if holds else 'not ok'} - {what}" + ("" if holds else f": {seen}"), flush=True)


def record(evprof, trace, command, **options):
    return subprocess.run([evprof, "run", "--source", "valgrind", "-o", trace, "--", *command],
                          stdout=subprocess.DEVNULL, **options)


def compare(evprof, evreport, command, least, trace=None):
    """The number of differences; the trace stays where one is named."""
    with tempfile.TemporaryDirectory() as folder:
        trace = trace or os.path.join(folder, "trace.gz")
        record(evprof, trace, command, check=True)
        comparison = annotated.Comparison(evreport, trace)
    for error in comparison.errors[:10]:
        print(f"{command[0]}: {error}")
    for kind, n in least.items():
        if comparison.n_compared[kind] < n:
            comparison.errors.append(kind)
            print(f"{command[0]}: only {comparison.n_compared[kind]} of {kind} compared")
    print(f"{' '.join(command)}: {dict(comparison.n_compared)} compared, "
          f"{len(comparison.errors)} differ")
    return len(comparison.errors)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evprof")
    parser.add_argument("evreport")
    parser.add_argument("--lines", type=int, default=0, help="lines that must be there to compare")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    for tool in "valgrind", "callgrind_annotate":
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    least = {"totals": 1, "self": 3, "inclusive": 3, "line": args.lines}
    return 1 if compare(args.evprof, args.evreport, args.command, least) else 0


if __name__ == "__main__":
    sys.exit(main())
