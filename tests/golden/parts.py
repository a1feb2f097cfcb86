#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""parts.py EVREPORT GENERATE: what --parts and --top leave out of the JSON report is all that they change, and a short one is below
8 kB. Prints TAP."""
import json
import math
import os
import subprocess
import sys
import tempfile

evreport, generate = map(os.path.abspath, sys.argv[1:3])
CASES = ("basic", "estimates", "topdown", "tree", "simulated", "flops", "mixed", "parallel", "crowded", "odd-counts")
GUESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "guest")
SHORT = ["run", "in_short", "events", "metrics", "procedures", "findings", "hidden"]
LONG_KEYS = {"events": {"estimator", "holdout_error", "n_slices", "n_slices_measured"}, "threads": {"events", "busy"}}
PLACES = ("procedures", "lines", "loops", "modules", "languages")
MOST_BYTES = 8000
failed = number = 0


def check(name, is_right, what=""):
    global failed, number
    number += 1
    failed += not is_right
    print(f"{'ok' if is_right else 'not ok'} {number} - {name}")
    if not is_right:
        print(f"# {what!s:.600}")


def ask(*options):
    return subprocess.run([evreport, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def report(*options):
    done = ask("--format", "json", *options)
    assert done.returncode == 0, done
    return json.loads(done.stdout.decode(errors="replace")), len(done.stdout)


def without_nothings(value):
    if isinstance(value, list):
        return [without_nothings(one) for one in value]
    if isinstance(value, dict):
        return {key: without_nothings(one) for key, one in value.items() if one is not None and one is not False}
    return value


def briefly(key, value):
    """What is left of a part of the whole report where details are not asked for."""
    long_keys = LONG_KEYS.get(key, {"events", "totals"} if key in PLACES else set())
    if isinstance(value, list):
        value = [{k: v for k, v in row.items() if k not in long_keys and (key, k, v) != ("events", "unit", "count")}
                 if isinstance(row, dict) else row for row in value]
    return without_nothings(value)


def same(got, wanted):
    """Numbers of seven digits."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        return [*got] == [*wanted] and all(same(got[key], wanted[key]) for key in got)
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, float) and isinstance(wanted, float):
        return math.isclose(got, wanted, rel_tol=6e-7)
    return type(got) is type(wanted) and got == wanted


def wrong_parts(got, whole):
    yield from (key for key in got if key not in ("schema", "left_out") and not same(got[key], briefly(key, whole[key])))
    if {*got, *got["left_out"]} - {"details", "left_out"} != {*whole}:
        yield got["left_out"]


def check_trace(name, trace):
    whole, _ = report(trace)
    everything, _ = report("--parts", "all", trace)
    check(f"{name}: --parts all changes nothing", everything == whole)
    without, _ = report("--parts", ",".join(key for key in whole if key != "schema"), trace)
    check(f"{name}: without details", not [*wrong_parts(without, whole)] and without["left_out"] == ["details"], [*wrong_parts(without, whole)])
    got, _ = report("--parts", "timeline,procedures,details", trace)
    check(f"{name}: two parts with details", all(got[key] == whole[key] for key in ("timeline", "procedures")) and
          [*got] == ["schema", "procedures", "timeline", "left_out"], [*got])
    few, _ = report("--top", "5", "--parts", "all", trace)
    short, n_bytes = report("--top", "5", trace)
    check(f"{name}: --top 5 is short", not [*wrong_parts(short, few)] and [key for key in SHORT if key in short] == SHORT, [*wrong_parts(short, few)])
    check(f"{name}: --top 5 has the whole run's start", short["run"].get("started") == few["run"]["started"], short["run"])
    check(f"{name}: --top 5 is below {MOST_BYTES} bytes", n_bytes < MOST_BYTES, n_bytes)


def check_options(trace):
    more, _ = report("--top", "1", "--calls", "all", trace)
    check("--calls all brings them", "calls" in more, [*more])
    for options, said in ((["--format", "json", "--parts", "procedures,nothing"], "short, all, or keys"),
                          (["--format", "json", "--parts", ""], "short, all, or keys"), (["--format", "json", "--parts", "run,"], "short, all, or keys"),
                          (["--parts", "run"], "--parts needs --format json")):
        done = ask(*options, trace)
        check(f"refused: {' '.join(options)}", done.returncode == 2 and said in done.stderr.decode() and not done.stdout, done)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            trace = os.path.join(folder, f"{case}.gz")
            with open(trace, "wb") as file:
                subprocess.run([generate, case], stdout=file, check=True)
            check_trace(case, trace)
        check_options(trace)
    for name in sorted(os.listdir(GUESTS)):
        if name.endswith(".trace.gz"):
            check_trace(name, os.path.join(GUESTS, name))
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
