#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs each case of cases.list plain and under the preload and compares what can be seen of both.

run.py --preload LIB --probes BUILT [--other] [NAME...]: prints `ok NAME`, `not ok NAME: why` or
`skip NAME: why`, then `N passed, N failed`. --other: the library is not evprof, so no trace is asked
for, nor is stderr compared; with another profiler's library the probes show that they can fail.
"""

import fnmatch
import os
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import side_by_side  # noqa: E402


# What has to do with signals, system calls and limits: the slice clock of long periods is another (docs/preload.md).
SLICED = ("exec-*", "signal-*", "interrupted", "seccomp-*", "filtered-*", "limit-*")


class Case:
    def __init__(self, name, expected, repeats, traits, command):
        self.name = name
        self.expected = parse_ending(expected)
        self.repeats = int(repeats)
        self.traits = {t.partition("=")[0]: t.partition("=")[2] for t in traits.split(",")}
        self.command = command.split()


def parse_ending(text):
    """Python's return code: an exit status, or the negative number of a signal."""
    name, _, offset = text.partition("+")
    if name.startswith("SIG"):
        return -(getattr(signal, name) + int(offset or 0))
    return int(text)


class Way:
    """A library, and how it records; no library: the plain run."""

    def __init__(self, name, preload, period, waits, most=sys.maxsize):
        self.name, self.preload, self.period, self.waits, self.most = name, preload, period, waits, most


def run_probe(case, options, way):
    def make_environment(folder, work):
        env = side_by_side.base_environment(options, work)
        env.update(PROBE_WORK=str(work), PROBE_DIR=str(options.probes))
        if "default-output" not in case.traits:
            env["EVPROF_OUTPUT"] = case.traits.get("output") or str(folder / "trace.gz")
        if "quiet" in case.traits:
            env["EVPROF_QUIET"] = "1"
        if way.period:
            env["EVPROF_PERIOD"] = way.period
        if way.waits:
            env["EVPROF_WAITS"] = "on"
        if "kernel" in case.traits:
            env.update(EVPROF_KERNEL="1", EVPROF_PERIOD=case.traits["kernel"])
        libraries = [str(library) for library in (options.before, way.preload, options.behind) if library]
        if libraries:  # ours is all that the plain run lacks
            env["LD_PRELOAD"] = ":".join(libraries)
        return env

    command = [str(options.probes / case.command[0]), *case.command[1:]]
    return side_by_side.run_once(command, make_environment, options.timeout, "user" in case.traits)


def noticed(run):
    """The first things that the probe noticed itself."""
    lines = run.files.get("wrong", b"").decode(errors="replace").splitlines()
    return "; ".join(lines[:3]) + (f"; {len(lines) - 3} more" if len(lines) > 3 else "")


def is_stated_limit(case, preloaded):
    """docs/preload.md names the few ways in which a program can be harmed: they are held to that."""
    limits = (parse_ending(limit) for limit in case.traits.get("limit", "").split("/") if limit)
    return preloaded.returncode in limits and not noticed(preloaded)


def reasons(case, options, plain, preloaded):
    if is_stated_limit(case, preloaded):
        return
    outputs = ["stdout"] if options.other else ["stdout", "stderr"]
    if noticed(preloaded):
        yield noticed(preloaded)
    yield from side_by_side.differences(plain, preloaded, outputs, ["wrong"])
    if not options.other and "no-trace" not in case.traits:
        yield from side_by_side.check_trace(preloaded.trace)


def run_case(case, options):
    if "root" in case.traits and os.getuid() != 0:
        return "skip", "only root can"
    if not (options.probes / case.command[0]).exists():
        return "skip", f"{case.command[0]} is not built"
    plain = run_probe(case, options, Way("", None, None, options.waits))
    if plain.returncode == side_by_side.SKIPPED != case.expected:
        return "skip", plain.stdout.decode(errors="replace").strip()
    if plain.returncode != case.expected or noticed(plain):
        ending = side_by_side.describe(plain.returncode)
        return "not ok", f"the plain run already fails: {ending} {noticed(plain)}"
    for way in ways_of(case, options):
        if "variables" in case.traits:
            plain = run_probe(case, options, Way("", None, way.period, way.waits))
        for repeat in range(min(way.most, case.repeats * options.repeats)):
            why = "; ".join(reasons(case, options, plain, run_probe(case, options, way)))
            if why:
                return "not ok", f"{why} (run {repeat + 1}{way.name})"
    return "ok", None


def ways_of(case, options):
    """One plain run is compared with all of them."""
    yield Way("", options.preload, None, options.waits)
    if options.with_waits:
        yield Way(" with waits", options.with_waits, None, True, options.other_ways)
    if options.long_period and any(fnmatch.fnmatch(case.name, pattern) for pattern in SLICED):
        yield Way(f" at {options.long_period}", options.preload, options.long_period, options.waits, options.other_ways)


def main():
    parser = side_by_side.argument_parser(__doc__)
    parser.add_argument("--probes", type=pathlib.Path, default=pathlib.Path("build/tests/intrusion"))
    parser.add_argument("--waits", action="store_true", help="note waits, as evprof run --waits on does")
    parser.add_argument("--with-waits", type=pathlib.Path, help="also under this library, noting waits")
    parser.add_argument("--long-period", help="also with this EVPROF_PERIOD, cases of signals, system calls and limits")
    parser.add_argument("--repeats", type=int, default=1, help="factor on each case's repetitions")
    parser.add_argument("--other-ways", type=int, default=sys.maxsize, metavar="N",
                        help="at most N repetitions with waits and with the long period")
    parser.add_argument("--before", help="another library before it in LD_PRELOAD, in the plain run too")
    parser.add_argument("--behind", help="one behind it")
    options = parser.parse_args()
    options.probes = side_by_side.share(options.probes)
    if options.with_waits:
        options.with_waits = side_by_side.share(options.with_waits)
    cases = [Case(*row) for row in side_by_side.read_table(HERE / "cases.list", 5)]
    return side_by_side.run_all(cases, options, run_case)


if __name__ == "__main__":
    sys.exit(main())
