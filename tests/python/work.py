# SPDX-License-Identifier: BSD-3-Clause
"""Known work for run.py: which function may call which is all that its call tree can show.

work.py WHAT [DEPTH]
"""
import os
import sys
import threading
import time
import zlib


def burn(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def sixty(n):
    return burn(6 * n)


def thirty(n):
    return burn(3 * n)


def ten(n):
    return burn(n)


def shares():
    for _ in range(300):
        sixty(2000)
        thirty(2000)
        ten(2000)


def lines():
    """Three lines with 24, twelve and four of the same statement, so many that what a line's first one costs more is
    little; the jump back may count as the last line's."""
    x, y, z = 3, 5, 7
    for _ in range(750000):
        v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z
        v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z
        v = x * y - z; v = x * y - z; v = x * y - z; v = x * y - z
        w = v
    return w


async def sixty_awaited():
    await ten_awaited(6)


async def forty_awaited():
    await ten_awaited(4)


async def ten_awaited(times):
    for _ in range(times):
        burn(4000)


async def chain():
    for _ in range(200):
        await sixty_awaited()
        await forty_awaited()


def coroutines():
    import asyncio
    asyncio.run(chain())


def sixty_products(a):
    for _ in range(6):
        a @ a


def thirty_products(a):
    for _ in range(3):
        a @ a


def ten_products(a):
    a @ a


def products():
    import numpy
    a = numpy.ones((150, 150))
    for _ in range(150):
        sixty_products(a)
        thirty_products(a)
        ten_products(a)


def dive(n):
    return burn(20000) if n == 0 else dive(n - 1)


def recursion(depth=50):
    for _ in range(60):
        dive(depth)


def numbers(n):
    for i in range(n):
        yield burn(i % 50)


def generators():
    for _ in range(3):
        sum(numbers(15000))


def key(x):
    return burn(x % 30)


def callbacks():
    for _ in range(3):
        sorted(range(15000), key=key)


def extension():
    data = bytes(range(256)) * 4096
    for _ in range(15):
        zlib.compress(data, 9)


DATA = bytes(range(256)) * 4096


def sixty_sums():
    zlib.adler32(DATA), zlib.adler32(DATA), zlib.adler32(DATA), zlib.adler32(DATA)
    zlib.adler32(DATA), zlib.adler32(DATA)


def thirty_sums():
    zlib.adler32(DATA), zlib.adler32(DATA), zlib.adler32(DATA)


def sums():
    for _ in range(1000):
        sixty_sums()
        thirty_sums()
        zlib.adler32(DATA)


def nap():
    time.sleep(0.05)


def fetch(lock):
    with lock:
        burn(1000)


def sleepers():
    lock = threading.Lock()
    lock.acquire()
    thread = threading.Thread(target=fetch, args=(lock,))
    thread.start()
    nap()
    lock.release()
    thread.join()


def left():
    burn(700000)


def right():
    burn(700000)


def threads():
    for thread in [threading.Thread(target=left), threading.Thread(target=right)]:
        thread.start()


def take_turns(meet, work):
    meet.wait()
    work()


def turns():
    meet = threading.Barrier(2)
    both = [threading.Thread(target=take_turns, args=(meet, work)) for work in (left, right)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()


INTERPRETED = """
def between():
    total = 0
    for i in range(10000):
        total += i * i % 7
    return total

for _ in range(40):
    between()
"""


def subinterpreters():
    """A second interpreter of the same thread, called by a function of the first."""
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    run = getattr(interpreters, "run_string", None) or interpreters.exec
    for _ in range(4):
        inner = interpreters.create()
        run(inner, INTERPRETED)
        burn(400000)
        interpreters.destroy(inner)


def switch_from(own, others):
    for _ in range(200):
        own()
        others[0].switch()


def greenlets():
    """Coroutines with stacks of their own."""
    import greenlet
    first = greenlet.greenlet(lambda: switch_from(sixty_burnt, [second]))
    second = greenlet.greenlet(lambda: switch_from(forty_burnt, [first]))
    first.switch()


def sixty_burnt():
    burn(6000)


def forty_burnt():
    burn(4000)


def processes():
    import multiprocessing
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=work) for work in (left, right)]
    for process in both:
        process.start()
    for process in both:
        process.join()


def forks():
    child = os.fork()
    if child == 0:
        left()
        sys.stdout.flush()
        return
    right()
    os.waitpid(child, 0)


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
