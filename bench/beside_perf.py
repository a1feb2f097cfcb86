#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""evprof beside the kernel's own sampling, in one run: beside_perf.py [--rate N] [--rounds N] [--keep] BUILD [NAME...]

Each program runs below evprof at default settings, and that below `perf record -e cpu-clock` (root): both see the same run. Prints each procedure and system call that either has at 5 % and more, self and with what it calls, perf's share and
evprof's with its bar (95 %), and how many differ by at most 3 points or are held by the bars of both.

perf's samples count as evprof's do: the kernel's in a system call for the procedure that made it; those of page faults and interrupts as
[kernel]; the profiler's own (libevprof.so, and signals to it) not at all. Times before evprof begins in a process, and after it
ended there, are in neither table; "outside" has perf's share of them. Left out: what stripped files do not name.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

LEAST, NEAR = 0.05, 0.03
STACK_BYTES = 8192
SERVED_S = 12
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "tests/programs/scripts"


# ---- programs: each yields once it runs, and again when it has ended ----

def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def until_open(port):
    for _ in range(600):
        with socket.socket() as client:
            if not client.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    sys.exit(f"nothing listens at {port}")


def run_for(seconds, *command):
    try:
        subprocess.run(command, timeout=seconds, **QUIET)
    except subprocess.TimeoutExpired:
        pass


def stop(perf, name, how):
    """The program that perf has started, which evprof has become."""
    child = pathlib.Path(f"/proc/{perf.pid}/task/{perf.pid}/children").read_text().split()[0]
    os.kill(int(child), how)
    perf.wait()


def redis(before, folder):
    port = free_port()
    server = subprocess.Popen([*before, "redis-server", "--port", str(port), "--save", "", "--dir", folder], **QUIET)
    until_open(port)
    run_for(SERVED_S, "redis-benchmark", "-p", str(port), "-n", "100000000", "-c", "20", "-q", "-t", "lrange_100")
    stop(server, "redis-server", signal.SIGTERM)


def nginx(before, folder):
    port = free_port()
    (folder / "page").mkdir()
    (folder / "page/index.html").write_text("x" * 2000)
    (folder / "conf").write_text(
        f"daemon off; pid {folder}/pid; error_log /dev/null; worker_processes 1; user root; events {{}}\n"
        f"http {{ access_log off; keepalive_requests 1000000; server {{ listen 127.0.0.1:{port}; root {folder}/page; }} }}\n")
    server = subprocess.Popen([*before, "nginx", "-c", folder / "conf", "-p", folder], **QUIET)
    until_open(port)
    client = ("import socket\ns = socket.create_connection(('127.0.0.1', %d))\n"
              "while True:\n    s.sendall(b'GET /index.html HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n' * 4)\n"
              "    n = 0\n    while n < 4 * 2000: n += len(s.recv(65536))\n")
    run_for(SERVED_S, sys.executable, "-c", client % port)
    stop(server, "nginx", signal.SIGQUIT)


def whole(*command, prepare=None):
    def run(before, folder):
        if prepare:
            prepare(folder)
        subprocess.run([*before, *command], cwd=folder, **QUIET)
    return run


SQL = ("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);" + "".join(
    f"BEGIN; INSERT INTO t SELECT value + {i * 40000}, hex(value * 7919) FROM generate_series(1, 40000); COMMIT;" for i in range(20)) +
    "SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%3%'; SELECT substr(b, 1, 2), count(*) FROM t GROUP BY 1 ORDER BY 2;")
NODE = ("const z = require('zlib'); let n = 0; for (let k = 0; k < 150; k++) { const a = Array.from({length: 20000}, (_, i) => ({i, s: 'x' + i}));"
        "const t = JSON.stringify(a); n += z.deflateSync(t).length + JSON.parse(t).length; a.sort((x, y) => x.s < y.s ? 1 : -1); }")
SHELL = "i=0; while [ $i -lt 700 ]; do i=$((i + 1)); echo $i line | sed s/l/m/ | grep m | wc -c; ls /etc; done"


def make_sources(folder):
    for i in range(12):
        (folder / f"f{i}.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n" + "".join(
            f"double f{i}_{k}(double *x, int n) {{ double s = {k}; for (int j = 0; j < n; j++) s += sin(x[j]) * {k}; return s; }}\n"
            for k in range(400)))
    (folder / "Makefile").write_text("all: " + " ".join(f"f{i}.o" for i in range(12)) + "\n%.o: %.c\n\tcc -O2 -c $< -o $@\n")


