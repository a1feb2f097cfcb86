# SPDX-License-Identifier: BSD-3-Clause
"""The roofline on the page: a run of known counts below the roofs of a machine."""
import os
import pathlib
import subprocess

from tab import drag, expect

ROOFS = pathlib.Path(__file__).resolve().parent.parent / "data/roofs/zen3.formula"


def make(evreport, generate, folder):
    """The page of a trace that counts operations and bytes, and a user's folder with roofs of its CPU."""
    trace, page = os.path.join(folder, "flops.gz"), os.path.join(folder, "flops.html")
    formulas = pathlib.Path(folder, "share/evprof/formulas")
    formulas.mkdir(parents=True)
    (formulas / "roofs.formula").write_text(ROOFS.read_text().replace("AuthenticAMD-25-1", "arm-0x46-0x001"))
    with open(trace, "wb") as file:
        subprocess.run([generate, "flops"], stdout=file, check=True)
    env = {**os.environ, "XDG_DATA_HOME": os.path.join(folder, "share")}
    env.pop("EVPROF_FORMULAS", None)
    subprocess.run([evreport, "--html", page, trace], check=True, env=env)
    return page


def check(browser, path, without):
    expect("roofline: it loads", browser.open(path))
    names = browser.run("[...document.querySelectorAll('.roof')].map((l) => l.dataset.name)")
    expect("roofline: memory, the peak and that of scalar code", len(names) == 3 and names[0].startswith("MEM")
           and all(name.startswith("DP") for name in names[1:]), names)
    labels = browser.run("[...document.querySelectorAll('.roof-point')].map((p) => p.getAttribute('aria-label'))")
    expect("roofline: the run and its procedure", len(labels) == 2 and all("841,088,000 operations, 0.393 for each byte" in label for label in labels), labels)
    below = browser.run("""(() => {
        const line = document.querySelector('.roof'), point = document.querySelector('.roof-point circle'), of = (e, k) => Number(e.getAttribute(k));
        const share = (of(point, 'cx') - of(line, 'x1')) / (of(line, 'x2') - of(line, 'x1'));
        return [share, of(point, 'cy') - (of(line, 'y1') + share * (of(line, 'y2') - of(line, 'y1')))];
    })()""")
    expect("roofline: a point stands below the roof of memory", 0 < below[0] < 1 and below[1] > 0, below)
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.run("document.querySelector('.roof-point').focus()")
    tip = browser.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    expect("roofline: the keyboard shows a point's numbers", "GFLOP/s" in tip and "% of that is reached" in tip, tip)
    rows = browser.run("[...document.querySelectorAll('#roofline-table tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")
    expect("roofline: the table has them", [row[0] for row in rows] == ["run", "procedure"] and all(row[6] == "memory" for row in rows), rows)
    drag(browser, 0.002, 0.498)
    rows = browser.run("[...document.querySelectorAll('#roofline-table tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")
    expect("roofline: half of the run is a point, too", [row[0] for row in rows] == ["run", "procedure", "range"]
           and abs(int(rows[2][2].replace(",", "")) / 420_544_000 - 1) < .01 and rows[2][3].startswith("0.393"), rows)
    expect("roofline: which is drawn", browser.run("document.querySelectorAll('.roof-point').length") == 3)
    expect("roofline: one without counts has none", browser.open(without) and browser.run("document.getElementById('roofline-part').hidden"))
