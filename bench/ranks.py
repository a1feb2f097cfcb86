#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ranks.py FOLDER N TRACE...: N traces in FOLDER as of a job of N ranks on N/64 hosts, some 100 MB a second.

Trace number k is a copy of TRACE k modulo their number, with host, rank, run and processes of its own. Bodies of
blocks, which stay, are packed once; the headers and META between them are stored."""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/reduce"))
import replicate  # noqa: E402

RANKS_A_HOST = 64
END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def packed(body):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(body) + packer.flush(zlib.Z_FULL_FLUSH)


def stored(plain):
    return b"\0" + struct.pack("<HH", len(plain), len(plain) ^ 0xffff) + plain


def blocks(plain):
    """(start of the header, pid, birth, body, its packed form or None for META) of each."""
    at = 0
    while at < len(plain):
        size, pid, birth = struct.unpack_from("<IIQ", plain, at + 8)
        body = plain[at + replicate.BLOCK_HEADER:at + replicate.BLOCK_HEADER + size]
        yield plain[at:at + 8], pid, birth, body, None if plain[at + 5] == replicate.META else packed(body)
        at += replicate.BLOCK_HEADER + size


def changed_host(meta, k):
    lines = meta.decode("utf-8", "surrogateescape").split("\n")
    return "\n".join(f"host\tnode{k // RANKS_A_HOST:04}" if line.startswith("host\t") else line for line in lines) \
        .encode("utf-8", "surrogateescape")


def member(of_blocks, k):
    out, plain = [], []
    for start, pid, birth, body, pack in of_blocks:
        if pack is None:
            body = changed_host(replicate.changed_meta(body, k), k)
        header = start + struct.pack("<IIQ", len(body), (pid + 100000 * k) & 0xffffffff, birth + 1000 * k)
        plain += [header, body]
        out += [stored(header + body)] if pack is None else [stored(header), pack]
    deflated, content = b"".join(out) + b"\x03\0", b"".join(plain)
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", 18 + len(deflated) + 8 - 1) + deflated +
            struct.pack("<II", zlib.crc32(content), len(content)))


def main():
    folder, n, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    traces = [[list(blocks(plain)) for plain, _ in replicate.members(open(path, "rb").read())] for path in paths]
    os.makedirs(folder, exist_ok=True)
    for k in range(n):
        with open(os.path.join(folder, f"trace.{k}.gz"), "wb") as file:
            file.write(b"".join(member(of_blocks, k) for of_blocks in traces[k % len(traces)]) + END)


if __name__ == "__main__":
    main()
