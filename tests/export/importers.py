#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exports as the viewers' own code reads them: importers.py EVREPORT GENERATE TRACE...

Prints TAP. Installs what importers/package-lock.json names to a temporary folder: Mozilla's profiler-cli, which loads
a profile by Firefox Profiler's own code, and speedscope's JSON Schema. Skips where npm is not installed:
Debian's package of it excludes other builds of node, so that the wide tests do not ask for it.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run as exports  # noqa: E402

CASES = ("crowded", "estimates", "tree", "stolen")
CLI = "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
VALIDATE = """
const ajv = new (require("ajv"))({ unknownFormats: "ignore" });
const [schema, file] = process.argv.slice(1).map(name => JSON.parse(require("fs").readFileSync(name)));
if (!ajv.validate(schema, file)) { console.log(ajv.errorsText()); process.exit(1); }
"""


def without_library(name):
    """profiler-cli takes what stands before a ! in a name for its library."""
    return name.rpartition("!")[2]


def has_node():
    """profiler-cli runs from 20 on."""
    if not shutil.which("npm") or not shutil.which("node"):
        return False
    return int(subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True).stdout[1:].split(".")[0]) >= 20


class ServerAbsent(Exception):
    """profiler-cli's server does not answer."""


class Importers:
    def __init__(self, work):
        self.folder = os.path.join(work, "importers")
        home = os.path.join(work, "home")
        self.environment = {**os.environ, "HOME": home}
        shutil.copytree(os.path.join(exports.HERE, "importers"), self.folder)
        os.mkdir(home)
        self.is_there = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL).returncode == 0

    def node(self, *arguments):
        return subprocess.run(["node", *arguments], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    def ask(self, *words):
        done = self.node(CLI, *words, "--session", self.session, "--json")
        if done.returncode:
            raise RuntimeError(done.stdout)
        return json.loads(done.stdout)

    def wait_for_threads(self, server):
        """profiler-cli load gives its server half a second to start, which a busy machine exceeds."""
        end = time.monotonic() + 60
        while server.poll() is None and time.monotonic() < end:
            try:
                return self.ask("thread", "list")["threads"]
            except RuntimeError:
                time.sleep(0.2)
        raise ServerAbsent()

    def firefox_sums(self, path):
        """{procedure: ns}. A server that does not start, which happens, gets a second chance."""
        try:
            return self.sums_in_session(path, f"exports{exports.number}")
        except ServerAbsent:
            return self.sums_in_session(path, f"again{exports.number}")

    def sums_in_session(self, path, session):
        sums = collections.Counter()
        self.session = session  # what a server leaves behind is not the next one's
        server = subprocess.Popen(["node", CLI, "--daemon", path, "--session", self.session], cwd=self.folder,
                                  env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for thread in self.wait_for_threads(server):
                functions = self.ask("thread", "functions", "--thread", thread["threadHandle"], "--limit", "0",
                                     "--include-idle")
                for row in functions["functions"]:
                    sums[without_library(exports.same_name(row["name"]))] += row["selfSamples"] * 1e6
        finally:
            server.kill()
            server.wait()
        return sums

    def schema_problems(self, path):
        done = self.node("-e", VALIDATE, "node_modules/speedscope/dist/release/file-format-schema.json", path)
        return [done.stdout] if done.returncode else []


def check_run(importers, work, name, run):
    for kind in ("firefox", "speedscope"):
        path = os.path.join(work, kind + ".json")
        with open(path, "wb") as file:
            file.write(run.export(kind))
        if kind == "firefox":
            expected = {without_library(name): ns for name, ns in run.expected("cpu").items()}
            try:
                problems = exports.differences(expected, importers.firefox_sums(path), 1000)
            except ServerAbsent:
                exports.check(f"{name}: {kind}'s importer # SKIP profiler-cli's server did not start", [])
                continue
        else:
            problems = importers.schema_problems(path)
        exports.check(f"{name}: {kind}'s importer", problems)


def main():
    evreport, generate, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not has_node():
        print("1..0 # SKIP npm and node 20 are not installed")
        return 0
    with tempfile.TemporaryDirectory() as work:
        importers = Importers(work)
        if not importers.is_there:
            print("1..0 # SKIP npm could not fetch the viewers' importers")
            return 0
        for name, run in exports.make_runs(evreport, generate, CASES, traces, work):
            check_run(importers, work, name, run)
    print(f"1..{exports.number}")
    return exports.failed > 0


if __name__ == "__main__":
    sys.exit(main())
