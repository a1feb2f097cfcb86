# SPDX-License-Identifier: BSD-3-Clause
"""multiprocessing by each of its start methods, with pools, pipes, shared memory and a crash."""
import multiprocessing
import os
import signal


def square(n):
    return sum(i * n for i in range(1000)) + n * n


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def add(value, lock):
    for _ in range(200):
        with lock:
            value.value += 1


def count_together(context):
    value, lock = context.Value("i", 0), context.Lock()
    processes = [context.Process(target=add, args=(value, lock)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return value.value, [p.exitcode for p in processes]


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(3) as pool:
            print(method, sum(pool.map(square, range(300))))
        print(count_together(context))
        victim = context.Process(target=crash)
        victim.start()
        victim.join()
        print(victim.exitcode, len(multiprocessing.active_children()))
