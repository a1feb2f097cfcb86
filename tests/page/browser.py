#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page in Chromium, without a network: browser.py EVREPORT PRELOAD HEAT GENERATE.

It loads without a word on the console, a range that is dragged changes the graph and the table, search, keys and
the view of one procedure work, and an evil name runs no script.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import bounds
import metrics_range
import ranks
import rests
import roofline
import tab
from tab import TABLE, Browser, choose, drag, expect, open_table

# An argument, and the name of a program.
EVIL = "</script><script>document.title='evil'</script><img src=x onerror=\"document.title='evil'\">\udcff\x1b[31m" + "x" * 10000
EVIL_PROGRAM = "<img src=x onerror=document.title='evil'>&amp;\"'\x1b[31m\udcff"
SUMS = """(() => {
    const data = JSON.parse(document.getElementById("evprof-data").textContent), sums = {};
    const add = (node) => {
        if (node.symbol >= 0) {
            const key = `${data.symbols.name[node.symbol]} ${data.modules[data.symbols.module[node.symbol]]}`;
            sums[key] = (sums[key] || 0) + node.self;
        }
        node.children.forEach(add);
    };
    add(document.querySelector("#flame div").__data__.data);
    return data.report.procedures.map((p) => [p.name, p.self_ns, sums[`${p.name} ${p.module || ""}`] || 0]);
})()"""
# A part without any has no box.
ALL = "(document.querySelector('#flame div') || { __data__: { data: { total: 0 } } }).__data__.data.total"
# The numbers of columns in the graph's choice.
LATENCY = "[...document.getElementById('column').options].findIndex((o) => o.textContent.startsWith('latency'))"
CPU = "[...document.getElementById('column').options].findIndex((o) => o.textContent === 'CPU time')"
PAGES = ("Procedures", "Lines", "Loops", "Libraries", "Activities", "Threads", "Processes", "Events")

# Corners of the timeline's rows: a step that has another height than the one before has two.
CORNERS = "[...document.querySelectorAll('#timeline .thread path')].reduce((n, path) => n + path.getAttribute('d').split('L').length, 0)"


def check_range(browser):
    """Every table is another one in a range, and two halves are the whole."""
    wholes, all_ns = [open_table(browser, name) for name in PAGES], browser.run(ALL)
    said = drag(browser, 0.002, 0.498)  # of 120 steps, which are whole
    dragged = browser.run("(() => { const t = document.getElementById('timeline'); return t.dragged / (t.getBoundingClientRect().width - 190); })()")
    expect("the range is marked while it is dragged", 0.45 < dragged < 0.55, dragged)
    expect("a range is said", said.startswith("Shown: from "), said)
    first = browser.run(ALL)
    for i, name in enumerate(PAGES):
        part = open_table(browser, name)
        # on a busy machine the first half may be the loader's, which has no lines
        expect(f"table {name} follows the range", len(wholes[i]) and part != wholes[i] and (len(part) or name == "Lines"), part[:2])
    choose(browser, "column", browser.run(LATENCY))
    first_latency = browser.run(ALL)
    drag(browser, 0.502, 0.998)
    second_latency = browser.run(ALL)
    choose(browser, "column", browser.run(CPU))
    second = browser.run(ALL)
    expect("two halves are the whole", abs(first + second - all_ns) < 1e-3 * all_ns, (first, second, all_ns))
    browser.run("document.getElementById('clear').click()")
    choose(browser, "column", browser.run(LATENCY))
    all_latency = browser.run(ALL)
    expect("two halves are the whole latency", abs(first_latency + second_latency - all_latency) < 1e-3 * all_latency,
           (first_latency, second_latency, all_latency))
    choose(browser, "column", browser.run(CPU))
    open_table(browser, PAGES[0])


