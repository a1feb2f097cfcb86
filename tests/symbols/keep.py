#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report of a program, its library and a plug-in that were built anew or deleted since their run.

keep.py EVPROF EVREPORT: prints TAP. The names, lines and shares must be those of the report before.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

WORK = """__attribute__((noinline)) unsigned {name}(unsigned n) {{
	unsigned sum = 1;
	for (unsigned i = 0; i < n; i++)
		sum = sum * 1664525u + i; /* hot */
	return sum;
}}
"""
MAIN = """#include <dlfcn.h>
#include <stdio.h>
#include <sys/resource.h>
unsigned {prefix}_library(unsigned);
int main(void) {{
	struct rusage children;
	getrusage(RUSAGE_CHILDREN, &children);
	if (children.ru_maxrss)
		puts("a child before the program's first");
	unsigned (*plugin)(unsigned) = (unsigned (*)(unsigned))dlsym(dlopen("./plugin.so", RTLD_NOW), "{prefix}_plugin");
	unsigned sum = 0;
	for (int i = 0; i < 60; i++)
		sum += {prefix}_program(1000000 + i) + {prefix}_library(1000000) + plugin(1000000);
	return sum == 0;
}}
"""
N = 0
FAILED = []


def report(ok, name, seen=""):
    global N
    N += 1
    print(f"{'ok' if ok else 'not ok'} {N} - {name}" + ("" if ok else f": {str(seen)[:600]}"), flush=True)
    if not ok:
        FAILED.append(name)


def build(folder, prefix):
    """The program with names of the prefix, and with a blank line for each of its letters."""
    for part in ("program", "library", "plugin"):
        text = "\n" * len(prefix) + WORK.format(name=f"{prefix}_{part}")
        (folder / f"{part}.c").write_text(text + (MAIN.format(prefix=prefix) if part == "program" else ""))
    for command in ("gcc -O1 -g -fPIC -shared -Wl,--build-id library.c -o liblibrary.so",
                    "gcc -O1 -g -fPIC -shared -Wl,--build-id plugin.c -o plugin.so",
                    "gcc -O1 -g -Wl,--build-id -Wl,-rpath,$ORIGIN program.c -L. -llibrary -o program"):
        subprocess.run(command.split(), cwd=folder, check=True)


def run(folder, cache, *command):
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    env.pop("EVPROF_KEEP", None)
    done = subprocess.run(command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.returncode} {done.stderr}")
    return done.stdout


def names(folder, cache):
    rows = json.loads(run(folder, cache, EVREPORT, "--format", "json", "--top", "0", "trace.gz"))["procedures"]
    return {(row["name"], row["hot_line"], row["self_ns"]) for row in rows if row["name"].startswith("first_")}


def kept(cache):
    return sorted((cache / "evprof/programs").glob("*")) if (cache / "evprof/programs").exists() else []


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    return notes.partition("Build ID:")[2].split()[0]


def build_ids(folder):
    return {part: build_id(folder / part) for part in ("program", "liblibrary.so", "plugin.so")}


def check_rebuilt(folder, cache):
    build(folder, "first")
    ids = build_ids(folder)
    said = run(folder, cache, EVPROF, "run", "--period", "1ms", "--", "./program")
    report(said == "", "the program sees no child of evprof's", said)
    files = {path.name for path in kept(cache)}
    report(files == {ids["program"], ids["liblibrary.so"]}, "the program and its library are kept by build-id", (files, ids))
    build(folder, "second")
    after_run = names(folder, cache)
    report({name for name, *_ in after_run} == {"first_program", "first_library"}, "after a build their names are known", after_run)
    text = run(folder, cache, EVREPORT, "trace.gz")
    report(str(folder / "program") + " is not the file that ran any more" in " ".join(text.split()), "the report says so", text)


def check_reported(folder, cache):
    build(folder, "first")
    run(folder, cache, EVPROF, "run", "--period", "1ms", "--", "./program")
    before = names(folder, cache)
    # A tick may have met another library as well, such as libevprof.so at dlopen.
    is_kept = set(build_ids(folder).values()) <= {path.name for path in kept(cache)}
    report(len(before) == 3 and is_kept, "a report keeps what it named: the plug-in too", (before, kept(cache)))
    build(folder, "second")
    report(names(folder, cache) == before, "after a build the report is the same", names(folder, cache))
    for part in ("program", "liblibrary.so", "plugin.so"):
        (folder / part).unlink()
    report(names(folder, cache) == before, "and after their end", names(folder, cache))
    for path in kept(cache):
        path.write_bytes(b"\x7fELF no more")
    report(not names(folder, cache), "a copy that is another file gives no names", names(folder, cache))


def check_off(folder, cache):
    build(folder, "first")
    run(folder, cache, EVPROF, "run", "--keep", "off", "--period", "1ms", "--", "./program")
    report(not kept(cache), "--keep off keeps nothing", kept(cache))
    run(folder, cache, "env", "EVPROF_KEEP=off", EVREPORT, "trace.gz")
    report(not kept(cache), "and EVPROF_KEEP=off no report", kept(cache))
    cache.mkdir()
    (cache / "evprof").write_text("not a folder")
    run(folder, cache, EVPROF, "run", "--period", "1ms", "--", "./program")
    report(len(names(folder, cache)) == 3, "where nothing can be kept all else is as ever")


def main():
    for check in (check_rebuilt, check_reported, check_off):
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work).resolve() / "work"
            folder.mkdir()
            check(folder, pathlib.Path(work) / "cache")
    print(f"1..{N}")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
