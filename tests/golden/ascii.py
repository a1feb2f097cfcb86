#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Text for people is ASCII where the locale's encoding is not UTF-8: ascii.py EVREPORT GENERATE

Runs the commands of the golden cases whose output has other signs, in the locale C. Prints TAP.
"""
import os
import sys
import tempfile

import run

DATA = ("json", "html", "--output")  # formats that are UTF-8 everywhere, and commands that write a file


def commands_of(expected):
    """Yields (command, what it printed)."""
    for part in expected.split("\n$ "):
        command, _, printed = part.removeprefix("$ ").partition("\n")
        yield command, printed


def has_signs(command, printed):
    return not printed.isascii() and not any(word in command for word in DATA)


def run_in_c(evreport, commands, files):
    """Returns the lines with signs."""
    faults = []
    with tempfile.TemporaryDirectory() as work:
        for name, data in files.items():
            if data is not None:
                with open(os.path.join(work, name), "wb") as file:
                    file.write(data)
        for command in commands:
            printed = run.run_command(evreport, "LC_ALL=C " + command, work)
            faults += [f"{command}: {line}" for line in printed.splitlines() if not line.isascii()]
    return faults


def check_case(evreport, generate, case):
    """As run_in_c; None where no command of the case prints signs in UTF-8."""
    folder = os.path.join(run.HERE, case)
    with open(os.path.join(folder, "expected"), encoding="utf-8") as file:
        commands = [command for command, printed in commands_of(file.read()) if has_signs(command, printed)]
    if not commands:
        return None
    with open(os.path.join(folder, "make")) as file:
        return run_in_c(evreport, commands, run.Maker(generate).run(file.read()))


def check_eval(evreport):
    """No golden case evaluates values that have errors."""
    files = {"m.formula": b"evprof-formula 1\n[metric SUM]\nlevel = 1\nexpr = a + b\n", "values": b"a\t5\t1\t0.5\nb\t3\t1\t0.25\n"}
    command = "evreport eval --metrics m.formula --values values --format tree"
    return run_in_c(evreport, [command], files)


def main():
    evreport, generate = map(os.path.abspath, sys.argv[1:3])
    cases = sorted(d for d in os.listdir(run.HERE) if os.path.exists(os.path.join(run.HERE, d, "make")))
    checked = {case: check_case(evreport, generate, case) for case in cases}
    results = {case: faults for case, faults in checked.items() if faults is not None}
    results["eval"] = check_eval(evreport)
    print(f"1..{len(results)}")
    for number, (case, faults) in enumerate(results.items(), 1):
        for fault in faults:
            print("# " + fault)
        print(f"{'not ok' if faults else 'ok'} {number} - {case}")
    return any(results.values())


if __name__ == "__main__":
    sys.exit(main())
