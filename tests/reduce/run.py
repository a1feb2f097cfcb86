#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py EVREPORT GENERATE: the report of a reduced file is that of the traces, also where it was merged from parts; what
it cannot serve is refused; damaged, missing and doubled traces are told."""
import csv
import gzip
import io
import json
import os
import re
import resource
import shutil
import socket
import stat
import statistics
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forge  # noqa: E402
import replicate  # noqa: E402

CASES = ["basic", "crowded", "stolen", "energy", "other-host", "parallel", "estimates", "odd-counts", "efficient",
         "topdown", "tree", "mixed"]
N_RANKS = 12
# Sums of fractions differ in the last digits with the order in which they were added.
TOLERANCE = 1e-9
SERVED = [["metrics"], ["advise"], ["export", "--format", "folded"], ["--format", "csv"]]
REFUSED = [["phases"], ["export", "--format", "perfetto"], ["export", "--format", "firefox"], ["--from", "0.001"],
           ["--process", "rank:1"], ["--thread", "worker"], ["compare-ocoe", "trace.1.gz"], ["--estimator", "hold"], ["metrics", "-e", "hold"],
           ["export", "--format", "folded", "-e", "hold"], ["advise", "-e", "hold"]]

evreport, generate = map(os.path.abspath, sys.argv[1:3])
n_tests, n_failed = 0, 0


def check(is_good, name, why=""):
    global n_tests, n_failed
    n_tests += 1
    n_failed += not is_good
    print(f"{'ok' if is_good else 'not ok'} {n_tests} - {name}" + ("" if is_good else f": {why}"))


def run(*args, **kwargs):
    return subprocess.run([evreport, *args], capture_output=True, text=True, **kwargs)


def reduce(output, *paths):
    done = run("reduce", "-o", output, *paths)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done


def differ(a, b, where=""):
    """Where two JSON values are not the same but for the last digits of numbers; None: nowhere."""
    if isinstance(a, float) or isinstance(b, float):
        is_number = isinstance(a, (int, float)) and isinstance(b, (int, float))
        return None if is_number and abs(a - b) <= TOLERANCE * max(1, abs(a)) else f"{where}: {a} {b}"
    if type(a) is not type(b):
        return f"{where}: {a} {b}"
    if isinstance(a, dict):
        if a.keys() != b.keys():
            return f"{where}: {sorted(a.keys() ^ b.keys())}"
        return next((d for d in (differ(a[k], b[k], f"{where}.{k}") for k in a) if d), None)
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} elements"
        return next((d for d in (differ(x, y, f"{where}[{i}]") for i, (x, y) in enumerate(zip(a, b))) if d), None)
    return None if a == b else f"{where}: {a} {b}"


# A reduced file has no slices, hence no phases: the sentence of In short with its further lines, and the marks.
PHASES = re.compile(r"^  - The run has \d+ phases of .*\n(?:    .*\n)*|^  phases .*\n", re.MULTILINE)


def report(*paths):
    """The text without its first line, which names the files; and JSON, without their names; both without phases."""
    text, data = run(*paths), json.loads(run("--format", "json", *paths).stdout)
    data["run"].pop("trace", None)
    data.pop("phases", None)
    data["in_short"] = [s for s in data["in_short"] if not re.match(r"The run has \d+ phases of ", s)]
    return PHASES.sub("", text.stdout.split("\n", 1)[1]), data


def same_report(a, b):
    if a[0] != b[0]:
        pairs = [(x, y) for x, y in zip(a[0].split("\n"), b[0].split("\n")) if x != y]
        return f"text: {pairs[:2]}"
    return differ(a[1], b[1])


def made(case):
    path = f"{case}.gz"
    with open(path, "wb") as file:
        subprocess.run([generate, *case.split()], stdout=file, check=True)
    return path


def one_trace(case):
    path = made(case)
    reduce("one.gz", path)
    why = same_report(report(path), report("one.gz"))
    check(why is None, f"{case}: the report is the trace's", why)
    reduce("twice.gz", "one.gz")
    why = same_report(report("one.gz"), report("twice.gz"))
    check(why is None, f"{case}: reduced once more it stays the same", why)


def ranks():
    """Traces of ranks made of some of the cases."""
    sources = [list(replicate.members(open(made(case), "rb").read())) for case in ("basic", "parallel", "mixed", "crowded")]
    paths = []
    for k in range(N_RANKS):
        paths.append(f"trace.{k}.gz")
        with open(paths[-1], "wb") as file:
            file.write(replicate.copy_of(sources[k % len(sources)], k))
    return paths


def many_traces(paths):
    whole = report(*paths)
    reduce("job.gz", *paths)
    why = same_report(whole, report("job.gz"))
    check(why is None, "many ranks: the report is that of all traces", why)
    for parts in ([paths[:5], paths[5:]], [paths[:1], paths[1:7], paths[7:]]):
        names = [f"part.{i}.gz" for i in range(len(parts))]
        for name, part in zip(names, parts):
            reduce(name, *part)
        reduce("merged.gz", *names)
        why = same_report(whole, report("merged.gz"))
        check(why is None, f"merged from {len(parts)} parts: the report is that of all traces", why)
    reduce("half.gz", *paths[:6])
    why = same_report(whole, report("half.gz", *paths[6:]))
    check(why is None, "a reduced file beside traces: the report is that of all traces", why)
    why = [c for c in SERVED if run(*c, "job.gz").stdout != run(*c, *paths).stdout]
    check(not why, "commands that need no slices say the same", why)
    os.mkdir("folder")
    for path in paths:
        os.link(path, f"folder/{path}")
    reduce("folder/job.gz", "folder")
    reduce("folder/job.gz", "folder")
    check(open("folder/job.gz", "rb").read() == open("job.gz", "rb").read(), "a folder is its traces, without the output")


def threads(paths):
    """Threads make parts, which are merged in their order: a byte depends on the parts, and not on who made which when."""
    whole, made = report(*paths), set()
    for n in (1, 2, 3, 8):
        done = run("reduce", "--threads", str(n), "-p", "4096", "-o", f"of{n}.gz", *paths)
        check(done.returncode == 0 and not os.path.exists(f"of{n}.gz.parts"), f"{n} threads make and merge parts", done.stderr)
        made.add(open(f"of{n}.gz", "rb").read())
    check(len(made) == 1, "the same bytes, whatever the number of threads", [len(data) for data in made])
    why = same_report(whole, report("of8.gz"))
    check(why is None, "of threads' parts the report is that of all traces", why)
    # The second part holds nothing that can be read, the last a trace and an empty file.
    bad = [f"bad.{k}.gz" for k in range(3)]
    for path in bad:
        with open(path, "w") as file:
            file.write("no trace\n" * 500)
    open("empty.gz", "w").close()
    done = run("reduce", "--threads", "2", "-p", "4096", "-o", "some.gz", paths[0], *bad, *paths[1:], "empty.gz")
    told = " ".join(run("some.gz").stdout.split())
    check(done.returncode == 0 and done.stderr.count("it is left out") == 4 and f"{N_RANKS} MPI ranks" in told
          and f"4 of {N_RANKS + 4} traces could not be read" in told and told.count("could not be read") == 1,
          "threads go on past unreadable traces, which are told once", (done.stderr, told[-400:]))
    # The first part takes longest, and what cannot be read of it is told first all the same.
    order = [paths[0], *paths[2:], bad[0], paths[1], bad[1], bad[2]]
    done = run("reduce", "--threads", "4", "-p", "4096", "-o", "some.gz", *order)
    told = re.findall(r"^evreport reduce: (\S+): ", done.stderr, re.M)
    check(done.returncode == 0 and told == bad, "unreadable traces are told in the traces' order", done.stderr)
    # What cannot be added at all ends all threads; the same call would fail again, and no part stays.
    done = run("reduce", "--threads", "2", "-p", "4096", "-o", "late.gz", *paths, paths[1])
    check(done.returncode == 1 and "twice" in done.stderr and len(done.stderr.splitlines()) == 1
          and not os.path.exists("late.gz") and not os.path.exists("late.gz.parts"),
          "a doubled trace in another part is told once, and nothing is written", done.stderr)
    os.makedirs("taken.gz/x")
    done = run("reduce", "--threads", "2", "-p", "4096", "-o", "taken.gz", *paths)
    check(done.returncode == 1 and "the same call goes on" in done.stderr and len(done.stderr.splitlines()) == 1
          and os.listdir("taken.gz.parts"), "an output that is a folder: parts stay, and it is said", done.stderr)
    shutil.rmtree("taken.gz")
    done = run("reduce", "--threads", "2", "-p", "4096", "-o", "taken.gz", *paths)
    check(done.returncode == 0 and not os.path.exists("taken.gz.parts"), "the same call goes on", done.stderr)
    done = run("reduce", "--threads", "2", "-p", "4096", "-o", "absent/x.gz", *paths)
    check(done.returncode == 1 and len(done.stderr.splitlines()) == 1, "an output that cannot be written is told once", done.stderr)


def compared(paths):
    """A file's run held against the traces it was made from, whatever side the file is on: nothing differs."""
    for sides in (["job.gz", "--", *paths], [*paths, "--", "job.gz"], ["job.gz", "merged.gz"]):
        done = run("compare", "--format", "json", *sides)
        times = [(r["before_s"], r["after_s"]) for r in json.loads(done.stdout)["rows"]] if not done.returncode else []
        check(times and all(abs(a - b) <= TOLERANCE * max(a, b) for a, b in times), f"compare {' '.join(sides)[:40]}: the same times",
              (done.stderr, times[:3]))
    done = run("compare", "--html", "compare.html", "job.gz", paths[0])
    check("was built without pages" in done.stderr or done.returncode == 0 and os.path.getsize("compare.html") > 0, "compare --html with a reduced file", done.stderr)
    done = run("compare", "job.gz", "--", paths[0], "--", paths[1])
    check(done.returncode == 0, "compare of three with a reduced file", done.stderr)


