# SPDX-License-Identifier: BSD-3-Clause
"""What callgrind_annotate says of a trace's own callgrind files, and whether evreport says the same: every
event of every procedure and line, as integers."""
import collections
import glob
import json
import os
import re
import subprocess
import tempfile

EVENTS = {
    "Ir": "instructions", "Dr": "L1-dcache-loads", "Dw": "L1-dcache-stores",
    "I1mr": "L1-icache-load-misses", "D1mr": "L1-dcache-load-misses",
    "D1mw": "L1-dcache-store-misses", "ILmr": "LLC-icache-misses", "DLmr": "LLC-load-misses",
    "DLmw": "LLC-store-misses", "Bc": "conditional-branches",
    "Bcm": "conditional-branch-misses", "Bi": "indirect-branches",
    "Bim": "indirect-branch-misses",
}
# What evprof run adds: callgrind_annotate sums these columns like its own.
FLOATING = {f"F{short}{precision[0]}{operation.capitalize()}": f"fp-{width}-{precision}-{operation}"
            for short, width in (("s", "scalar"), ("128", "128"), ("256", "256"))
            for precision in ("double", "single") for operation in ("add", "mul", "div", "fma")}
FLOATING["Iunread"] = "instructions-unread"
LEAST_SHARE = 0.01


def correct(path):
    """A call that went on when the costs were set to 0, at the program's start or a fork, stands there with
    no count; callgrind_annotate takes its cost for the caller's own."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(re.sub(r"^calls=0 ", "calls=1 ", text, flags=re.MULTILINE))


def annotate(path, *options):
    with tempfile.TemporaryDirectory() as folder:  # files below the current folder would be shortened
        run = subprocess.run(
            ["callgrind_annotate", "--threshold=100", "--show-percs=no", *options, path],
            cwd=folder, capture_output=True, text=True, errors="replace", check=True)
    return run.stdout.splitlines()


def counts_of(line, n):
    """The numbers that a line begins with, and the rest."""
    words = line.split(None, n)
    numbers = [0 if word == "." else int(word.replace(",", "")) for word in words[:n]]
    return numbers, words[n] if len(words) > n else ""


def events_of(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        columns = next(line for line in file if line.startswith("events: ")).split()[1:]
    return [name for column, name in {**EVENTS, **FLOATING}.items() if column in columns]


def is_row(line):
    return re.match(r"\s*(\d|\.\s)", line) is not None


class Annotated:
    """Sums over files, each count a list by event."""

    def __init__(self, paths):
        self.names = events_of(paths[0])
        self.n = len(self.names)
        self.totals = [0] * self.n
        self.own = collections.defaultdict(lambda: [0] * self.n)  # by (file, name)
        self.inclusive = collections.defaultdict(lambda: [0] * self.n)
        self.lines = collections.defaultdict(lambda: [0] * self.n)  # by (file, line)
        for path in paths:
            correct(path)
            self.read_procedures(path, self.own, "--inclusive=no", "--auto=no")
            self.read_procedures(path, self.inclusive, "--inclusive=yes", "--auto=no")
            self.read_lines(path)

    def add(self, into, key, numbers):
        into[key] = [a + b for a, b in zip(into[key], numbers)]

    def read_procedures(self, path, into, *options):
        for line in annotate(path, *options):
            if not is_row(line):
                continue
            numbers, rest = counts_of(line, self.n)
            if rest == "PROGRAM TOTALS":
                if into is self.own:
                    self.totals = [a + b for a, b in zip(self.totals, numbers)]
                continue
            place = re.sub(r" \[[^]]*\]$", "", rest)
            file, name = re.match(r"(\?\?\?|[^:]*):(.*)$", place).groups()
            self.add(into, (file, name), numbers)

    def read_lines(self, path):
        file = None
        number = 0
        for line in annotate(path, "--auto=yes", "--inclusive=no"):
            begins = re.match(r"-- Auto-annotated source: (.*)$", line)
            marker = re.match(r"-- line (\d+) -+$", line)
            if begins:
                file, number = begins.group(1), 1
            elif line.startswith("The following files chosen"):
                file = None
            elif marker:
                number = int(marker.group(1))
            elif file and is_row(line):
                numbers, rest = counts_of(line, self.n)
                if rest.lstrip().startswith("=>"):
                    continue
                if any(numbers):
                    self.add(self.lines, (file, number), numbers)
                number += 1


def group(rows, key, field, names):
    sums = collections.defaultdict(lambda: [0] * len(names))
    for row in rows:
        counts = row[field]
        numbers = [value_of(counts[name]) for name in names]
        sums[key(row)] = [a + b for a, b in zip(sums[key(row)], numbers)]
    return sums


def value_of(entry):
    return round(entry["value"] if isinstance(entry, dict) else entry)


def is_large(numbers, totals):
    return any(a >= LEAST_SHARE * b and b for a, b in zip(numbers, totals))


def place(row):
    return (row["file"] or "???", row["name"])


class Comparison:
    def __init__(self, evreport, trace):
        self.errors = []
        self.n_compared = collections.Counter()
        text = subprocess.run(
            [evreport, "-f", "json", "-n", "0", "-c", trace], capture_output=True, check=True).stdout
        self.report = json.loads(text)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([evreport, "dump", "--callgrind", folder, trace], check=True)
            self.paths = sorted(glob.glob(os.path.join(folder, "*")))
            self.truth = Annotated(self.paths)
        self.compare()

    def expect(self, kind, what, got, wanted):
        self.n_compared[kind] += 1
        if got != wanted:
            self.errors.append(f"{kind} {what}: {got}, callgrind_annotate has {wanted}")

    def compare(self):
        truth, report = self.truth, self.report
        totals = {event["name"]: round(event["total"]) for event in report["events"]}
        self.expect("totals", "", [totals[name] for name in truth.names], truth.totals)
        # callgrind_annotate has a row for each file that inlined code is from, evreport a line's
        own = group(report["lines"], place, "events", truth.names)
        for key, numbers in truth.own.items():
            if is_large(numbers, truth.totals):
                self.expect("self", key, own[key], numbers)
        self.compare_inclusive()
        lines = group((row for row in report["lines"] if row["line"]),
                      lambda row: (row["file"], row["line"]), "events", truth.names)
        for key, numbers in truth.lines.items():
            if is_large(numbers, truth.totals):
                self.expect("line", key, lines[key], numbers)

    def compare_inclusive(self):
        truth, rows = self.truth, self.report["procedures"]
        n = len(EVENTS)  # what callees computed no call tells
        inclusive = group(rows, place, "totals", list(EVENTS.values()))
        # a procedure that nothing calls has a part in each of those rows
        parts = collections.defaultdict(lambda: [0] * truth.n)
        for (_, name), numbers in truth.inclusive.items():
            parts[name] = [a + b for a, b in zip(parts[name], numbers)]
        called = {place(row) for row in rows if row.get("callers")}
        for key, numbers in inclusive.items():
            if is_large(numbers, truth.totals):
                wanted = truth.inclusive[key] if key in called else parts[key[1]]
                self.expect("inclusive", key, numbers, wanted[:n])
