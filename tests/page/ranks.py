# SPDX-License-Identifier: BSD-3-Clause
"""The page of a job of MPI: rows and a table by rank, and the map of all ranks."""
import os
import subprocess
import sys

from tab import TABLE, drag, expect, open_table

N_RANKS = 8
N_MANY = 2100  # more than a page lists, and than its map has rows
REPLICATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reduce", "replicate.py")


def make(evreport, heat, env, folder):
    """A job of ranks, as a launcher of MPI starts them."""
    page, env = os.path.join(folder, "ranks.html"), {**env, "EVPROF_OUTPUT": os.path.join(folder, "job.gz"), "PMI_SIZE": str(N_RANKS)}
    children = [subprocess.Popen([heat, "-n", str(2 + 2 * (rank == 5)), "-t", "1"], env={**env, "PMI_RANK": str(rank)},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for rank in range(N_RANKS)]
    for child in children:
        child.wait()
    subprocess.run([evreport, "--html", page, *(os.path.join(folder, f"job.{rank}.gz") for rank in range(N_RANKS))], check=True)
    return page


MAP = """(() => {
    const map = document.getElementById("ranks-map"), dots = map.getContext("2d").getImageData(0, 0, map.width, map.height).data;
    return Array.from({ length: map.height }, (_, y) => dots.slice(4 * y * map.width, 4 * (y + 1) * map.width).filter((v, i) => i % 4 === 3 && v > 0).length);
})()"""
CLICK_RANK = """(() => {
    const map = document.getElementById("ranks-map"), r = map.getBoundingClientRect();
    map.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: r.left + r.width / 2, clientY: r.top + (RANK + .5) / N_ALL * r.height }));
    return document.getElementById("selection").textContent;
})()"""


def cpu_seconds(rows):
    """The sum of a table's CPU time, of three digits each."""
    size = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    return sum(float(row[1].split()[0]) * size[row[1].split()[1]] for row in rows if " " in row[1])


def check(browser, path):
    expect("ranks: it loads", browser.open(path))
    expect("ranks: the head counts them", f"{N_RANKS} MPI ranks" in browser.run("document.getElementById('facts').textContent"))
    names = browser.run("[...document.querySelectorAll('#timeline text.pick')].map((t) => t.textContent)")
    expect("ranks: rows are named by rank, in order", names == [f"rank {i}" for i in range(N_RANKS)], names)
    rows = browser.run(MAP)
    expect("ranks: each is busy in the map", len(rows) == N_RANKS and all(rows), rows)
    whole = open_table(browser, "Ranks")
    expect("ranks: each is in the table, in order", [row[0] for row in whole] == [str(i) for i in range(N_RANKS)], whole)
    all_s, run_s = cpu_seconds(whole), 1e-9 * browser.run("JSON.parse(document.getElementById('evprof-data').textContent).report.run.cpu_ns")
    expect("ranks: their time is the run's", abs(all_s - run_s) < .01 * run_s, (all_s, run_s))
    drag(browser, 0.002, 0.498)
    first_s = cpu_seconds(browser.run(TABLE))
    expect("ranks: the map marks the range", browser.run("!document.getElementById('ranks-pick').hidden"))
    drag(browser, 0.502, 0.998)
    second_s = cpu_seconds(browser.run(TABLE))
    # on a busy machine all work may be in one half: a table that does not follow has twice the whole
    expect("ranks: two halves are the whole", abs(first_s + second_s - all_s) < .02 * all_s,
           (first_s, second_s, all_s))
    browser.run("document.getElementById('clear').click()")
    said = browser.run(CLICK_RANK.replace("RANK", "5").replace("N_ALL", str(N_RANKS)))
    expect("ranks: a click on the map shows one alone", "thread rank 5" in said and [row[0] for row in open_table(browser, "Ranks")] == ["5"], said)


def make_many(evreport, generate, folder):
    """A job of many ranks, as one reduced file."""
    trace, job, page, parts = (os.path.join(folder, name) for name in ("rank.gz", "many.gz", "many.html", "parts"))
    with open(trace, "wb") as file:
        subprocess.run([generate, "quick-rank"], stdout=file, check=True)
    os.mkdir(parts)
    subprocess.run([sys.executable, REPLICATE, parts, str(N_MANY), trace], check=True)
    subprocess.run([evreport, "reduce", "-o", job, *sorted(os.path.join(parts, name) for name in os.listdir(parts))], check=True)
    subprocess.run([evreport, "--html", page, job], check=True)
    return page


def check_many(browser, path):
    """A row of the map is the mean of five neighbours, 100 ranks are not listed, and both are said."""
    expect("many ranks: it loads", browser.open(path))
    expect("many ranks: the page is bounded", os.path.getsize(path) < 4e6, os.path.getsize(path))
    expect("many ranks: the head counts all", "2,100 MPI ranks" in browser.run("document.getElementById('facts').textContent"))
    rows = browser.run(MAP)
    expect("many ranks: the map has all", len(rows) == N_MANY / 5 and all(rows), rows)
    note = browser.run("document.getElementById('ranks-note').textContent")
    expect("many ranks: the map says how", "the mean of 5 ranks" in note, note)
    open_table(browser, "Ranks")
    note = browser.run("document.getElementById('table-note').textContent")
    expect("many ranks: the table says which", "2,000 rows; of 2,100 ranks those with the most and with the least" in note, note)
