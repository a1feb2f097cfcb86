# SPDX-License-Identifier: BSD-3-Clause
"""The metrics of a range on the page are those that evreport metrics --from --to computes, and so are their bars."""
import json
import math
import os
import re
import subprocess

from tab import drag, expect

# The model, the metric and its value.
ROWS = "[...document.querySelectorAll('#metrics table')].flatMap((t) => [...t.querySelectorAll('tbody tr')].map((r) => [t.dataset.model, r.children[0].textContent.replace('▸ ', ''), r.children[2].textContent]))"


def number(text):
    """A value of the page's table: NaN where it says why there is none."""
    try:
        words = text.lstrip("~").split()
        return float(words[0].replace(",", "")) * (.01 if words[1:] == ["%"] else 1)
    except (IndexError, ValueError):
        return float("nan")


def computed(evreport, trace, from_s, to_s):
    answer = subprocess.run([evreport, "metrics", trace, "-f", "json", "--from", repr(from_s), "--to", repr(to_s)], check=True, capture_output=True)
    return json.loads(answer.stdout)


def compare(rows, models):
    """The page's rows that are not what the models' metrics are, of four digits; and how many were compared."""
    values = {(m["model"], metric["metric"]): metric for m in models for metric in m["metrics"]}
    wrong, n = [], 0
    for model, name, text in rows:
        if (model, name) not in values:
            continue  # evreport metrics tells of the largest models alone
        value = values[model, name]["value"]
        if value is None:
            wrong += [(name, text, None)] if math.isfinite(number(text)) else []
            continue
        n += 1
        wrong += [] if abs(number(text) - value) <= 6e-4 + 6e-4 * abs(value) else [(name, text, value)]
    return wrong, n


def check(browser, evreport, folder, case):
    trace, page = (os.path.join(folder, f"{case}.{ending}") for ending in ("gz", "html"))
    subprocess.run([evreport, "--html", page, trace], check=True)
    expect("metrics of a range: it loads", browser.open(page))
    whole = browser.run(ROWS)
    from_s, bin_s, n_bins = browser.run("(() => { const d = JSON.parse(document.getElementById('evprof-data').textContent);"
                                        " return [d.report.run.from_s, d.times.bin_s, d.times.n_bins]; })()")
    for start, end in ((0, n_bins // 3), (n_bins // 3, n_bins)):
        drag(browser, (start + .3) / n_bins, (end - .3) / n_bins)
        rows = browser.run(ROWS)
        wrong, n = compare(rows, computed(evreport, trace, from_s + start * bin_s, from_s + end * bin_s))
        expect(f"metrics of a range: {start} to {end} are evreport's", n > 10 and not wrong, (n, wrong))
    expect("metrics of a range: they are not the run's", rows != whole, rows)
    browser.run("document.getElementById('clear').click()")
    expect("metrics of a range: the run's come back", browser.run(ROWS) == whole)


def bars_of(rows, metrics):
    """The share of each metric that the page shows, its bar and the one of the report; where there is one."""
    shown = {(model, name): re.match(r"~([\d.]+) % ±([\d.]+)$", text) for model, name, text in rows}
    return {m["metric"]: (float(found[1]), float(found[2]), 196 * m["standard_error"]) for m in metrics
            if (found := shown.get((m["model"], m["metric"]))) and m["standard_error"] > 1e-3}


def check_bars(browser, evreport, folder, page):
    """One of two events that half of the slices count makes bars, in a third of the run as large as in the whole, since
    the same is not known of all slices: 17 replicas tell a bar to 18 %."""
    trace = os.path.join(folder, "topdown.gz")
    expect("bars of a range: it loads", browser.open(page))
    bin_s, n_bins = browser.run("(() => { const d = JSON.parse(document.getElementById('evprof-data').textContent); return [d.times.bin_s, d.times.n_bins]; })()")
    for start, end in ((0, n_bins // 3), (n_bins // 3, n_bins)):
        drag(browser, (start + .3) / n_bins, (end - .3) / n_bins)
        answer = subprocess.run([evreport, trace, "-f", "json", "--from", repr(start * bin_s), "--to", repr(end * bin_s)], check=True, capture_output=True)
        bars = bars_of(browser.run(ROWS), json.loads(answer.stdout)["metrics"])
        wrong = {name: bar for name, bar in bars.items() if not 1 / 1.5 < bar[1] / bar[2] < 1.5}
        expect(f"bars of a range: {start} to {end} are evreport's", set(bars) == {"Bad_Speculation", "Backend_Bound"} and not wrong, bars)
        expect("bars of a range: nothing is missing, and nothing says so", "no error" not in browser.run("document.getElementById('metrics-note').textContent"))
