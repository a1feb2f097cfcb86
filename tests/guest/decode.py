# SPDX-License-Identifier: BSD-3-Clause
"""Reads traces by docs/trace-format.md alone, in nothing like the way evreport does."""
import struct
import zlib

DAMAGE = (ValueError, IndexError, KeyError, zlib.error, struct.error)  # what a trace that is none raises


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


def scaled_by_time(process, thread, event):
    """The event's total in the thread, scaled from the time of its groups to the thread's: None when no group
    with it ever ran."""
    index = process.events.index(event)
    own = [(m, g) for m, g in zip(process.groups, thread["groups"]) if index in m and g["n_slices"]]
    count, running_ns = sum(g["counts"][m.index(index)] for m, g in own), sum(g["running_ns"] for _, g in own)
    if not own:
        return None
    return count * sum(g["enabled_ns"] for g in thread["groups"]) / running_ns if running_ns else count


def estimate(process, thread, event):
    """The same by an event that is on in every group, which tells how much of the work was in the event's own.
    Time, which serves where there is none, holds less well: the kernel's work in a window takes time, but adds
    no counts of user mode."""
    index = process.events.index(event)
    pairs = [(m, g) for m, g in zip(process.groups, thread["groups"]) if g["n_slices"]]
    own = [(m, g) for m, g in pairs if index in m]
    always = [e for e in pairs[0][0] if all(e in m for m, _ in pairs)] if own else []
    if len(own) == len(pairs) or not always:
        return scaled_by_time(process, thread, event)
    whole, part = (sum(g["counts"][m.index(always[0])] for m, g in some) for some in (pairs, own))
    count = sum(g["counts"][m.index(index)] for m, g in own)
    return count * whole / part if part else count


def total(processes, event):
    """Summed over all threads of all processes."""
    values = [estimate(p, t, event) for p in processes.values() if event in p.events for t in p.threads.values()]
    return sum(v for v in values if v) if values else 0


# ---- a scenario's folder ----
