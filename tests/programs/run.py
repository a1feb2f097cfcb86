#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs each program of programs.list plain and under the preload and compares what both leave.

run.py --preload LIB [--install] [--other] [--also PERIOD] [NAME...]: prints `ok NAME`, `not ok NAME: why` or
`skip NAME: why`, then `N passed, N failed`. --install: installs the Debian packages that are missing
(root only); without it a program whose packages are missing is skipped. --also: runs it at this period, too.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import side_by_side  # noqa: E402

SCRIPTS = side_by_side.share(HERE / "scripts")


class Program:
    def __init__(self, name, packages, traits, normalisation, command):
        self.name, self.packages, self.command = name, packages.split(), command
        self.traits = {t.partition("=")[0]: t.partition("=")[2] for t in traits.split(",")}
        self.expected = int(self.traits.get("exit", 0))
        self.normalisation = None if normalisation == "-" else normalisation


def read_programs(path):
    return [Program(*row) for row in side_by_side.read_table(path, 5, " | ")]


def missing_packages(packages):
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *packages],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    installed = {line.split()[0] for line in query.stdout.splitlines() if line.endswith(" installed")}
    return [p for p in packages if p not in installed]


def install(programs):
    missing = sorted(set(missing_packages([p for program in programs for p in program.packages])))
    if not missing:
        return
    print("installing " + " ".join(missing), flush=True)
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive", RUNLEVEL="1")
    subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends",
                    "-o", "DPkg::Lock::Timeout=600", *missing], env=env, check=True,
                   stdout=subprocess.DEVNULL)


def run_program(program, options, preload, period=None):
    def make_environment(folder, work):
        env = side_by_side.base_environment(options, work)
        env.update(SCRIPTS=str(SCRIPTS), TMPDIR=str(work), EVPROF_QUIET="1", EVPROF_PERIOD=period or options.period,
                   EVPROF_OUTPUT=str(folder / "trace.gz"))
        if preload:  # all that the plain run lacks
            env["LD_PRELOAD"] = str(preload)
        return env

    run = side_by_side.run_once(["bash", "-c", program.command], make_environment, options.timeout,
                                "user" in program.traits)
    for what in ("stdout", "stderr"):
        setattr(run, what, normalised(getattr(run, what), program.normalisation))
    if "names" in program.traits:
        run.files = dict.fromkeys(run.files, b"")
    return run


def normalised(output, sed_script):
    if not sed_script:
        return output
    return subprocess.run(["sed", "-E", sed_script], input=output, stdout=subprocess.PIPE,
                          check=True).stdout


def reasons(program, options, plain, period, outputs):
    """What differs in a run under the preload."""
    preloaded = run_program(program, options, options.preload, period)
    yield from side_by_side.differences(plain, preloaded, outputs)
    if not options.other:
        yield from side_by_side.check_trace(preloaded.trace, "kills" in program.traits)


def run_case(program, options):
    if "root" in program.traits and os.getuid() != 0:
        return "skip", "only root can"
    missing = missing_packages(program.packages)
    if missing:
        return "skip", "not installed: " + " ".join(missing)
    outputs = [what for what in ("stdout", "stderr") if "no-" + what not in program.traits]
    plain = run_program(program, options, None)
    again = run_program(program, options, None) if options.twice else plain
    unstable = "; ".join(side_by_side.differences(plain, again, outputs))
    if options.show:
        print(f"{program.name}: {plain.returncode}\n{plain.stdout.decode(errors='replace')}"
              f"{plain.stderr.decode(errors='replace')}{list(plain.files)}")
    if plain.returncode != program.expected:
        ending = side_by_side.describe(plain.returncode)
        verdict = "skip" if "some-machines" in program.traits else "not ok"
        return verdict, f"the plain run already fails: {ending} {(plain.stderr or plain.stdout)[-400:]!r}"
    if unstable:
        return "not ok", f"two plain runs differ: {unstable}"
    for period in (options.period, *options.also):
        why = "; ".join(reasons(program, options, plain, period, outputs))
        if why:
            return "not ok", f"{why} (period {period})"
    return "ok", None


def main():
    parser = side_by_side.argument_parser(__doc__)
    parser.add_argument("--install", action="store_true", help="install what is missing")
    parser.add_argument("--twice", action="store_true", help="compare two plain runs as well")
    parser.add_argument("--show", action="store_true", help="print what the plain run prints")
    parser.add_argument("--also", action="append", default=[], metavar="PERIOD", help="another period, in a run more")
    options = parser.parse_args()
    programs = read_programs(HERE / "programs.list")
    if options.install:
        install(programs)
    return side_by_side.run_all(programs, options, run_case)


if __name__ == "__main__":
    sys.exit(main())
