# SPDX-License-Identifier: BSD-3-Clause
"""How near a sentence's number must come to what is known otherwise, and what known.c's procedures are."""
import re

ROUND = 0.6   # of whole per cents, and of their sums
READY = 4     # points: the kernel's account at the last slice of a thread, and at its end
BUSY = 0.15   # CPUs: the run is a little shorter than it looks from outside
SIGMAS = 5
BESIDE = 0.04  # of a process's CPU time: what it takes to begin and end

PLACES = ("burn_a", "burn_b", "burn_c", "copy_some", "allocate_some", "call_kernel", "touch_memory")
LIBRARY_OF_PLACE = {"copy_some": "libc.so", "allocate_some": "libc.so", "call_kernel": "libc.so", "touch_memory": "libc.so"}


def percent(share):
    return 100 * share


def is_near(a, b, distance):
    return abs(a - b) <= distance


def list_of(text):
    """[(a, 23), (b, 20)] of a (23 %), b (20 %"""
    return [(name, float(share)) for name, share in re.findall(r"(?:^|, | and )(.+?)(?: of \S+)? \((\d+)(?: %)?(?:\)|$)", text)]


def true_share(run, name):
    """The procedure's share by the program's own clocks; None: it is not one of those that are known, or does not stand alone."""
    if not run.has_facts or name not in ("burn_a", "burn_b", "burn_c"):
        return None
    return run.facts.places[name] / run.facts.cpu_ns


def share_error(run, rows):
    """What chance may do to a share, and what processes do beside their work: a small one is mostly its beginning."""
    beside = max(0, 1 - sum(run.facts.places.values()) / 1e9 / run.cpu_s) if run.has_facts else 0
    return SIGMAS * max((r["self_share_error"] for r in rows), default=0) + beside + BESIDE


def check_others(run, cpus):
    """CPUs that others kept busy, on average, against the machine's own count, which began earlier and ended later."""
    seconds, more_s = cpus * run.duration_s, run.n_cpus * (run.wall_s - run.duration_s)
    slack = BUSY * run.n_cpus * run.duration_s + 0.1
    if not run.others_s - more_s - slack <= seconds <= run.others_s + slack:
        yield f"others had {run.others_s:.2f} s of CPU time in {run.wall_s:.2f} s"
