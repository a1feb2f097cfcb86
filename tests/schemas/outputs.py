# SPDX-License-Identifier: BSD-3-Clause
"""Every command that prints JSON, on traces and tables of all kinds: what tests/schemas/run.py holds against schemas/."""
import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
CASES = ("basic", "crowded", "stolen", "energy", "parallel", "estimates", "odd-counts", "simulated", "efficient", "efficient-later",
         "topdown", "flops", "tree", "other-host", "no-samples", "mixed", "later")
DERIVED = ("degenerate-nothing-left", "degenerate-one-event", "degenerate-one-repetition", "mi250x-gpu-flops", "spr-branch", "spr-dcache")
ROOFS = os.path.join(DATA, "roofs", "zen3.formula")
TABLE = os.path.join(DATA, "ocoe", "gcc-05.csv.gz")
LONG_PARTS = "short,lines,modules,activities,threads,processes,programs,waits,locks,thread_waits,regions,phases,parallel,timeline"
GUESTS = ("a64fx-shared", "a64fx-topdown", "power9-models")


class Outputs:
    def __init__(self, evreport, generate, preload, program, regions, evcal, folder):
        self.evreport, self.evcal, self.preload, self.folder = evreport, evcal, os.path.realpath(preload), folder
        self.traces = [self.make(generate, case) for case in CASES]
        self.traces += [os.path.join(DATA, "guest", f"{name}.trace.gz") for name in GUESTS]
        self.traces.append(self.record("recorded", preload, program, "-n", "12", "-t", "3"))
        self.traces.append(self.record("regions", preload, regions, "work"))

    def make(self, generate, case):
        path = os.path.join(self.folder, f"{case}.gz")
        with open(path, "wb") as file:
            subprocess.run([generate, case], stdout=file, check=True)
        return path

    def record(self, name, preload, *command):
        """A run with waits, source lines and instructions."""
        path = self.trace(name)
        env = {**os.environ, "LD_PRELOAD": os.path.realpath(preload).replace("libevprof.so", "libevprof-waits.so"), "EVPROF_WAITS": "on",
               "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms", "EVPROF_OUTPUT": path}
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        return path

    def trace(self, case):
        return os.path.join(self.folder, f"{case}.gz")

    def simulate(self, name, n_counters):
        """A run on a PMU that plays a table."""
        path = self.trace(name)
        env = {**os.environ, "LD_PRELOAD": self.preload, "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms", "EVPROF_OUTPUT": path,
               "EVPROF_SOURCE": f"sim:{TABLE},counters={n_counters}"}
        subprocess.run(["/usr/bin/python3", "-S", "-c", "sum(i * i for i in range(3000000))"], env=env, check=True)
        return path

    def against_ocoe(self):
        """None where no signal came for some seconds, so that there are no slices to compare."""
        for _ in range(8):
            output = self.report("compare-ocoe", "--format", "json", self.simulate("mpx", 4), self.simulate("ocoe", 32))
            if output:
                return output
            time.sleep(2)
        return None

    def report(self, *arguments):
        return self.output(self.evreport, *arguments)

    @staticmethod
    def output(*command):
        """What it printed; None: it has nothing to say of this, which other tests look at."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(done.stdout.decode(errors="replace")) if done.stdout else None

    def all(self):
        """[(schema, what, output)]"""
        rows = []
        for trace in self.traces:
            name = os.path.basename(trace)
            rows.append(("report", name, self.report("-f", "json", "--callers", trace)))
            rows.append(("report", f"{name} by loop", self.report("-f", "json", "--by", "loop", "--calls", "all", trace)))
            rows.append(("report", f"{name} in short", self.report("-f", "json", "--by", "loop", "--calls", "all", "-n", "3", trace)))
            rows.append(("report", f"{name} without details", self.report("-f", "json", "--parts", LONG_PARTS, "--callers", trace)))
            rows.append(("report", f"{name} by language", self.report("-f", "json", "--by", "language", trace)))
            rows.append(("metrics", name, self.report("metrics", "-f", "json", trace)))
            rows.append(("metrics", f"{name} by procedure", self.report("metrics", "-f", "json", "--by", "procedure", trace)))
            rows.append(("advise", name, self.report("advise", "-f", "json", trace)))
            rows.append(("annotate", name, self.report("annotate", "-f", "json", trace)))
            rows.append(("phases", name, self.report("phases", "-f", "json", trace)))
            rows.append(("roofline", name, self.report("roofline", "-f", "json", "--roofs", ROOFS, trace)))
        rows.append(("report", "a part", self.report("-f", "json", "--from", "0.1", "--to", "0.3", self.trace("basic"))))
        rows.append(("report", "two hosts", self.report("-f", "json", self.trace("basic"), self.trace("other-host"))))
        rows.append(("advise", "two runs", self.report("advise", "-f", "json", self.trace("efficient"), self.trace("efficient-later"))))
        rows += self.comparisons()
        rows.append(("accuracy", "a table", self.report("accuracy", "--format", "json", "--estimator", "linear,fixed", TABLE)))
        rows.append(("compare-ocoe", "a table", self.against_ocoe()))
        rows += [("derive", name, self.output(self.evcal, "derive", "--json", os.path.join(DATA, "cat", name))) for name in DERIVED]
        return [row for row in rows if row[2] is not None]

    def comparisons(self):
        basic, other, later, tree = map(self.trace, ("basic", "other-host", "later", "tree"))
        rows = [("compare", f"by {by}", self.report("compare", "-f", "json", "--by", by, basic, tree))
                for by in ("procedure", "line", "module", "loop")]
        rows.append(("compare", "runs of a side", self.report("compare", "-f", "json", basic, other, "--", later, tree)))
        rows.append(("compare", "a gate", self.report("compare", "-f", "json", "--fail-above", "3%", basic, other, "--", later, tree)))
        pairs = [self.trace(name) for name in ("simulated", "efficient", "efficient-later")]
        rows.append(("compare", "all that was counted", self.report("compare", "-f", "json", "--all", *pairs[:2])))
        rows.append(("compare", "a gate of exact runs", self.report("compare", "-f", "json", "--fail-above", "3%", *pairs[:2])))
        rows.append(("series", "what explains it", self.report("compare", "-f", "json", pairs[0], "--", pairs[1], "--", pairs[2])))
        rows.append(("series", "three", self.report("compare", "-f", "json", basic, "--", other, "--", tree)))
        return rows
