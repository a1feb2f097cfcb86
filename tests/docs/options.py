#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every option that a program's --help names is in its man page, and the other way round.

options.py MANUALS PROGRAM...: prints TAP. The commands of a program are those that its --help lists.
"""
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[A-Za-z])(?![\w-])")
OF_OTHERS = {"--cap-add", "--tool", "-R", "-I", "--waits"}  # docker's, valgrind's, less's, compilers', evprof's in evreport's


def plain(troff):
    text = re.sub(r'^\.\\".*$', "", troff, flags=re.M)
    text = re.sub(r"\\f(\(..|.)", "", text).replace("\\-", "-").replace("\\&", "")
    text = re.sub(r'^\.[A-Z]+ ?', "", text, flags=re.M)
    return text.replace('"', "")


def help_of(program, *command):
    run = subprocess.run([program, *command, "--help"], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=60)
    return run.returncode, run.stdout


def main():
    manuals, programs = pathlib.Path(sys.argv[1]), sys.argv[2:]
    n = failed = 0

    def report(ok, name, reason=""):
        nonlocal n, failed
        n += 1
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {n} - {name}{'' if ok else ': ' + reason}")

    for program in programs:
        name = pathlib.Path(program).name
        manual = set(OPTION.findall(plain((manuals / f"{name}.1").read_text())))
        status, text = help_of(program)
        commands = re.findall(r"^  ([a-z][a-z-]+)  ", text.partition("commands")[2], flags=re.M)
        report(status == 0 and len(commands) >= 3, f"{name} has commands", text)
        version = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE, timeout=60).stdout
        report(re.fullmatch(rf"{name} \d+\.\d+\.\d+\n", version), f"{name} --version", version)
        named = set(OPTION.findall(text))
        for command in commands:
            status, text = help_of(program, command)
            options = set(OPTION.findall(text))
            named |= options
            missing = sorted(options - manual - {"--help"})
            report(status == 0 and not missing, f"{name} {command}", f"status {status}, not in the manual: {missing}")
        missing = sorted(named - manual - {"--help"})
        report(not missing, f"{name}'s options are in its manual", f"{missing} are not")
        extra = sorted(manual - named - OF_OTHERS)
        report(not extra, f"{name}'s manual has options that there are", f"no --help names {extra}")
    print(f"1..{n}")
    return failed > 0


sys.exit(main())
