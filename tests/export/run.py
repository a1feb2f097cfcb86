#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exports say what the JSON report says: run.py EVREPORT GENERATE TRACE...

Prints TAP. Of traces made by GENERATE, of the TRACEs given, and of one whose names are made to break formats, each
format is read back by a reader written from the format's own description (readers.py, perfetto.py), and its sums
per procedure are held against those of evreport --format json.
"""
import collections
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from perfetto import Perfetto  # noqa: E402
from readers import (Callgrind, Pprof, firefox_problems, firefox_sums, read_fields, read_folded,  # noqa: E402
                     read_speedscope, same_name, sums_of_leaves)
SYSROOT = os.path.join(HERE, "..", "golden", "sysroot")
CASES = ("basic", "crowded", "estimates", "odd-counts", "mixed", "stolen", "tree", "topdown", "parallel", "no-samples")
EVIL = {0x1000: b"</script><script>alert(1)</script>", 0x2000: b"quote\"back\\slash';{}[]<!--&amp;",
        0x3000: b"\xff\xfe no \xc0\x80 utf \xed\xa0\x80 eight \xf5; 7", 0x4000: b"#long;" + b"n" * 10000}
FOLDED_EVENTS = 8  # at most; a trace of POWER9 has fifty
failed = number = 0


def check(name, problems):
    global failed, number
    problems = list(problems)
    number += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:8]:
        print(f"# {problem!r:.300}")


class Run:
    """evreport on one trace."""

    def __init__(self, evreport, trace, sysroot):
        self.evreport, self.trace, self.sysroot = evreport, trace, sysroot
        self.report = json.loads(self.call("--format", "json").decode(errors="replace"))

    def call(self, *arguments):
        return subprocess.run([self.evreport, *arguments, "--sysroot", self.sysroot, self.trace], check=True,
                              stdout=subprocess.PIPE).stdout

    def export(self, kind, *arguments):
        return self.call("export", "--format", kind, *arguments)

    def expected(self, column):
        """{procedure: sum of self} of one column."""
        sums = collections.Counter()
        for row in self.report["procedures"]:
            event = row["events"].get(column)
            value = {"cpu": row["self_ns"], "samples": row["n_samples"]}.get(column, event and event["value"])
            sums[same_name(row["name"])] += value or 0
        return sums

    def events(self):
        return [e["name"] for e in self.report["events"] if e["total"] is not None]


def differences(expected, actual, slack):
    """slack: by how much a sum may be rounded."""
    for name in sorted(set(expected) | set(actual)):
        if abs(expected.get(name, 0) - actual.get(name, 0)) > slack:
            yield f"{name:.80}: {expected.get(name, 0)} in the report, {actual.get(name, 0)} in the export"


# ---- folded ----

def plain(sums):
    """As folded lines have names: a semicolon would part frames."""
    out = collections.Counter()
    for name, value in sums.items():
        out[name.replace(";", ":")] += value
    return out


def check_folded(name, run):
    rows = sums_of_leaves(read_folded(run.export("folded")))
    check(f"{name}: folded, CPU time", differences(plain(run.expected("cpu")), {k: v * 1000 for k, v in rows.items()}, 0))
    rows = sums_of_leaves(read_folded(run.export("folded", "--value", "samples")))
    check(f"{name}: folded, samples", differences(plain(run.expected("samples")), rows, 0))
    events = run.events()
    for event in events[::max(1, math.ceil(len(events) / FOLDED_EVENTS))]:  # an export each
        rows = sums_of_leaves(read_folded(run.export("folded", "--value", event)))
        check(f"{name}: folded, {event}", differences(plain(run.expected(event)), rows, 0.5001))


# ---- pprof: github.com/google/pprof, proto/profile.proto ----

def rows_of_threads(run, key):
    rows = collections.Counter()
    for row in run.report["threads"]:
        rows[row["tid"]] += row[key]
    return rows


def differences_of_latency(run, profile):
    """By name, since procedures of two libraries may share one."""
    if run.report["parallel"] is None:
        return ["a column that the report does not know"] if "latency" in profile.columns else []
    shares, sums = collections.Counter(), profile.sums("latency")
    for row in run.report["procedures"]:
        shares[same_name(row["name"])] += row["self_latency_share"]
    total = sum(sums.values()) or 1
    return differences(shares, {name: value / total for name, value in sums.items()}, 1e-4)


def check_pprof(name, run):
    profile = Pprof(run.export("pprof"))
    for column, slack in [("cpu", 0), ("samples", 0)] + [(event, 0.5001) for event in run.events()]:
        check(f"{name}: pprof, {column}", differences(run.expected(column), profile.sums(column), slack))
    check(f"{name}: pprof, shares of latency", differences_of_latency(run, profile))
    threads = profile.sums("samples", lambda stack, labels: labels.get("tid", 0))
    check(f"{name}: pprof, samples of threads", differences(rows_of_threads(run, "n_samples"), threads, 0))
    check(f"{name}: pprof, what was measured is at most all", [
        (column, row) for column in profile.columns if column + "_measured" in profile.columns
        for row in profile.samples if row[1][profile.columns.index(column + "_measured")] >
        row[1][profile.columns.index(column)] + 1])
    check_pprof_tool(name, run)


def check_pprof_tool(name, run):
    """The importer that users have."""
    if not shutil.which("go"):
        return check(f"{name}: go tool pprof # SKIP go is not installed", [])
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as file:
        file.write(run.export("pprof"))
        file.flush()
        done = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-top", "-nodecount=1000000", "-unit=ns",
                               "-nodefraction=0", "-edgefraction=0", "-sample_index=cpu", file.name], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    rows = re.findall(r"^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +\d+(?:ns)? +[\d.]+%  (.*)$", done.stdout, re.M)
    sums = collections.Counter()
    for value, procedure in rows:
        sums[same_name(procedure.removesuffix(" (inline)").removesuffix(" (partial-inline)"))] += int(value)
    check(f"{name}: go tool pprof", differences(run.expected("cpu"), sums, 0) if not done.returncode else [done.stdout])


# ---- speedscope: src/lib/file-format-spec.ts ----

def check_speedscope(name, run):
    data = run.export("speedscope")
    profiles = read_speedscope(data)
    for column, slack in [("cpu", 0), ("samples", 0)] + [(event, 0.5001) for event in run.events()]:
        check(f"{name}: speedscope, {column}", differences(run.expected(column), sums_of_leaves(profiles[column]), slack))
    check(f"{name}: speedscope ends no script", re.findall(rb"</script", data))


# ---- calls of the JSON report ----

def calls_without_children(calls):
    """Rows whose total is not their self and the totals of the rows below them."""
    open_rows = []
    for row in calls + [{"depth": 0, "total_ns": 0}]:
        while len(open_rows) > row["depth"]:
            above, below_ns = open_rows.pop()
            if above["total_ns"] != above["self_ns"] + below_ns:
                yield above, below_ns
        if open_rows:
            open_rows[-1][1] += row["total_ns"]
        open_rows.append([row, 0])


def check_calls(name, run):
    whole = json.loads(run.call("--format", "json", "--calls", "all").decode(errors="replace"))
    everything = sum(row["self_ns"] for row in whole["calls"])
    check(f"{name}: all calls have all the time", [] if everything == whole["run"]["sampled_ns"] else [everything])
    check(f"{name}: calls are whole", calls_without_children(whole["calls"]))
    whole["calls"] = run.report["calls"]
    check(f"{name}: --calls all changes nothing else", [key for key in whole if whole[key] != run.report[key]])


# ---- Firefox Profiler: docs-developer/CHANGELOG-formats.md, src/types/profile.ts ----

def check_firefox(name, run):
    data = run.export("firefox")
    profile = json.loads(data)
    check(f"{name}: firefox, tables", firefox_problems(profile))
    check(f"{name}: firefox, CPU time", differences(run.expected("cpu"), firefox_sums(profile), 1000))
    events = {e["name"]: e for e in run.report["events"]}
    for event in run.events():
        total = sum(sum(c["samples"]["count"]) for c in profile["counters"] if c["name"] == event)
        check(f"{name}: firefox, {event}", [] if abs(total - events[event]["total"]) <= 1e-6 * total + 0.5 else
              [(total, events[event]["total"])])
    check(f"{name}: firefox ends no script", re.findall(rb"</script", data))


# ---- callgrind: valgrind's manual, "Callgrind Format Specification" ----

def check_callgrind(name, run):
    data = run.export("callgrind")
    graph = Callgrind(data)
    for column, slack in [("cpu", 0), ("samples", 0)] + [(event, 0.5001) for event in run.events()]:
        check(f"{name}: callgrind, {column}", differences(run.expected(column), graph.sums(column), slack))
    totals = collections.Counter()
    for row in run.report["procedures"]:
        totals[same_name(row["name"])] += row["total_ns"]
    check(f"{name}: callgrind, CPU time with calls", differences(totals, graph.sums("cpu", True), 0))
    check(f"{name}: callgrind's summary is its sum", [
        event for i, event in enumerate(graph.events)
        if graph.summary[i] != sum(v for (_, e), v in graph.self_costs.items() if e == event)])
    check_annotate(name, run, data)


def check_annotate(name, run, data):
    """The importer that users have."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run(["callgrind_annotate", "--threshold=100", "--show=cpu", "--inclusive=no", "--auto=no",
                               file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    sums = collections.Counter()
    for value, procedure in re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (?:\?\?\?|[^:]*):(.*) \[\[?[^\[]*$", text, re.M):
        sums[same_name(procedure)] += int(value.replace(",", ""))
    check(f"{name}: callgrind_annotate", differences(run.expected("cpu"), sums, 0) if not done.returncode else [text])


# ---- Perfetto: protos/perfetto/trace ----

def measured_of(run):
    """{event: sum} of the slices' counts as the dump has them, without those that no counter can have counted."""
    names, sums, of = {}, collections.Counter(), ""
    for line in subprocess.run([run.evreport, "dump", run.trace], stdout=subprocess.PIPE, check=True, text=True,
                               errors="replace").stdout.splitlines():
        block = re.match(r"@\d+ \w+ (pid \d+ birth \d+)", line)
        event = re.match(r"  event\t(\d+)\t([^\t]*)\t", line)
        of = block[1] if block else of
        if event:
            names[of, event[1]] = event[2]
        for number, count in re.findall(r" e(\d+)=(\d+)", line) if line.startswith("  slice ") else []:
            sums[names[of, number]] += int(count) if int(count) < 1 << 63 else 0
    return sums


def check_perfetto(name, run):
    file, expected, problems = Perfetto(run.export("perfetto"), read_fields), run.expected("cpu"), []
    for procedure in sorted(set(expected) | {same_name(n) for n in file.self_ns}):
        want = expected.get(procedure, 0)
        got = sum(ns for n, ns in file.self_ns.items() if same_name(n) == procedure)
        # each call path is rounded by itself
        if abs(got - want) > len(expected) + run.report["run"]["n_samples"] / 2:
            problems.append(f"{procedure:.80}: {want} in the report, {got} in the export")
    check(f"{name}: perfetto, CPU time", problems)
    slack = 1000 if name == "odd-counts" else 0  # of slices whose times make no sense
    check(f"{name}: perfetto, what was measured", differences(measured_of(run), file.counters, slack))
    check(f"{name}: perfetto, threads", {tid for _, tid in file.threads()} ^ {row["tid"] for row in run.report["threads"]})
    check(f"{name}: perfetto, notes", [] if len(file.notes) >= 3 else file.notes)


def check_pids(evreport, generate, work):
    """Processes of three runs, one pid: each is a process of its own; the first keeps the pid."""
    traces = []
    for case in ("basic", "other-host", "later"):
        traces.append(os.path.join(work, f"pids-{case}.gz"))
        with open(traces[-1], "wb") as file:
            subprocess.run([generate, case], stdout=file, check=True)
    out = subprocess.run([evreport, "export", "--format", "perfetto", *traces], stdout=subprocess.PIPE, check=True).stdout
    processes, threads = (lambda file: (file.processes(), file.threads()))(Perfetto(out, read_fields))
    check("perfetto: three processes of one pid stay three", [] if len(processes) == 3 and 4242 in processes and
          all(len(names) == 1 for names in processes.values()) else [processes])
    check("perfetto: so do their threads", [] if len(threads) == 6 and {pid for pid, _ in threads} == set(processes) else [threads])
    check("perfetto: a pid that is not the process's own is told",
          [names for pid, names in processes.items() if ("(pid 4242 on node18)" in names[0]) != (pid != 4242)])
    check("perfetto: pids are of 31 bits", [] if all(pid < 1 << 31 for pid in processes) else [processes])


FORMATS = [check_callgrind, check_calls, check_firefox, check_folded, check_perfetto, check_pprof, check_speedscope]


# ---- what a file is written to ----

def refusal(evreport, *arguments):
    done = subprocess.run([evreport, "export", *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


def check_refusals(evreport, trace, work):
    before = open(trace, "rb").read()
    status, said = refusal(evreport, "--format", "folded", "-o", trace, trace)
    check("a trace is not overwritten", [] if status == 1 and "is a trace" in said and
          open(trace, "rb").read() == before else [said])
    status, said = refusal(evreport, "--format", "folded", "--value", "nonsense", trace)
    check("an unknown value is refused with a list", [] if status == 1 and "cpu" in said else [said])
    status, said = refusal(evreport, trace)
    check("a format must be named", [] if status == 2 and "folded" in said else [said])
    status, said = refusal(evreport, "--format", "folded", "-o", "/dev/full", trace)
    check("a full disk is said", [] if status == 1 and "cannot write" in said else [said])
    out = os.path.join(work, "again")
    for _ in range(2):
        status, said = refusal(evreport, "--format", "folded", "-o", out, trace)
        check("another file is written, and written again", [] if status == 0 and os.path.getsize(out) else [said])


def write_evil_names(sysroot):
    os.makedirs(os.path.join(sysroot, "tmp"))
    with open(os.path.join(sysroot, "tmp", "perf-4242.map"), "wb") as file:
        for start, name in EVIL.items():
            file.write(b"%x 1000 %s\n" % (start, name))


def make_runs(evreport, generate, cases, traces, work):
    """[(name, Run)] of traces made for the cases, of one with evil names, and of traces."""
    runs = []
    for case in cases:
        trace = os.path.join(work, case + ".gz")
        with open(trace, "wb") as file:
            subprocess.run([generate, case], stdout=file, check=True)
        runs.append((case, Run(evreport, trace, SYSROOT)))
    evil = os.path.join(work, "evil")
    write_evil_names(evil)
    runs.append(("evil names", Run(evreport, os.path.join(work, "estimates.gz"), evil)))
    return runs + [(os.path.basename(trace), Run(evreport, trace, SYSROOT)) for trace in traces]


def check_standard_output(evreport, trace, work):
    """A file of the name - is what nobody wants."""
    outputs = [subprocess.run([evreport, *command, trace], cwd=work, capture_output=True, check=True).stdout
               for command in (("export", "--format", "folded", "-o", "-"), ("export", "--format", "folded"), ("-f", "csv", "-o", "-"), ("-f", "csv"))]
    is_same = outputs[0] == outputs[1] != b"" and outputs[2] == outputs[3] != b""
    check("-o - is standard output", [] if is_same and not os.path.exists(os.path.join(work, "-")) else outputs)


def main():
    evreport, generate, traces = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as work:
        for name, run in make_runs(evreport, generate, CASES, traces, work):
            for check_format in FORMATS:
                check_format(name, run)
        check_pids(evreport, generate, work)
        check_standard_output(evreport, os.path.join(work, "basic.gz"), work)
        check_refusals(evreport, os.path.join(work, "basic.gz"), work)
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
