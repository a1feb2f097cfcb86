#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CPython's functions by name in the call tree, with every version that is here.

run.py EVPROF EVREPORT: prints TAP. A version that is not installed is skipped. Truth is what the program can do:
which function calls which, on which lines, in which thread; that holds for every sample, on a busy machine too.
Shares of known work are held with a bar of 5 standard errors of the samples' number.
"""

import csv
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / "work.py"
LINES = WORK.read_text().splitlines()
VERSIONS = sys.argv[3:] or ["system", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]


def pythons():
    """[(label, path or None)]: the system's, and one of each version that is installed beside it."""
    rows = [("system", "/usr/bin/python3")] if "system" in VERSIONS else []
    for version in VERSIONS:
        if version == "system":
            continue
        there = sorted(pathlib.Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python{version}"))
        rows.append((version, str(there[0]) if there else None))
    return rows


class Run:
    """One recorded run of a program in a folder of its own."""

    def __init__(self, folder, python, *arguments, period="1ms", below=(), options=(), **variables):
        self.trace = pathlib.Path(folder) / "trace.gz"
        environment = {**os.environ, **variables}
        command = [*below, EVPROF, "run", "-q", "--period", period, *options, "-o", str(self.trace), "--", python]
        command += map(str, arguments)
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                              env=environment, cwd=folder)
        self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr

    def evreport(self, *arguments):
        done = subprocess.run([EVREPORT, *arguments, str(self.trace)], check=True, text=True, stdout=subprocess.PIPE)
        return done.stdout

    def stacks(self, *options):
        """[(frames of work.py's functions, outermost first, all frames, samples)]"""
        rows = []
        for line in self.evreport("export", "--format", "folded", "--value", "samples", *options).splitlines():
            frames, n = line.rsplit(" ", 1)
            frames = frames.split(";")
            rows.append(([f[len("work.py:"):] for f in frames if f.startswith("work.py:")], frames, int(n)))
        return rows

    def report(self):
        return json.loads(self.evreport("--format", "json", "--top", "0"))


OWN_FUNCTION = r"(?P<name>\S+) (?P<share>\d+) %(?: \(line (?P<line>\d+): (?P<of_line>\d+) %\))?"
SHARED = tempfile.TemporaryDirectory(prefix="evprof-python-")


@functools.lru_cache(maxsize=None)
def run_once(python, what, *options):
    """One run for all tests that look at the same work."""
    return Run(tempfile.mkdtemp(dir=SHARED.name), python, WORK, what, options=options)


def samples(stacks, *names):
    """Samples below a function, or below one that calls the other."""
    text = "".join(f"<{n}>" for n in names)
    return sum(n for own, _, n in stacks if text in "".join(f"<{o}>" for o in own))


class Skip(Exception):
    """What a test needs is not there."""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def expect_calls(stacks, allowed):
    """Every call in every sample is one that the program can make, and most samples have a function."""
    seen = {}
    for own, _, n in stacks:
        for caller, callee in zip(own, own[1:]):
            seen[caller, callee] = seen.get((caller, callee), 0) + n
    odd = {call: n for call, n in seen.items() if call not in allowed}
    expect(not odd, f"calls that cannot be: {odd}")
    expect(seen, "no calls at all")


def in_loop(stacks):
    """Samples in the interpreter's loop itself, without a name."""
    return sum(n for _, frames, n in stacks if frames[-1] == "_PyEval_EvalFrameDefault")


def test_shares(folder, python):
    run = run_once(python, "shares")
    stacks = run.stacks()
    n = samples(stacks, "shares")
    expect(n > 30, f"only {n} samples")
    expect_calls(stacks, {("<module>", "shares"), ("shares", "sixty"), ("shares", "thirty"), ("shares", "ten"),
                          ("sixty", "burn"), ("thirty", "burn"), ("ten", "burn")})
    for name, share in (("sixty", 0.6), ("thirty", 0.3), ("ten", 0.1)):
        expect_share(name, samples(stacks, "shares", name, "burn"), n, share)
    expect(in_loop(stacks) <= 2 + 0.02 * n, f"{in_loop(stacks)} of {n} samples in a nameless loop")


