#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of node and Java: without the runtime's option one sentence names it; with it stacks are whole and code
that was made at run time has names.

whole_stacks.py EVPROF EVREPORT: prints TAP. The options are those that the sentence tells. What is not installed is
skipped. Truth is what stacks.js and Stacks.java can do, and how much each of their functions does.
"""
import functools
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EVPROF, EVREPORT = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
SHARED = tempfile.TemporaryDirectory(prefix="evprof-whole-stacks-")
ENOUGH, CUT, BROKEN = 0.95, 2, 4  # the flags are those of docs/trace-format.md
FEWEST = 60  # samples in code made at run time, of which at most three may be nameless
CALLS = 9  # of itself in each of the three functions, of which compilers put some into each other
SHARES = {"sixty": 0.6, "thirty": 0.3, "ten": 0.1}
RUNTIMES = {"node": (["node"], [HERE / "stacks.js"], r"JS:[*^~+]*(\w+) "),
            "java": (["java", "javac"], ["Stacks"], r".*\bStacks\.(\w+)\b")}


class Skip(Exception):
    """What a test needs is not there."""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


class Run:
    """One recorded run: all that the tests look at."""

    def __init__(self, runtime, options, what, seconds):
        self.trace = pathlib.Path(SHARED.name) / f"{runtime}-{what}-{len(options)}-options-{seconds}.gz"
        _, program, self.function = RUNTIMES[runtime]
        command = [runtime, *options, *program, what, str(seconds)]
        subprocess.run([EVPROF, "run", "-q", "--period", "1ms", "-o", self.trace, "--", *command], check=True,
                       cwd=SHARED.name, stdout=subprocess.DEVNULL, timeout=400)
        self.report = json.loads(self.evreport("--format", "json", "--top", "0"))
        for process in self.report["processes"]:
            pathlib.Path(f"/tmp/perf-{process['pid']}.map").unlink(missing_ok=True)
        rows = [row for row in self.report["procedures"] if row["module"] is None]
        self.made = {row["name"] for row in rows}
        compiled = [row for row in rows if row["name"] != "Interpreter"]
        self.n_made = sum(row["n_samples"] for row in compiled)
        self.n_nameless = sum(row["n_samples"] for row in compiled if not row["known"])

    def evreport(self, *arguments):
        return subprocess.run([EVREPORT, *arguments, self.trace], check=True, text=True, stdout=subprocess.PIPE).stdout

    def stacks(self):
        """[(frames, outermost first, samples)]"""
        lines = self.evreport("export", "--format", "folded", "--value", "samples").splitlines()
        return [(frames.split(";"), int(n)) for frames, n in (line.rsplit(" ", 1) for line in lines)]

    def own(self, frames):
        """Those of the frames that are of the three functions of known shares."""
        matches = (re.match(self.function, frame) for frame in frames)
        return [match[1] for match in matches if match and match[1] in SHARES]


def record(runtime, options, what):
    """Records again for twice as long until enough samples are in code made at run time."""
    for seconds in (1, 2, 4, 8):
        run = Run(runtime, options, what, seconds)
        if run.n_made >= FEWEST:
            return run
    raise AssertionError(f"only {run.n_made} samples in code made at run time")


@functools.lru_cache(maxsize=None)
def prepare(runtime):
    missing = [program for program in RUNTIMES[runtime][0] if not shutil.which(program)]
    if missing:
        raise Skip(f"{missing[0]} is not installed")
    if runtime == "java":
        subprocess.run(["javac", "-d", SHARED.name, HERE / "Stacks.java"], check=True)


@functools.lru_cache(maxsize=None)
def told_options(runtime):
    """Options in the only sentence on nameless code of a run without any."""
    prepare(runtime)
    run = record(runtime, [], "split")
    text = " ".join(run.evreport().split())
    told = re.findall(r"code made at run time that has no names\. (\w+)((?: -\S+)+)", text)
    expect([name for name, _ in told] == [runtime], f"options are told of {told}")
    others = [name for name in ("node", "java") if name != runtime and re.search(rf"\b{name} -", text)]
    expect(not others, f"options of {others} are told, too")
    expect(run.n_nameless >= ENOUGH * run.n_made,
           f"only {run.n_nameless} of {run.n_made} samples in code made at run time are nameless without an option")
    return told[0][1].split()


@functools.lru_cache(maxsize=None)
def run_with_options(runtime, what):
    options = told_options(runtime)
    if runtime == "java" and subprocess.run(["java", *options, "-version"], stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL).returncode:
        raise Skip("this Java does not know the options, which are of JDK 17 and later")
    return record(runtime, options, what)


def test_sentence(runtime):
    """One sentence names the option of this runtime, and of no other."""
    told_options(runtime)


def test_shares(runtime):
    """Three functions do six, three and one times the same, below calls of themselves alone."""
    run = run_with_options(runtime, "split")
    found, n, recursive = dict.fromkeys(SHARES, 0), 0, 0
    for frames, samples in run.stacks():
        own = run.own(frames)
        if not own:
            continue
        expect(len(set(own)) == 1 and len(own) <= CALLS, f"a stack has {own}")
        found[own[0]] += samples
        n += samples
        recursive += samples * (len(own) > 1)
    expect(n >= ENOUGH * run.n_made, f"{n} samples are below the functions, {run.n_made} in code made at run time")
    expect(recursive >= ENOUGH * n, f"{recursive} of {n} samples have the function's calls of itself")
    for name, share in SHARES.items():
        bar = 5 * math.sqrt(share * (1 - share) / n) + 0.02
        expect(abs(found[name] / n - share) < bar, f"{name} has {found[name]} of {n} samples, not {share} +-{bar:.3f}")
    return f"{' '.join(f'{name} {100 * found[name] / n:.1f} %' for name in SHARES)} of {n} samples"


def test_names(runtime, what="split"):
    run = run_with_options(runtime, what)
    named = 1 - run.n_nameless / run.n_made
    expect(named >= ENOUGH, f"{run.n_nameless} of {run.n_made} samples in code made at run time have no name")
    return f"{100 * named:.1f} % of {run.n_made} samples in code made at run time"


def test_whole(runtime, what="split"):
    """By the flags of all samples, and by the outermost frame of stacks that lead through code made at run time."""
    run = run_with_options(runtime, what)
    flags = [int(n) for n in re.findall(r"^  slice .* flags (\d+)", run.evreport("dump"), re.MULTILINE)]
    whole = sum(not f & (CUT | BROKEN) for f in flags) / len(flags)
    expect(whole >= ENOUGH, f"{100 * whole:.1f} % of {len(flags)} stacks are whole by their flags")
    through = [(frames[0], n) for frames, n in run.stacks() if run.made & set(frames)]
    n = sum(n for _, n in through)
    begun = sum(n for outermost, n in through if outermost not in run.made) / n
    expect(begun >= ENOUGH, f"{100 * begun:.1f} % of {n} stacks through code made at run time begin before it")
    return f"{100 * whole:.1f} % of {len(flags)} stacks, {100 * begun:.1f} % of {n} through code made at run time"


def test_names_below_libraries(runtime):
    """The runtime's library calls the program's functions."""
    return test_names(runtime, "mixed")


def test_whole_below_libraries(runtime):
    return test_whole(runtime, "mixed")


def main():
    cases = [(name[5:].replace("_", " "), test) for name, test in globals().items() if name.startswith("test_")]
    rows = [(runtime, name, test) for runtime in RUNTIMES for name, test in cases]
    failed = 0
    print(f"1..{len(rows)}", flush=True)
    for number, (runtime, name, test) in enumerate(rows, 1):
        title = f"{number} - {name} of {runtime}"
        try:
            prepare(runtime)
            figures = test(runtime)
            print(f"ok {title}" + (f"\n# {figures}" if figures else ""), flush=True)
        except Skip as reason:
            print(f"ok {title} # SKIP {reason}", flush=True)
        except (AssertionError, KeyError, subprocess.SubprocessError) as fault:
            failed += 1
            print(f"not ok {title}\n# {fault}", flush=True)
    return failed > 0


sys.exit(main())