def check_views(browser, path):
    expect("it loads", browser.open(path))
    expect("facts are shown", "heat" in browser.run("document.getElementById('facts').textContent"))
    frames = browser.run("document.querySelectorAll('#flame div').length")
    expect("the flame graph has frames", frames > 5, frames)
    whole = browser.run(TABLE)
    expect("the table has rows", len(whole) > 5, whole)
    wrong = [row for row in browser.run(SUMS) if abs(row[1] - row[2]) > 1000 + 1e-6 * row[1]]
    expect("the flame graph's sums are the report's", not wrong, wrong)
    check_range(browser)
    expect("the whole run comes back", browser.run(TABLE) == whole)
    browser.run("document.querySelector('#table tbody button').click()")
    expect("one procedure has callers", browser.run("!document.getElementById('one').hidden && document.querySelectorAll('#callers div').length > 0"))
    browser.run("(() => { const s = document.getElementById('search'); s.value = 'main'; s.dispatchEvent(new Event('input')); })()")
    expect("search marks frames", browser.run("document.querySelectorAll('#flame .found').length") > 0)
    expect("search filters rows", 0 < len(browser.run(TABLE)) < len(whole))
    browser.run("(() => { const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input')); })()")
    before = browser.run("document.querySelectorAll('#flame .above').length")
    browser.run("""for (const key of ["ArrowDown", "ArrowDown", "Enter"])
        document.getElementById("flame").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))""")
    expect("keys zoom in", browser.run("document.querySelectorAll('#flame .above').length") > before)
    browser.run("document.getElementById('inverted').click()")
    expect("the inverse is drawn", browser.run("document.querySelectorAll('#flame div').length") > 5)
    for value in ("activity", "procedure", "library"):
        choose(browser, "color", value)
        expect(f"colours by {value} are told", browser.run("document.querySelectorAll('#flame-legend span').length > 0") or value == "procedure")
    expect("every colour of the legends is one", browser.run(
        "[...document.querySelectorAll('.swatch')].every((s) => s.style.background)"), browser.run("document.getElementById('row-legend').innerHTML"))
    for value in ("busy", "procedure", "activity"):
        choose(browser, "rows", value)
        expect(f"threads by {value}", browser.run(CORNERS) > 20)
    for width in (1400, 400):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        expect(f"{width} pixels: nothing is wider than the page", browser.run("document.documentElement.scrollWidth <= innerWidth"),
               browser.run("[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.wide, .scroll, .flame')).map((e) => e.tagName + e.id).join()"))
    browser.call("Emulation.clearDeviceMetricsOverride")
    paper = "getComputedStyle(document.body).backgroundColor"
    before = browser.run(paper)
    browser.run("document.getElementById('theme').click()")
    expect("light and dark differ", browser.run(paper) != before)


def check_mouse(browser):
    """A mouse drags a range, and an end of it to elsewhere; another range begins in it; a click takes it away."""
    left, top, width, all_s = browser.run("""(() => {
        const { times } = JSON.parse(document.getElementById("evprof-data").textContent), svg = document.querySelector("#timeline svg");
        svg.scrollIntoView();
        const box = svg.getBoundingClientRect();
        return [box.left + 190, box.top, box.width - 190, times.bin_s * times.n_bins];
    })()""")

    def drag_mouse(*shares):
        kinds = ["mousePressed"] + ["mouseMoved"] * (len(shares) - 1) + ["mouseReleased"]
        for kind, share in zip(kinds, [*shares, shares[-1]]):
            browser.call("Input.dispatchMouseEvent", type=kind, x=left + share * width, y=top + 20, button="left", buttons=1, clickCount=1)
        said = browser.run("document.getElementById('selection').textContent")
        return [round(float(s) / all_s, 1) for s in re.findall(r"from ([\d.e-]+) to ([\d.e-]+) s", said)[0]] if " from " in said else said[:20]

    for what, shares, expected in (("drags a range", (.2005, .3, .4995), [.2, .5]), ("drags its end", (.5, .6, .7995), [.2, .8]),
                                   ("begins another one in it", (.6995, .5, .4005), [.4, .7]), ("takes it away by a click", (.9,), "Shown: the whole run")):
        seen = drag_mouse(*shares)
        expect(f"mouse: it {what}", seen == expected, seen)


# [height, boxes, first text], and the call that two keys reach
DEPTH = """(() => {
    const box = document.getElementById("flame"), seen = [box.clientHeight, box.scrollHeight, box.children.length, box.children[1].textContent];
    for (let i = 0; i < 2; i++) box.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
    return [...seen, box.querySelector(".current").__data__.data.symbol];
})()"""


def deepen(symbol_of, share):
    """Changes a page's data: a share of the time is 201 calls deep, of which call i is of a symbol."""
    def change(data):
        nodes, column = data["nodes"], next(column for column in data["columns"] if column["kind"] == "cpu")
        for key, values in nodes.items():
            nodes[key] = values[:1] + values[1:2] * 201
        nodes.update(parent=[0, *range(201)], symbol=nodes["symbol"][:1] + [symbol_of(i) for i in range(201)])
        data["columns"] = [{**column, "nodes": [0, 201], "values": [1000 * (1 - share), 1000 * share]}]
        data["times"].update({key: [] for key in ("node", "bin", "thread", "us")})
        data["symbols"]["name"] = [f"name {i}" for i in range(len(data["symbols"]["name"]))]

    return change


