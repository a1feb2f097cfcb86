# SPDX-License-Identifier: BSD-3-Clause
"""Loops of runs inside valgrind: every event of each loop, by itself and with what it calls, against callgrind's
own file summed by address, with the loops that objdump's jumps back show. Exact. Where the file
tells lines alone there are none, and evreport says so."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from annotated import EVENTS, FLOATING
from run import FAILED, expect, record

PROCEDURES = {"multiply_matrices": 3, "scramble": 2, "call_others": 1}


def run_json(*command):
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


class Costs:
    """One of callgrind's files: sums by address and procedure of instructions, and of the calls that they make."""

    def __init__(self, path):
        self.own = collections.Counter()
        self.calls = collections.Counter()
        self.names = {}
        self.columns = []
        procedure, address, is_call = None, 0, False
        with open(path, encoding="utf-8") as file:
            for line in file:
                position = re.match(r"(\+|-|\*|)(\w*) \S+(.*)", line)
                if line.startswith("events: "):
                    self.columns = line.split()[1:]
                elif line.startswith("fn="):
                    procedure = self.name_of(line)
                elif line.startswith("cfn="):
                    self.name_of(line)
                elif line.startswith("calls="):
                    is_call = True
                elif position and re.match(r"[0-9+*-]", line):
                    sign, number, costs = position.groups()
                    step = int(number, 0) if number else 0
                    address = {"+": address + step, "-": address - step, "*": address, "": step}[sign]
                    self.add(self.calls if is_call else self.own, procedure, address, costs.split())
                    is_call = False

    def name_of(self, line):
        number, name = re.match(r"c?fn=(\(\d+\))(?: (.*))?", line).groups()
        if name:
            self.names[number] = name
        return self.names[number]

    def add(self, sums, procedure, address, costs):
        for column, count in zip(self.columns, costs):
            sums[procedure, address, column] += int(count)


def disassemble(program):
    """Each procedure's addresses of instructions, and its loops: from where a jump back goes to that jump."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True,
                          check=True).stdout
    code, loops, name = collections.defaultdict(dict), collections.defaultdict(dict), None
    for line in text.splitlines():
        begin = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        row = re.match(r"\s*([0-9a-f]+):\t(\S+)\s*(?:([0-9a-f]+) <)?", line)
        if begin:
            name = begin.group(1)
        elif row:
            address = int(row.group(1), 16)
            code[name][address] = row.group(2)
            target = int(row.group(3), 16) if row.group(3) and row.group(2).startswith("j") else address + 1
            if target in code[name]:
                loops[name][target] = max(loops[name].get(target, 0), address)
    return code, {name: sorted(heads.items()) for name, heads in loops.items()}


def innermost(loops, address):
    around = [loop for loop in loops if loop[0] <= address <= loop[1]]
    return min(around, key=lambda loop: loop[1] - loop[0], default=None)


def wanted_of(costs, name, code, loops):
    """Counts by event of a procedure's loops and of the rest (None), own and total."""
    rows = {loop: [collections.Counter(), collections.Counter()] for loop in [None, *loops]}
    for sums, is_own in (costs.own, True), (costs.calls, False):
        for (procedure, address, column), count in sums.items():
            if procedure != name or address not in code:
                continue
            inner = innermost(loops, address)
            if is_own:
                rows[inner][0][column] += count
            for loop in [loop for loop in loops if loop[0] <= address <= loop[1]] or [None]:
                rows[loop][1][column] += count
    return rows


def counts(row, names, field):
    values = row[field]
    return tuple(round(values[name]["value"] if field == "events" else values[name]) for name in names.values())


def expected(rows):
    return sorted((tuple(own[c] for c in {**EVENTS, **FLOATING}), tuple(total[c] for c in EVENTS))
                  for own, total in rows.values())


def of_procedure(rows, name):
    """Its loops, and what is outside of them."""
    return [row for row in rows if row["name"] == f"{name}, outside loops" or
            re.fullmatch(r"loop at \S+ in " + name, row["name"])]


def seen(rows, name):
    return sorted((counts(row, {**EVENTS, **FLOATING}, "events"), counts(row, EVENTS, "totals"))
                  for row in of_procedure(rows, name))


def check_loops(evreport, trace, program, folder):
    rows = run_json(evreport, "-f", "json", "--by", "loop", "-n", "0", trace)["loops"]
    subprocess.run([evreport, "dump", "--callgrind", folder, trace], check=True)
    paths = glob.glob(os.path.join(folder, "*"))
    expect("one process has costs", len(paths) == 1, paths)
    costs = Costs(paths[0])
    code, loops = disassemble(program)
    for name, n_loops in PROCEDURES.items():
        wanted = wanted_of(costs, name, code[name], loops[name])
        expect(f"{name}: {len(loops[name])} loops, each event and total", len(loops[name]) == n_loops and
               seen(rows, name) == expected(wanted), (seen(rows, name), expected(wanted)))
    check_sums(run_json(evreport, "-f", "json", "-n", "0", trace), rows)
    expect("no loop has more than all", all(row["total_share"] <= 1 for row in rows), "")


