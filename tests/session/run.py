#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One run, end to end: known work under `evprof run`, and what evreport says of it.

run.py EVPROF EVREPORT WORK EARLY [NAME...]: prints TAP. No test measures time; kill -9 compares what the
program said it had done with what the trace covers.
"""

import subprocess
import sys
import tempfile

import accounts
import processes
import sentences
import servers
import trace_files
from session import Failure, Session

MODULES = [accounts, trace_files, processes, servers, sentences]


def main():
    wanted = sys.argv[5:]
    tests = [(n[5:], f) for module in MODULES for n, f in vars(module).items()
             if n.startswith("test_") and (not wanted or n[5:] in wanted)]
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix="evprof-session-") as folder:
            session = Session(folder)
            try:
                reason = test(session)
                print(f"ok {number} - {name}" + (f" # SKIP {reason}" if reason else ""), flush=True)
            except (Failure, subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
                failed += 1
                print(f"not ok {number} - {name}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
            session.end()
    print(f"1..{len(tests)}")
    return failed > 0


sys.exit(main())
