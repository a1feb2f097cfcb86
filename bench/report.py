#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/report.py [BUILD] [--gigabyte]: what reading a trace costs, against inflating it.

Traces of known size are generated (4 threads, 3 noisy counters of which 2 are measured per slice) and read by evreport and by
`zcat | wc -c` by turns. CPU time is the best of seven runs: without options (what a user waits for),
then with the estimator that streams (what large traces get), with linear and with path; memory is
the largest resident set. --gigabyte adds a trace of 1 GB, read without options (some minutes, 1 GB of
disk in $TMPDIR).
"""
import os
import subprocess
import sys
import tempfile

GIGABYTE_SAMPLES = 142_000_000
REPEAT = 7
DEFAULT = "default"  # no estimator is asked for


def run(command, out):
    """CPU seconds and peak resident MB of a command and what it started."""
    with open(out, "wb") as file:
        process = subprocess.Popen(command, stdout=file, shell=isinstance(command, str))
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command} failed: {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(*commands):
    """Of each command's runs, which take turns."""
    rounds = [[run(command, os.devnull) for command in commands] for _ in range(REPEAT)]
    return [(min(cpu for cpu, _ in runs), max(rss for _, rss in runs)) for runs in zip(*rounds)]


def measure(build, folder, n_samples, estimator):
    trace = os.path.join(folder, "trace.gz")
    run([os.path.join(build, "tests/trace/trace-generate"), "big", str(n_samples)], trace)
    size = os.path.getsize(trace)
    options = [] if estimator == DEFAULT else ["--estimator", estimator]
    (zcat, _), (evreport, rss) = best(f"zcat {trace} | wc -c", [os.path.join(build, "reporter/evreport"), *options, trace])
    print(f"{estimator:>9} {n_samples:>12,} {size / 1e6:>9.1f} {size / n_samples:>8.1f} {zcat:>8.2f} {evreport:>9.2f} {evreport / zcat:>6.2f}"
          f" {1e9 * evreport / n_samples:>10.0f} {rss:>8.1f}", flush=True)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    build = arguments[0] if arguments else "build"
    sizes = [1_000_000, 2_000_000, 4_000_000, 8_000_000]
    if "--gigabyte" in sys.argv:
        sizes.append(GIGABYTE_SAMPLES)
    print(f"{'estimator':>9} {'samples':>12} {'MB':>9} {'bytes/s.':>8} {'zcat s':>8} {'evreport':>9} {'ratio':>6} {'ns/sample':>10} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for n_samples in sizes:
            for estimator in [DEFAULT] if n_samples == GIGABYTE_SAMPLES else [DEFAULT, "hold", "linear", "path"]:
                measure(build, folder, n_samples, estimator)


if __name__ == "__main__":
    main()
