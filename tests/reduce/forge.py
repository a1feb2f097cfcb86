#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of sums with blocks that no evreport reduce writes."""
import struct

import replicate

HEADER = 24
REDUCED = 14
END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
NO_PROCESS = bytes(12)
MEMBER_MOST = 60000

(HEAD, FILE, PROCESS, EVENTS, MODULES, SCRIPTS, PATHS, THREAD, ARMED, THREAD_SUMS, RANK_COSTS, WAITS, COSTS, SUMS, TICKS,
 EVENT_STATS, BINS, LATENCY, KEPT, NOTES, TAIL, RANK_COLUMNS) = range(22)


def blocks(path):
    """(type, process, body) of each."""
    found = []
    for plain, _ in replicate.members(open(path, "rb").read()):
        at = 0
        while at < len(plain):
            size = struct.unpack_from("<I", plain, at + 8)[0]
            found.append((plain[at + 5], plain[at + 12:at + HEADER], plain[at + HEADER:at + HEADER + size]))
            at += HEADER + size
    return found


def number(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def numbers(*values):
    return b"".join(map(number, values))


def fraction(value):
    return b"\1" + struct.pack("<d", value)


def text(value):
    return number(len(value) + 1) + value.encode()


def sums(kind, body, process=NO_PROCESS):
    return REDUCED, process, number(kind) + body


def parsed(body):
    """Its numbers."""
    value, shift = 0, 0
    for byte in body:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value, shift = 0, 0


def plain_ranks(block):
    """Times of ranks as format 1.2 had them; other blocks as they are."""
    kind, process, body = block
    if kind != REDUCED or body[0] != RANK_COLUMNS:
        return block
    left, out = list(parsed(body[1:])), b""
    while left:
        head, n, path = left[0], left[1], 0
        for difference, us in zip(left[2:2 + n], left[2 + n:2 + 2 * n]):
            path += difference
            out += numbers(head >> 1, path, us)
        left = left[2 + 2 * n:]
    return sums(RANK_COSTS, out, process)


def write(path, of_blocks):
    """The head in a member of its own, as the writer does."""
    members, now = [], b""
    for kind, process, body in of_blocks:
        block = b"EVPB\1" + bytes([kind]) + b"\0\0" + struct.pack("<I", len(body)) + process + body
        if now and (not members or len(now) + len(block) > MEMBER_MOST):
            members.append(now)
            now = b""
        now += block
    members.append(now)
    with open(path, "wb") as file:
        for i, plain in enumerate(members):
            file.write(replicate.member(plain, 0 if i == 0 else 6))
        file.write(END)