def sizes():
    """info tells the sizes of the file itself, and not those of the traces that it was made from."""
    text = run("info", "job.gz").stdout
    told = {what: int(n) for what, n in re.findall(r"^  (bytes|bytes inflated|end marks) +(\d+)$", text, re.M)}
    with gzip.open("job.gz") as file:
        inflated = len(file.read())
    check(told == {"bytes": os.path.getsize("job.gz"), "bytes inflated": inflated, "end marks": 1}, "info of a reduced file: its sizes",
          (told, inflated))


def cpus_busy(text):
    return float(re.search(r"CPUs busy +([0-9.]+)", text)[1])


def other_clocks():
    """Files of hosts whose clocks began at other times: either may come first."""
    for first, second in (("basic", "other-host"), ("other-host", "basic")):
        paths = [made(first), made(second)]
        whole = report(*paths)
        reduce("first.gz", paths[0])
        reduce("second.gz", paths[1])
        reduce("both.gz", "first.gz", "second.gz")
        merged = report("both.gz")
        # What is in a bin is spread over the two that it lies across: curves differ by a bin at most.
        busy = cpus_busy(whole[0]), cpus_busy(merged[0])
        check(abs(busy[0] - busy[1]) < 0.05 * busy[0], f"{second} merged behind {first}: the CPUs that are busy", busy)
        for of_run in (whole[1], merged[1]):
            of_run["timeline"] = None
            for thread in of_run["threads"]:
                thread["busy"] = None
        why = differ(whole[1], merged[1])
        check(why is None, f"{second} merged behind {first}: all sums and weights", why)


