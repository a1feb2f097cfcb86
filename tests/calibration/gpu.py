#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The GPU's kernels, as clang compiles them, execute the instructions that their basis says, and no others.

gpu.py ROOT: prints TAP. Needs neither a GPU nor ROCm or CUDA: kernels are straight code without a loop, so that
the instructions of their assembler are those that a wave executes.
"""

import csv
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
KERNELS = ROOT / "kernels" / "gpu" / "gpu_kernels.h"
OPS = {"A": "add", "S": "sub", "M": "mul", "SQ": "sqrt", "F": "fma"}
BITS = {"H": "16", "S": "32", "D": "64"}
# AMD: v_add_f16[_e32] ...; any instruction of a vector of floating-point numbers is one of these
AMD = re.compile(r"^\s*v_(\w+?)_(?:legacy_|pk_)?f(16|32|64)(?:_e32|_e64)?\s+(.*)")
PTX = re.compile(r"^\s*(\w+)(?:\.\w+)*?\.f(16|32|64)(?:x2)?\s+(.*);")
NO_WORK = {"ld", "st", "mov"}  # of PTX


def basis():
    """{kernel: {"A_H": number of instructions}}"""
    with open(ROOT / "kernels" / "sets" / "gpu" / "basis.csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    return {row.pop("point")[2:]: {name: int(n) for name, n in row.items() if int(n)} for row in rows}


def clang(source, *options):
    """What clang makes of a file, or of text on its standard input ("-")."""
    command = ["clang", "-O2", "-nogpulib", "-nogpuinc", "--cuda-device-only", "-S", "-o", "-", *options, source]
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          input='extern "C" __attribute__((global)) void nothing() {}')


def compiled(*options):
    """The assembler of the kernels; None: this clang compiles nothing for the GPU."""
    if clang("-", *options).returncode:
        return None
    done = clang(str(KERNELS), *options)
    return done.stdout if not done.returncode else f"# {done.stderr[:500]}"


def name_of(op, bits, operands):
    """The basis' name of an instruction. An addition of a negated number is a subtraction."""
    if op == "add" and "-" in operands:
        op = "sub"
    known = {value: key for key, value in OPS.items()}
    return f"{known.get(op, op)}_{ {value: key for key, value in BITS.items()}[bits]}"


def counted(text, begin, end, instruction):
    """{kernel: {instruction's name: how many}}"""
    kernels, kernel = {}, None
    for line in text.splitlines():
        if start := begin.match(line):
            kernel = kernels.setdefault(start.group(1), {})
        elif end.match(line):
            kernel = None
        elif kernel is not None and (found := instruction.match(line)) and found.group(1) not in NO_WORK:
            name = name_of(*found.groups())
            kernel[name] = kernel.get(name, 0) + 1
    return kernels


def amd(arch):
    text = compiled("-x", "hip", f"--offload-arch={arch}")
    return text and counted(text, re.compile(r"^(\w+):\s+; @"), re.compile(r"^\s*s_endpgm"), AMD)


def nvidia(arch):
    text = compiled("-x", "cuda", f"--cuda-gpu-arch={arch}", "-Wno-unknown-cuda-version")
    return text and counted(text, re.compile(r"^\.visible \.entry (\w+)\("), re.compile(r"^\}"), PTX)


def faults(kernels, wanted):
    """What differs, a line for each kernel."""
    return [f"{name}: {kernels.get(name)}, the basis says {wanted.get(name)}"
            for name in sorted(set(kernels) | set(wanted)) if kernels.get(name) != wanted.get(name)]


def main():
    wanted = basis()
    with_one_root = {name: row for name, row in wanted.items() if not name.startswith(("SQ_H", "SQ_D"))}
    cases = [(arch, amd, wanted) for arch in ("gfx90a",)]
    cases += [(arch, nvidia, with_one_root) for arch in ("sm_80",)]
    failed = 0
    print(f"1..{len(cases)}")
    for number, (arch, read, expected) in enumerate(cases, 1):
        title = f"{number} - kernels of {arch}"
        kernels = read(arch) if shutil.which("clang") else None
        if kernels is None:
            print(f"ok {title} # SKIP clang for this GPU is not installed")
            continue
        lines = faults(kernels, expected)
        failed += bool(lines)
        print(f"{'not ok' if lines else 'ok'} {title}")
        for line in lines[:5]:
            print(f"# {line}")
    return failed > 0


sys.exit(main())
