# SPDX-License-Identifier: BSD-3-Clause
"""A tree of processes: what each did is in the trace exactly, also after fork, exec and a deadly signal; one
that was killed is sampled, and the report says so. Nothing is left behind."""
import json
import os
import shutil
import re
import subprocess
import sys
import tempfile

import annotated
from run import FAILED, expect, record

ROUNDS = {"in_root": 20000, "in_child": 30000, "before_exec": 40000, "after_exec": 50000,
          "in_thread": 3 * 60000, "before_segv": 70000}


def branches(report):
    """Conditional branches of each part with what it calls: one a round, and a few."""
    return {p["name"]: p["totals"]["conditional-branches"] for p in report["procedures"]
            if p["name"] in ROUNDS or p["name"] in ("work", "in_killed")}


def check_parts(what, report, names):
    seen = branches(report)
    for name in names:
        rounds = ROUNDS[name]
        expect(f"{what}: {name} has its rounds", rounds <= seen.get(name, 0) <= rounds + 4, seen)


def run(evprof, evreport, tree, folder, word, **options):
    trace = os.path.join(folder, f"{word}.gz")
    temporary = os.path.join(folder, "tmp")
    os.makedirs(temporary, exist_ok=True)
    result = record(evprof, trace, [tree, word], env={**os.environ, "TMPDIR": temporary},
                    stderr=subprocess.PIPE, text=True, **options)
    expect(f"{word}: nothing on stderr", not result.stderr, result.stderr)
    expect(f"{word}: nothing is left", not os.listdir(temporary), os.listdir(temporary))
    text = subprocess.run([evreport, "-f", "json", "-n", "0", trace], capture_output=True,
                          check=True).stdout
    return trace, json.loads(text)


def main():
    evprof, evreport, tree = sys.argv[1:4]
    if not shutil.which("valgrind") or not shutil.which("callgrind_annotate"):
        print("skipped: valgrind is not installed")
        return 77
    always = ["in_root", "in_child", "before_exec", "after_exec", "in_thread"]
    with tempfile.TemporaryDirectory() as folder:
        trace, report = run(evprof, evreport, tree, folder, "live")
        check_parts("live", report, always)
        expect("live: all is exact", report["run"]["exact"] and not report["run"]["n_not_exact"])
        comparison = annotated.Comparison(evreport, trace)
        expect("live: as callgrind_annotate has it", not comparison.errors, comparison.errors[:3])
        expect("live: a file of each image, and of the exec that failed",
               len(comparison.paths) == 6, comparison.paths)

        refused = subprocess.run([evreport, "phases", trace], capture_output=True, text=True)
        expect("live: phases is refused with the reason", refused.returncode and not refused.stdout and
               "inside valgrind" in refused.stderr, refused)
        loops = subprocess.run([evreport, "--by", "loop", trace], capture_output=True, text=True)
        expect("live: the loop that all parts have is shown", re.search(r"^ .* work +\S+ +tree\.c:\d+$", loops.stdout, re.M),
               loops)

        _, report = run(evprof, evreport, tree, folder, "die")
        check_parts("die", report, always + ["before_segv"])
        expect("die: all is exact", not report["run"]["n_not_exact"])

        _, report = run(evprof, evreport, tree, folder, "kill")
        check_parts("kill", report, always)
        expect("kill: one is not exact", report["run"]["n_not_exact"] == 1, report["run"])
        expect("kill: the report says so",
               any("could not write the costs of 1 of 6" in f["text"] for f in report["findings"]),
               report["findings"])
        killed = [p for p in report["procedures"] if p["name"] == "in_killed" and p["n_samples"] == 0]
        work = [p for p in report["procedures"] if p["name"] == "work" and p["n_samples"]]
        expect("kill: its samples are there", killed and work,
               [(p["name"], p["n_samples"]) for p in report["procedures"]][:8])
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
