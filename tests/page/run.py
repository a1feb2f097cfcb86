#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of evreport --html, without a browser: run.py EVREPORT GENERATE PRELOAD.

Its data are those of the JSON report, its flame graph sums up to them, nothing in it leads to a network, and
names in a trace stay text.
"""
import collections
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

import rests

CASES = ("basic", "flops", "tree", "parallel", "crowded", "mixed", "simulated", "rests")
EVIL = b"</script><script>document.title='evil'</script><img src=x onerror=evil()>\xff\xfe\x1b[31m" + b"x" * 10000
failures = 0


def expect(what, holds, seen=""):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'not ok'} - {what}" + ("" if holds else f": {str(seen)[:400]}"), flush=True)


class Page(html.parser.HTMLParser):
    """Scripts by their type, the text outside of them, and what leads elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.text, self.tags, self.links, self.type = {}, "", collections.Counter(), [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags[tag] += 1
        self.links += [value for key, value in attributes.items() if key in ("src", "href", "action", "data", "srcset")]
        self.type = attributes.get("type", "script") if tag == "script" else None

    def handle_endtag(self, tag):
        self.type = None

    def handle_data(self, text):
        if self.type:
            self.scripts[self.type] = self.scripts.get(self.type, "") + text
        else:
            self.text += text


def make_page(evreport, trace):
    path = trace + ".html"
    subprocess.run([evreport, "--html", path, trace], check=True)
    with open(path, "rb") as file:
        return file.read().decode()


def check_page(what, evreport, trace):
    text = make_page(evreport, trace)
    page = Page(text)
    data = json.loads(page.scripts["application/json"])
    # strict: bytes of names that are no UTF-8 may not come through
    report, by_loop = [subprocess.run([evreport, "-f", "json", "-n", "2000", "--parts", "all", *by, trace], capture_output=True)
                       for by in ((), ("--by", "loop"))]
    report = json.loads(report.stdout.decode())
    # without capstone the page has no loops; what is by loop has no phases
    if by_loop.returncode == 0:
        report["loops"] = json.loads(by_loop.stdout.decode())["loops"]
    for thread in report["threads"]:
        del thread["busy"]  # the page draws it from its own log
    for row in (row for table in ("procedures", "lines", "loops", "modules", "languages") for row in report.get(table, [])):
        row.pop("totals", None)
        row["events"] = {name: value for name, value in row["events"].items() if value["value"] != 0 or value["error"] != 0 or value["estimate"] or value["mixed"]}
    expect(f"{what}: the report is that in JSON", data["report"] == report)
    expect(f"{what}: no blanks for people are in it", '\n  "' not in page.scripts["application/json"])
    expect(f"{what}: two scripts", page.tags["script"] == 2, page.tags)
    expect(f"{what}: nothing leads elsewhere", not page.links and "http" not in re.sub(r'http-equiv|"http://www\.w3\.org/[\w/]+"', "", text.replace(page.scripts["application/json"], "")),
           page.links)
    check_sums(what, data, report)
    check_loops(what, data, report)
    check_latency(what, data, report)
    return page, data


def column_of(data, kind):
    return next((column for column in data["columns"] if column["kind"] == kind), None)


def sums_by(data, column, key_of):
    sums = collections.Counter()
    for node, value in zip(column["nodes"], column["values"]):
        sums[key_of(node)] += value
    return sums


def procedure_of(data, node):
    symbol = data["nodes"]["symbol"][node]
    return data["symbols"]["name"][symbol], data["modules"][data["symbols"]["module"][symbol]]


def check_loops(what, data, report):
    """Calls lie in the loops that have their time in the report."""
    def key_of(node):
        loop = data["nodes"]["loop"][node]
        return (data["loops"][loop]["name"], data["loops"][loop]["module"]) if loop >= 0 else None

    sums = sums_by(data, column_of(data, "cpu"), key_of)
    expected = collections.Counter()
    for row in report.get("loops", ()):
        expected[(row["name"], row["module"]) if "depth" in row else None] += row["self_ns"]
    wrong = [(key, expected[key], sums[key]) for key in {*expected, *sums}
             if report.get("loops") and abs(expected[key] - sums[key]) > 1000 + 1e-6 * expected[key]]
    expect(f"{what}: loops have their time", not wrong, wrong[:5])
    expect(f"{what}: loops stand behind those around them", all(loop["parent"] < len(data["loops"]) for loop in data["loops"]))


def by_place(report, field):
    """Sums of a field by name and module: two procedures of two files may have one name."""
    sums = collections.Counter()
    for procedure in report["procedures"]:
        sums[procedure["name"], procedure["module"] or ""] += procedure[field]
    return sums


def check_latency(what, data, report):
    """By procedure the shares that the report has; and CPU time by the weights of steps is all of it."""
    column, weights = column_of(data, "latency"), data["times"]["latency_weight"]
    if not column:
        expect(f"{what}: no latency where the report has none", report["parallel"] is None)
        return
    total = sum(column["values"])
    sums = sums_by(data, column, lambda node: procedure_of(data, node))
    wrong = [(key, share, sums[key] / total) for key, share in by_place(report, "self_latency_share").items()
             if abs(share - sums[key] / total) > 1e-4]
    expect(f"{what}: procedures have their latency", not wrong, wrong[:5])
    expect(f"{what}: latency is at most CPU time", all(0 < w <= 1 for w in weights) and len(weights) == data["times"]["n_bins"], weights)


def check_phases(evreport, trace, data):
    answer = json.loads(subprocess.run([evreport, "phases", "-f", "json", trace], check=True, capture_output=True).stdout)
    expect("phases: those of evreport phases", len(answer["phases"]) > 1 and data["phases"] == answer, data["phases"])


def check_roofline(evreport, trace, page, data):
    """The points of evreport roofline, as data and as text."""
    done = subprocess.run([evreport, "roofline", "-f", "json", "-n", "50", trace], capture_output=True, text=True, check=True)
    # the page's numbers have two digits less
    page_has, command_has = (json.loads(text, parse_float=lambda number: f"{float(number):.12g}") for text in (json.dumps(data["roofline"]), done.stdout))
    expect("roofline: the page has what the command prints", page_has == command_has, page_has)
    expect("roofline: it is readable without JavaScript", "Operations, and the roof above them" in page.text)


def check_waits(evreport, preload, folder):
    """A wait is in the flame graph though no sample was taken there."""
    trace = os.path.join(folder, "waits.gz")
    env = {**os.environ, "LD_PRELOAD": preload.replace("libevprof.so", "libevprof-waits.so"), "EVPROF_WAITS": "on",
           "EVPROF_OUTPUT": trace, "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms"}
    subprocess.run(["/bin/sleep", "0.02"], check=True, env=env)
    data = json.loads(Page(make_page(evreport, trace)).scripts["application/json"])
    waits, column = data["report"]["waits"], column_of(data, "waits")
    expect("waits: they are on the page", column and sum(w["ns"] for w in waits) >= 20_000_000, waits)
    expect("waits: the flame graph has all of them", column and sum(column["values"]) == sum(w["ns"] for w in waits),
           column)


def check_sums(what, data, report):
    nodes, symbols = data["nodes"], data["symbols"]
    cpu = next(column for column in data["columns"] if column["kind"] == "cpu")
    expect(f"{what}: callers come before what they called",
           all(parent < i for i, parent in enumerate(nodes["parent"]) if i))
    expect(f"{what}: all of the time is there", abs(sum(cpu["values"]) - report["run"]["sampled_ns"]) <= len(cpu["values"]),
           (sum(cpu["values"]), report["run"]["sampled_ns"]))
    sums = collections.Counter()
    for node, value in zip(cpu["nodes"], cpu["values"]):
        symbol = nodes["symbol"][node]
        sums[symbols["name"][symbol], data["modules"][symbols["module"][symbol]]] += value
    wrong = [(key, self_ns, sums[key]) for key, self_ns in by_place(report, "self_ns").items()
             if abs(self_ns - sums[key]) > 1000 + 1e-6 * self_ns]
    expect(f"{what}: procedures have their time", not wrong, wrong[:5])
    times = data["times"]
    expect(f"{what}: times lie in the run", all(0 <= b < times["n_bins"] for b in times["bin"])
           and all(0 <= n < len(nodes["parent"]) for n in times["node"]))


def check_metrics(evreport, folder, data):
    """Those of evreport metrics, and of each model all that stand in its tree."""
    answer = subprocess.run([evreport, "metrics", "-f", "json", os.path.join(folder, "simulated.gz")], check=True, capture_output=True)
    expected = {(view["model"], m["metric"]): m for view in json.loads(answer.stdout) for m in view["metrics"]}
    got = {(m["model"], m["name"]): m for m in data["metrics"]}
    wrong = [(key, got[key]["value"], m["value"]) for key, m in expected.items()
             if key in got and (got[key]["value"] is None) != (m["status"] != "ok")]
    wrong += [(key, got[key]["value"], m["value"]) for key, m in expected.items()
              if key in got and m["status"] == "ok" and abs(got[key]["value"] - m["value"]) > 1e-5 * abs(m["value"])]
    expect("metrics: the values are those of evreport metrics", not wrong, wrong)
    names = {name for _, name in got}
    expect("metrics: the tree is there", {"overall", "data_accesses", "data_accesses.memory", "branches"} <= names, names)
    overall = got["lcpi", "overall"]["over_time"]
    expect("metrics: over time", len(overall) == data["times"]["n_bins"] and any(v is not None for v in overall), overall)
    depths = {name: m["depth"] for (_, name), m in got.items()}
    expect("metrics: parts stand below", depths["data_accesses"] == 0 and depths["data_accesses.memory"] == 1, depths)


def check_evil(evreport, preload, folder):
    trace = os.path.join(folder, "evil.gz")
    env = {**os.environ, "LD_PRELOAD": preload, "EVPROF_OUTPUT": trace, "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms"}
    subprocess.run([b"/bin/sh", b"-c", b"i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done", EVIL], check=True, env=env)
    page, data = check_page("evil", evreport, trace)
    expect("evil: it is text", "img" not in page.tags and "</script><script>" in data["report"]["run"]["command"],
           data["report"]["run"]["command"])
    expect("evil: no control characters", not re.search("[\x00-\x08\x0b-\x1f\x7f]", page.text))


def make_compared(evreport, *traces):
    path = traces[0] + ".compare.html"
    subprocess.run([evreport, "compare", "--html", path, *traces], check=True)
    with open(path, "rb") as file:
        page = Page(file.read().decode())
    answer = subprocess.run([evreport, "compare", "-f", "json", *traces], check=True, capture_output=True)
    return page, json.loads(page.scripts["application/json"]), json.loads(answer.stdout)


def check_compared(what, evreport, *traces):
    """The page has the JSON comparison, and a call tree whose sums are its rows."""
    page, data, report = make_compared(evreport, *traces)
    tree = data["tree"]
    expect(f"{what}: two scripts, and no link", page.tags["script"] == 2 and not page.links, (page.tags, page.links))
    expect(f"{what}: the comparison is that in JSON", data["procedures"] == report, data["procedures"])
    expect(f"{what}: callers come before what they called", all(p < i for i, p in enumerate(tree["parent"]) if i))
    sides = {"before": tree["runs"][:tree["n_before"]], "after": tree["runs"][tree["n_before"]:]}
    for side, runs in sides.items():
        sums, expected = collections.Counter(), collections.Counter()
        for run in runs:
            for name, value in zip(tree["name"], run["self_ns"]):
                sums[tree["texts"][name]] += value / len(runs)
        for row in report["rows"]:
            expected[row["name"]] += 1e9 * row[f"{side}_s"]
        wrong = [(name, expected[name], sums[name]) for name in {*sums, *expected} if abs(sums[name] - expected[name]) > 1000]
        expect(f"{what}: procedures have their time {side}", not wrong, wrong[:5])
    expect(f"{what}: the text is there", "Where the time changed" in page.text and report["in_short"][0][:20] in page.text)
    return data


def check_comparisons(evreport, generate, folder):
    traces = []
    for case in ("basic", "other-host", "tree"):
        traces.append(os.path.join(folder, f"{case}-2.gz"))
        with open(traces[-1], "wb") as file:
            subprocess.run([generate, case], stdout=file, check=True)
    check_compared("two runs", evreport, traces[0], traces[1])
    check_compared("two programs", evreport, traces[0], traces[2])
    check_compared("runs of a side", evreport, traces[0], traces[1], "--", traces[2])
    data = check_compared("a run and itself", evreport, traces[0], traces[0])
    expect("a run and itself: nothing changed", data["tree"]["runs"][0] == data["tree"]["runs"][1] and
           all(row["change_s"] == 0 for row in data["procedures"]["rows"]))
    refused = subprocess.run([evreport, "compare", "--html", traces[0] + ".html", traces[0], "--", traces[1], "--", traces[2]],
                             capture_output=True, text=True)
    expect("three programs have no page, which is said", refused.returncode and "two sides" in refused.stderr, refused)


def check_refusals(evreport, folder, trace):
    """An option that a page passes over is refused, with one line that says which, and nothing is written."""
    page = os.path.join(folder, "refused.html")
    for options, said in ((["--html", page, "-o", page + ".txt"], "leave -o out"),
                          (["--html", page, "--format", "json"], "leave --format out"),
                          (["compare", "--html", page, "--format", "json", trace], "leave --format out"),
                          (["--no-source"], "--no-source is for a page"),
                          (["--no-source", "--format", "csv", "-o", page], "--no-source is for a page"),
                          (["--calls", "all", "--html", page], "--calls all needs --format json")):
        refused = subprocess.run([evreport, *options, trace], capture_output=True, text=True)
        expect(f"refused: {' '.join(options).replace(folder, '')}", refused.returncode == 2 and
               said in refused.stderr.splitlines()[0] and not refused.stdout and not os.path.exists(page), refused)
    for options in (["--html", page, "--format", "html"], ["--format", "html", "--no-source", "-o", page]):
        written = subprocess.run([evreport, *options, trace], capture_output=True, text=True)
        expect(f"{' '.join(options).replace(folder, '')} writes a page", not written.returncode and os.path.exists(page), written)
        os.unlink(page)


def main():
    evreport, generate, preload = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            trace = os.path.join(folder, f"{case}.gz")
            with open(trace, "wb") as file:
                subprocess.run([generate, case], stdout=file, check=True)
            page, data = check_page(case, evreport, trace)
            if case == "simulated":
                check_metrics(evreport, folder, data)
            if case == "rests":
                rests.check_data(evreport, trace, data, expect)
            if case == "flops":
                check_roofline(evreport, trace, page, data)
            if case == "basic":
                expect("basic: no roofline", data["roofline"] is None)
                check_phases(evreport, trace, data)
            expect(f"{case}: the text is there", "Where the time went" in page.text)
        check_evil(evreport, os.path.realpath(preload), folder)
        check_waits(evreport, os.path.realpath(preload), folder)
        check_comparisons(evreport, generate, folder)
        check_refusals(evreport, folder, trace)
        refused = subprocess.run([evreport, "--html", trace, trace], capture_output=True, text=True)
        expect("a trace is not written over", refused.returncode and "trace" in refused.stderr, refused)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
