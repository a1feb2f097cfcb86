#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second reader of trace.gz, written from docs/trace-format.md alone: what it reads is what `evreport dump` prints.

read_trace.py EVREPORT GENERATE PRELOAD TRACE...: prints TAP. The traces are those given, the generated ones, one that a tree
of fork and exec writes, and a simulated PMU's, whose groups take turns.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

CASES = ("basic", "later", "parallel", "crowded", "stolen", "energy", "estimates", "odd-counts", "simulated", "topdown", "tree", "no-samples")
NAMES = {1: "META", 2: "MODULES", 3: "STACKS", 4: "SAMPLES", 5: "TOTALS", 6: "END", 7: "NOTE", 8: "READY",
         9: "CHILDREN", 10: "MACHINE", 12: "WAITS", 13: "CODE", 15: "PERF_MAP"}
FIRST_BYTES, EXTRA = b"\x1f\x8b\x08\x04", b"\x06\x00BC\x02\x00"
N_FIXED_COLUMNS = 6
WORK = r"""
from os import fork, wait, execv, _exit
from threading import Thread
spin = lambda n: sum(i * i for i in range(n))
threads = [Thread(target=spin, args=(200000,)) for _ in range(2)]
[t.start() for t in threads], [t.join() for t in threads]
if not fork():
    spin(200000), _exit(3)
if not fork():
    execv("/bin/sh", ["sh", "-c", "while [ ${#a} -lt 3000 ]; do a=$a.; done; kill -TERM $$", "x\\y\tz\nw"])
wait(), wait(), spin(200000)
"""


