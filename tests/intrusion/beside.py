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
# These fail under the other library alone, too: libfaketime puts its process's number into the environment and keeps
# descriptors; the profiler keeps descriptors and a handler of SIGPROF.
LEFT_OUT = {"libfaketime.so.1": ["environment", "exec-in-vfork", "threads"], "libprofiler.so.0": ["exec-in-vfork", "threads"]}


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
        wrong = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
        failed += done.returncode != 0
        for line in wrong:
            print("# " + line)
        print(f"{'not ok' if done.returncode else 'ok'} {number} - {path.name} {order[2:]} ours: "
              f"{done.stdout.splitlines()[-1]}", flush=True)
    return failed > 0


sys.exit(main())
