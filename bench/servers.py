#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What noting waits costs servers: servers.py EVPROF LOCKS SECONDS [NAME...]

In pairs: the plain program and the same below evprof get the same requests at the same time, on one CPU, and their CPU time for them
is compared, since it says under any load what throughput says on a machine of one's own. Prints the median of plain over other (1: it
costs nothing) with a distribution-free interval of 95 %, for evprof alone and with --waits on.
"""
import math
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def start(before, command, **more):
    return subprocess.Popen([*before, *map(str, command)], **(QUIET | more))


def cpu_s(process, how=None):
    """CPU time of a process that ends, with what it waited for."""
    if how:
        process.send_signal(how)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_utime + usage.ru_stime


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


def redis(before, folder):
    port = free_port()
    server = start(before, ["redis-server", "--port", port, "--save", "", "--dir", folder])
    until_open(port)
    yield start([], ["redis-benchmark", "-p", port, "-n", 10000, "-c", 20, "-q", "-t", "set,get,lpush,lrange_100"])
    yield cpu_s(server, signal.SIGTERM)


def nginx(before, folder):
    port = free_port()
    (folder / "page").mkdir()
    (folder / "page/index.html").write_text("x" * 2000)
    (folder / "conf").write_text(f"daemon off; pid {folder}/pid; error_log /dev/null; worker_processes 1; user root; events {{}}\n"
                                 f"http {{ access_log off; keepalive_requests 1000000; server {{ listen 127.0.0.1:{port}; root {folder}/page; }} }}\n")
    server = start(before, ["nginx", "-c", folder / "conf", "-p", folder])
    until_open(port)
    client = ("import http.client\nc = http.client.HTTPConnection('127.0.0.1', %d)\n"
              "for _ in range(3000):\n    c.request('GET', '/index.html')\n    c.getresponse().read()\n")
    yield start([], [sys.executable, "-c", client % port])
    yield cpu_s(server, signal.SIGQUIT)


def postgres(before, folder):
    port, user = free_port(), ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    os.chmod(folder.parent, 0o755)
    shutil.chown(folder, "nobody", "nogroup")
    os.environ["HOME"] = str(folder)
    subprocess.run([*user, "initdb", "-D", folder / "data", "-A", "trust", "-U", "me"], check=True, **QUIET)
    trace = ["-o", f"{folder}/trace.gz"] if before else []
    server = start([*user, *before[:2], *trace, *before[2:]], ["postgres", "-D", folder / "data", "-p", port, "-k", folder, "-c", "listen_addresses=127.0.0.1"])
    until_open(port)
    to = ["-h", "127.0.0.1", "-p", str(port), "-U", "me"]
    subprocess.run(["pgbench", *to, "-i", "-s", "1", "-q", "postgres"], **QUIET)
    yield start([], ["pgbench", *to, "-n", "-S", "-c", 4, "-t", 1000, "postgres"])
    yield cpu_s(server, signal.SIGINT)


def whole(command, **more):
    """A program that needs no client."""
    def run(before, folder):
        program = start(before, [word.replace("@", str(folder)) for word in map(str, command)], cwd=folder, **more)
        yield None
        yield cpu_s(program)
    return run


SQL = ("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);\n" + "\n".join(
    f"BEGIN; INSERT INTO t SELECT value + {i * 20000}, hex(value * 7919) FROM generate_series(1, 20000); COMMIT;" for i in range(10)) +
    "\nSELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%3%'; SELECT substr(b, 1, 2), count(*) FROM t GROUP BY 1 ORDER BY 2;\n")
NODE = ("const fs = require('fs'), z = require('zlib'); let n = 0; const b = Buffer.alloc(60000, 'abcdefg');"
        "function next() { if (n++ == 400) return; fs.writeFile('f' + n % 8, b, () => fs.readFile('f' + n % 8, (e, d) => "
        "z.deflate(d, (e, p) => { JSON.parse(JSON.stringify(Array.from({length: 2000}, (_, i) => ({i, s: 'x' + i})))); next(); }))); } next();")
SUITE = {"redis": redis, "nginx": nginx, "postgres": postgres,
         "sqlite": whole(["sqlite3", "@/db", SQL]), "node": whole(["node", "-e", NODE]),
         "locks": whole([pathlib.Path(sys.argv[2]).resolve()])}


def run_pair(make, befores):
    """CPU time of each: both get their work at once."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for number, before in enumerate(befores):
            (own := pathlib.Path(folder, str(number))).mkdir()
            runs.append(make(before(own), own))
        for client in [next(run) for run in runs]:
            if client and client.wait():
                sys.exit(f"{client.args} failed: {client.returncode}")
        return [next(run) for run in runs]


def told(ratios):
    """Median, and the order statistics that hold it 95 times of 100."""
    ratios = sorted(ratios)
    k = max(0, math.floor(len(ratios) / 2 - 0.98 * math.sqrt(len(ratios))))
    return f"{ratios[len(ratios) // 2]:.4f} ({ratios[k]:.4f}-{ratios[-k - 1]:.4f}) of {len(ratios)}"


def main():
    evprof, seconds, names = str(pathlib.Path(sys.argv[1]).resolve()), float(sys.argv[3]), sys.argv[4:] or SUITE
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    below = {waits: (lambda own, waits=waits: [evprof, "run", "--waits", waits, "--keep", "off", "-o", f"{own}/trace.gz", "--"])
             for waits in ("off", "on")}
    for name in names:
        for what, befores in {"off": (lambda own: [], below["off"]), "on": (lambda own: [], below["on"]),
                              "on over off": (below["off"], below["on"])}.items():
            ratios, end = [], time.monotonic() + seconds
            while time.monotonic() < end or len(ratios) < 3:
                turn = 1 if len(ratios) % 2 else -1
                plain, other = run_pair(SUITE[name], befores[::turn])[::turn]
                ratios.append(plain / other)
            print(f"{name:9} waits {what:12} {told(ratios)}", flush=True)


main()
