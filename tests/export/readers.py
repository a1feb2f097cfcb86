# SPDX-License-Identifier: BSD-3-Clause
"""Readers of the export formats, written from each format's own description.

They fail where a file does not keep to the description, and sum what the file says of each procedure.
Perfetto's reader has a file of its own, perfetto.py.
"""
import collections
import gzip
import json
import re


def same_name(name):
    """Readers differ in how many U+FFFD stand for bytes that are no UTF-8."""
    return re.sub("\ufffd+", "\ufffd", name)


# ---- folded ----

def read_folded(data):
    """[(frames, number)]"""
    rows = []
    for line in data.decode().split("\n")[:-1]:
        stack, count = line.rsplit(" ", 1)
        assert re.fullmatch("[1-9][0-9]*", count), line
        rows.append((stack.split(";"), int(count)))
    return rows


def sums_of_leaves(rows):
    sums = collections.Counter()
    for frames, count in rows:
        sums[same_name(frames[-1])] += count
    return sums


# ---- pprof: github.com/google/pprof, proto/profile.proto ----

def read_fields(data):
    """[(field, number or bytes)] of a message."""
    at, fields = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 0x7f) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            fields.append((key >> 3, varint()))
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            size = varint()
            assert at + size <= len(data)
            fields.append((key >> 3, data[at:at + size]))
            at += size
    return fields


def read_packed(data):
    numbers = [v for _, v in read_fields(b"".join(b"\x08" + part for part in split_varints(data)))]
    return [v - (1 << 64) if v >> 63 else v for v in numbers]


def split_varints(data):
    return re.findall(rb"[\x80-\xff]*[\x00-\x7f]", data, re.S)


class Pprof:
    def __init__(self, packed):
        top = collections.defaultdict(list)
        for field, value in read_fields(gzip.decompress(packed)):
            top[field].append(value)
        self.strings = [text.decode() for text in top[6]]
        assert self.strings[0] == "" and len(set(self.strings)) == len(self.strings)
        self.columns = [self.strings[dict(read_fields(one))[1]] for one in top[1]]
        self.functions = {f[1]: self.strings[f[2]] for f in (dict(read_fields(one)) for one in top[5])}
        self.mappings = [dict(read_fields(one)) for one in top[3]]
        self.locations = {}
        for one in top[4]:
            fields = read_fields(one)
            lines = [self.functions[dict(read_fields(line))[1]] for field, line in fields if field == 4]
            assert lines and dict(fields)[1] not in self.locations
            self.locations[dict(fields)[1]] = lines
        self.samples = []
        for one in top[2]:
            fields = read_fields(one)
            stack = [self.locations[i] for i in read_packed(dict(fields)[1])]
            values = read_packed(dict(fields)[2])
            assert len(values) == len(self.columns)
            labels = [dict(read_fields(label)) for field, label in fields if field == 3]
            self.samples.append((stack, values, {self.strings[label[1]]: label.get(3) or self.strings[label.get(2, 0)]
                                                 for label in labels}))

    def sums(self, column, key=lambda stack, labels: same_name(stack[0][0])):
        at, out = self.columns.index(column), collections.Counter()
        for stack, values, labels in self.samples:
            out[key(stack, labels)] += values[at]
        return out


# ---- speedscope: src/lib/file-format-spec.ts ----

def read_speedscope(data):
    """{profile: [(frames, weight)]}; fails where the description is not kept."""
    file = json.loads(data)
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [frame["name"] for frame in file["shared"]["frames"]]
    profiles = {}
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] in ("none", "nanoseconds")
        assert len(profile["samples"]) == len(profile["weights"]) and profile["startValue"] == 0
        assert sum(profile["weights"]) == profile["endValue"] and all(w > 0 for w in profile["weights"])
        profiles[profile["name"]] = [([names[i] for i in stack], weight)
                                     for stack, weight in zip(profile["samples"], profile["weights"])]
    return profiles


# ---- Firefox Profiler: docs-developer/CHANGELOG-formats.md, src/types/profile.ts ----

COLOURS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red", "lightred",
           "darkgrey", "grey"}


def table_problems(name, table):
    for column, values in table.items():
        if column not in ("length", "weightType") and len(values) != table["length"]:
            yield f"{name}.{column} has {len(values)} rows of {table['length']}"


