# SPDX-License-Identifier: BSD-3-Clause
"""Threads, locks, queues, a signal handler and timers; the sums are known."""
import concurrent.futures
import hashlib
import queue
import signal
import threading
import time

seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append("alarm"))
signal.signal(signal.SIGPROF, lambda *_: seen.append("prof"))
signal.setitimer(signal.ITIMER_REAL, 0.05)

jobs, results = queue.Queue(), []


def work():
    while (job := jobs.get()) is not None:
        results.append(hashlib.sha256(b"x" * job).hexdigest())


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for size in range(3000):
    jobs.put(size * 50)
for _ in threads:
    jobs.put(None)
for thread in threads:
    thread.join()
print(len(results), hashlib.sha256("".join(sorted(results)).encode()).hexdigest())
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    print(sum(pool.map(lambda n: sum(i * i for i in range(n)), range(300))))
time.sleep(0.1)
print(seen, threading.active_count(), signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL)
print([s.name for s in signal.valid_signals() if isinstance(s, signal.Signals)][-3:])
