# SPDX-License-Identifier: BSD-3-Clause
"""A program in which the interpreter's structures come and go: what a tick reads at any moment of it may be of
two minds. Prints a sum that is always the same."""
import argparse
import ctypes
import email.mime.text
import gc
import json
import os
import re
import sys
import threading
import unittest
import xml.dom.minidom

total = 0


def throw(n):
    if n == 0:
        raise ValueError(n)
    throw(n - 1)


def pieces(n):
    try:
        for i in range(n):
            yield i
    finally:
        gc.collect(0)


def make(i):
    scope = {}
    exec(compile(f"def made_{i}(x):\n  return x + {i}\nvalue = made_{i}(1)", f"<made {i}>", "exec"), scope)
    return scope["value"]


def work():
    global total
    for i in range(60):
        try:
            throw(i % 40)
        except ValueError:
            total += 1
        total += make(i)
        total += sum(x for x in pieces(i) if x < 20)
        re.compile("a%d(b|c)*[d-z]+" % i)
    total += len(json.loads(json.dumps({str(i): [i] * 10 for i in range(300)})))


for _ in range(3):
    work()
    for name in ("argparse", "email.mime.text", "xml.dom.minidom"):
        sys.modules.pop(name, None)
        __import__(name)
    thread = threading.Thread(target=throw, args=(0,))
    threading.excepthook = lambda _: None
    thread.start()
    thread.join()
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    total += os.waitpid(child, 0)[1]
gc.collect()
print(total)
