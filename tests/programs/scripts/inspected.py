# SPDX-License-Identifier: BSD-3-Clause
"""What looks into the interpreter itself: tracing, profiling, memory's account, the handler of faults."""
import cProfile
import faulthandler
import io
import pstats
import signal
import subprocess
import sys
import tempfile
import threading
import tracemalloc


def climb(n):
    return 1 if n < 2 else climb(n - 1) + climb(n - 2)


def count_lines(n):
    lines = {}

    def trace(frame, event, _):
        if frame.f_code.co_name == "climb" and event == "line":
            lines[frame.f_lineno] = lines.get(frame.f_lineno, 0) + 1
        return trace

    sys.settrace(trace)
    climb(n)
    sys.settrace(None)
    return sorted(lines.values())


def count_calls(n):
    profile = cProfile.Profile()
    profile.runcall(climb, n)
    text = io.StringIO()
    pstats.Stats(profile, stream=text).print_stats("climb")
    return [line.split()[0] for line in text.getvalue().splitlines() if "(climb)" in line]


def trace_memory():
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = bytes(1 << 20)
    for i in range(20):
        climb(15)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return len(kept), abs(grown - (1 << 20)) < 65536


def dump_traces():
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.register(signal.SIGUSR1, file=file, all_threads=False)
        for depth in range(3):
            climb(18)
            signal.raise_signal(signal.SIGUSR1)
        file.seek(0)
        return [line.split("in ")[-1].strip() for line in file]


def die():
    script = """
import faulthandler, resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
faulthandler.enable()
for i in range(300000): i * i
faulthandler._sigsegv()
"""
    child = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    return child.returncode, child.stderr.splitlines()[:1]


print(count_lines(18), count_calls(18))
threading.settrace(None)
print(trace_memory(), dump_traces())
print(die(), sys.getrecursionlimit(), len(sys._current_frames()))
