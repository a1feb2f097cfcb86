#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""replicate.py FOLDER N TRACE...: N traces in FOLDER as of a job with N ranks. Trace number k is a copy of TRACE k modulo
their number, with processes, rank and run of its own, and begins k microseconds later."""
import os
import struct
import sys
import zlib

BLOCK_HEADER = 24
META = 1
STORED_MOST = 60000


def members(data):
    """(content, is stored) of each member that is not empty."""
    at = 0
    while at < len(data):
        size = struct.unpack_from("<H", data, at + 16)[0] + 1
        plain = zlib.decompress(data[at + 18:at + size - 8], -15)
        if plain:
            yield plain, data[at + 18] & 7 == 1 and at == 0
        at += size


def member(plain, level):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    packed = packer.compress(plain) + packer.flush()
    size = 18 + len(packed) + 8
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", size - 1) + packed +
            struct.pack("<II", zlib.crc32(plain), len(plain) & 0xffffffff))


def changed_meta(body, k):
    """META of rank k: what other values are, stays."""
    lines = []
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        key, tab, value = line.partition("\t")
        if key == "run":
            value = f"{value}:{k}"
        elif key == "pid" or (key == "ppid" and value != "1"):
            value = str(int(value) + 100000 * k)
        elif key == "parent":
            pid, birth = value.split()
            value = f"{int(pid) + 100000 * k} {int(birth) + 1000 * k}"
        elif key == "realtime_ns":
            value = str(int(value) + 1000 * k)
        elif key == "rank":
            continue
        lines.append(key + tab + value)
    while lines and not lines[-1]:
        lines.pop()
    lines.append(f"rank\t{k}\n")
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def changed_blocks(plain, k):
    at, out = 0, b""
    while at < len(plain):
        size, pid, birth = struct.unpack_from("<IIQ", plain, at + 8)
        body = plain[at + BLOCK_HEADER:at + BLOCK_HEADER + size]
        if plain[at + 5] == META:
            body = changed_meta(body, k)
        out += plain[at:at + 8] + struct.pack("<IIQ", len(body), (pid + 100000 * k) & 0xffffffff, birth + 1000 * k) + body
        at += BLOCK_HEADER + size
    return out


def copy_of(trace, k, level=1):
    """The bytes of rank k's trace."""
    out = b"".join(member(changed_blocks(plain, k), 0 if stored and len(plain) < STORED_MOST else level)
                   for plain, stored in trace)
    return out + bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def main():
    folder, n, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    traces = [list(members(open(path, "rb").read())) for path in paths]
    os.makedirs(folder, exist_ok=True)
    for k in range(n):
        with open(os.path.join(folder, f"trace.{k}.gz"), "wb") as file:
            file.write(copy_of(traces[k % len(traces)], k))


if __name__ == "__main__":
    main()
