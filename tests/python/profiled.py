# SPDX-License-Identifier: BSD-3-Clause
"""Real work for agreement.py, with CPython's own libraries: profiled.py WHAT [STATISTICS].

With STATISTICS it is done below cProfile, whose totals go there. No two functions here share a line: cProfile would
take them for one.
"""
import ast
import atexit
import cProfile
import csv
import functools
import graphlib
import hashlib
import html
import http.server
import inspect
import io
import json
import json.decoder
import json.encoder
import json.scanner
import os
import random
import subprocess
import sys
import textwrap
import time
import tokenize
import unittest
import urllib.parse

CHANCE = random.Random(7)
SOURCES = {module.__name__: inspect.getsource(module) for module in (csv, textwrap, graphlib)}


def parse_json():
    """The parser in Python, not the one in C."""
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    text = json.dumps([{"name": f"row {i}", "values": [i, i / 3, None, True]} for i in range(120)])
    for row in decoder.decode(text):
        json.encoder.py_encode_basestring(row["name"])


class Connection:
    """A socket of a client that sends its request at once."""

    def __init__(self, request):
        self.request, self.answer = io.BytesIO(request), io.BytesIO()

    def makefile(self, mode, buffering=None):
        return self.request

    def sendall(self, data):
        self.answer.write(data)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        table = make_table(urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query))
        body = make_page(table).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def make_table(query):
    return [(name, i, str(i * i)) for name, values in query.items() for i in range(int(values[0]))]


def make_page(table):
    rows = ["<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in table]
    return "<html><table>" + "".join(rows) + "</table></html>"


def serve():
    """Requests of a web server's clients, one after the other."""
    headers = "".join(f"X-Header-{i}: value {i}\r\n" for i in range(15))
    request = f"GET /table?a=20&b=30 HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{headers}\r\n".encode()
    for _ in range(20):
        Handler(Connection(request), ("here", 80), None)


CLIENT = """
import socket, sys
request = b"GET /table?a=200&b=300 HTTP/1.1\\r\\nHost: here\\r\\n\\r\\n"
while True:
    try:
        with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
            server.sendall(request)
            while server.recv(65536): pass
    except ConnectionRefusedError:
        break
    except OSError:
        pass
"""


class Server(http.server.HTTPServer):
    timeout = 60

    def handle_timeout(self):
        raise TimeoutError("no client asked")


@functools.cache
def start_server():
    """A server on a free port, and a client that evprof does not see, which asks until the server is gone."""
    server = Server(("127.0.0.1", 0), Handler)
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    client = subprocess.Popen([sys.executable, "-S", "-c", CLIENT, str(server.server_port)], env=environment,
                              stdout=subprocess.DEVNULL)
    atexit.register(client.kill)
    return server


def serve_clients():
    """Requests through a socket, each on a connection of its own."""
    start_server().handle_request()


def build():
    """A build tool's work: what depends on what, and for each file a smaller one and its digest."""
    needs = {name: [other for other in SOURCES if other < name] for name in SOURCES}
    for name in graphlib.TopologicalSorter(needs).static_order():
        hashlib.sha256(shrink(SOURCES[name]).encode()).hexdigest()


def shrink(text):
    return write_small(ast.parse(text)) + str(count_tokens(text))


def write_small(tree):
    return ast.unparse(tree)


def count_tokens(text):
    return sum(1 for _ in tokenize.generate_tokens(io.StringIO(text).readline))


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


def solve_arrays():
    """Equations on NumPy's arrays: by conjugate gradients, of a kept matrix and of none, and by LAPACK."""
    matrix, grid = make_arrays()
    search(matrix, matrix[0])
    search_without_matrix(grid)
    solve_directly(matrix[:150, :150])


@functools.cache
def make_arrays(n=600):
    chance = numpy.random.default_rng(7)
    a = chance.uniform(size=(n, n))
    return a @ a.T + n * numpy.eye(n), chance.uniform(size=(80, 80))


def search(matrix, b):
    return conjugate(functools.partial(multiply, matrix), b)


def search_without_matrix(grid):
    return conjugate(apply_stencil, grid)


def multiply(matrix, p):
    return matrix @ p


def apply_stencil(p):
    """Each point of a grid less its neighbours."""
    q = 4 * p
    q[1:] -= p[:-1]
    q[:-1] -= p[1:]
    q[:, 1:] -= p[:, :-1]
    q[:, :-1] -= p[:, 1:]
    return q


def conjugate(product, b):
    x, r, p = 0 * b, b, b
    for _ in range(20):
        q = product(p)
        step = (r * r).sum() / (p * q).sum()
        x, last, r = x + step * p, r, r - step * q
        p = r + (r * r).sum() / (last * last).sum() * p
    return x


def solve_directly(matrix):
    return numpy.linalg.solve(matrix, matrix[0])


def repeat(work, seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        work()


def do_nothing():
    pass


def call_nothing():
    """Calls that are short, by whose time agreement.py knows what cProfile itself takes for a call."""
    for _ in range(20000):
        do_nothing()


if __name__ == "__main__":
    WORK = globals()[sys.argv[1]]
    if WORK is solve_arrays:
        try:
            import numpy
        except ImportError:
            sys.exit(77)
        make_arrays()
    if len(sys.argv) > 2:
        profile = cProfile.Profile(time.process_time)
        profile.runcall(repeat, WORK, 2)
        profile.runcall(call_nothing)
        profile.dump_stats(sys.argv[2])
    else:
        repeat(WORK, 2)
