# SPDX-License-Identifier: BSD-3-Clause
"""One command run twice in folders of its own, plain and under a preload, and what differs."""

import argparse
import atexit
import concurrent.futures
import fnmatch
import gzip
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import tempfile
import zlib

import signal_queue

ORDINARY_USER = 65534
SKIPPED = 77


class Run:
    """What is left of one run: its end, its output, and the files in its folder."""

    def __init__(self, returncode, folder, work):
        def read(path):  # the folder's own name differs from run to run
            return path.read_bytes().replace(bytes(folder), b"FOLDER")

        self.returncode = returncode
        self.stdout, self.stderr = read(folder / "stdout"), read(folder / "stderr")
        self.files = {str(f.relative_to(work)): read(f) if f.is_file() else b""
                      for f in sorted(work.rglob("*")) if f.name != "trace.gz"}
        traces = [f for f in (folder / "trace.gz", work / "trace.gz") if f.is_file()]
        self.trace = traces[0].read_bytes() if traces else None


def run_once(command, make_environment, timeout_s, as_ordinary_user=False):
    """make_environment(folder, work) gives the variables; trace.gz belongs into folder. Root runs the
    command as an ordinary user when asked to."""
    ordinary = ORDINARY_USER if as_ordinary_user and os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="evprof-test-") as top:
        folder, work = pathlib.Path(top), pathlib.Path(top, "work")
        work.mkdir()
        folder.chmod(0o755)
        work.chmod(0o777)  # for programs that become somebody else
        for path in (folder, work):
            if ordinary:
                os.chown(path, ordinary, ordinary)
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            process = subprocess.Popen(
                command, env=make_environment(folder, work), cwd=work, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True, user=ordinary, group=ordinary,
                extra_groups=[] if ordinary else None)
            returncode = wait_for(process, timeout_s)
        run = Run(returncode, folder, work)
        kill_those_in(folder)
        return run


def share(path):
    """The path; where only root can reach it (root's home is closed on most machines), that of a copy
    that the ordinary user reaches, too."""
    path = path.resolve()
    if os.getuid() != 0 or all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents):
        return path
    top = pathlib.Path(tempfile.mkdtemp(prefix="evprof-test-"))
    atexit.register(shutil.rmtree, top)
    top.chmod(0o755)
    if path.is_dir():
        return shutil.copytree(path, top / path.name, ignore=shutil.ignore_patterns("*.p"))
    return shutil.copy2(path, top / path.name)


def wait_for(process, timeout_s):
    """The whole group is ended with the run; None when the program did not end by itself."""
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def kill_those_in(folder):
    """Daemons left behind by a run that went wrong: whoever still is in its folder."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if folder in pathlib.Path(os.readlink(process / "cwd")).parents:
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass


def describe(returncode):
    if returncode is None:
        return "did not end"
    return f"exit {returncode}" if returncode >= 0 else f"signal {-returncode}"


def first_difference(plain, preloaded):
    a, b = plain.splitlines(), preloaded.splitlines()
    for i in range(max(len(a), len(b))):
        left = a[i] if i < len(a) else b"nothing"
        right = b[i] if i < len(b) else b"nothing"
        if left != right:
            return f"line {i + 1} is {right[:200]!r}, plain {left[:200]!r}"
    return f"{preloaded[-80:]!r}, plain {plain[-80:]!r}"


def differences(plain, preloaded, outputs=("stdout", "stderr"), ignored_files=()):
    """Reasons why the two runs are not the same; none when they are."""
    if preloaded.returncode != plain.returncode:
        yield f"{describe(preloaded.returncode)}, plain {describe(plain.returncode)}"
    for what in outputs:
        if getattr(plain, what) != getattr(preloaded, what):
            yield f"{what}: " + first_difference(getattr(plain, what), getattr(preloaded, what))
    for name in sorted(plain.files.keys() | preloaded.files.keys()):
        if any(fnmatch.fnmatch(name, pattern) for pattern in ignored_files):
            continue
        if name not in preloaded.files:
            yield f"file {name} is missing"
        elif name not in plain.files:
            yield f"file {name} is new"
        elif plain.files[name] != preloaded.files[name]:
            yield f"file {name}: " + first_difference(plain.files[name], preloaded.files[name])


MEMBER_HEAD, HEADER_BYTES = b"\x1f\x8b\x08\x04", 18
MOST_CUT = 3  # of a run; one in some hundred runs has one


def claimed_bytes(header):
    """The size that a member's header says; a header that is cut has at least its own."""
    return int.from_bytes(header[-2:], "little") + 1 if len(header) == HEADER_BYTES else HEADER_BYTES