def rows(*args):
    """CSV's rows by their first column."""
    return {row["name" if "name" in row else "procedure"]: row for row in csv.DictReader(io.StringIO(run(*args, "--format", "csv").stdout))}


def shown_time(text):
    """Seconds of what the text shows as "12.3 ms"."""
    value, unit = text.split()
    return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6, "\u00b5s": 1e-6, "ns": 1e-9}[unit]


def spread_rows(path):
    """procedure: (least, rank, median, most, rank) of the table."""
    text = run("--by", "rank", "--top", "0", path, env=dict(os.environ, COLUMNS="160", LC_ALL="C.UTF-8")).stdout
    text = text.split("Procedures over ranks", 1)[1]
    row = re.compile(r"^ +[0-9.]+ % +([0-9.]+ \S+) \((\d+)\) +([0-9.]+ \S+) +([0-9.]+ \S+) \((\d+)\) +(\S.*)$", re.M)
    shares = [float(share) for share in re.findall(r"^ +([0-9.]+) %.*\(\d+\) +\S", text, re.M)]
    check(shares == sorted(shares, reverse=True), "procedures over ranks come in the order of their shares", shares)
    return {m[6]: (shown_time(m[1]), m[2], shown_time(m[3]), shown_time(m[4]), m[5]) for m in row.finditer(text)}


