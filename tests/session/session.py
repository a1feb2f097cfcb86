# SPDX-License-Identifier: BSD-3-Clause
"""One test's folder, the runs in it and their traces.

The script that imports this begins with the arguments EVPROF EVREPORT WORK EARLY.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

EVPROF, EVREPORT, WORK, EARLY = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])


class Session:
    """A folder of its own, the runs in it, and their traces."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.trace = self.folder / "trace.gz"
        self.servers = []

    def end(self):
        """What a test that failed left running."""
        for server in self.servers:
            try:
                os.killpg(server.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            server.wait()

    def record(self, options, *command, status=0):
        run = subprocess.run([EVPROF, "run", *options, "--", *command], cwd=self.folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        expect(run.returncode == status, f"exit status {run.returncode}: {run.stderr}")
        return run

    def report(self, trace=None):
        return json.loads(self.evreport("--format", "json", "--top", "0", str(trace or self.trace)))

    def dump(self):
        """The text of evreport dump, and the threads' totals in it."""
        text = self.evreport("dump", str(self.trace))
        totals = []
        for line in text.splitlines():
            if match := re.match(r"  thread (\d+) tid (\d+) .*? (final: )?.* (\d+) samples, (\d+) lost", line):
                thread = {"thread": int(match[1]), "tid": int(match[2]), "n_samples": int(match[4]),
                          "n_lost": int(match[5]), "groups": []}
                if match[3]: # the last word; earlier ones are on the way
                    totals.append(thread)
            elif match := re.match(r"  faults (\d+) minor .* switches (\d+) voluntary (\d+) ", line):
                thread.update(minor=int(match[1]), switches=int(match[2]) + int(match[3]))
            elif match := re.match(r"  group \d+: (\d+) slices, .* counts ([\d ]+)$", line):
                thread["groups"].append([int(match[1]), *map(int, match[2].split())])
        return text, totals

    @staticmethod
    def evreport(*arguments):
        return subprocess.run([EVREPORT, *arguments], text=True, stdout=subprocess.PIPE, check=True,
                              timeout=300).stdout


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def wait_until(condition, what):
    end = time.monotonic() + 300
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"not within five minutes: {what}")
        time.sleep(0.1)
