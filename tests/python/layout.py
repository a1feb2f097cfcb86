#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of preload/interpreter/layout.c, and of debug_offsets.c, are what each version's own headers say, where
they are installed.

layout.py LAYOUT_ROW.C LAYOUT.C OFFSETS_ROW.C DEBUG_OFFSETS.C: prints TAP.
"""
import pathlib
import subprocess
import sys
import tempfile

VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]
WITH_OFFSETS = ["3.13", "3.14"]


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
    failed = 0
    rows = [(sys.argv[1:3], v) for v in VERSIONS] + [(sys.argv[3:5], v) for v in WITH_OFFSETS]
    print(f"1..{len(rows)}")
    for number, ((source, table), version) in enumerate(rows, 1):
        title = f"{number} - {pathlib.Path(table).name} for {version}"
        there = [f for f in folders(version) if (f / "internal" / "pycore_pystate.h").exists()]
        if not there:
            print(f"ok {title} # SKIP the headers of Python {version} are not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="evprof-layout-") as work:
            unlike = [f for f in there if row_of(source, f, work) not in pathlib.Path(table).read_text()]
        failed += bool(unlike)
        print(f"{'not ok' if unlike else 'ok'} {title}", *unlike)
    return failed > 0


sys.exit(main())
