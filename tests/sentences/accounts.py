# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel says of a run, without evprof: the CPU time of its processes (wait4), the machine's CPUs meanwhile
(/proc/stat), what the program itself read of its threads (known.c), and what the test decided: the CPUs that it may run on,
and who else is on them."""
import collections
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
THREAD = ("pid", "tid", "cpu_ns", "ready_ns", "wall_ns", "late_ns", "n_voluntary", "n_involuntary")


class Machine:
    """CPU seconds of each CPU at a moment."""

    def __init__(self):
        self.at, self.busy, self.stolen = time.monotonic(), {}, 0
        for line in pathlib.Path("/proc/stat").read_text().splitlines():
            name, *ticks = line.split()
            if name.startswith("cpu") and name != "cpu":
                user, nice, system, _, _, irq, soft, steal = (int(t) * TICK_S for t in ticks[:8])
                self.busy[int(name[3:])] = user + nice + system + irq + soft
                self.stolen += steal


class Spinners:
    """Programs that keep CPUs busy, one on each."""

    def __init__(self, cpus):
        self.children = []
        parent = os.getpid()
        for cpu in cpus:
            if not (pid := os.fork()):
                os.sched_setaffinity(0, [cpu])
                while os.getppid() == parent:  # a test that is killed leaves none behind
                    pass
                os._exit(0)
            self.children.append(pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class Facts:
    """What known wrote."""

    def __init__(self, text):
        self.threads, self.processes, self.places, self.waits = [], {}, collections.Counter(), collections.Counter()
        for kind, *words in map(str.split, text.splitlines()):
            if kind == "thread":
                self.threads.append(dict(zip(THREAD, map(int, words))))
            elif kind == "process":
                pid, cpu_ns, n_faults, peak_kib, wall_ns = map(int, words)
                self.processes[pid] = {"cpu_ns": cpu_ns, "n_faults": n_faults, "peak_kib": peak_kib, "wall_ns": wall_ns}
            else:
                (self.places if kind == "place" else self.waits)[words[1]] += int(words[2])

    @property
    def cpu_ns(self):
        return sum(p["cpu_ns"] for p in self.processes.values())


class Run:
    """A run below evprof, what others know of it, and its report."""

    def __init__(self, tools, name, command, condition, options):
        self.name, self.command, self.condition, self.options = name, command, condition, options
        self.allowed = condition.cpus
        self.n_cpus = os.cpu_count()
        with tempfile.TemporaryDirectory() as folder:
            self.folder = folder
            self._record(tools, pathlib.Path(folder))

    def _record(self, tools, folder):
        evprof, evreport = tools
        trace, facts = folder / "trace.gz", folder / "facts"
        command = [word.replace("FACTS", str(facts)) for word in self.command]
        env = {k: v for k, v in os.environ.items() if not k.startswith("EVPROF_")}
        with Spinners(self.condition.neighbours):
            before = Machine()
            child = subprocess.Popen([evprof, "run", "--keep", "off", *self.options, "-o", str(trace), "--", *command],
                                     env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     preexec_fn=lambda: os.sched_setaffinity(0, self.allowed))
            self.errors = child.stderr.read().decode(errors="replace")
            _, self.status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(self.status)
            after = Machine()
        self.exit = child.returncode
        self.wall_s = after.at - before.at
        self.user_s, self.system_s = usage.ru_utime, usage.ru_stime
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.n_minor_faults, self.peak_kib = usage.ru_minflt, usage.ru_maxrss
        self.busy_s = {cpu: after.busy[cpu] - before.busy[cpu] for cpu in after.busy}
        self.stolen_s = after.stolen - before.stolen
        self.facts = Facts(facts.read_text()) if facts.exists() else None
        report = subprocess.run([evreport, "--format", "json", "--top", "0", str(trace)], env=env, stdout=subprocess.PIPE,
                                check=True, timeout=120)
        self.report = json.loads(report.stdout)
        self.said = [(None, text) for text in self.report["in_short"]]
        self.said += [(f["kind"], f["text"]) for f in self.report["findings"]]

    @property
    def has_facts(self):
        return self.facts is not None and bool(self.facts.processes)

    @property
    def others_s(self):
        """CPU seconds of all other programs, from before the run to after it."""
        return max(0, sum(self.busy_s.values()) - self.cpu_s)

    @property
    def others_beside_s(self):
        """The same, on the CPUs that the run may use."""
        return max(0, sum(self.busy_s[cpu] for cpu in self.allowed) - self.cpu_s)

    @property
    def duration_s(self):
        return self.report["run"]["duration_s"]

    def told(self):
        """What is known, for whoever reads of a failure."""
        facts = f"{self.facts.threads}, {dict(self.facts.places)}, {dict(self.facts.waits)}" if self.has_facts else "none"
        seen = [(t["tid"], t["cpu_ns"], t["waiting_ns"], t["ready_ns"]) for t in self.report["threads"][:9]]
        return (f"known: {self.wall_s:.3f} s, CPU {self.user_s:.3f} + {self.system_s:.3f} s, others {self.others_s:.3f} s; {facts}; "
                f"threads seen: {seen}")

    def threads(self):
        """By the program's own account; else by the trace."""
        if self.has_facts:
            return self.facts.threads
        return [{"cpu_ns": t["cpu_ns"], "ready_ns": t["ready_ns"] or 0, "wall_ns": t["cpu_ns"] + (t["waiting_ns"] or 0), "late_ns": 0}
                for t in self.report["threads"]]

    def workers(self, least):
        """Threads with so much of the busiest thread's CPU time; all, where those have less than half of it together."""
        most = max((t["cpu_ns"] for t in self.threads()), default=0)
        some = [t for t in self.threads() if t["cpu_ns"] >= least * most]
        return some if 2 * sum(t["cpu_ns"] for t in some) >= sum(t["cpu_ns"] for t in self.threads()) else self.threads()

    def shares_of(self, threads, key):
        """The least and the most share of the threads' time; a thread that waits for its first CPU may have begun, or not."""
        wall = sum(t["wall_ns"] for t in threads) or 1
        late = sum(t["late_ns"] for t in threads)
        ns = sum(t[key] for t in threads)
        return sorted((ns / wall, max(0, ns - (late if key == "ready_ns" else 0)) / max(wall - late, 1)))

    @property
    def beside(self):
        """The share of the threads' time that evprof sees and the program does not: before main, and after it."""
        if not self.has_facts:
            return 0
        seen = sum(t["cpu_ns"] + (t["waiting_ns"] or 0) for t in self.report["threads"])
        told = [sum(t["wall_ns"] for t in self.facts.threads), sum(t["wall_ns"] - t["late_ns"] for t in self.facts.threads)]
        return max(0, min(abs(seen - t) for t in told) / max(seen, 1))

    def ready_shares(self, least=0.1):
        """The least and the most share of their time in which threads that work had no CPU."""
        shares = [s for part in (0.7 * least, least, 1.4 * least) for s in self.shares_of(self.workers(part), "ready_ns")]
        return max(0, min(shares) - self.beside), max(shares) + self.beside
