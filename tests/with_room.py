#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""with_room.py COMMAND [ARGUMENT...]: runs a test. One that fails while the user's queue of pending signals is full runs
again when there is room, and is skipped where there is none for long (signal_queue.py). Its stdout is held back until then.
"""
import os
import pathlib
import select
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import signal_queue  # noqa: E402

# Python ignores these; a test does not.
IGNORED = [signal.SIGPIPE, signal.SIGXFSZ]
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
    output.clear()
    pipe, end = os.pipe()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, end, 1)], setsigdef=IGNORED)
    os.close(end)
    status = read_all(pipe, pid)
    os.close(pipe)
    return status


def print_output():
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()
    output.clear()


def print_and_end(number, _):
    """The test takes too long: what it has printed tells where."""
    print_output()
    os._exit(128 + number)


def end_as(status):
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def main():
    signal.signal(signal.SIGTERM, print_and_end)
    watch = signal_queue.Watch()
    status, reason = signal_queue.attempt(watch, lambda: run(sys.argv[1:]), lambda status: status not in (0, 77))
    if reason:  # for setup/count.py, and for TAP
        print(f"skip: {reason}\n1..0 # SKIP {reason}")
        return 0
    print_output()
    return end_as(status)


sys.exit(main())