def make_class(folder):
    shutil.copy(SCRIPTS / "Work.java", folder)
    subprocess.run(["javac", "-d", folder, folder / "Work.java"], check=True, **QUIET)


def suite(build):
    heat = build / "examples/heat"
    return {
        "redis": ("redis-server", redis), "nginx": ("nginx", nginx), "sqlite": ("sqlite3", whole("sqlite3", "db", SQL)),
        "shell": ("sh", whole("sh", "-c", SHELL)), "make": ("make", whole("make", "-s", "-j2", prepare=make_sources)),
        "node": ("node", whole("node", "-e", NODE)),
        "java": ("javac", whole("java", "-XX:+UseParallelGC", "-Xmx128m", "-cp", ".", "Work", prepare=make_class)),
        "ffmpeg": ("ffmpeg", whole("ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=d=12:s=640x480", "-c:v", "mpeg4",
                                   "-threads", "2", "-f", "null", "-")),
        "heat": (str(heat), whole(str(heat), "-n", "40", "-t", "2")),
    }


# ---- what perf saw ----

SYSTEM_CALL = re.compile(r"entry_SYSCALL_64|do_syscall_64|x64_sys_call|el0_svc|invoke_syscall")
PAGE_FAULT = re.compile(r"asm_exc_page_fault|do_page_fault")
SIGNAL = re.compile(r"arch_do_signal_or_restart|get_signal|do_signal|rt_sigreturn")
# Procedures that one tool names otherwise: the part of another, or one that has two names.
INNER = {"_Fork": "fork", "memcpy_avx512_unaligned_erms": "memmove_avx512_unaligned_erms"}
BEGINNINGS = {"start_call_main", "start_main", "_start", "clone3", "clone", "start_thread"}
FRAME = re.compile(r"\s+([0-9a-f]+) (.*) \((.*)\)$")
HEAD = re.compile(r"\s*(\d+)/(\d+)\s+(\d+\.\d+):")


def base(name):
    """A procedure's name as both tools can have it."""
    name = re.sub(r" \(inlined\)$|@.*$", "", name).replace("(anonymous namespace)", "{}")
    if "operator" not in name:
        name = name.split("(")[0]
    name = re.sub(r"\.(part|constprop|isra|cold)\b.*|_impl$", "", name).split(" ")[-1]
    name = re.sub(r"^(?:__GI_|__libc_|__)+|64$", "", name) or name
    return INNER.get(name, name)


class Seen:
    """Samples of procedures within the processes' times; total: of those whose call paths perf has up to their beginnings."""

    def __init__(self):
        self.self, self.total, self.n, self.n_whole, self.n_outside, self.n_own = collections.Counter(), collections.Counter(), 0, 0, 0, 0

    def add(self, frames):
        """Frames, innermost first, as (name, file)."""
        is_kernel = [file.startswith("[") and "vdso" not in file or file.endswith(".ko") for _, file in frames]
        user = [f for f, kernel in zip(frames, is_kernel) if not kernel]
        kernel = [name for (name, _), kernel in zip(frames, is_kernel) if kernel]
        if any("libevprof" in file for _, file in user[:3]) or any(SIGNAL.search(name) for name in kernel):
            self.n_own += 1
            return
        self.n += 1
        names = [base(name) for name, _ in user]
        if not names or (kernel and not any(SYSTEM_CALL.search(name) or PAGE_FAULT.search(name) for name in kernel)):
            names.insert(0, "[kernel]")
        self.self[names[0]] += 1
        if set(names) & BEGINNINGS:
            self.n_whole += 1
            for name in set(names) - BEGINNINGS:
                self.total[name] += 1


def samples(text):
    head, frames = None, []
    for line in text:
        if match := FRAME.match(line):
            frames.append((match[2], match[3]))
        elif match := HEAD.match(line):
            head, frames = (int(match[1]), float(match[3])), []
        elif not line.strip() and head:
            yield *head, frames
            head, frames = None, []


