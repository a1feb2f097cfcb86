#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges the folders that scenarios.sh left: one TAP line per check.

The traces are read by a decoder of this file's own, written from docs/trace-format.md, so that the counts are
judged without evreport; evreport is then held against itself on the two machines.
"""
import argparse
import os
import struct
import subprocess
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


class Checks:
    def __init__(self, guest):
        self.guest, self.n, self.n_failed = guest, 0, 0

    def check(self, condition, name, *details):
        self.n += 1
        self.n_failed += not condition
        print(f"{'ok' if condition else 'not ok'} {self.n} - {self.guest}: {name}")
        for detail in details if not condition else ():
            for line in str(detail).splitlines()[:12]:
                print(f"#   {line}")

    def close(self, actual, expected, relative, name):
        error = abs(actual - expected) / expected if expected else float("inf")
        self.check(error <= relative, f"{name} within {relative:.2%}",
                   f"{actual:.0f}, expected {expected:.0f}: {error:.3%} off")


# ---- the trace, from docs/trace-format.md ----

class Body:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value
            shift += 7

    def string(self):
        size = self.u()
        self.at += size
        return self.data[self.at - size:self.at]


class Process:
    def __init__(self):
        self.meta, self.events, self.groups, self.notes, self.threads, self.end = {}, [], [], [], {}, None


def members(data):
    at = 0
    while at < len(data):
        if data[at:at + 4] != b"\x1f\x8b\x08\x04" or data[at + 12:at + 14] != b"BC":
            raise ValueError(f"no member at byte {at} of {len(data)}")
        size = struct.unpack_from("<H", data, at + 16)[0] + 1
        yield zlib.decompress(data[at + 18:at + size - 8], -15)
        at += size


def read_meta(process, body):
    for line in body.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition("\t")
        if key == "event":
            process.events.append(value.split("\t")[1])
        elif key == "group":
            process.groups.append([int(e) for e in value.split("\t")[1].split(",") if e])
        elif key == "note":
            process.notes.append(value)
        else:
            process.meta[key] = value


def read_totals(process, body):
    b = Body(body)
    thread = {"thread": b.u(), "tid": b.u(), "name": b.string().decode()}
    for key in ("flags", "start_us", "end_us", "cpu_ns", "n_samples", "n_lost", "own_ns", "n_minor", "n_major",
                "n_voluntary", "n_involuntary"):
        thread[key] = b.u()
    thread["groups"] = []
    for _ in range(b.u()):
        group = {"n_slices": b.u(), "enabled_ns": b.u(), "running_ns": b.u()}
        group["counts"] = [b.u() for _ in range(b.u())]
        thread["groups"].append(group)
    process.threads[thread["thread"]] = thread  # cumulative: the last one counts


def read_trace(path):
    """{(pid, birth): Process}"""
    processes = {}
    with open(path, "rb") as file:
        data = file.read()
    for member in members(data):
        at = 0
        while at < len(member):
            magic, version, kind, _, length, pid, birth = struct.unpack_from("<4sBBHIIQ", member, at)
            if magic != b"EVPB" or version != 1:
                raise ValueError(f"no block of version 1 at byte {at} of a member")
            body = member[at + 24:at + 24 + length]
            at += 24 + length
            process = processes.setdefault((pid, birth), Process())
            if kind == 1:
                read_meta(process, body)
            elif kind == 5:
                read_totals(process, body)
            elif kind == 6:
                process.end = True
            elif kind == 7:
                process.notes.append(Body(body).string().decode())
    return processes


def estimate(process, thread, event):
    """The event's total in the thread, scaled from the time of its groups to the thread's: None when no
    group with it ever ran."""
    index = process.events.index(event)
    count = running_ns = 0
    all_ns = sum(g["enabled_ns"] for g in thread["groups"])
    for members_, group in zip(process.groups, thread["groups"]):
        if index in members_ and group["running_ns"]:
            count += group["counts"][members_.index(index)]
            running_ns += group["running_ns"]
    return count * all_ns / running_ns if running_ns else None


def total(processes, event):
    """Summed over all threads of all processes."""
    values = [estimate(p, t, event) for p in processes.values() if event in p.events for t in p.threads.values()]
    return sum(v for v in values if v) if values else 0


# ---- a scenario's folder ----

def read_text(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


class Run:
    def __init__(self, folder):
        self.folder = folder

    def text(self, name):
        return read_text(os.path.join(self.folder, name))

    def trace(self):
        return read_trace(os.path.join(self.folder, "trace.gz"))

    def truth(self):
        """{who: instructions} as the program printed them."""
        return {who: int(n) for who, n in (line.split() for line in self.text("stdout").splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--guest", required=True)
    parser.add_argument("--evreport", default="evreport")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    checks = Checks(args.guest)
    judge(args, checks)
    print(f"1..{checks.n}")
    return checks.n_failed > 0


# ---- the checks ----

def judge_facts(args, checks, run):
    facts = "".join(line.split(" #")[0] + "\n" for line in run.text("stdout").splitlines())
    path = os.path.join(HERE, "expected", args.guest + ".facts")
    if args.update:
        with open(path, "w") as file:
            file.write(facts)
    expected = read_text(path)
    differing = [f"{e!r} became {a!r}" for e, a in zip(expected.splitlines(), facts.splitlines()) if e != a]
    checks.check(facts == expected, "the PMU's facts are the known ones",
                 "\n".join(differing) or f"{len(facts.splitlines())} facts, expected {len(expected.splitlines())}")


def judge(args, checks):
    for name in sorted(os.listdir(args.folder)):
        folder = os.path.join(args.folder, name)
        if not os.path.isdir(folder):
            continue
        run = Run(folder)
        if name == "pmuprobe":
            judge_facts(args, checks, run)


if __name__ == "__main__":
    sys.exit(main())
