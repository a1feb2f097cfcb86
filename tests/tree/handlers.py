#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the handlers of the library can call of others, by its machine code.

handlers.py LIBRARY...: the functions that a tick or a deadly signal can reach, and of those the ones that
come from outside. A function that another preloaded library may stand before (fakeroot has stat,
libfaketime clock_gettime, every allocator malloc) may hold a lock in the thread that is interrupted, or
answer something else. So only what is listed here may be called.
"""

import collections
import re
import subprocess
import sys

# The counter sources' two functions are called through a table; each source calls them so. So are the walkers
# of stacks; libunwind's calls a library that takes locks, which is why somebody has to ask for it.
ROOTS = ["on_tick", "on_deadly", "ep_handled_by", "ep_lost_tick_is", "on_handled_io", "start", "stop", "ep_unwind", "walk_frame_pointers"]

# They touch the memory that they are given, and nothing else.
PURE = ["memchr", "memcmp", "memcpy", "memmove", "memset", "strchr", "strlen", "strncmp", "strnlen",
        "strspn", "strstr", "strtol", "strtoul", "strtoull"]
# They answer from the thread's or the process's own memory, without a lock.
OWN_MEMORY = ["__errno_location", "__tls_get_addr", "_dl_find_object", "getauxval", "pthread_getspecific", "pthread_self",
              "sched_getcpu", "strerrordesc_np"]
# The end of a process that is none by a signal writes EVPROF_DEBUG's lines; valgrind is asked by a text.
PRINTERS = ["snprintf", "vsnprintf"]
# The compiler's own, which does not return; a program's that says so in its documentation.
OTHERS = ["__stack_chk_fail", "__memcpy_chk", "__memset_chk", "ep_program_counters"]
ALLOWED = set(PURE + OWN_MEMORY + PRINTERS + OTHERS)
WHO_PRINT = {"ep_recording_debug", "ask_locked"}


class Code:
    """Who calls whom. Functions of one name (static ones of several files) count as one."""

    def __init__(self, library):
        self.calls = collections.defaultdict(set)
        self.outside = collections.defaultdict(set)
        self.slots = self.read_slots(library)
        name = None
        for line in self.objdump("-d", "--no-show-raw-insn", library):
            head = re.match(r"[0-9a-f]+ <(.+)>:$", line)
            if head:
                name = re.sub(r"(\.(cold|part|constprop|isra)(\.\d+)?)+$", "", head[1])
                self.calls[name]  # it exists
            elif name:
                self.read_instruction(name, line)

    @staticmethod
    def objdump(*arguments):
        return subprocess.run(["objdump", *arguments], check=True, stdout=subprocess.PIPE,
                              text=True).stdout.splitlines()

    def read_slots(self, library):
        """Words of the library's memory that the loader fills with another's address."""
        rows = (re.match(r"([0-9a-f]+)\s+R_\S+\s+([A-Za-z_]\w*)", line) for line in self.objdump("-R", library))
        return {int(row[1], 16): row[2] for row in rows if row}

    def read_instruction(self, name, line):
        direct = re.search(r"\b(?:call|j\w+)\s+[0-9a-f]+ <([^>+]+)", line)
        through = re.search(r"\b(?:call|jmp)\s+\*0x[0-9a-f]+\(%rip\)\s+# ([0-9a-f]+)", line)
        address = re.search(r"\blea\s.*# [0-9a-f]+ <([^>+]+)>", line)
        if direct and direct[1].endswith("@plt"):
            self.outside[name].add(direct[1][:-4])
        elif direct or address:  # a function whose address is taken is called by somebody
            called = re.sub(r"(\.(cold|part|constprop|isra)(\.\d+)?)+$", "", (direct or address)[1])
            self.calls[name].add(called)
        elif through and int(through[1], 16) in self.slots:
            self.outside[name].add(self.slots[int(through[1], 16)])

    def reach(self, roots):
        """Each function that can be reached, and by which way."""
        ways, todo = {}, [(root, None) for root in roots]
        while todo:
            name, caller = todo.pop()
            if name in ways or name not in self.calls:
                continue
            ways[name] = caller
            todo += [(called, name) for called in sorted(self.calls[name])]
        return ways


def way_to(ways, name):
    way = []
    while name:
        way.append(name)
        name = ways[name]
    return " <- ".join(way)


def check(library):
    code = Code(library)
    missing = [root for root in ROOTS if root not in code.calls]
    ways = code.reach(ROOTS)
    found = {(called, name) for name in ways for called in code.outside[name]}
    wrong = [f"{called} is called by {way_to(ways, name)}" for called, name in sorted(found)
             if called not in ALLOWED or (called in PRINTERS and name not in WHO_PRINT)]
    # The search itself: a program's start allocates, opens and prints.
    begin = code.reach(["ep_process_begin"])
    seen = {called for name in begin for called in code.outside[name]}
    if missing or len(ways) < 100 or not {"calloc", "malloc"} & seen:
        print(f"the search is broken: {missing} not found, {len(ways)} functions reached, {sorted(seen)}")
        return False
    print(f"{library}: {len(ways)} functions, {len({called for called, _ in found})} of others")
    print("\n".join(wrong), end="\n" if wrong else "")
    return not wrong


sys.exit(not all([check(library) for library in sys.argv[1:]]))