def over_ranks(paths):
    """Each rank's trace by itself tells what the tables over ranks must say."""
    alone = {path.split(".")[1]: rows("--by", "rank", path)[path.split(".")[1]] for path in paths}
    together = rows("--by", "rank", "job.gz")
    check(together.keys() == alone.keys(), "every rank has a row", together.keys() ^ alone.keys())
    odd = [r for r in alone if alone[r]["cpu_ns"] != together[r]["cpu_ns"] or alone[r]["own_s"] != together[r]["own_s"]]
    check(not odd, "a rank's times are those of its trace", odd)
    hosts = rows("--by", "host", "job.gz")
    check(sum(int(h["n_ranks"]) for h in hosts.values()) == N_RANKS and
          sum(int(h["cpu_ns"]) for h in hosts.values()) == sum(int(r["cpu_ns"]) for r in alone.values()),
          "hosts have all ranks and their time", hosts)
    selves = {path.split(".")[1]: {name: int(row["self_ns"]) / 1e9 for name, row in rows("--by", "procedure", path).items()}
              for path in paths}
    wrong, spread = [], spread_rows("job.gz")
    for name, (least, least_rank, median, most, most_rank) in spread.items():
        times = sorted(selves[r].get(name, 0) for r in selves)
        expected = [(times[0], least), (statistics.median(times), median), (times[-1], most),
                    (times[0], selves[least_rank].get(name, 0)), (times[-1], selves[most_rank].get(name, 0))]
        if any(abs(a - b) > 0.006 * max(a, b) for a, b in expected):
            wrong.append((name, expected))
    check(len(spread) > 1 and not wrong, "procedures over ranks: least, median, most and whose", (len(spread), wrong[:2]))


def of_format_1_2():
    """Its times of ranks lack what looks found: they stay as they are, also where it is reduced once more."""
    forge.write("old.gz", [forge.plain_ranks(block) for block in forge.blocks("job.gz")])
    reduce("old-again.gz", "old.gz")
    whole, old = rows("--by", "rank", "job.gz"), rows("--by", "rank", "old.gz")
    odd = [r for r in whole if whole[r]["cpu_ns"] != old[r]["cpu_ns"]
           or abs(float(whole[r]["own_s"]) - float(old[r]["own_s"])) > 0.01 * float(whole[r]["own_s"])]
    check(not odd and rows("--by", "rank", "old-again.gz") == old and len(spread_rows("old.gz")) == len(spread_rows("job.gz")),
          "a file of format 1.2: its ranks' times", odd)


def clocks():
    """Four ranks, of which the last takes half as long again: its clock is slower, or it has more work, or that is not known."""
    sources = {case: list(replicate.members(open(made(case), "rb").read())) for case in ("quick-rank", "slow-rank", "busy-rank", "basic")}
    os.makedirs("named/tmp")
    for k in range(4):
        with open(f"named/tmp/perf-{4242 + 100000 * k}.map", "w") as file:
            file.write("1000 100 main\n2000 100 solve\n3000 100 axpy\n4000 100 PMPI_Allreduce\n")
    for last, first, clock, ghz in (("slow-rank", "quick-rank", True, "2.00"), ("busy-rank", "quick-rank", False, "3.00"),
                                    ("slow-rank", "basic", False, "2.00")):
        paths = [f"clock.{k}.gz" for k in range(4)]
        for k, path in enumerate(paths):
            with open(path, "wb") as file:
                file.write(replicate.copy_of(sources[last if k == 3 else first], k))
        reduce("clocks.gz", "-s", "named", *paths)
        for of in (paths, ["clocks.gz"]):
            text = " ".join(run("-s", "named", *of).stdout.split())
            said = "Its CPU ran at 2.00 GHz, the other ranks' at 3.00: at their pace it would need" in text
            check(said == clock and "Rank 3 computes longest" in text and (clock or "spread the work more evenly" in text),
                  f"{last} among {first}: what its clock tells", text[:1200])
        row = re.search(r"([0-9.]+)  3(?: .*)?$", run("--by", "rank", "clocks.gz").stdout, re.M)
        check(row and row[1] == ghz and abs(float(rows("--by", "rank", "clocks.gz")["3"]["ghz"]) - float(ghz)) < 0.001,
              f"{last} among {first}: the rank's clock in the table", row)