def index_problems(profile):
    """Indexes that lead nowhere."""
    shared = profile["shared"]
    stacks, frames, funcs = shared["stackTable"], shared["frameTable"], shared["funcTable"]
    ranges = [(stacks["frame"], frames["length"]), (frames["func"], funcs["length"]),
              (frames["category"], len(profile["meta"]["categories"])), (funcs["name"], len(shared["stringArray"])),
              (funcs["resource"], shared["resourceTable"]["length"]), (funcs["source"], shared["sources"]["length"]),
              (shared["sources"]["filename"], len(shared["stringArray"])),
              (shared["resourceTable"]["name"], len(shared["stringArray"]))]
    ranges += [(thread["samples"]["stack"], stacks["length"]) for thread in profile["threads"]]
    for values, limit in ranges:
        yield from [v for v in values if v is not None and not -1 <= v < limit]
    yield from [i for i, offset in enumerate(stacks["prefixOffset"]) if not 0 <= offset <= i]


def firefox_problems(profile):
    for name in ("stackTable", "frameTable", "funcTable", "resourceTable", "sources", "nativeSymbols", "sourceLocationTable"):
        yield from table_problems(name, profile["shared"][name])
    if not any(c["color"] == "grey" for c in profile["meta"]["categories"]):
        yield "no default category"
    yield from [c for c in profile["meta"]["categories"] if c["color"] not in COLOURS]
    yield from index_problems(profile)
    for thread in profile["threads"]:
        yield from table_problems(thread["name"], thread["samples"])
        times = thread["samples"]["time"]
        yield from [(a, b) for a, b in zip(times, times[1:]) if a >= b]
    for counter in profile["counters"]:
        yield from table_problems(counter["name"], counter["samples"])
        if profile["threads"][counter["mainThreadIndex"]]["pid"] != counter["pid"]:
            yield f"{counter['name']} leads to another process"
    for pid in {thread["pid"] for thread in profile["threads"]}:
        if [t["isMainThread"] for t in profile["threads"] if t["pid"] == pid].count(True) != 1:
            yield f"process {pid} has not one main thread"


def firefox_sums(profile):
    """{procedure: ns} of the samples' weights."""
    shared, sums = profile["shared"], collections.Counter()
    for thread in profile["threads"]:
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            if stack is not None:
                func = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
                sums[same_name(shared["stringArray"][shared["funcTable"]["name"][func]])] += weight * 1e6
    return sums


# ---- callgrind: valgrind's manual, "Callgrind Format Specification" ----

class Callgrind:
    """Self and inclusive costs of procedures."""

    def __init__(self, data):
        self.names, self.self_costs, self.calls = {}, collections.Counter(), collections.Counter()
        lines = iter(data.decode().split("\n"))
        assert next(lines) == "# callgrind format"
        self.long_names, function = {}, None
        for line in lines:
            key, _, value = line.partition("=" if re.match("[a-z]+=", line) else ": ")
            if key == "event":
                short, _, long_name = value.partition(" : ")
                self.long_names[re.sub(r" \(\w+\)$", "", long_name)] = short
            elif key == "events":
                self.events = value.split()
                assert len(set(self.events)) == len(self.events)
            elif key == "summary":
                self.summary = list(map(int, value.split()))
            elif key == "fn":
                function = self.name(value)
            elif key == "cfn":
                self.name(value)
            elif key == "calls":
                self.add(self.calls, function, next(lines))
            elif re.match("[0-9]", line):
                self.add(self.self_costs, function, line)

    def name(self, value):
        number, _, name = value.partition(" ")
        assert (number not in self.names) == bool(name), value
        return self.names.setdefault(number, name)

    def add(self, sums, function, line):
        costs = list(map(int, line.split()))[1:]
        assert len(costs) == len(self.events) and min(costs) >= 0
        for event, cost in zip(self.events, costs):
            sums[same_name(function), event] += cost

    def sums(self, column, with_calls=False):
        event, out = self.long_names[column], collections.Counter()
        for (function, of_event), cost in list(self.self_costs.items()) + with_calls * list(self.calls.items()):
            out[function] += cost * (of_event == event)
        return out
