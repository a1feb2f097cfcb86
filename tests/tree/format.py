#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-format finds nothing to change: format.py [ROOT]. Version 14 decides; others differ in details."""
import pathlib
import shutil
import subprocess
import sys

PROGRAMS = ("clang-format-14", "clang-format")
FOLDERS = ("bench", "common", "counters", "examples", "include", "kernels", "launcher", "preload", "reporter", "tests")
AT_ONCE = 100


def find_program():
    for name in PROGRAMS:
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout:
            return path
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    program = find_program()
    if not program:
        print("skipped: clang-format 14 is not installed")
        return 77
    paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]"))
    n_failed = 0
    for i in range(0, len(paths), AT_ONCE):
        run = subprocess.run([program, "--dry-run", "-Werror", *paths[i:i + AT_ONCE]], capture_output=True, text=True, check=False)
        n_failed += run.returncode != 0
        print(run.stderr, end="")
    print(f"{len(paths)} files; `clang-format -i FILE` mends what is named above" if n_failed else f"{len(paths)} files")
    return 1 if n_failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
