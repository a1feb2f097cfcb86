# SPDX-License-Identifier: BSD-3-Clause
"""The queue of pending signals, which all programs of a user share. Timers and evprof's ticks need room in it: while some
other program has filled it, a test that needs one of the two fails, and says nothing of evprof."""

import os
import threading
import time

N_ATTEMPTS = 3
PATIENCE_S = float(os.environ.get("EVPROF_QUEUE_PATIENCE_S", "20"))
LOOK_S = 0.05
END_S = 5  # for a process that is killed
STATUS = os.open("/proc/self/status", os.O_RDONLY)


def usage():
    """(signals that are pending, the limit)."""
    text = os.pread(STATUS, 8192, 0)
    used, limit = text[text.index(b"SigQ:") + 5:].split(b"\n", 1)[0].split(b"/")
    return int(used), int(limit)


def is_full():
    used, limit = usage()
    return used >= limit


def has_room_within(seconds):
    end_s = time.monotonic() + seconds
    while is_full():
        if time.monotonic() > end_s:
            return False
        time.sleep(LOOK_S)
    return True


class Watch:
    """Looks at the queue from time to time; was_full_since(moment) tells what it saw."""

    def __init__(self):
        self.full_s = float("-inf")
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        while True:
            if is_full():
                self.full_s = time.monotonic()
            time.sleep(LOOK_S)

    def was_full_since(self, moment_s):
        return is_full() or self.full_s >= moment_s


def attempt(watch, run, has_failed, end_leftovers=lambda: 0):
    """(result of run(), None). One that failed while the queue was full is void and run again; the reason to skip in
    place of None: the queue is still full. A queue that is only ever full while the run lasts, the run itself fills, and
    one that has room once end_leftovers() has ended processes of the run, these have filled."""
    for _ in range(N_ATTEMPTS):
        begin_s, was_full = time.monotonic(), is_full()
        result = run()
        if not has_failed(result) or not (was_full or watch.was_full_since(begin_s)):
            return result, None
        was_left_full = is_full()
        if end_leftovers() and was_left_full and not was_full and has_room_within(END_S):
            return result, None
        if not has_room_within(PATIENCE_S):
            break
    used, limit = usage()
    if used < limit:
        return result, None
    return result, f"another program holds the user's queue of pending signals: {used} of {limit} (ulimit -i)"
