#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ports.py EVREPORT FORMULAS: the model `ports` of each CPU gives what Intel's own equations give.

The equations are those that Intel publishes as perfmon metrics (TMA 4) and Linux has in tools/perf/pmu-events/arch/x86, in its
words; without SMT its CORE_CLKS are the thread's cycles. Counts are drawn by a fixed seed.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

OLD = {
    "Arithmetic_Ports": "(P0 + P1 + P5 + P6) / (4 * CORE_CLKS)",
    "Load_Ports": "(P2 + P3 + P7 - P4) / (2 * CORE_CLKS)",
    "Store_Ports": "P4 / CORE_CLKS",
    **{f"Port_{n}": f"P{n} / CORE_CLKS" for n in range(8)},
}
SINGLE = {f"Port_{n}": f"P{n} / CORE_CLKS" for n in (0, 1, 6)}
STORE = {"Store_Ports": "(P4_9 + P7_8) / (4 * CORE_CLKS)"}
EQUATIONS = {  # tma_alu_op_utilization, tma_load_op_utilization, tma_store_op_utilization, tma_port_*
    "bdx": ("UOPS_EXECUTED_PORT:PORT_", OLD),
    "skx": ("UOPS_DISPATCHED_PORT:PORT_", OLD),
    "icx": ("UOPS_DISPATCHED:PORT_", {**SINGLE, **STORE, "Port_5": "P5 / CORE_CLKS", "Load_Ports": "P2_3 / (2 * CORE_CLKS)",
                                      "Arithmetic_Ports": "(P0 + P1 + P5 + P6) / (4 * CORE_CLKS)"}),
    "spr": ("UOPS_DISPATCHED:PORT_", {**SINGLE, **STORE, "Load_Ports": "P2_3_10 / (3 * CORE_CLKS)",
                                      "Arithmetic_Ports": "(P0 + P1 + P5_11 + P6) / (5 * CORE_CLKS)"}),
}
PORTS = {"bdx": "01234567", "skx": "01234567", "icx": ["0", "1", "2_3", "4_9", "5", "6", "7_8"],
         "spr": ["0", "1", "2_3_10", "4_9", "5_11", "6", "7_8"]}
CYCLES = {"bdx": "CPU_CLK_THREAD_UNHALTED:THREAD_P", "skx": "CPU_CLK_THREAD_UNHALTED:THREAD_P", "icx": "CPU_CLK_UNHALTED:THREAD_P",
          "spr": "CPU_CLK_UNHALTED:THREAD_P"}
# What blocked loads are estimated to cost: tma_store_fwd_blk.
BLOCKED, BLOCKED_EVENT = "13 * BLOCKED / CLKS", "LD_BLOCKS:STORE_FORWARD"


def evaluate(evreport, cpu, model, counts, folder):
    values = os.path.join(folder, "values")
    with open(values, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{count}\n" for name, count in counts.items())
    done = subprocess.run([evreport, "eval", "--model", model, "--cpu", cpu, "--values", values, "--format", "json"],
                          stdout=subprocess.PIPE, text=True, check=True)
    return {m["metric"]: m["value"] for model in json.loads(done.stdout) for m in model["metrics"]}


def differences(evreport, cpu, folder):
    prefix, equations = EQUATIONS[cpu]
    chance = random.Random(cpu)
    cycles = chance.randrange(10**9, 2 * 10**9)
    counts = {port: chance.randrange(10**8, 9 * 10**8) for port in PORTS[cpu]}
    names = {f"P{port}": count for port, count in counts.items()} | {"CORE_CLKS": cycles}
    got = evaluate(evreport, cpu, "ports", {prefix + port: count for port, count in counts.items()} | {CYCLES[cpu]: cycles}, folder)
    wanted = {name: eval(equation, {}, names) for name, equation in equations.items()}  # of this file alone
    blocked = chance.randrange(10**6, 10**7)
    got |= evaluate(evreport, cpu, "stalls", {BLOCKED_EVENT: blocked, CYCLES[cpu]: cycles}, folder)
    wanted["Blocked_Loads"] = eval(BLOCKED, {}, {"BLOCKED": blocked, "CLKS": cycles})
    return [f"{name}: {got.get(name)}, Intel's {value}" for name, value in wanted.items()
            if got.get(name) is None or abs(got[name] - value) > 1e-9 * value]


def main():
    evreport = sys.argv[1]
    os.environ["EVPROF_FORMULAS"] = sys.argv[2]
    n_bad = 0
    print(f"1..{len(EQUATIONS)}")
    with tempfile.TemporaryDirectory() as folder:
        for i, cpu in enumerate(EQUATIONS, 1):
            wrong = differences(evreport, cpu, folder)
            n_bad += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {i} - {cpu}")
            print("".join(f"# {line}\n" for line in wrong), end="")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())
