#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""damage.py EVREPORT GENERATE: a trace that is cut or damaged at any byte is read up to there and behind it, never takes
evreport down, and is never called whole."""
import os
import subprocess
import sys
import tempfile

MEMBER_MAGIC = b"\x1f\x8b\x08\x04"
EVERY = int(os.environ.get("EVPROF_TEST_EVERY", 1))  # bytes
# Of a member's header nothing is read there: time, compression and system.
UNUSED = range(4, 10)
REPORT_EVERY = 11
ZEROS = 200


def cut(data, at):
    return data[:at]


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]


def zero(data, at):
    return data[:at] + bytes(min(ZEROS, len(data) - at)) + data[at + ZEROS:]


def is_unused(data, at):
    """Where a changed byte changes nothing."""
    return at - data.rfind(MEMBER_MAGIC, 0, at + 1) in UNUSED


def wrong_with(evreport, path, at):
    """Why evreport did not do with the file what it should; none when it did."""
    info = subprocess.run([evreport, "info", path], capture_output=True, text=True)
    if info.returncode not in (0, 1):
        yield f"info ends with {info.returncode}"
    if "whole: nothing is missing" in info.stdout:
        yield "is called whole"
    if (info.returncode == 1) != info.stderr.startswith("evreport info: "):
        yield f"says {info.stderr!r}"
    if at % REPORT_EVERY:
        return
    report = subprocess.run([evreport, path], capture_output=True, text=True)
    if report.returncode != info.returncode:
        yield f"the report ends with {report.returncode}"
    if report.returncode == 0 and "\n  ! " not in report.stdout and "no end in the trace" not in report.stdout:
        yield "the report warns of nothing"


def check(evreport, data, change, path):
    for at in range(0, len(data), EVERY * (5 if change is zero else 1)):
        if change is flip and is_unused(data, at):
            continue
        damaged = change(data, at)
        if damaged == data:
            continue
        with open(path, "wb") as file:
            file.write(damaged)
        for why in wrong_with(evreport, path, at):
            yield f"at {at}: {why}"


def main():
    evreport, generate = map(os.path.abspath, sys.argv[1:])
    data = subprocess.run([generate, "basic"], stdout=subprocess.PIPE, check=True).stdout
    n_failed = 0
    print("1..3")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.gz")
        with open(path, "wb") as file:
            file.write(data)
        if list(wrong_with(evreport, path, 1)) != ["is called whole"]:
            sys.exit("Bail out! the undamaged trace is not called whole")
        for number, change in enumerate((cut, flip, zero), 1):
            wrong = list(check(evreport, data, change, path))
            n_failed += bool(wrong)
            print(f"{'not ' if wrong else ''}ok {number} - {change.__name__} at any of {len(data)} bytes")
            for line in wrong[:10]:
                print("# " + line)
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
