# SPDX-License-Identifier: BSD-3-Clause
"""Known ills and their repairs: advise names the right loop (the one that a comment of the source marks) in the right
procedure, the right worst category and a first remedy for it, and compare finds the repaired loop better. alt3's two
procedures, which take turns, are told apart. compare's counts are callgrind's own."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import annotated
from run import FAILED, expect, record

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from loop_marks import is_at, marked_line  # noqa: E402

SOURCE = os.path.join(HERE, "ills.c")
METRICS = {"data accesses": "data_accesses", "branch instructions": "branches",
           "instruction accesses": "instruction_accesses"}
ILLS = {  # the procedure, what costs it most cycles, and a sensible first remedy
    "column_order": ("sum_matrix", "data accesses", "Interchange loops"),
    "pointer_chase": ("follow", "data accesses", "Allocate many small elements as one array"),
    "unpredictable_branches": ("classify", "branch instructions", "Use simple assignments so that a conditional move fits"),
    "big_code": ("scramble", "instruction accesses", "Factor repeated sequences out"),
    "page_strides": ("touch_pages", "data accesses", "Interchange loops"),
}
LEAST_GAIN = 0.15  # of the cycles of the procedure


def ask(evreport, *arguments):
    text = subprocess.run([evreport, *arguments], capture_output=True, check=True).stdout
    return json.loads(text)


def compare(evreport, name, before, after):
    """Of exact runs one a side is enough. The limit is wide: where memory lies is chance, and so are small parts' misses."""
    done = subprocess.run([evreport, "compare", "-f", "json", "--all", "--fail-above", "100%", before, after],
                          capture_output=True, check=False)
    expect(f"{name}: the gate is green", done.returncode == 0, done)
    return json.loads(done.stdout)


def has_capstone(evreport, trace):
    done = subprocess.run([evreport, "--by", "loop", trace], capture_output=True, text=True, check=False)
    return "capstone" not in done.stderr


def advice(evreport, trace, by="procedure"):
    return {p["name"]: p for p in ask(evreport, "advise", "-m", "5", "-b", by, "-f", "json", trace)["procedures"]}


def worst(procedure):
    known = [c for c in procedure["categories"] if c["cycles_per_instruction"] is not None]
    return max(known, key=lambda c: c["cycles_per_instruction"])


def check_cause(name, found, category, remedy):
    expect(f"{name}: its worst are {category}", found and worst(found)["name"] == category, found)
    first = found["remedies"][0]["remedy"] if found and found["remedies"] else ""
    expect(f"{name}: the first remedy: {remedy}", first.startswith(remedy), first)


def is_less(row):
    return row and row["after_s"] < (1 - LEAST_GAIN) * row["before_s"]


def check_loop(evreport, name, ill, repaired):
    """The loop is the first of all, and has the cause and the remedy; repaired it takes less, and so do the procedure's
    loops together: big_code's repair is another loop."""
    procedure, category, remedy = ILLS[name]
    advised = advice(evreport, ill, "loop")
    first = next(iter(advised.values()), None)
    expect(f"{name}: the loop is the marked one", first and is_at(first, SOURCE, name), list(advised))
    check_cause(f"{name}, the loop", first, category, remedy)
    rows = [r for r in ask(evreport, "compare", "-f", "json", "-b", "loop", ill, repaired)["rows"] if r["name"] == procedure]
    marked = next((r for r in rows if r["line"] == marked_line(SOURCE, name)), None)
    expect(f"{name}: repaired, the loop takes less", is_less(marked), rows)
    sums = {side: sum(r[side] for r in rows) for side in ("before_s", "after_s")}
    expect(f"{name}: and so do its procedure's loops", is_less(sums), sums)


def check_ill(evprof, evreport, program, folder, name):
    procedure, category, remedy = ILLS[name]
    ill, repaired = (os.path.join(folder, f"{name}.{word}.gz") for word in ("ill", "repaired"))
    record(evprof, ill, [program, name, "ill"], check=True)
    record(evprof, repaired, [program, name, "repaired"], check=True)
    advised = advice(evreport, ill)
    first = next(iter(advised))
    expect(f"{name}: the procedure is {procedure}", first == procedure, list(advised))
    found = advised.get(procedure)
    check_cause(name, found, category, remedy)
    change = compare(evreport, name, ill, repaired)
    row = next((r for r in change["rows"] if r["name"] == procedure), None)
    expect(f"{name}: repaired, {procedure} takes less", is_less(row), row)
    check_counts(evreport, name, row, ill, repaired)
    metrics = [v["name"] for v in row["explained_by"] or [] if v["model"]]
    expect(f"{name}: compare explains it by {category}", METRICS[category] in metrics, row["explained_by"])
    expect(f"{name}: so does the program", "less than before" in change["in_short"][0],
           change["in_short"])
    if has_capstone(evreport, ill):
        check_loop(evreport, name, ill, repaired)


def own_counts(evreport, trace, procedure, folder):
    """{event: count} of a procedure, by callgrind_annotate of what callgrind wrote."""
    subprocess.run([evreport, "dump", "--callgrind", folder, trace], check=True)
    truth = annotated.Annotated(glob.glob(os.path.join(folder, "*")))
    rows = [counts for (_, name), counts in truth.own.items() if name == procedure]
    return {event: sum(counts[i] for counts in rows) for i, event in enumerate(truth.names)}


def check_counts(evreport, name, row, *traces):
    """compare's counts of the procedure on both sides are callgrind's own, without an error; they differ where these do."""
    wrong = []
    for side, trace in zip(("before", "after"), traces):
        with tempfile.TemporaryDirectory() as folder:
            truth = own_counts(evreport, trace, ILLS[name][0], folder)
        values = {v["name"]: v for v in row["events"]}
        wrong += [(side, event, values.get(event), count) for event, count in truth.items() if event in annotated.EVENTS.values()
                  and (event not in values or values[event][side] != count or values[event]["change_error"] != 0)]
    expect(f"{name}: compare's counts are callgrind's", not wrong and len(row["events"]) >= len(annotated.EVENTS), wrong[:3])
    wrong = [v for v in row["events"] if v["differs"] != (v["before"] != v["after"])]
    expect(f"{name}: counts differ where they are others", not wrong, wrong[:3])


def check_turns(evprof, evreport, program, folder):
    trace = os.path.join(folder, "alt3.gz")
    record(evprof, trace, [program, "10000"], check=True)
    advised = advice(evreport, trace)
    memory, compute = advised["memory"], advised["compute"]
    expect("alt3: memory waits for data", worst(memory)["name"] == "data accesses" and
           worst(memory)["cycles_per_instruction"] > 10, memory)
    expect("alt3: compute has no data accesses",
           compute["categories"][0]["cycles_per_instruction"] < 0.01, compute)
    expect("alt3: compute has no remedy", not compute["remedies"], compute["remedies"])


def main():
    evprof, evreport, ills, alt3 = sys.argv[1:5]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name in ILLS:
            check_ill(evprof, evreport, ills, folder, name)
        check_turns(evprof, evreport, alt3, folder)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