def check_sums(report, rows):
    """What is in loops and outside of them is all of a procedure, of every event."""
    names = {**EVENTS, **FLOATING}
    for procedure in report["procedures"]:
        if procedure["name"] in PROCEDURES:
            parts = [counts(row, names, "events") for row in of_procedure(rows, procedure["name"])]
            expect(f"{procedure['name']}: loops and the rest are all of it",
                   tuple(map(sum, zip(*parts))) == counts(procedure, names, "events"), parts)
    total = sum(row["events"]["instructions"]["value"] for row in rows)
    expect("loops and the rest are the whole run", total == sum(
        p["events"]["instructions"]["value"] for p in report["procedures"]), total)


def check_commands(evreport, trace):
    metrics = run_json(evreport, "metrics", "-f", "json", "-b", "loop", "-n", "0", "-m", "flops", trace)
    flop = [m["value"] for s in metrics if re.fullmatch(r"loop at loops.c:16 in multiply_matrices", s["scope"])
            for m in s["metrics"] if m["metric"] == "FLOP"]
    expect("operations of a loop", flop == [2 * 24 ** 3 * 6], flop)
    advice = run_json(evreport, "advise", "-b", "loop", "-m", "5", "-f", "json", trace)
    names = [p["name"] for p in advice["procedures"]]
    expect("advice on loops", "loop at loops.c:16 in multiply_matrices" in names, names)


def check_annotation(evreport, trace):
    """What annotate says of lines, instructions and loops is what the tables of procedures and loops have."""
    report = run_json(evreport, "-f", "json", "--by", "loop", "-n", "0", trace)
    for name in PROCEDURES:
        got = run_json(evreport, "annotate", "-f", "json", name, trace)
        whole = next(p for p in report["procedures"] if p["name"] == name)
        counted = [sum(row["events"]["instructions"]["value"] for row in got[kind] if row["events"]) for kind in ("lines", "instructions")]
        expect(f"annotate {name}: lines and instructions are all of it", got["code"] == "shown" and
               counted == 2 * [whole["events"]["instructions"]["value"]], (got["code"], counted, whole["events"]["instructions"]))
        for loop in got["loops"]:
            wanted = sum(row["self_ns"] for row in of_procedure(report["loops"], name) if row["name"] == loop["name"])
            alike = sum(other["self_ns"] for other in got["loops"] if other["name"] == loop["name"])
            expect(f"annotate {name}: {loop['name']} has the time of the table", alike == wanted, (alike, wanted))
    got = run_json(evreport, "annotate", "-f", "json", "loops.c:16", trace)
    expect("annotate takes a loop by its line", got["kind"] == "loop" and got["self_ns"] > 0, got)


def check_in_short(evprof, evreport, program, folder):
    """In short tells the loop that has most of a procedure, by the shares of the table."""
    trace = os.path.join(folder, "shared.gz")
    record(evprof, trace, [program, "shared"], check=True)
    report = run_json(evreport, "-f", "json", "--by", "loop", "-n", "0", trace)
    whole = next(p["self_ns"] for p in report["procedures"] if p["name"] == "share_work")
    most = max((row for row in report["loops"] if row["name"].endswith(" in share_work")), key=lambda row: row["self_ns"])
    place = re.match(r"loop at (\S+) in ", most["name"]).group(1)
    said = [sentence for sentence in run_json(evreport, "-f", "json", trace)["in_short"] if f"in the loop at {place}" in sentence]
    expect("one loop has half to two thirds of share_work", 0.5 < most["self_ns"] / whole < 0.7, most["self_ns"] / whole)
    expect("In short says that it is most of it", len(said) == 1 and "share_work, most of it" in said[0], said)


def check_lines_alone(evprof, evreport, program, folder):
    """Without capstone evprof asks valgrind for no instructions."""
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    with open(os.path.join(tools, "valgrind"), "w", encoding="utf-8") as file:
        file.write(f'#!/bin/bash\nexec {shutil.which("valgrind")} "${{@/--dump-instr=yes/--dump-instr=no}}"\n')
    os.chmod(file.name, 0o755)
    trace = os.path.join(folder, "lines.gz")
    record(evprof, trace, [program], check=True, env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"))
    told = subprocess.run([evreport, "--by", "loop", trace], capture_output=True, text=True, check=False)
    expect("costs of lines are of no loop", told.returncode == 1 and "by source line" in told.stderr, told)


def main():
    evprof, evreport, program = sys.argv[1:4]
    for tool in "valgrind", "objdump":
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.gz")
        record(evprof, trace, [program], check=True)
        check_loops(evreport, trace, program, os.path.join(folder, "callgrind"))
        check_commands(evreport, trace)
        check_annotation(evreport, trace)
        check_in_short(evprof, evreport, program, folder)
        check_lines_alone(evprof, evreport, program, folder)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
