#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of preload/interpreter/layout.c are what each version's own headers say, where they are installed.

layout.py LAYOUT_ROW.C LAYOUT.C: prints TAP.
"""
import pathlib
import subprocess
import sys
import tempfile

VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]


def folders(version):
    """Where a version's headers may lie."""
    yield pathlib.Path(f"/usr/include/python{version}")
    yield from sorted(pathlib.Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/include/python{version}"))


def row_of(source, folder, work):
    program = f"{work}/row"
    subprocess.run(["cc", "-w", f"-I{folder}", f"-I{folder}/internal", f"-I{folder}/cpython", source, "-o", program],
                   check=True)
    return subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout


def main():
    source, table = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
    failed = 0
    print(f"1..{len(VERSIONS)}")
    for number, version in enumerate(VERSIONS, 1):
        there = [f for f in folders(version) if (f / "internal" / "pycore_pystate.h").exists()]
        if not there:
            print(f"ok {number} - {version} # SKIP the headers of Python {version} are not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="evprof-layout-") as work:
            unlike = [f for f in there if row_of(source, f, work) not in table]
        failed += bool(unlike)
        print(f"{'not ok' if unlike else 'ok'} {number} - {version}", *unlike)
    return failed > 0


sys.exit(main())
