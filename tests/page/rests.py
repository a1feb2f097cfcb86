# SPDX-License-Identifier: BSD-3-Clause
"""Waits and regions of a range on the page are those that evreport --from --to shows, of a trace whose waits are known.

The trace (tests/trace/rests.c) has waits for data from 0.1 to 0.3 s and for a mutex from 0.4 to 0.6 s in one thread,
and for a condition variable in another all the time.
"""
import collections
import json
import re
import subprocess

RANGES = ((0, 120), (0, 60), (60, 120), (17, 52), (40, 41), (55, 70))


def report_of(evreport, trace, from_s, to_s):
    run = subprocess.run([evreport, "-f", "json", "-n", "2000", "--parts", "all", "--from", repr(from_s), "--to", repr(to_s), trace], check=True, capture_output=True)
    return json.loads(run.stdout)


def seconds(data, bins):
    return [data["report"]["run"]["from_s"] + at * data["times"]["bin_s"] for at in bins]


def sums_of(data, kind, bins):
    """{row: [ns, n, reaches over the border]}"""
    sums, of = {}, data["sums"][kind]
    for row, at, first, last, n, ns in zip(of["row"], of["bin"], of["first"], of["last"], of["n"], of["ns"]):
        if bins[0] <= at < bins[1]:
            sum_ = sums.setdefault(row, [0, 0, False])
            sum_[0] += ns
            sum_[1] += n
            sum_[2] |= ns > 0 and (first < bins[0] or last >= bins[1])
    return sums


def wait_key(wait):
    return wait["kind"], wait["what"], wait["path"]


def differences(data, report, bins):
    """Seconds agree to a microsecond, and numbers that are rounded to a half."""
    got = {wait_key(data["report"]["waits"][row]): sums for row, sums in sums_of(data, "waits", bins).items()}
    wanted = {wait_key(wait): [wait["ns"], wait["n_waits"], wait["is_estimate"]] for wait in report["waits"]}
    regions = sums_of(data, "regions", bins)
    got.update({region["name"]: regions.get(i, [0, 0, False]) for i, region in enumerate(data["report"]["regions"])})
    wanted.update({region["name"]: [1e9 * region["wall_s"], region["n_entries"], region["is_estimate"]] for region in report["regions"]})
    return [(key, got.get(key), wanted.get(key)) for key in {*got, *wanted}
            if key not in got or key not in wanted or abs(got[key][0] - wanted[key][0]) > 1000
            or abs(got[key][1] - wanted[key][1]) > .501 and wanted[key][1] != 1 or bool(got[key][2]) != wanted[key][2]]


def check_data(evreport, trace, data, expect):
    for bins in RANGES:
        wrong = differences(data, report_of(evreport, trace, *seconds(data, bins)), bins)
        expect(f"rests: waits and regions of steps {bins[0]} to {bins[1]} are evreport's", not wrong, wrong)
    nodes, of = collections.Counter(), data["sums"]["waits"]
    for node, ns in zip(of["node"], of["ns"]):
        nodes[node] += ns
    column = next(column for column in data["columns"] if column["kind"] == "waits")
    wrong = [(node, value, nodes[node]) for node, value in zip(column["nodes"], column["values"]) if abs(value - nodes[node]) > 1000]
    expect("rests: calls have their waits", column["nodes"] and not wrong, wrong)


def time_of(text):
    """Seconds of '~12.3 ms'."""
    if text == "0":
        return 0
    found = re.fullmatch(r"~?([\d.,]+) (ns|us|µs|ms|s)", text)
    return float(found[1].replace(",", "")) * {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1}[found[2]] if found else float("nan")


def is_near(text, seconds_):
    return abs(time_of(text) - seconds_) <= 6e-3 * abs(seconds_)


def check(browser, evreport, trace, page):
    from tab import drag, expect, open_table
    expect("rests: it loads", browser.open(page))
    data = json.loads(browser.run("document.getElementById('evprof-data').textContent"))
    wholes = {name: open_table(browser, name) for name in ("Waits", "Regions")}
    for bins in RANGES[1:]:
        drag(browser, (bins[0] + .3) / 120, (bins[1] - .3) / 120)
        report = report_of(evreport, trace, *seconds(data, bins))
        rows = {row[0]: row for row in open_table(browser, "Waits")}
        wrong = [(wait, rows) for wait in report["waits"] for name in [f"{wait['kind']}: {wait['what']}" if wait["what"] else wait["kind"]]
                 if name not in rows or not is_near(rows[name][1], wait["ns"] / 1e9) or rows[name][1].startswith("~") != wait["is_estimate"]
                 or int(rows[name][3].lstrip("~")) != wait["n_waits"] or not is_near(rows[name][4], wait["longest_ns"] / 1e9)]
        expect(f"rests: the table of waits of steps {bins[0]} to {bins[1]} is evreport's", len(rows) == len(report["waits"]) and not wrong, wrong)
        rows = {row[0]: row for row in open_table(browser, "Regions")}
        wrong = [(region, rows) for region in report["regions"]
                 if not is_near(rows[region["name"]][2], region["wall_s"]) or rows[region["name"]][2].startswith("~") != region["is_estimate"]]
        expect(f"rests: the table of regions of steps {bins[0]} to {bins[1]} is evreport's", len(rows) == 2 and not wrong, wrong)
    browser.run("document.getElementById('clear').click()")
    expect("rests: the whole run comes back", all(open_table(browser, name) == rows for name, rows in wholes.items()))
