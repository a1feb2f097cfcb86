# SPDX-License-Identifier: BSD-3-Clause
"""Real work for agreement.py, with CPython's own libraries: profiled.py WHAT [STATISTICS].

With STATISTICS it is done below cProfile, whose totals go there. No two functions here share a line: cProfile would
take them for one; nor a name in one function: evprof would.
"""
import cProfile
import csv
import difflib
import io
import json
import json.decoder
import json.encoder
import json.scanner
import random
import sys
import textwrap
import time
import unittest
import xml.sax

CHANCE = random.Random(7)


def parse_json():
    """The parser in Python, not the one in C."""
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    text = json.dumps([{"name": f"row {i}", "values": [i, i / 3, None, True]} for i in range(120)])
    for row in decoder.decode(text):
        json.encoder.py_encode_basestring(row["name"])


def make_text():
    return [f"line {CHANCE.randrange(40)}\n" for _ in range(120)]


def compare_texts():
    return sum(1 for _ in difflib.unified_diff(make_text(), make_text()))


class Cases(unittest.TestCase):
    def test_wrapping(self):
        text = " ".join(f"word{i % 17}" for i in range(200))
        for width in range(20, 60, 10):
            self.assertTrue(all(len(line) <= width for line in textwrap.wrap(text, width)))

    def test_tables(self):
        out = io.StringIO()
        writer = csv.DictWriter(out, ["a", "b", "c"])
        for i in range(400):
            writer.writerow({"a": i, "b": i * i, "c": str(i)})
        rows = list(csv.DictReader(io.StringIO("a,b,c\n" + out.getvalue())))
        self.assertEqual(len(rows), 400)

    def test_lists(self):
        self.assertEqual(sorted(range(500), key=lambda i: -i)[0], 499)
        self.assertListEqual(list(range(2000)), list(range(2000)))


def run_tests():
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Cases)
    unittest.TextTestRunner(stream=io.StringIO()).run(suite)


def solve():
    """Gauss's elimination on lists."""
    n = 40
    a = [make_row(n, i) for i in range(n)]
    for i in range(n):
        eliminate(a, i)
    return substitute(a)


def make_row(n, i):
    row = list(map(CHANCE.uniform, [0] * (n + 1), [1] * (n + 1)))
    row[i] += n
    return row


def eliminate(a, i):
    for row in a[i + 1:]:
        subtract(row, a[i], row[i] / a[i][i], i)


def subtract(row, pivot, factor, first):
    for k in range(first, len(row)):
        row[k] -= factor * pivot[k]


def substitute(a):
    n = len(a)
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][k] * x[k] for k in range(i + 1, n))) / a[i][i]
    return x


class Counter(xml.sax.ContentHandler):
    def __init__(self):
        super().__init__()
        self.n = 0

    def startElement(self, name, attrs):
        self.n += len(attrs)

    def characters(self, content):
        self.n += len(content.strip())


def read_xml():
    text = "<all>" + "".join(f'<row id="{i}" kind="{i % 7}">text {i}</row>' for i in range(1500)) + "</all>"
    handler = Counter()
    xml.sax.parseString(text.encode(), handler)
    return handler.n


def repeat(work, seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        work()


if __name__ == "__main__":
    WORK = globals()[sys.argv[1]]
    if len(sys.argv) > 2:
        profile = cProfile.Profile(time.process_time)
        profile.runcall(repeat, WORK, 2)
        profile.dump_stats(sys.argv[2])
    else:
        repeat(WORK, 2)