def read_perf(data, report, inline):
    spans = collections.defaultdict(list)
    for p in report["processes"]:
        start = report["run"]["started"] + p["start_s"]
        spans[p["pid"]].append((start, start + p["duration_s"]))
    seen = Seen()
    few = ["--pid", ",".join(map(str, spans))] if len(spans) < 50 else []
    script = subprocess.Popen(["perf", "script", "-i", data, *few, *([] if inline else ["--no-inline"]), "-F", "pid,tid,time,ip,sym,dso"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    for pid, at, frames in samples(script.stdout):
        if pid in spans and not any(first <= at <= last for first, last in spans[pid]):
            seen.n_outside += 1
        elif pid in spans and frames:
            seen.add(frames)
    return seen


# ---- both ----

def record(evprof, name, run, rate, keep):
    with tempfile.TemporaryDirectory(prefix=f"beside-{name}-", delete=not keep) if sys.version_info >= (3, 12) else \
            tempfile.TemporaryDirectory(prefix=f"beside-{name}-") as folder:
        folder = pathlib.Path(folder)
        data, trace = folder / "perf.data", folder / "trace.gz"
        (folder / "work").mkdir()
        run(["perf", "record", "-e", "cpu-clock", "-F", str(rate), "-k", "realtime", "-m", "4M", "--call-graph", f"dwarf,{STACK_BYTES}",
             "-o", data, "--", evprof / "preload/evprof", "run", "--keep", "off", "-o", trace, "--"], folder / "work")
        report = json.loads(subprocess.run([evprof / "reporter/evreport", "--format", "json", "--top", "0", trace], check=True,
                                           stdout=subprocess.PIPE).stdout)
        return report, read_perf(data, report, name == "heat")


def evprof_shares(report):
    """By name: share and variance, self and total."""
    shares = {"self": collections.defaultdict(lambda: [0, 0]), "total": collections.defaultdict(lambda: [0, 0])}
    for row in report["procedures"]:
        for what, sums in shares.items():
            sums[base(row["name"])][0] += row[f"{what}_share"]
            sums[base(row["name"])][1] += row[f"{what}_share_error"] ** 2
    return shares


def compare(name, report, seen):
    shares = evprof_shares(report)
    n_held = n_bars = n = 0
    print(f"{name}: {report['run']['n_samples']} samples of evprof, {seen.n} of perf ({seen.n_own} of evprof's own work left out, "
          f"{seen.n_outside} outside); {100 * report['run']['untold_s'] / (report['run']['untold_s'] + report['run']['cpu_ns'] / 1e9):.1f} % "
          f"in no table of evprof, {100 * seen.n_outside / max(1, seen.n + seen.n_outside):.1f} % outside by perf")
    for what, counts, whole in (("self", seen.self, seen.n), ("total", seen.total, seen.n_whole)):
        for key in sorted(set(shares[what]) | set(counts), key=lambda k: -counts[k]):
            theirs, (ours, variance) = counts[key] / max(whole, 1), shares[what].get(key, (0, 0))
            if max(theirs, ours) < LEAST or key in BEGINNINGS or re.search(r"\+0x|^\[unknown|^\[ended", key):
                continue
            bar = 1.96 * math.sqrt(variance + theirs * (1 - theirs) / max(whole, 1))
            is_near, is_held = abs(ours - theirs) <= NEAR, abs(ours - theirs) <= bar
            n, n_held, n_bars = n + 1, n_held + (is_near or is_held), n_bars + is_held
            print(f"  {what:5} {key[:44]:44} perf {100 * theirs:5.1f}  evprof {100 * ours:5.1f}  differ {100 * (ours - theirs):+5.1f}  "
                  f"bar {100 * bar:4.1f}  {'' if is_held else 'near' if is_near else 'NO'}")
    print(f"  {n_held} of {n} within {100 * NEAR:.0f} points or the bars; {n_bars} within the bars", flush=True)
    return n, n_held, n_bars


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=int, default=299)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = options.build.resolve()
    programs, sums = suite(build), [0, 0, 0]
    for _ in range(options.rounds):
        for name in options.names or programs:
            needs, run = programs[name]
            if not shutil.which(needs):
                print(f"{name}: not installed")
                continue
            sums = [a + b for a, b in zip(sums, compare(name, *record(build, name, run, options.rate, options.keep)))]
    print(f"all: {sums[1]} of {sums[0]} within {100 * NEAR:.0f} points or the bars; {sums[2]} within the bars")


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    main()
