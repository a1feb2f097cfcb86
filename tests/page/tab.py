# SPDX-License-Identifier: BSD-3-Clause
"""A page in one tab of Chromium, without a network, and how checks of it are told."""
import json
import os
import re
import signal
import subprocess

try:
    import websocket
except ImportError:
    websocket = None

failures = 0


def expect(what, holds, seen=""):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'not ok'} - {what}" + ("" if holds else f": {str(seen)[:400]}"), flush=True)


class Browser:
    """One tab, by the DevTools protocol."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={folder}/profile", "about:blank"],
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in self.process.stderr:
            if found := re.search(r"DevTools listening on ws://([^/]+)/", line):
                break
        self.number, self.said = 0, []
        self.socket = websocket.create_connection(f"ws://{found[1]}{self.find_tab(found[1])}", timeout=60)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def find_tab(self, host):
        import urllib.request
        with urllib.request.urlopen(f"http://{host}/json/list") as answer:
            tab = next(t for t in json.load(answer) if t["type"] == "page")
        return re.sub(r"^ws://[^/]+", "", tab["webSocketDebuggerUrl"])

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                return message.get("result", message)
            if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                self.said.append(message)

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return result["result"].get("value", result.get("exceptionDetails"))

    def open(self, path):
        self.call("Page.navigate", url=f"file://{path}")
        ready = ("new Promise((done) => { const look = () => document.documentElement && document.documentElement.dataset.ready"
                 " ? done(true) : setTimeout(look, 50); look(); setTimeout(() => done(false), 20000); })")
        return self.run(ready)

    def close(self):
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGKILL)  # its children write to the profile, too
        self.process.wait()


# A mouse on the timeline, at a share of its steps.
MOUSE = """(type, target, share) => {
    const r = document.querySelector("#timeline svg").getBoundingClientRect();
    target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window,
        clientX: r.left + 190 + share * (r.width - 190), clientY: r.top + 20 }));
}"""


def drag(browser, start, end):
    """Over the timeline, from one share of its steps to another."""
    return browser.run(f"""(() => {{
        const box = document.getElementById("timeline"), at = {MOUSE};
        at("mousedown", box.querySelector(".overlay"), {start}); at("mousemove", window, {end});
        box.dragged = document.getElementById("pick").getBoundingClientRect().width;
        at("mouseup", window, {end});
        return document.getElementById("selection").textContent;
    }})()""")


TABLE = "[...document.querySelectorAll('#table tbody tr')].map((r) => [...r.children].map((c) => c.textContent))"


def choose(browser, element, value):
    browser.run(f"(() => {{ const s = document.getElementById('{element}'); s.value = '{value}'; s.dispatchEvent(new Event('change')); }})()")


def open_table(browser, name):
    browser.run(f"[...document.querySelectorAll('#tabs button')].find((b) => b.textContent === '{name}').click()")
    return browser.run(TABLE)