class Body:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def s(self):
        value = self.u()
        return (value >> 1) ^ -(value & 1)

    def us(self, n):
        return [self.u() for _ in range(n)]

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        return self.bytes(self.u())

    def text(self):
        return self.string().decode(errors="surrogateescape")

    def done(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes of a body are left over"


def wrapped(value):
    return value % (1 << 64)


def members(data):
    at = 0
    while at < len(data):
        assert data[at:at + 4] == FIRST_BYTES and data[at + 10:at + 16] == EXTRA, f"no member at {at}"
        end = at + struct.unpack("<H", data[at + 16:at + 18])[0] + 1
        inflated = zlib.decompress(data[at + 18:end - 8], -15)
        assert struct.unpack("<II", data[end - 8:end]) == (zlib.crc32(inflated), len(inflated)), f"member at {at}"
        assert len(inflated) <= 65536
        yield at, end - at, inflated
        at = end


def blocks(data):
    for member_at, _, inflated in members(data):
        at = 0
        while at < len(inflated):
            magic, version, kind, zero, size, pid, birth = struct.unpack("<4sBBHIIQ", inflated[at:at + 24])
            assert (magic, version, zero) == (b"EVPB", 1, 0), f"a header in the member at {member_at}"
            yield member_at, kind, (pid, birth), inflated[at + 24:at + 24 + size]
            at += 24 + size


def read_meta(body, process):
    for line in body.data.decode(errors="surrogateescape").split("\n")[:-1]:
        key, _, value = line.partition("\t")
        fields = value.split("\t")
        if key == "period_ns":
            process["period_us"] = int(value) // 1000
        elif key == "event":
            process["n_events"] = max(process["n_events"], int(fields[0]) + 1)
        elif key == "group":
            process["groups"].append([int(e) for e in fields[1].split(",")])
        yield line
    body.at = len(body.data)


def read_modules(body, _):
    for _ in range(body.u()):
        number, start, end, bias, time_us = body.us(5)
        path, build_id = body.text(), body.string().hex()
        yield (f"module {number} at {time_us} us: {start:#x}-{end:#x} bias {hexadecimal(bias)} {path}"
               + (f" build-id {build_id}" if build_id else ""))


def hexadecimal(value):
    return f"{value:#x}" if value else "0"


def read_stacks(body, _):
    thread, epoch, first, n_nodes = body.us(4)
    before = {}
    yield f"thread {thread} epoch {epoch}"
    for index in range(first, first + n_nodes):
        parent, module = index - body.u(), body.u()
        before[module] = wrapped(before.get(module, 0) + body.s())
        yield f"node {index}: parent {parent} module {module} address {hexadecimal(before[module])}"


def read_samples(body, process):
    thread, epoch, n_samples, time_us, first, n_events = body.us(6)
    sizes = body.us(N_FIXED_COLUMNS + n_events)
    columns = [Body(body.bytes(size)) for size in sizes]
    cpu, off, stack, group_column, flags_column, idle = columns[:N_FIXED_COLUMNS]
    groups, node, group, counts = process["groups"], 0, -1, [0] * n_events
    assert n_events == process["n_events"]
    yield f"thread {thread} epoch {epoch}: {n_samples} samples"
    for number in range(first, first + n_samples):
        cpu_us = process["period_us"] + cpu.s()
        wall_us = cpu_us + off.s()
        time_us += wall_us
        node += stack.s()
        group = (group + 1 + group_column.s()) % len(groups)
        flags = flags_column.u()
        text = (f"slice {number}: until {time_us} us cpu {cpu_us} wall {wall_us} idle {idle.u()} node {node} "
                f"group {group} flags {flags}")
        for event in sorted(groups[group]) if not flags & 8 else ():
            counts[event] = wrapped(counts[event] + columns[N_FIXED_COLUMNS + event].s())
            text += f" e{event}={counts[event]}"
        yield text
    for column in columns:
        column.done()


def read_totals(body, _):
    thread, tid, name, flags = body.u(), body.u(), body.text(), body.u()
    start, end, cpu, n_samples, n_lost, own, minor, major, voluntary, involuntary = body.us(10)
    yield (f"thread {thread} tid {tid} {name}{' final' if flags & 1 else ''}: {start}-{end} us, cpu {cpu} ns, "
           f"{n_samples} samples, {n_lost} lost, own {own} ns")
    yield f"faults {minor} minor {major} major, switches {voluntary} voluntary {involuntary} involuntary"
    for group in range(body.u()):
        n_slices, enabled, running, n_counts = body.us(4)
        counts = " ".join(map(str, body.us(n_counts)))
        yield f"group {group}: {n_slices} slices, enabled {enabled} ns, running {running} ns, counts {counts}"


def read_end(body, _):
    time_us, how, status, user, system, peak = body.us(6)
    yield (f"at {time_us} us, how {how}, status {status}, user {user} us, system {system} us, peak {peak} KiB, "
           f"note {body.text()}")


def read_children(body, _):
    yield f"children waited for: cpu {body.u()} us"


def read_note(body, _):
    yield body.text()


def read_ready(body, _):
    thread, ready, turns = body.us(3)
    yield f"thread {thread}: {ready} ns ready without a CPU, {turns} turns on one"


MACHINE_TIMES = {1: "busy us", 2: "stolen us", 3: "periods", 4: "periods stopped", 5: "stopped us",
                 6: "package uJ", 7: "memory uJ", 8: "memory bytes read", 9: "memory bytes written"}


def read_machine(body, _):
    time_us, n = body.us(2)
    times = dict(body.us(2) for _ in range(n))
    yield f"at {time_us} us:" + "".join(f" {name} {times[what]}" for what, name in MACHINE_TIMES.items() if what in times)


def read_waits(body, _):
    thread, epoch, n_lost = body.us(3)
    yield f"thread {thread} epoch {epoch}: {n_lost} waits lost"
    for number in range(1, body.u() + 1):
        yield f"name {number}: {body.text()}"
    for _ in range(body.u()):
        node, kind, n, ns, longest, module, address, name, holder, holder_node, holder_kind = body.us(11)
        if not ns:
            yield f"kind {kind}: {n} calls not looked at"
            continue
        yield (f"node {node}: kind {kind}, {n} waits, {ns} ns, longest {longest} ns, module {module} "
               f"address {hexadecimal(address)}, name {name}, holder {holder} at node {holder_node} kind {holder_kind}")


def read_code(body, _):
    thread, unread, n_codes = body.us(3)
    yield f"thread {thread}: {unread} frames not named"
    for _ in range(n_codes):
        number, minor, line = body.us(3)
        name, file, table = body.text(), body.text(), body.string()
        yield f"code {number}: Python 3.{minor} line {line} table {len(table)} bytes {name} of {file}"


READERS = {1: read_meta, 2: read_modules, 3: read_stacks, 4: read_samples, 5: read_totals, 6: read_end, 7: read_note,
           8: read_ready, 9: read_children, 10: read_machine, 12: read_waits, 13: read_code}


def printable(line):
    """Terminals are not to obey what a trace says."""
    return "".join(c if c >= " " and c != "\x7f" or c == "\t" else "?" for c in line)


def read(data):
    processes = {}
    for at, kind, key, content in blocks(data):
        process = processes.setdefault(key, {"groups": [], "n_events": 0, "period_us": 0})
        body = Body(content)
        yield f"@{at} {NAMES.get(kind, f'TYPE {kind}')} pid {key[0]} birth {key[1]}, {len(content)} bytes"
        if kind in READERS:
            yield from ("  " + printable(line) for line in READERS[kind](body, process))
            body.done()


def info_of(data):
    """What `evreport info` says first."""
    of_kind, n_bytes, marks, processes, n_samples = {}, 0, 0, set(), 0
    for _, size, inflated in members(data):
        marks += not inflated and size == 28
        n_bytes += len(inflated)
    for _, kind, key, content in blocks(data):
        of_kind[NAMES[kind]] = of_kind.get(NAMES[kind], 0) + 1
        processes.add(key)
        n_samples += Body(content).us(3)[2] if kind == 4 else 0
    return {"bytes": len(data), "bytes inflated": n_bytes, "end marks": marks, "processes": len(processes),
            "slices (samples among them)": n_samples, **of_kind}


def differences(evreport, path):
    """Of a trace that is whole."""
    def printed(*command):
        run = subprocess.run([evreport, *command, path], stdout=subprocess.PIPE, check=True, timeout=60)
        return run.stdout.decode(errors="surrogateescape").splitlines()

    data = pathlib.Path(path).read_bytes()
    mine = list(read(data))
    dump = [line for line in printed("dump") if not line.startswith("#")]
    if not mine or not any(line.startswith("@") and " META " in line for line in mine):
        yield "there is nothing in it"
    if mine != dump:
        unlike = next((pair for pair in zip(mine, dump) if pair[0] != pair[1]), f"{len(mine)} lines and {len(dump)}")
        yield f"read and dumped differ: {unlike}"
    info = [line.split("  ", 2) for line in printed("info")]
    info = {words[1]: words[2].split() for words in info if len(words) == 3 and not words[0]}
    for name, number in info_of(data).items():
        if info.get(name, ["0"])[0] != str(number):
            yield f"info: {name} {info.get(name)}, read {number}"


def record(preload, folder, name, **variables):
    path = f"{folder}/{name}.gz"
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_")}
    env |= {"LD_PRELOAD": os.path.abspath(preload), "EVPROF_OUTPUT": path, "EVPROF_QUIET": "1", **variables}
    subprocess.run([sys.executable, "-c", WORK], env=env, check=True, timeout=60)
    return path


def make_all(generate, preload, folder):
    for case in CASES:
        path = f"{folder}/{case}.gz"
        with open(path, "wb") as out:
            subprocess.run([generate, case], stdout=out, check=True, timeout=60)
        yield path
    table = f"{folder}/table.csv"
    with open(table, "w") as out:
        print("cycles,instructions,a,b,c,d,e", file=out)
        for row in range(97):
            print(*((row * 7919 + 10 ** e) % 10 ** (e + 1) for e in range(7)), sep=",", file=out)
    yield record(preload, folder, "sim", EVPROF_SOURCE=f"sim:{table},counters=4", EVPROF_PERIOD="777us")
    yield record(preload, folder, "fork-exec", EVPROF_PERIOD="1234us")
    yield record(preload.replace("libevprof.so", "libevprof-waits.so"), folder, "waits", EVPROF_WAITS="on")


def main():
    evreport, generate, preload, *traces = sys.argv[1:]
    failed = number = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in [*traces, *make_all(generate, preload, folder)]:
            reasons = list(differences(evreport, path))
            number += 1
            failed += bool(reasons)
            print(f"{'not ok' if reasons else 'ok'} {number} - {pathlib.Path(path).name}", *reasons, sep=" ; ")
    print(f"1..{number}")
    return failed > 0


sys.exit(main())
