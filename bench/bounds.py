#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often evreport annotate names a loop's limit right: bounds.py BUILD

Records each of the 20 loops of programs/limits.c, whose limits on Skylake-SP are known, and prints the limit and the cycles that
llvm-mca gives evreport for that CPU. x86-64 with FMA alone, since the loops run here.
"""
import json
import os
import subprocess
import sys
import tempfile

CPU = "skylake-avx512"


def bound_of(build, name, folder):
    trace = os.path.join(folder, f"{name}.gz")
    subprocess.run([f"{build}/preload/evprof", "run", "-q", "--keep", "off", "-o", trace, "--", f"{build}/bench/limits", name], check=True)
    done = subprocess.run([f"{build}/reporter/evreport", "annotate", "-f", "json", "--mcpu", CPU, name, trace],
                          stdout=subprocess.PIPE, check=True)
    bounds = [loop["bound"] for loop in json.loads(done.stdout)["loops"] if loop["bound"]]
    return bounds[0] if bounds else None


def main():
    build = os.path.abspath(sys.argv[1])
    listed = subprocess.run([f"{build}/bench/limits"], stdout=subprocess.PIPE, text=True, check=True).stdout
    n_right, n_all = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for line in listed.splitlines():
            name, limit = line.split("\t")
            bound = bound_of(build, name, folder)
            said = bound["limit"] if bound else "-"
            n_all += 1
            n_right += said == limit
            print(f"{name:18} {limit:10} {said:10} {bound['cycles'] if bound else '-':>8} cycles {'' if said == limit else 'WRONG'}")
    print(f"{n_right} of {n_all} right")


main()