def expect_share(name, got, n, share):
    bar = 5 * math.sqrt(share * (1 - share) / n) + 0.02
    expect(abs(got / n - share) < bar, f"{name} has {got} of {n} samples, not {share} +-{bar:.3f}")


def test_line_shares(folder, python):
    """Three lines with 24, twelve and four of the same statement."""
    run = Run(folder, python, WORK, "lines")
    rows = csv.DictReader(run.evreport("--by", "line", "--format", "csv", "--top", "0").splitlines())
    first = next(i for i, line in enumerate(LINES, 1) if line.count("v = x * y - z") == 24)
    found = {int(row["line"]): int(row["n_samples"]) for row in rows if row["name"] == "work.py:lines"}
    n = sum(found.get(first + i, 0) for i in range(3))
    expect(n > 30, f"only {n} samples")
    for i, share in enumerate((0.6, 0.3, 0.1)):
        expect_share(f"line {first + i}", found.get(first + i, 0), n, share)


def test_coroutines(folder, python):
    """What is awaited stands below what awaits it."""
    stacks = Run(folder, python, WORK, "coroutines").stacks()
    expect_calls(stacks, {("<module>", "coroutines"), ("coroutines", "chain"), ("chain", "sixty_awaited"),
                          ("chain", "forty_awaited"), ("sixty_awaited", "ten_awaited"),
                          ("forty_awaited", "ten_awaited"), ("ten_awaited", "burn")})
    n = samples(stacks, "ten_awaited", "burn")
    expect(n > 30, f"only {n} samples")
    for name, share in (("sixty_awaited", 0.6), ("forty_awaited", 0.4)):
        expect_share(name, samples(stacks, name, "ten_awaited", "burn"), n, share)


def test_subinterpreters(folder, python):
    """The functions of both of the thread's interpreters, those of the second below what called it."""
    stacks = Run(folder, python, WORK, "subinterpreters").stacks()
    expect_calls(stacks, {("<module>", "subinterpreters"), ("subinterpreters", "burn")})
    between = [(own, n) for own, frames, n in stacks if "<string>:between" in frames]
    expect(sum(n for _, n in between) > 30, "the second interpreter's function is not named")
    odd = [own for own, _ in between if own[-1:] != ["subinterpreters"]]
    expect(not odd, f"called by {odd}")
    n = in_loop(stacks)
    expect(n <= 3, f"{n} samples have the loop's name alone")