def check_depth(browser, page):
    """What is deep is whole, and takes no more room than what it says needs."""
    def look(symbol_of, share):
        browser.open(bounds.changed(page, "deep.html", deepen(symbol_of, share)))
        return browser.run(DEPTH)

    seen = look(lambda i: 5 if i < 200 else 6, 1)
    expect("depth: 200 calls of itself are one box, and what they call is below", seen == [54, 54, 3, "name 5 ×200", 6], seen)
    seen = look(lambda i: i % 2, 1)
    expect("depth: 201 calls that differ are scrolled", seen == [900, 202 * 18, 202, "name 0", 1], seen)
    seen = look(lambda i: i % 2, .05)
    expect("depth: levels that are nearly empty are thin", seen[1:3] == [18 + 201 * 5, 202], seen)


def make_generated(evreport, generate, folder, case):
    trace, page = os.path.join(folder, f"{case}.gz"), os.path.join(folder, f"{case}.html")
    with open(trace, "wb") as file:
        subprocess.run([generate, case], stdout=file, check=True)
    subprocess.run([evreport, "--html", page, trace], check=True)
    return page


def check_metrics(browser, path):
    expect("metrics: it loads", browser.open(path))
    rows = browser.run("[...document.querySelectorAll('#metrics tbody tr')].map((r) => r.children[0].textContent)")
    expect("metrics: the tree is drawn", {"overall", "data_accesses", "branches.mispredicted"} <= set(rows), rows)
    line = "document.querySelector('#timeline svg text').textContent"
    before = browser.run(line)
    browser.run("document.querySelector('#metrics tbody button').click()")
    expect("metrics: one is shown over time", before == "CPUs busy" and browser.run(line) == "overall", (before, browser.run(line)))


