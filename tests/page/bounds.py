# SPDX-License-Identifier: BSD-3-Clause
"""Where a page's data are bounded, or an error is small, the page says so: pages whose data are changed by hand."""
import json
import os
import re


def changed(page, name, change):
    """A page beside another one, with change(data)."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    found = re.search(r'<script type="application/json" id="evprof-data">(.*?)</script>', text, re.S)
    data = json.loads(found[1])
    change(data)
    path = os.path.join(os.path.dirname(page), name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text[:found.start(1)] + json.dumps(data).replace("<", "\\u003c") + text[found.end(1):])
    return path


def pick_thread(browser, row):
    browser.run(f"document.querySelectorAll('#timeline .pick')[{row}].dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")


NOTE = "document.getElementById('table-note').textContent"


def check_errors(browser, page):
    from tab import expect, open_table

    def change(data):
        for event, error in zip(data["report"]["events"], (.1, 1000)):
            event.update(total=10, error=error, estimate=True)

    expect("bounds: it loads", browser.open(changed(page, "errors.html", change)))
    bars = [row[2] for row in open_table(browser, "Events")]
    expect("bounds: an error that is not zero is not shown as zero", bars.count("±<1") == bars.count("±1,960") == 1 and "±0" not in bars, bars)
    how = browser.run("document.getElementById('how').textContent")
    expect("bounds: likewise below", "±<1" in how and "±0" not in how, how)


def check_threads(browser, page):
    """Threads behind the first one are one."""
    from tab import drag, expect, open_table

    def change(data):
        of = data["sums"]["waits"]
        of.update(thread=[-1 if thread else 0 for thread in of["thread"]], n_threads=1)

    expect("bounds: it loads without threads", browser.open(changed(page, "threads.html", change)))
    whole = open_table(browser, "Waits")
    names = browser.run("[...document.querySelectorAll('#timeline .pick')].map((name) => name.textContent)")
    pick_thread(browser, names.index(next(name for name in names if "watcher" in name)))
    said = browser.run("document.getElementById('selection').textContent")
    rows = open_table(browser, "Waits")
    expect("bounds: of a thread that is not told apart the whole run is shown", "watcher" in said and len(rows) == len(whole) > 0
           and [row[:6] for row in rows] == [row[:6] for row in whole], (said, rows))
    expect("bounds: which is said", "of the whole run: all threads but the first 1 are one on the page" in browser.run(NOTE), browser.run(NOTE))
    browser.run("document.getElementById('clear').click()")
    drag(browser, .005, .995)
    drag(browser, .005, .9)
    rows = open_table(browser, "Waits")
    expect("bounds: how many threads are one is not known", sorted({row[5] for row in rows}) == ["-", "1"], rows)


def check_steps(browser, page):
    """Eight steps of the timeline are one of the sums: a half of it has a half."""
    from tab import drag, expect, open_table

    def change(data):
        row = {"row": 0, "node": 1, "thread": 0, "bin": 2, "first": 10, "last": 23, "n": 8, "ns": 8e9, "cpu_ns": 0, "longest_ns": 1e9}
        data["sums"]["waits"].update({key: [value] for key, value in row.items()}, bins_joined=8)

    expect("bounds: it loads with longer steps", browser.open(changed(page, "steps.html", change)))
    for first, last, time, n in ((16, 24, "8.00 s", "8"), (8, 20, "4.00 s", "4"), (10, 30, "8.00 s", "8"), (23, 25, "1.00 s", "1")):
        drag(browser, (first + .3) / 120, (last - .3) / 120)
        rows = open_table(browser, "Waits")
        expect(f"bounds: steps {first} to {last} have their share", [[row[1].lstrip("~"), row[3].lstrip("~")] for row in rows] == [[time, n]], rows)
        expect("bounds: it is an estimate where the step is cut", [row[1][0] == "~" for row in rows] == [first > 10 or last < 24], rows)


def check_regions(browser, page):
    """A region with little is left out, and does not seem to be of no time."""
    from tab import drag, expect, open_table

    def change(data):
        of = data["sums"]["regions"]
        of.update(row=[-1 if row else 0 for row in of["row"]], least_share=.0064)

    expect("bounds: it loads without a region", browser.open(changed(page, "left.html", change)))
    whole = open_table(browser, "Regions")
    drag(browser, .005, .9)
    rows = open_table(browser, "Regions")
    expect("bounds: a region that is not told apart is left out", len(whole) == 2 and [row[0] for row in rows] == [whole[0][0]], rows)
    expect("bounds: which is said of regions", "regions with less than 0.6 % of the time are left out" in browser.run(NOTE), browser.run(NOTE))
    known = rows[0][9]
    drag(browser, .005, .35)
    rows = open_table(browser, "Regions")
    expect("bounds: the wait of a region that is cut has no error", known.startswith("±") and rows[0][8].startswith("~") and rows[0][9] == "", (known, rows))


def check(browser, rests, events):
    check_errors(browser, events)
    check_threads(browser, rests)
    check_steps(browser, rests)
    check_regions(browser, rests)
