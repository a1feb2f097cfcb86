#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names, lines and inlined procedures of what several compilers make, each of which lays out its debug
information in its own way.

run.py EVPROF EVREPORT: prints TAP. A compiler that is not installed is skipped. In each program two procedures
of one name, in namespaces or modules near and far, are inlined into callers of their own.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent

CXX = "-O2 -g shop.cpp -o program"
CASES = [ # name, commands, source
    ("gcc", [f"g++ {CXX}"], "shop.cpp"),
    ("gcc_without_address_ranges", [f"g++ {CXX}", "objcopy --remove-section .debug_aranges program"], "shop.cpp"),
    ("gcc_dwarf_4", [f"g++ -gdwarf-4 {CXX}"], "shop.cpp"),
    ("gcc_split_dwarf", [f"g++ -gsplit-dwarf {CXX}"], "shop.cpp"),
    ("gcc_debug_file", [f"g++ -Wl,--build-id {CXX}", "objcopy --only-keep-debug program program.debug",
                        "objcopy --strip-debug --add-gnu-debuglink=program.debug program"], "shop.cpp"),
    ("gcc_elsewhere", ["mkdir build", "env -C build g++ -O2 -g ../shop.cpp -o ../program"], "shop.cpp"),
    ("clang", [f"clang++ {CXX}"], "shop.cpp"),
    ("clang_dwarf_4", [f"clang++ -gdwarf-4 {CXX}"], "shop.cpp"),
    ("gfortran", ["gfortran -O3 -g modules.f90 -o program"], "modules.f90"),
    ("gfortran_not_inlined", ["gfortran -O0 -g modules.f90 -o program"], "modules.f90"),
]


def run(folder, *command):
    return subprocess.run(command, cwd=folder, check=True, text=True, stdout=subprocess.PIPE, timeout=300).stdout


def procedures(folder, commands, source):
    """{name without parameters: its row} of a run of what the commands build."""
    shutil.copy(HERE / source, folder)
    for command in commands:
        run(folder, *command.split())
    run(folder, EVPROF, "run", "--period", "1ms", "--", "./program")
    report = json.loads(run(folder, EVREPORT, "--format", "json", "--top", "0", "trace.gz"))
    return {p["name"].split("(")[0]: p for p in report["procedures"] if p["n_samples"]}


def wrong(row, name, path, is_inlined):
    """What is wrong with a procedure's row; path: of the source, in which the hot line's number follows from its
    comment."""
    lines = path.read_text().splitlines()
    hot = 1 + next(i for i, line in enumerate(lines) if line.rstrip().endswith(name.split("::")[0])
                   and ("//" in line or "!" in line))
    if not row:
        return f"no {name}"
    if row["inlined"] != is_inlined:
        return f"{name} inlined: {row['inlined']}"
    if row["hot_line"] != hot:
        return f"{name}'s line is {row['hot_line']}, not {hot}"
    if not row["line"] or "work" not in lines[row["line"] - 1] or row["file"] != str(path):
        return f"{name} is declared in {row['file']}:{row['line']}"
    if row["hot_file"] != str(path):
        return f"{name}'s line is in {row['hot_file']}"
    return None


def main():
    failed = 0
    for number, (name, commands, source) in enumerate(CASES, 1):
        absent = [c.split()[0] for c in commands if not shutil.which(c.split()[0])]
        if absent:
            print(f"ok {number} - {name} # SKIP {absent[0]} is not installed", flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="evprof-symbols-") as folder:
            rows = procedures(folder, commands, source)
            path = pathlib.Path(folder).resolve() / source
            faults = [wrong(rows.get(f"{scope}::work"), f"{scope}::work", path, "not_inlined" not in name)
                      for scope in ("near", "far")]
        faults = [f for f in faults if f]
        failed += bool(faults)
        print(f"{'not ok' if faults else 'ok'} {number} - {name}" + (f": {'; '.join(faults)}" if faults else ""), flush=True)
    print(f"1..{len(CASES)}")
    return failed > 0


sys.exit(main())