def test_greenlets(folder, python):
    """A coroutine that has a stack of its own: its functions are named, innermost first. Two lambdas of one function are
    told apart by their lines."""
    if subprocess.run([python, "-c", "import greenlet"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("python3-greenlet is not installed for it")
    stacks = Run(folder, python, WORK, "greenlets").stacks()
    with open(WORK) as work:
        lambdas = {f"greenlets.<locals>.<lambda> (line {n})" for n, line in enumerate(work, 1) if "lambda:" in line}
    expect_calls(stacks, {("<module>", "greenlets"), *((name, "switch_from") for name in lambdas),
                          ("switch_from", "sixty_burnt"), ("switch_from", "forty_burnt"), ("sixty_burnt", "burn"),
                          ("forty_burnt", "burn")})
    n = samples(stacks, "burn")
    expect(n > 30, f"only {n} samples")
    for name, share in (("sixty_burnt", 0.6), ("forty_burnt", 0.4)):
        expect_share(name, samples(stacks, name, "burn"), n, share)


def test_products(folder, python):
    """Functions that let a C extension compute, and a library below it."""
    if subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("NumPy is not installed")
    stacks = Run(folder, python, WORK, "products", OPENBLAS_NUM_THREADS="1").stacks()
    found = {name: samples(stacks, "products", name) for name in ("sixty_products", "thirty_products", "ten_products")}
    n = sum(found.values())
    expect(n > 30, f"only {n} samples")
    for (name, got), share in zip(found.items(), (0.6, 0.3, 0.1)):
        expect_share(name, got, n, share)
    own = sum(n for own, frames, n in stacks if own[-1:] == ["sixty_products"] and frames[-1].startswith("work.py"))
    expect(own < n / 5, f"{own} of {n} samples in the function itself, not in what it calls")


def test_line_totals(folder, python):
    """Three lines whose calls do six, three and one times the same."""
    run = run_once(python, "shares")
    rows = csv.DictReader(run.evreport("--by", "line", "--format", "csv", "--top", "0").splitlines())
    first = next(i for i, line in enumerate(LINES, 1) if line.strip() == "sixty(2000)")
    found = {int(row["line"]): float(row["total_ns"]) for row in rows if row["name"] == "work.py:shares"}
    total, n = sum(found.get(first + i, 0) for i in range(3)), samples(run.stacks(), "shares")
    expect(n > 30, f"only {n} samples")
    for i, share in enumerate((0.6, 0.3, 0.1)):
        expect_share(f"line {first + i}", found.get(first + i, 0) / total * n, n, share)


def test_lines(folder, python):
    run = run_once(python, "shares")
    rows = {p["name"]: p for p in run.report()["procedures"]}
    burn = rows["work.py:burn"]
    first = next(i for i, line in enumerate(LINES, 1) if line.startswith("def burn"))
    expect(burn["line"] == first, f"burn is declared on line {burn['line']}, not {first}")
    expect(burn["file"] == str(WORK), f"burn is of {burn['file']}")
    expect(burn["hot_line"] in (first + 2, first + 3), f"burn's hot line is {burn['hot_line']}")
    expect("Look first at work.py:burn" in run.evreport(), "In short does not say to look at the script")


def test_own_functions(folder, python):
    """What a library does counts for the script's function that calls it, and for the line of the call. Calls of the
    same work tell how much that is: two lines of one function have four and two of ten, another has three."""
    run = Run(folder, python, WORK, "sums")
    text, n = " ".join(run.evreport().split()), run.report()["run"]["n_samples"]
    found = re.search(r"The script's own functions took, each with [^:]*: (.*?)\.(?: - |$)", text)
    expect(found, "In short does not name the script's functions")
    rows = {r["name"]: r for r in (m.groupdict() for m in re.finditer(OWN_FUNCTION, found[1]))}
    expect(n > 30, f"only {n} samples")
    names = {name: f"work.py:{name}" for name in ("sixty_sums", "thirty_sums", "sums")}
    expect(set(rows) == set(names.values()), f"functions: {found[1]}")
    all_of_work = sum(int(r["share"]) for r in rows.values())
    for name, share in (("sixty_sums", 0.6), ("thirty_sums", 0.3), ("sums", 0.1)):
        expect_share(name, int(rows[names[name]]["share"]) / all_of_work * n, n, share)
    line = next(i for i, line in enumerate(LINES, 1) if line.count("zlib.adler32(DATA)") == 4)
    sixty = rows[names["sixty_sums"]]
    expect(int(sixty["line"]) == line, f"the line is {sixty['line']}, not {line}")
    expect_share("the line", int(sixty["of_line"]) / all_of_work * n, n, 0.4)


def test_imports(folder, python):
    """Modules whose import takes 50 and 30 % of a script's CPU time."""
    burn = "import time\nend = time.thread_time() + {}\nwhile time.thread_time() < end:\n    sum(range(100))\n"
    files = {"slow.py": burn.format(0.5), "package/__init__.py": "from package import inner\n",
             "package/inner.py": burn.format(0.3), "main.py": "import slow\nimport package\n" + burn.format(0.2)}
    for name, text in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    run = Run(folder, python, "main.py")
    row = next(a for a in run.report()["activities"] if a["name"] == "importing")
    ns = {e["name"]: e["ns"] for e in row["entries"]}
    n = run.report()["run"]["n_samples"]
    expect_share("import", row["ns"] / run.report()["run"]["sampled_ns"] * n, n, 0.8)
    expect_share("slow", ns.get("slow", 0) / (ns.get("slow", 0) + ns.get("package", 1)) * n, n, 0.625)
    callers = {e["caller"] for e in row["entries"] if e["name"] in ("slow", "package")}
    expect(callers == {"main.py:<module>"}, f"imported by {callers}")
    expect("importing modules (Python): slow " in " ".join(run.evreport().split()), "In short does not name the module")


def test_recursion(folder, python):
    stacks = Run(folder, python, WORK, "recursion", 50).stacks()
    expect_calls(stacks, {("<module>", "recursion"), ("recursion", "dive"), ("dive", "dive"), ("dive", "burn")})
    deep = [own for own, _, _ in stacks if own[-1:] == ["burn"]]
    expect(deep, "no sample in burn")
    expect({own.count("dive") for own in deep} == {51}, f"depths {sorted({own.count('dive') for own in deep})}")


def test_deep(folder, python):
    """More frames than a stack holds: the innermost are right."""
    stacks = Run(folder, python, WORK, "recursion", 400).stacks()
    expect(samples(stacks, "dive", "dive", "burn"), "no sample in burn below dive")
    expect_calls(stacks, {("<module>", "recursion"), ("recursion", "dive"), ("dive", "dive"), ("dive", "burn")})


def test_generators(folder, python):
    stacks = Run(folder, python, WORK, "generators").stacks()
    expect_calls(stacks, {("<module>", "generators"), ("generators", "numbers"), ("numbers", "burn")})
    expect(samples(stacks, "generators", "numbers", "burn"), "no sample in burn below numbers")


def test_callbacks(folder, python):
    stacks = Run(folder, python, WORK, "callbacks").stacks()
    expect_calls(stacks, {("<module>", "callbacks"), ("callbacks", "key"), ("key", "burn")})
    expect(samples(stacks, "callbacks", "key", "burn"), "no sample in burn below key")


def test_extension(folder, python):
    """What a library does for a function is below it, and not its own."""
    stacks = Run(folder, python, WORK, "extension").stacks()
    below = sum(n for own, frames, n in stacks if own[-1:] == ["extension"] and not frames[-1].startswith("work.py"))
    own = sum(n for own, frames, n in stacks if frames[-1] == "work.py:extension")
    expect(below >= 3, f"{below} samples below extension")
    expect(own <= 2 + below // 10, f"{own} samples in extension itself, {below} below")


def test_threads(folder, python):
    run = Run(folder, python, WORK, "threads")
    tids = [t["tid"] for t in run.report()["threads"]]
    found = set()
    for tid in tids:
        names = {o for own, _, _ in run.stacks("--thread", str(tid)) for o in own} & {"left", "right"}
        expect(len(names) < 2, f"thread {tid} has both")
        found |= names
    expect(found == {"left", "right"}, f"only {found}")


def test_waits(folder, python):
    """The call path of a wait has the script's functions."""
    run = run_once(python, "sleepers", "--waits", "on")
    paths = [wait["path"].split(" > ") for wait in run.report()["waits"] if wait["longest_ns"] > 40e6]
    own = [[name for name in path if name.startswith("work.py:")] for path in paths]
    expect(any(names[-2:] == ["work.py:sleepers", "work.py:nap"] for names in own), f"waits are in {own}")


def test_lock(folder, python):
    """Waits for Python's own lock are told from those for the script's locks and for ends of threads."""
    waits = Run(folder, python, WORK, "turns", options=["--waits", "on"]).report()
    gil = [wait for wait in waits["waits"] if wait["kind"] == "gil"]
    expect({"work.py:left", "work.py:right"} & {name for wait in gil for name in wait["path"].split(" > ")},
           f"waits are {[(wait['kind'], wait['path']) for wait in waits['waits']]}")
    expect(len([lock for lock in waits["locks"] if lock["kind"] == "gil"]) == 1, f"locks are {waits['locks']}")
    expect("join" in {wait["kind"] for wait in waits["waits"]}, "no wait is for the end of a thread")
    kinds = {wait["kind"] for wait in run_once(python, "sleepers", "--waits", "on").report()["waits"]
             if "work.py:fetch" in wait["path"] and wait["longest_ns"] > 30e6}
    expect(kinds == {"semaphore"}, f"the wait for a lock of the script's is of {kinds}")


def test_forks(folder, python):
    run = Run(folder, python, WORK, "forks")
    by_process = []
    for process in run.report()["processes"]:
        own = {o for own, _, _ in run.stacks("--process", str(process["pid"])) for o in own}
        by_process.append(own & {"left", "right"})
    expect(sorted(map(sorted, by_process)) == [["left"], ["right"]], f"functions by process: {by_process}")


def test_processes(folder, python):
    """Processes that Python starts anew."""
    run = Run(folder, python, WORK, "processes")
    by_pid = {}
    for pid in {process["pid"] for process in run.report()["processes"]}:
        own = {o for own, _, _ in run.stacks("--process", str(pid)) for o in own}
        by_pid[pid] = own & {"left", "right"}
    expect(sorted(map(sorted, filter(None, by_pid.values()))) == [["left"], ["right"]], f"functions by pid: {by_pid}")


def test_off(folder, python):
    stacks = Run(folder, python, WORK, "shares", EVPROF_INTERPRETERS="off").stacks()
    expect(stacks and not any(own for own, _, _ in stacks), "functions are named though it is off")


def test_filtered(folder, python):
    """What would kill the program is not called, and nothing is named."""
    run = Run(folder, python, WORK, "shares", below=["/usr/bin/python3", HERE / "filtered.py"])
    expect(run.status == 0, f"status {run.status}: {run.errors[-300:]}")
    stacks = run.stacks()
    expect(stacks and not any(own for own, _, _ in stacks), "functions are named though no call may read them")


def test_storm(folder, python):
    alone = subprocess.run([python, HERE / "storm.py"], check=True, text=True, stdout=subprocess.PIPE)
    for period in ("200us", "1ms"):
        run = Run(folder, python, HERE / "storm.py", period=period)
        expect(run.status == 0, f"status {run.status} at {period}: {run.errors[-300:]}")
        expect(run.output == alone.stdout, f"output {run.output!r}, not {alone.stdout!r}")
        stacks = run.stacks()
        n = sum(n for _, frames, n in stacks if any(".py:" in f for f in frames))
        nameless = sum(n for _, frames, n in stacks if "_PyEval_EvalFrameDefault" in frames)
        expect(n, "no function is named")
        expect(nameless <= 5 + n / 20, f"{nameless} samples with a nameless loop beside {n}")


def main():
    cases = [(name[5:], test) for name, test in globals().items() if name.startswith("test_")]
    rows = [(label, python, name, test) for label, python in pythons() for name, test in cases]
    failed = 0
    print(f"1..{len(rows)}", flush=True)
    for number, (label, python, name, test) in enumerate(rows, 1):
        title = f"{number} - {name} of Python, {label}"
        if not python or not os.path.exists(python):
            print(f"ok {title} # SKIP Python {label} is not installed", flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="evprof-python-") as folder:
            try:
                test(folder, python)
                print(f"ok {title}", flush=True)
            except Skip as reason:
                print(f"ok {title} # SKIP {reason}", flush=True)
            except (AssertionError, KeyError, subprocess.SubprocessError) as fault:
                failed += 1
                print(f"not ok {title}\n# {fault}", flush=True)
    return failed > 0


sys.exit(main())
