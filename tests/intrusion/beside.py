#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that have another preloaded library already, before ours or behind it: run.py's cases, with that
library in the plain run as well.

beside.py LIBRARY PROBES [CASE...]
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY, PROBES = sys.argv[1:3]
# Descriptors, fork, exec, look-ups of symbols and threads; a few seconds each. fork-in-handler hangs under jemalloc
# by itself, whose handlers before fork (pthread_atfork) take its locks: the fork in the handler waits for the locks
# that the interrupted one holds.
CASES = sys.argv[3:] or ["environment", "exceptions", "exec-foreign", "exec-in-vfork", "fd-close", "symbols", "threads"]
# Interposers of stat and its like, allocators, a profiler: whichever is installed.
OTHERS = ["x86_64-linux-gnu/libfakeroot/libfakeroot-sysv.so", "x86_64-linux-gnu/libeatmydata.so",
          "x86_64-linux-gnu/libjemalloc.so.2", "x86_64-linux-gnu/libtcmalloc_minimal.so.4",
          "x86_64-linux-gnu/libmimalloc.so.2", "x86_64-linux-gnu/faketime/libfaketime.so.1",
          "x86_64-linux-gnu/libprofiler.so.0"]
# libfaketime puts its process's number into the environment.
LEFT_OUT = {"libfaketime.so.1": ["environment"]}
# The plain run has the other library, too: a case that it fails by itself tells nothing of ours.
BY_ITSELF = "the plain run already fails"


def main():
    others = [path for path in (pathlib.Path("/usr/lib", name) for name in OTHERS) if path.exists()]
    runs = [(path, order) for path in others for order in ("--before", "--behind")]
    failed = 0
    print(f"1..{max(1, len(runs))}")
    if not runs:
        print("ok 1 - no such library # SKIP none of " + ", ".join(pathlib.Path(name).name for name in OTHERS))
    for number, (path, order) in enumerate(runs, 1):
        cases = [case for case in CASES if case not in LEFT_OUT.get(path.name, [])]
        done = subprocess.run([HERE / "run.py", "--preload", LIBRARY, "--probes", PROBES, order, path, *cases],
                              stdout=subprocess.PIPE, text=True, check=False)
        lines = done.stdout.splitlines()
        failures = [line for line in lines if line.startswith("not ok")]
        is_wrong = any(BY_ITSELF not in line for line in failures) or not any(line.startswith("ok") for line in lines)
        failed += is_wrong
        for line in failures:
            print("# " + line)
        print(f"{'not ok' if is_wrong else 'ok'} {number} - {path.name} {order[2:]} ours: {lines[-1] if lines else 'nothing'}", flush=True)
    return failed > 0


sys.exit(main())
