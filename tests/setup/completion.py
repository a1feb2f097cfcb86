#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shells complete every option of every command: completion.py FOLDER PROGRAM... Prints TAP.

bash is asked as it would ask itself; zsh and fish read their files where they are installed, and fish is asked too.
"""
import os
import re
import shutil
import subprocess
import sys

failed = number = 0


def check(name, problems):
    global failed, number
    number += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in list(problems)[:8]:
        print(f"# {problem!s:.300}")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def bash_words(folder, name, *words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in (name, *words))
    script = (f"source '{folder}/{name}.bash'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _{name}; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return set(output("bash", "-c", script).split())


def fish_words(folder, name, line):
    return {row.split("\t")[0] for row in output("fish", "-c", f"source '{folder}/{name}.fish'; complete -C '{name} {line}'").splitlines()}


def check_program(folder, path):
    name = os.path.basename(path)
    help_text = output(path, "--help")
    listed = re.split(r"^commands.*:$", help_text, flags=re.M)[1]
    commands = re.findall(r"^  ([a-z][\w-]*)  +\S", listed, re.M)
    check(f"{name}: bash offers the commands", set(commands) ^ bash_words(folder, name, ""))
    lacking = []
    for command in commands:
        options = set(re.findall(r"^ +(?:-\w, +)?(--[\w-]+)", output(path, command, "--help"), re.M))
        lacking += [(command, option) for option in options - bash_words(folder, name, command, "--")]
    check(f"{name}: bash offers the options of each command's --help", lacking)
    if shutil.which("zsh"):
        check(f"{name}: zsh reads its file", [] if not subprocess.run(["zsh", "-n", f"{folder}/_{name}"]).returncode else ["no"])
    if shutil.which("fish"):
        check(f"{name}: fish offers the commands", set(commands) - fish_words(folder, name, ""))


def main():
    folder, programs = sys.argv[1], sys.argv[2:]
    for path in programs:
        check_program(folder, path)
    if any(path.endswith("evprof") for path in programs):
        for option, choices in (("--waits", {"on", "off"}), ("--ticks", {"auto", "time", "events"}), ("--keep", {"on", "off"}),
                                ("--unwind", {"own", "frame-pointers", "libunwind"}), ("--interpreters", {"on", "off"}),
                                ("--source", {"auto", "perf", "papi", "valgrind", "sim:", "rusage"})):
            check(f"evprof run {option}: its choices", choices ^ bash_words(folder, "evprof", "run", option, ""))
        for words in (["run", "ls", "-"], ["run", "--waits", "on", "ls", "-"], ["run", "-q", "--", "-"], ["ls", "-"],
                      ["-q", "ls", "-"], ["--waits", "on", "ls", "-"]):
            check(f"evprof {' '.join(words)}: a program's options are its own", bash_words(folder, "evprof", *words))
        check("evprof run -o FILE -q --ke: its own", {"--keep", "--kernel"} ^ bash_words(folder, "evprof", "run", "-o", "ls", "-q", "--ke"))
        check("evprof -o FILE --ke: those of evprof run", {"--keep", "--kernel"} ^ bash_words(folder, "evprof", "-o", "ls", "--ke"))
        check("evprof --waits: its choices", {"on", "off"} ^ bash_words(folder, "evprof", "--waits", ""))
        check("evprof --version", {"--version"} ^ bash_words(folder, "evprof", "--ver"))
    if any(path.endswith("evreport") for path in programs):
        check("a choice is offered", {"text", "json", "csv", "html"} ^ bash_words(folder, "evreport", "--format", ""))
        evreport = next(path for path in programs if path.endswith("evreport"))
        listed = set(re.findall(r"^  (\w+)  ", output(evreport, "fill", "--help").split("estimators:")[-1], re.M))
        check("each estimator is offered", (listed | {"path", "hold"}) ^ bash_words(folder, "evreport", "--estimator", ""))
        for command in ("fill", "accuracy", "compare-ocoe"):
            check(f"evreport {command}: each of tables' estimators", listed ^ bash_words(folder, "evreport", command, "--estimator", ""))
        check("a command has its own", {"procedure", "loop", "line", "module"} ^ bash_words(folder, "evreport", "compare", "--by", ""))
        check("the only one of a command", {"--callgrind"} ^ bash_words(folder, "evreport", "dump", "--ca"))
        check("one that begins so", {"--sysroot"} ^ bash_words(folder, "evreport", "export", "--sy"))
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