def refusals():
    for args in REFUSED:
        done = run(*args, "job.gz")
        check(done.returncode == 1 and "(evreport reduce wrote it)" in done.stderr.splitlines()[-1] and not done.stdout,
              f"{' '.join(args)} is refused in a line", (done.returncode, done.stderr, done.stdout[:200]))
    before = open("job.gz", "rb").read()
    for paths in (["trace.1.gz", "trace.2.gz", "trace.1.gz"], ["half.gz", "trace.1.gz"]):
        done = run("reduce", "-o", "job.gz", *paths)
        check(done.returncode == 1 and "twice" in done.stderr + done.stdout or "already" in done.stderr,
              f"{' '.join(paths)}: nothing counts twice", done.stderr)
    check(open("job.gz", "rb").read() == before, "what failed leaves the file as it was")
    done = run("reduce", "-o", "trace.1.gz", "trace.2.gz")
    check(done.returncode == 1 and "would replace it" in done.stderr, "a trace is not replaced", done.stderr)
    os.mkfifo("pipe")
    done = run("reduce", "-o", "pipe", "trace.1.gz", "trace.2.gz")
    check(done.returncode == 1 and "is a pipe" in done.stderr and stat.S_ISFIFO(os.stat("pipe").st_mode),
          "a pipe is not replaced", done.stderr)


def phases():
    """Those of a whole run, whichever table is asked for besides."""
    def of(*args):
        return json.loads(run("-f", "json", *args).stdout).get("phases", [])

    path = made("basic")
    found = of(path)
    check(len(found) > 1 and of("--by", "language", path) == found, "a table more in JSON leaves the phases", found)
    reduce("one.gz", made("parallel"))
    found = of(path, "one.gz")
    check(found == [], "a part of a run, beside sums of the rest, has none", found)


def damage(paths):
    with open("text.gz", "w") as file:
        file.write("no trace\n")
    done = run("reduce", "-o", "some.gz", *paths[:3], "text.gz", "absent.gz")
    check(done.returncode == 0 and done.stderr.count("it is left out") == 2, "unreadable traces are told", done.stderr)
    check("2 of 5 traces could not be read" in " ".join(run("some.gz").stdout.split()), "the report says so as well")
    done = run("reduce", "-o", "none.gz", "text.gz")
    check(done.returncode == 1 and not os.path.exists("none.gz"), "nothing readable: no file", done.stderr)
    data = open(paths[0], "rb").read()
    with open("broken.gz", "wb") as file:
        file.write(data[:-60])
    reduce("some.gz", "broken.gz", *paths[1:3])
    why = same_report(report("broken.gz", *paths[1:3]), report("some.gz"))
    check(why is None, "a damaged trace: the report has what is whole of it, and says so", why)
    half = len(data) // 2
    with open("flipped.gz", "wb") as file:
        file.write(data[:half] + bytes([data[half] ^ 0x55]) + data[half + 1:])
    for options in ((), ("-p", "1")):
        run("reduce", *options, "-o", "some.gz", "flipped.gz", *paths[1:3])
        said = " ".join(run("some.gz").stdout.split())
        check("of flipped.gz)" in said, f"the damaged one of traces is named {' '.join(options)}", said)


