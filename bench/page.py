#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a page takes and how large it is: page.py EVREPORT GENERATE [SAMPLES...].

Of generated traces (4 threads) with so many samples, the CPU time of the text report and of the page, and the page's size. Where
Chromium and python3-websocket are installed, when the page was drawn, and how long a drag over the timeline takes.
"""
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "page"))
import tab  # noqa: E402

LOADED = "Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)"
DRAG = """(() => {
    const overlay = document.querySelector("#timeline .overlay"), at = MOUSE, times = [];
    for (const [type, target, share] of [["mousedown", overlay, .1], ["mousemove", window, .4], ["mousemove", window, .5], ["mouseup", window, .6]]) {
        const from = performance.now();
        at(type, target, share);
        times.push(performance.now() - from);
    }
    return Math.round(Math.max(...times));
})()""".replace("MOUSE", tab.MOUSE)


def cpu_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def look(folder, page):
    if not tab.websocket:
        return "-", "-"
    chromium = tab.Browser(folder)
    try:
        chromium.open(page)
        return chromium.run(LOADED), chromium.run(DRAG)
    finally:
        chromium.close()


def main():
    evreport, generate, counts = sys.argv[1], sys.argv[2], sys.argv[3:] or ["1000000", "10000000"]
    print(f"{'samples':>12}{'trace MB':>10}{'text s':>8}{'page s':>8}{'ratio':>7}{'page kB':>9}{'drawn ms':>10}{'drag ms':>9}")
    for n in counts:
        with tempfile.TemporaryDirectory() as folder:
            trace, page = os.path.join(folder, "big.gz"), os.path.join(folder, "big.html")
            with open(trace, "wb") as file:
                subprocess.run([generate, "big", n], stdout=file, check=True)
            text_s, page_s = cpu_seconds(evreport, trace), cpu_seconds(evreport, "--html", page, trace)
            drawn, drag = look(folder, page)
            print(f"{n:>12}{os.path.getsize(trace) / 1e6:>10.1f}{text_s:>8.2f}{page_s:>8.2f}{page_s / text_s:>7.2f}"
                  f"{os.path.getsize(page) / 1e3:>9.0f}{drawn:>10}{drag:>9}", flush=True)


if __name__ == "__main__":
    main()
