#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""with_room.py COMMAND [ARGUMENT...]: runs a test. One that fails while the user's queue of pending signals is full runs
again when there is room, and is skipped where there is none for long (signal_queue.py). Its stdout is held back until then;
that of an attempt which does not count goes to stderr.
"""
import os
import pathlib
import select
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import signal_queue  # noqa: E402

# Python ignores these; a test does not.
IGNORED = [signal.SIGPIPE, signal.SIGXFSZ]
MARK = f"TEST_WITH_ROOM={os.getpid()}.{time.monotonic_ns()}"  # what the test starts inherits it; tests take EVPROF_* away
output = bytearray()  # what the running test has printed so far


def read_all(pipe, pid):
    """Until the command has ended: what it left running may hold the pipe for longer. Its status."""
    status = None
    while True:
        readable = select.select([pipe], [], [], 1 if status is None else 0)[0]
        if readable and (text := os.read(pipe, 65536)):
            output.extend(text)
        elif status is not None:
            return status
        elif readable:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        else:
            ended, raw = os.waitpid(pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(raw) if ended else None


def run(command):
    print_output(sys.stderr)
    pipe, end = os.pipe()
    environment = {**os.environ, **dict([MARK.split("=")])}
    pid = os.posix_spawn(command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, end, 1)], setsigdef=IGNORED)
    os.close(end)
    status = read_all(pipe, pid)
    os.close(pipe)
    return status


def end_leftovers():
    """Kills what the test left running. How many there were."""
    n_ended = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if MARK.encode() in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
                n_ended += 1
        except OSError:  # it has ended, or is another user's
            pass
    return n_ended


def print_output(file):
    file.buffer.write(output)
    file.buffer.flush()
    output.clear()


def print_and_end(number, _):
    """The test takes too long: what it has printed tells where."""
    print_output(sys.stdout)
    os._exit(128 + number)


def end_as(status):
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def main():
    signal.signal(signal.SIGTERM, print_and_end)
    watch = signal_queue.Watch()
    status, reason = signal_queue.attempt(watch, lambda: run(sys.argv[1:]), lambda status: status not in (0, 77),
                                          end_leftovers)
    if reason:  # for setup/count.py, and for TAP
        print_output(sys.stderr)
        print(f"skip: {reason}\n1..0 # SKIP {reason}")
        return 0
    print_output(sys.stdout)
    return end_as(status)


sys.exit(main())
