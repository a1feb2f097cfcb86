# SPDX-License-Identifier: BSD-3-Clause
"""Runs in pairs: two that are to be compared have the same CPU at the same time, by turns."""

import collections.abc
import concurrent.futures
import ctypes
import os
import random
import struct
import subprocess
import sys
import time
import typing


def start(command, env=None, out=subprocess.DEVNULL, cwd=None):
    return subprocess.Popen([str(c) for c in command], env={"PATH": os.environ["PATH"], **(env or {})},
                            stdout=out, stderr=subprocess.DEVNULL, cwd=cwd)


def end_of(process):
    """The resource usage of the process and what it waited for."""
    _, process.returncode, usage = os.wait4(process.pid, 0)
    if process.returncode:
        sys.exit(f"{process.args} failed: {process.returncode}")
    return usage


class Pair(typing.NamedTuple):
    """A program by itself, or with other variables, and beside it the same with something that stands before it and
    variables; see(tools) looks at what is left when both have ended."""
    name: str
    command: list
    before: list
    env: dict
    see: collections.abc.Callable
    plain_env: dict = {}


def nothing(tools):
    return None


def run_pair(tools, pair):
    """(CPU seconds of the plain program, of the other, of the other as it says itself, or None): both begin at once on
    the calling thread's CPU and have it in turn, some milliseconds each, so that what befalls it befalls both."""
    with open(tools.work / "out", "w+") as out:
        to = out if pair.before else subprocess.DEVNULL
        starts = {"plain": lambda: start(pair.command, pair.plain_env),
                  "other": lambda: start([*pair.before, *pair.command], pair.env, to)}
        processes = {name: starts[name]() for name in random.sample(list(starts), 2)}
        usages = {name: end_of(process) for name, process in processes.items()}
        out.seek(0)
        said = out.readline().split() if pair.before else None
    plain, other = (usages[name].ru_utime + usages[name].ru_stime for name in ("plain", "other"))
    return plain, other, float(said[0]) if said else None


def on_every_cpu(tools, seconds, pairs, turns_ms=None):
    """{name: what run_pair and see said, one after the other, of each run} of pairs(tools); every CPU has a pair all
    the time."""
    outcomes = {}
    end = time.monotonic() + seconds

    def work(cpu):
        own = tools.in_folder(f"cpu{cpu}")
        os.sched_setaffinity(0, {cpu})  # this thread's, and so that of what it starts
        set_turns(turns_ms)
        while time.monotonic() < end:
            here = list(pairs(own))
            for pair in random.sample(here, len(here)):
                outcome = *run_pair(own, pair), pair.see(own)
                outcomes.setdefault(pair.name, []).append(outcome)

    cpus = sorted(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(len(cpus)) as pool:
        list(pool.map(work, cpus))
    return outcomes


SYS_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "ppc64le": 355}


def set_turns(ms):
    """How long the calling thread, and what it starts, would have a CPU before another (Linux 6.12; before, it is not
    heeded); None: as the scheduler likes."""
    number = SYS_SCHED_SETATTR.get(os.uname().machine)
    if ms and number:
        attributes = struct.pack("IIQiIQQQII", 56, 0, 0, 0, 0, ms * 1000000, 0, 0, 0, 0)  # sched_setattr(2)
        ctypes.CDLL(None).syscall(number, 0, ctypes.create_string_buffer(attributes), 0)