def check_phases(browser, path):
    """Two phases: a click on the second shows it, and nothing of the first."""
    expect("phases: it loads", browser.open(path))
    rows = open_table(browser, "Phases")
    expect("phases: there are two", [row[0] for row in rows] == ["1 A", "2 B"], rows)
    browser.run("document.querySelectorAll('#table tbody button')[1].click()")
    said = browser.run("document.getElementById('selection').textContent")
    expect("phases: the second is shown", re.match(r"Shown: from 0\.(2|199).* to 0\.(6|599)", said), said)
    rows = browser.run(TABLE)
    expect("phases: the first is not", [row[0] for row in rows] == ["2 B"], rows)
    browser.run("document.querySelector('#timeline .phase').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    said = browser.run("document.getElementById('selection').textContent")
    expect("phases: a click on its mark shows the first", re.match(r"Shown: from 0\.000 to 0\.(2|199)", said), said)


def check_serial_parts(browser, path):
    """One thread runs alone from 0.2 s on: a click shows that time."""
    expect("serial parts: it loads", browser.open(path))
    rows = open_table(browser, "Serial parts")
    expect("serial parts: there is one", len(rows) == 1 and rows[0][0].startswith("0.2"), rows)
    browser.run("document.querySelector('#table tbody button').click()")
    said = browser.run("document.getElementById('selection').textContent")
    expect("serial parts: it is shown", re.match(r"Shown: from 0\.(2|199).* to 0\.(6|599)", said), said)
    rows = browser.run(TABLE)
    expect("serial parts: it lies in the part", len(rows) == 1, rows)


def make_waits(evreport, preload, env, folder):
    """Two threads, one of which holds a mutex while both sleep: a wait with its holder."""
    trace, page = os.path.join(folder, "waits.gz"), os.path.join(folder, "waits.html")
    preload = os.path.realpath(preload).replace("libevprof.so", "libevprof-waits.so")
    script = ("import threading, time\nlock = threading.Lock()\ndef work():\n  with lock: time.sleep(.02)\n"
              "for t in [threading.Thread(target=work) for _ in range(2)]: t.start()\n")
    subprocess.run(["/usr/bin/python3", "-c", script], env={**env, "LD_PRELOAD": preload, "EVPROF_WAITS": "on", "EVPROF_OUTPUT": trace},
                   check=True)
    subprocess.run([evreport, "--html", page, trace], check=True)
    return page


def check_waits(browser, path):
    expect("waits: it loads", browser.open(path))
    rows = open_table(browser, "Waits")
    expect("waits: they are in a table", any(row[0] == "sleep" for row in rows), rows)
    choose(browser, "column", browser.run("[...document.getElementById('column').options].findIndex((o) => o.textContent.includes('waited'))"))
    sum_ns = browser.run("JSON.parse(document.getElementById('evprof-data').textContent).report.waits.reduce((a, w) => a + w.ns, 0)")
    expect("waits: the flame graph has them", browser.run(ALL) == sum_ns >= 40_000_000, sum_ns)
    drag(browser, 0.002, 0.498)
    first_ns = browser.run(ALL)
    drag(browser, 0.502, 0.998)
    second_ns = browser.run(ALL)
    expect("waits: the graph follows a range, and two halves are the whole", abs(first_ns + second_ns - sum_ns) < 1e-4 * sum_ns,
           (first_ns, second_ns, sum_ns))


def check_regions(browser, folder):
    """A page whose report has regions, one of them with an evil name."""
    page = os.path.join(folder, "regions.html")
    row = {"self_ns": 1e9, "total_ns": 2e9, "self_share": .25, "total_share": .5, "self_error": .01, "total_error": .02}
    outer = {**row, "name": "outer", "depth": 0, "n_entries": 1234, "wall_s": 3, "waiting_s": 1, "waiting_error_s": .5}
    inner = {**row, "name": "<b>inner</b>", "depth": 1, "n_entries": 7, "wall_s": 2.5, "waiting_s": .5, "waiting_error_s": None, "is_estimate": True}
    with open(os.path.join(folder, "heat.html"), encoding="utf-8") as file, open(page, "w", encoding="utf-8") as out:
        regions = json.dumps([outer, inner]).replace("<", "\\u003c")
        out.write(file.read().replace('{"report":{', f'{{"report":{{"regions":{regions},', 1))
    expect("regions: it loads", browser.open(page))
    rows = open_table(browser, "Regions")
    expect("regions: each with what is known of it", rows == [
        ["outer", "1,234", "3.00 s", "2.00 s", "50.0 %", "±3.9", "25.0 %", "±2.0", "1.00 s", "±980 ms"],
        ["\u00a0" * 4 + "<b>inner</b>", "~7", "~2.50 s", "2.00 s", "50.0 %", "±3.9", "25.0 %", "±2.0", "~500 ms", ""]], rows)
    drag(browser, 0.002, 0.498)
    note = browser.run("document.getElementById('table-note').textContent")
    expect("regions: without times a range does not change them, which is said", open_table(browser, "Regions") == rows and "when they were is not in the trace" in note, note)


def check_selection(browser, evreport, folder):
    """A page of a part: its head and its timeline say of which, and a range of it says both."""
    page = os.path.join(folder, "selection.html")
    subprocess.run([evreport, "--process", "heat", "--html", page, os.path.join(folder, "heat.gz")], check=True)
    expect("selection: it loads", browser.open(page))
    selection = browser.run("JSON.parse(document.getElementById('evprof-data').textContent).report.run.selection")
    said, facts = [browser.run(f"document.getElementById('{name}').textContent") for name in ("selection", "facts")]
    expect("selection: the head and the timeline say it", selection and f"Shown{selection}" in facts and said.startswith(f"Shown: {selection}; "),
           (facts, said))
    expect("selection: metrics are of it", browser.run("document.getElementById('metrics-of').textContent") == f"Metrics, {selection}")
    said = drag(browser, 0.002, 0.498)
    expect("selection: a range of it", said.startswith(f"Shown: {selection}, from "), said)


CODE = """(() => {
    const data = JSON.parse(document.getElementById("evprof-data").textContent), p = data.report.procedures.find((p) => p.name === "NAME");
    return data.code.find((c) => c.name === p.name && c.module === p.module);
})()"""
CODE_SHARES = "[...document.querySelectorAll('#code-lines tr')].map((r) => r.textContent)"


def check_code(browser, evreport, folder):
    """The lines and instructions of evreport annotate, with the file's text; a range changes the lines."""
    path = os.path.join(folder, "heat.html")
    browser.open(path)
    # on a busy machine a procedure of the C library may have most of the time, whose source is not here
    name = browser.run("""JSON.parse(document.getElementById('evprof-data').textContent).code
        .find((c) => c.module.endsWith("/heat") && c.files.some((f) => f.lines.some((l) => l[1]))).name""")
    code = browser.run(CODE.replace("NAME", name))
    answer = subprocess.run([evreport, "annotate", name, os.path.join(folder, "heat.gz"), "-f", "json"], check=True, capture_output=True)
    expected = json.loads(answer.stdout)
    shown = {(f["file"], line): (self_ns, text) for f in code["files"] for line, self_ns, text in f["lines"]}
    wrong = [row for row in expected["lines"] if row["self_ns"] and row["line"]
             and shown.get((row["file"], row["line"]), (0, ""))[0] != row["self_ns"]]
    expect("code: lines have their time", shown and not wrong, wrong)
    with open(expected["file"], encoding="utf-8") as file:
        source = file.read().expandtabs(8).split("\n")
    wrong = [(line, text) for (file, line), (_, text) in shown.items() if file == expected["file"] and text.split() != source[line - 1].split()]
    expect("code: lines have their text", not wrong, wrong)
    hot = {row["address"]: row["self_ns"] for row in expected["instructions"] if row["self_ns"]}
    expect("code: instructions have their time", hot == {row[0]: row[1] for row in code["instructions"] if row[1]}, code["instructions"][:3])
    browser.run(f"[...document.querySelectorAll('#table tbody button')].find((b) => b.textContent === '{name}').click()")
    whole = browser.run(CODE_SHARES)
    drag(browser, 0.502, 0.998)
    part = browser.run(CODE_SHARES)
    expect("code: lines follow the range", whole and part and part != whole, part)
    without = os.path.join(folder, "without.html")
    subprocess.run([evreport, "--no-source", "--html", without, os.path.join(folder, "heat.gz")], check=True)
    browser.open(without)
    with open(without, encoding="utf-8") as file:
        text = file.read()
    longest = max((text for _, text in shown.values() if text), key=len).strip()
    expect("code: --no-source leaves it out", browser.run("JSON.parse(document.getElementById('evprof-data').textContent).code") is None
           and json.dumps(longest)[1:-1] not in text, longest)
    browser.run("document.querySelector('#table tbody button').click()")
    expect("code: which is said", "--no-source" in browser.run("document.getElementById('code-note').textContent"))


def make_comparison(evreport, folder, before, after):
    page = os.path.join(folder, f"{before}-{after}.html")
    subprocess.run([evreport, "compare", "--html", page, *(os.path.join(folder, f"{name}.gz") for name in (before, after))], check=True)
    return page


COLORS = "[...document.querySelectorAll('#flame div')].map((d) => d.style.background)"


# The error of each procedure's change, in ns: that of the table, and that of its box in the inverse.
ERRORS = """(() => {
    const { tree, procedures } = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
    const calls = [...document.querySelectorAll('#flame div')].map((d) => d.__data__).filter((box) => box.depth === 1).map((box) => box.data);
    return calls.map((call) => {
        const name = tree.texts[tree.name[call.node]], module = tree.texts[tree.module[call.node]];
        const row = procedures.rows.find((row) => row.name === name && row.module === module);
        return [name, row ? 1e9 * row.change_error_s : null, Math.sqrt(call.variance)];
    });
})()"""


def check_errors(browser):
    browser.run("document.getElementById('inverted').click()")
    errors = browser.run(ERRORS)
    wrong = [(name, row, box) for name, row, box in errors if row is None or abs(row - box) > 1e-4 * row + 1]
    expect("compare: graph and table know one error", len(errors) > 1 and not wrong, wrong or errors)


def check_comparison(browser, path, same):
    expect("compare: it loads", browser.open(path))
    rows = browser.run(TABLE)
    expect("compare: the table has rows", len(rows) > 1, rows)
    expect("compare: the flame graph has frames", browser.run("document.querySelectorAll('#flame div').length") > 1)
    for width in ("before", "after", "both"):
        choose(browser, "width", width)
        ratio = browser.run("(() => { const top = document.querySelector('#flame div'); return top.getBoundingClientRect().width / top.parentElement.clientWidth; })()")
        expect(f"compare: as wide as {width}", abs(ratio - 1) < 0.01, ratio)
    browser.run("document.getElementById('inverted').click()")
    expect("compare: its inverse", browser.run("document.querySelectorAll('#flame div').length") > 1)
    for name in browser.run("[...document.querySelectorAll('#tabs button')].map((b) => b.textContent)"):
        expect(f"compare: table {name}", open_table(browser, name))
    loops = open_table(browser, "Loops")
    expect("compare: loops are told by their place and procedure", any(re.match(r"heat\.c:\d+$", row[0]) and row[1] for row in loops), loops)
    activities = {row[0] for row in open_table(browser, "Activities")}
    expect("compare: activities have the titles of the report", "the program's own code, and other libraries" in activities and "own" not in activities, activities)
    open_table(browser, "Loops")
    signs = browser.run("[...document.querySelectorAll('#table td.bar')].map((c) => [c.textContent[0], c.classList.contains('more')])")
    expect("compare: bars of what takes more are of another colour", signs and all((s == "+") == more for s, more in signs), signs)
    open_table(browser, "Procedures")
    browser.run("(() => { const s = document.getElementById('search'); s.value = 'zzz'; s.dispatchEvent(new Event('input')); })()")
    expect("compare: search filters rows", not browser.run(TABLE))
    expect("compare: nothing is wider than the page", browser.run("document.documentElement.scrollWidth <= innerWidth"))
    # the same run twice
    browser.open(same)
    def is_grey():
        return browser.run("[...document.querySelectorAll('#table tbody tr')].every((r) => r.className === 'chance')")

    grey = is_grey()
    expect("compare: loops of a run and itself are grey", open_table(browser, "Loops") and is_grey())
    expect("compare: a run and itself is all grey", grey and len(set(browser.run(COLORS))) == 1, browser.run(COLORS))
    check_errors(browser)


def main():
    evreport, preload, heat, generate = sys.argv[1:5]
    if not shutil.which("chromium") or not tab.websocket:
        print("skipped: chromium or python3-websocket is not installed")
        return 77
    # a child of Chromium that is being killed may write to its profile while that is removed
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        env = {**os.environ, "LD_PRELOAD": os.path.realpath(preload), "EVPROF_QUIET": "1", "EVPROF_PERIOD": "1ms"}
        pages, evil = [], os.path.join(folder, EVIL_PROGRAM)
        shutil.copy(heat, evil)
        for name, command in (("heat", [heat, "-n", "12", "-t", "3"]), ("evil", [evil, "-n", "12", "-t", "2", EVIL])):
            trace = os.path.join(folder, f"{name}.gz")
            subprocess.run(command, env={**env, "EVPROF_OUTPUT": trace}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            pages.append(os.path.join(folder, f"{name}.html"))
            subprocess.run([evreport, "--html", pages[-1], trace], check=True)
        pages += [make_generated(evreport, generate, folder, case) for case in ("simulated", "basic")]
        pages.append(make_waits(evreport, preload, env, folder))
        pages.append(ranks.make(evreport, heat, env, folder))
        pages.append(roofline.make(evreport, generate, folder))
        browser = Browser(folder)
        try:
            check_views(browser, pages[0])
            browser.open(pages[0])
            check_mouse(browser)
            check_depth(browser, pages[0])
            check_metrics(browser, pages[2])
            metrics_range.check(browser, evreport, folder, "simulated")
            metrics_range.check_bars(browser, evreport, folder, make_generated(evreport, generate, folder, "topdown"))
            check_phases(browser, pages[3])
            check_serial_parts(browser, pages[3])
            check_waits(browser, pages[4])
            ranks.check(browser, pages[5])
            ranks.check_many(browser, ranks.make_many(evreport, generate, folder))
            roofline.check(browser, pages[6], pages[3])
            page_of_rests = make_generated(evreport, generate, folder, "rests")
            rests.check(browser, evreport, os.path.join(folder, "rests.gz"), page_of_rests)
            bounds.check(browser, page_of_rests, pages[2])
            check_regions(browser, folder)
            check_selection(browser, evreport, folder)
            check_code(browser, evreport, folder)
            check_comparison(browser, make_comparison(evreport, folder, "heat", "evil"), make_comparison(evreport, folder, "heat", "heat"))
            expect("compare: no script of a name runs", "evil" != browser.run("document.title"))
            expect("evil: it loads", browser.open(pages[1]))
            for name in PAGES:
                expect(f"evil: table {name}", open_table(browser, name))
            expect("evil: nothing is wider than the page", browser.run("document.documentElement.scrollWidth <= innerWidth"))
            expect("evil: no script of it runs", "evil" != browser.run("document.title"))
            expect("the console is empty", not browser.said, browser.said)
        finally:
            browser.close()
    return 1 if tab.failures else 0


if __name__ == "__main__":
    sys.exit(main())