def cuts():
    data = open("job.gz", "rb").read()
    odd = []
    for at in range(1, len(data), max(1, len(data) // 150)):
        with open("cut.gz", "wb") as file:
            file.write(data[:at])
        done = run("cut.gz")
        if done.returncode != 1 or len(done.stderr.splitlines()) != 1:
            odd.append((at, done.returncode, done.stderr[:100]))
        with open("cut.gz", "wb") as file:
            file.write(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
        done = run("cut.gz")
        if done.returncode not in (0, 1):
            odd.append((at, done.returncode, done.stderr[:100]))
    check(not odd, "cut or damaged anywhere it is refused, or read up to there", odd[:3])


def strict_json(*args):
    """Why it is no JSON, or None; other languages know neither NaN nor Infinity."""
    def refuse(name):
        raise ValueError(name)
    done = run("--format", "json", *args)
    try:
        json.loads(done.stdout, parse_constant=refuse)
    except ValueError as error:
        return f"{error} {done.stderr[:200]}"
    return None


def odd_numbers():
    """No sum of a run is infinite or below zero: a block that has one is left out, and the report stays as it is."""
    reduce("plain.gz", made("basic"))
    blocks, n = forge.blocks("plain.gz"), forge.numbers
    before, bad = report("plain.gz")[1], []
    for name in ("nan", "inf", "-inf", "-5.5", "1e300"):
        x = forge.fraction(float(name))
        forged = {"squares of a path": forge.sums(forge.COSTS, n(0, 5, 1000, 0, 0, 0) + x + x + n(0) * 4),
                  "a path's sum": forge.sums(forge.SUMS, n(2, 0) + n(0, 0, 0) + x + n(0) * 4 + n(1, 1, 1, 0)),
                  "a bin": forge.sums(forge.BINS, n(0, 1 << 20, 1 << 10) + x + n(0, 0))}
        if name != "-5.5":  # fewer threads run behind a moment than before it
            forged["threads that run"] = forge.sums(forge.LATENCY, n(0, 1 << 10) + x + x)
        for what, block in forged.items():
            forge.write("forged.gz", blocks[:-1] + [block, blocks[-1]])
            why = strict_json("forged.gz") or differ(before["procedures"], report("forged.gz")[1]["procedures"])
            if why:
                bad.append((name, what, why))
    check(not bad, "sums that cannot be are left out", bad[:3])


def odd_ids():
    """What a file says is bounded by its size: neither events nor ids make evreport take memory without end."""
    reduce("plain.gz", made("basic"))
    blocks, n = forge.blocks("plain.gz"), forge.numbers
    events = [forge.sums(forge.EVENTS, b"".join(n(i) + forge.text(f"e{i}") + forge.text("x") + n(0, 0)
                                                for i in range(at, at + 2000))) for at in range(100, 20100, 2000)]
    forge.write("forged.gz", blocks[:-1] + events + [blocks[-1]])
    n_events = len(report("forged.gz")[1]["events"])
    check(n_events <= 4096, "events are bounded", n_events)
    far = forge.sums(forge.PATHS, n(1 << 23, 1 << 23, 0, 0))
    forge.write("forged.gz", blocks[:-1] + [far, blocks[-1]])
    text = " ".join(run("forged.gz").stdout.split())
    check("1 block" in text, "an id far beyond all others is damage, and is told", text[-400:])


def second_head():
    """The clock of a file is that of its first head."""
    reduce("plain.gz", made("basic"))
    blocks = forge.blocks("plain.gz")
    head = forge.sums(forge.HEAD, forge.text("another:1:1") + forge.numbers(1000000000, 1 << 62))
    forge.write("forged.gz", blocks[:2] + [head] + blocks[2:])
    before, after = report("plain.gz")[1], report("forged.gz")[1]
    why = differ(before["procedures"], after["procedures"]) or differ(before["timeline"], after["timeline"])
    check(why is None, "a second head changes nothing", why)


def broken_midway(paths):
    """A connection that is reset: half a file must not become a part of the next one's."""
    whole = open(paths[3], "rb").read() * 1000  # more than is read at once
    ours, theirs = socket.socketpair()
    theirs.send(b"never read, so that the end is a reset")

    def feed():
        try:
            ours.sendall(whole)
        except OSError:
            pass  # nobody reads any more
        ours.close()
    feeder = threading.Thread(target=feed)
    feeder.start()
    done = run("reduce", "-o", "eio.gz", "-", paths[1], stdin=theirs)
    theirs.close()
    feeder.join()
    check(done.returncode == 1 and "cannot be read to its end" in done.stderr and not os.path.exists("eio.gz"),
          "a file that fails midway ends it", (done.returncode, done.stderr))


def full_disk(paths):
    before = open("job.gz", "rb").read()
    done = run("reduce", "-o", "job.gz", *paths, restore_signals=False,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2,) * 2))
    left = [name for name in os.listdir(".") if name.endswith(".part")]
    check(done.returncode == 1 and "cannot write" in done.stderr and open("job.gz", "rb").read() == before,
          "a full disk: the file stays, and it is said", (done.returncode, done.stderr))
    check(not left, "nothing lies about", left)


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in CASES:
            one_trace(case)
        other_clocks()
        paths = ranks()
        many_traces(paths)
        threads(paths)
        compared(paths)
        sizes()
        over_ranks(paths)
        of_format_1_2()
        clocks()
        refusals()
        phases()
        damage(paths)
        cuts()
        broken_midway(paths)
        odd_numbers()
        odd_ids()
        second_head()
        full_disk(paths)
    print(f"1..{n_tests}")
    return n_failed != 0


if __name__ == "__main__":
    sys.exit(main())
