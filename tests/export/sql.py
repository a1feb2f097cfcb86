#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The database has the JSON report's digits: sql.py EVREPORT GENERATE. Prints TAP."""
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

evreport, generate = map(os.path.abspath, sys.argv[1:3])
TABLES = {"procedures": "place", "lines": "place", "modules": "place"}
KEYS = ("name", "module", "file", "line", "n_samples", "self_ns", "total_ns", "self_share", "total_share_error")
failed = number = 0


def check(name, same):
    global failed, number
    number += 1
    failed += not same
    print(f"{'ok' if same else 'not ok'} {number} - {name}")


def digits(value):
    return float("%.15g" % value) if isinstance(value, float) else value


def rows(db, query):
    return [tuple(map(digits, row)) for row in db.execute(query)]


def limit(size_bytes):
    """The child's files end there, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))


with tempfile.TemporaryDirectory() as folder:
    trace, path = os.path.join(folder, "t.gz"), os.path.join(folder, "run.db")
    export = [evreport, "export", "--format", "sqlite", "-o", path, trace]
    for case in ("basic", "estimates", "tree", "topdown", "mixed"):
        with open(trace, "wb") as file:
            subprocess.run([generate, case], stdout=file, check=True)
        report = json.loads(subprocess.run([evreport, "--format", "json", trace], stdout=subprocess.PIPE, check=True).stdout)
        subprocess.run(export, check=True)
        db = sqlite3.connect(path)
        for table, order in TABLES.items():
            check(f"{case}: {table}", rows(db, f"SELECT {','.join(KEYS)} FROM {table} ORDER BY {order}") ==
                  [tuple(row[key] for key in KEYS) for row in report[table]])
        check(f"{case}: events", rows(db, "SELECT name, total, error FROM events ORDER BY event") ==
              [(e["name"], e["total"], e["error"]) for e in report["events"]])
        check(f"{case}: tree and slices", rows(db, "SELECT sum(self_ns), (SELECT sum(sample) FROM slices) FROM tree") ==
              [(report["run"]["sampled_ns"], report["run"]["n_samples"])])
        db.close()
    before = open(path, "rb").read()
    for size_bytes in 0, 4096, 30000, len(before) // 2, len(before) - 1:
        done = subprocess.run(export, stderr=subprocess.PIPE, restore_signals=False, preexec_fn=lambda: limit(size_bytes))
        check(f"no room beyond {size_bytes} bytes: {done.stderr}", done.returncode == 1 and
              done.stderr == f"evreport export: {path}: cannot write: File too large\n".encode() and
              open(path, "rb").read() == before and sorted(os.listdir(folder)) == ["run.db", "t.gz"])
    done = subprocess.run(export, stderr=subprocess.PIPE, restore_signals=False, preexec_fn=lambda: limit(len(before)))
    check("there is just room enough", done.returncode == 0 and open(path, "rb").read() == before)
    for content in (b"not ours", open(path, "rb").read()[:-1]):
        with open(path, "wb") as file:
            file.write(content)
        done = subprocess.run(export, stderr=subprocess.PIPE)
        check("what is no whole database stays", done.returncode == 1 and done.stderr.count(b"\n") == 1 and
              open(path, "rb").read() == content and sorted(os.listdir(folder)) == ["run.db", "t.gz"])
print(f"1..{number}")
sys.exit(failed > 0)