def split_members(trace):
    """The whole members, and how many end early. SIGKILL ends a write between two pages: what the process had
    written by then stays, and the next process appends its member behind it."""
    whole, n_cut, at = [], 0, 0
    while at < len(trace):
        following = trace.find(MEMBER_HEAD, at + 1)
        room = (following if following >= 0 else len(trace)) - at
        end = at + claimed_bytes(trace[at:at + min(room, HEADER_BYTES)])
        try:
            gzip.decompress(trace[at:end])
            whole.append(trace[at:end])
        except (EOFError, OSError, zlib.error):
            if at + room >= end:
                raise
            n_cut += 1
            end = at + room
        at = end
    return whole, n_cut


def check_trace(trace, kills=False):
    """Why the trace is not whole; none when it is. kills: the program ends processes by SIGKILL."""
    if not trace:
        yield "no trace was written"
        return
    try:
        whole, n_cut = split_members(trace) if kills else ([trace], 0)
        gzip.decompress(b"".join(whole))
    except (EOFError, OSError, zlib.error) as error:
        yield f"the trace does not inflate: {error}"
        return
    if not whole or n_cut > MOST_CUT:
        yield f"{n_cut} members of the trace are cut, {len(whole)} are whole"


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--preload", type=pathlib.Path, help="the library")
    parser.add_argument("--other", action="store_true", help="the library is not evprof")
    parser.add_argument("--keep", default="", help="prefix of environment variables handed on")
    parser.add_argument("--period", default="1ms", help="EVPROF_PERIOD")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run")
    parser.add_argument("names", nargs="*", help="cases, patterns allowed; all without")
    return parser


def base_environment(options, work):
    env = {k: v for k, v in os.environ.items() if options.keep and k.startswith(options.keep)}
    env.update(PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LANG="C.UTF-8", HOME=str(work),
               EVPROF_PERIOD=options.period)
    return env


def read_table(path, n_columns, separator=None):
    """Rows of a list file; its last column may contain the separator."""
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield [column.strip() for column in line.split(separator, n_columns - 1)]


def restore_signals():
    """What nohup or a shell's & ignores, the programs would inherit: they look at that."""
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def run_all(cases, options, run_case):
    """run_case(case, options) gives (verdict, why). The exit status of the whole."""
    if not options.preload or not options.preload.exists():
        print(f"skip: {options.preload} is not built")
        return SKIPPED
    options.preload = share(options.preload)
    restore_signals()
    cases = [c for c in cases
             if not options.names or any(fnmatch.fnmatch(c.name, n) for n in options.names)]
    counts = {"ok": 0, "not ok": 0, "skip": 0}
    watch = signal_queue.Watch()

    def run(case):
        result, lack = signal_queue.attempt(watch, lambda: run_case(case, options), lambda result: result[0] == "not ok")
        return ("skip", f"{lack}; it failed by {result[1]}") if lack else result

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (verdict, why) in zip(cases, pool.map(run, cases)):
            counts[verdict] += 1
            print(f"{verdict} {case.name}" + (f": {why}" if why else ""), flush=True)
    print(f"{counts['ok']} passed, {counts['not ok']} failed"
          + (f", {counts['skip']} skipped" if counts["skip"] else ""))
    return 1 if counts["not ok"] or not counts["ok"] else 0
