#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time of Python functions as cProfile has it and as evprof has it, of the same run.

agreement.py EVPROF EVREPORT [PYTHON]: prints TAP. Both watch one run, whose clock is CPU time for both, so that neither
the machine's load nor the time that cProfile itself takes parts them: it is spent below the same functions. A bar
is 5 standard errors of the samples' number, and 4 points for what cProfile does between two readings of its clock. That
is some 1 us for each call, which evprof has below the callee and cProfile leaves out: functions whose calls are shorter
than LEAST_CALL_COSTS times as long are left out.
"""
import json
import math
import os
import pathlib
import pstats
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
PYTHON = sys.argv[3] if len(sys.argv) > 3 else "/usr/bin/python3"
WORK = pathlib.Path(__file__).resolve().parent / "profiled.py"
PROGRAMS = {"parse_json": 6, "serve": 6, "serve_clients": 6, "run_tests": 8, "solve": 3, "solve_arrays": 6, "build": 6}
LEAST_SHARE = 0.05
LEAST_CALL_COSTS = 20
LACKS_NUMPY = 77


def place(file, line):
    return os.path.basename(file), line


def by_cprofile(path):
    """(file, line) -> share of repeat()'s time in the function and below; and the functions with short calls."""
    shares, short = {}, set()
    stats = pstats.Stats(str(path)).stats
    of_name = {name: row for (_, _, name), row in stats.items()}
    whole, nothing = of_name["repeat"][3], of_name["do_nothing"]
    cost = (of_name["call_nothing"][3] - nothing[3]) / nothing[1]
    for (file, line, _), row in stats.items():
        if file.endswith(".py"):
            shares[place(file, line)] = row[3] / whole
            if row[3] / row[1] < LEAST_CALL_COSTS * cost:
                short.add(place(file, line))
    return shares, short


def by_evprof(trace):
    """The same, and the number of samples below repeat()."""
    done = subprocess.run([EVREPORT, "--format", "json", "--top", "0", trace], check=True, text=True,
                          stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    rows = [row for row in report["procedures"] if row["file"] and row["file"].endswith(".py")]
    runcall = ("cProfile.py:runcall", "cProfile.py:Profile.runcall")  # a code object knows its class from 3.11 on
    rows = [row for row in rows if row["name"] not in runcall and "<module>" not in row["name"]]
    whole = next(row["total_ns"] for row in rows if row["name"] == "profiled.py:repeat")
    shares = {}
    for row in rows:
        at = place(row["file"], row["line"])
        shares[at] = max(shares.get(at, 0), row["total_ns"] / whole)
    return shares, report["run"]["n_samples"] * whole / max(report["run"]["sampled_ns"], 1)


def bar(share, n):
    return 5 * math.sqrt(max(share * (1 - share), 0.01) / n) + 0.04


def check(name, least_functions, folder):
    trace, statistics = f"{folder}/trace.gz", f"{folder}/statistics"
    done = subprocess.run([EVPROF, "run", "-q", "--period", "1ms", "-o", trace, "--", PYTHON, WORK, name, statistics],
                          cwd=folder, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode == LACKS_NUMPY:
        return None
    if done.returncode:
        return f"exit status {done.returncode}"
    (found, n), (expected, short) = by_evprof(trace), by_cprofile(statistics)
    large = {at for shares in (found, expected) for at, share in shares.items() if share >= LEAST_SHARE} - short
    if n < 200:
        return f"only {n:.0f} samples"
    if len(large) < least_functions:
        return f"only {len(large)} functions of {LEAST_SHARE:.0%} and more"
    apart = {at: abs(found.get(at, 0) - expected.get(at, 0)) for at in large}
    print(f"# {name}: {len(large)} functions, {n:.0f} samples, at most {100 * max(apart.values()):.1f} points apart")
    return "; ".join(f"{at[0]}:{at[1]} has {found.get(at, 0):.3f}, cProfile {expected.get(at, 0):.3f}"
                     for at in large if apart[at] > bar(expected.get(at, 0), n))


def main():
    failed = 0
    print(f"1..{len(PROGRAMS)}", flush=True)
    for number, (name, least) in enumerate(PROGRAMS.items(), 1):
        with tempfile.TemporaryDirectory(prefix="evprof-agreement-") as folder:
            fault = check(name, least, folder)
        failed += bool(fault)
        print(f"{'not ok' if fault else 'ok'} {number} - {name}" + (f"\n# {fault}" if fault else "")
              + (" # SKIP NumPy is not installed" if fault is None else ""), flush=True)
    return failed > 0


sys.exit(main())
