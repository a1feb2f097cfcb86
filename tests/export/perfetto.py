# SPDX-License-Identifier: BSD-3-Clause
"""A reader of Perfetto's traces (github.com/google/perfetto, protos/perfetto/trace), of what evreport writes of it.

It plays the events as a viewer does: a track's slices lie on a stack, and counters add up their steps. What a
viewer would complain of raises AssertionError.
"""
import collections

OFF = "off the CPU"
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def one(fields, key, default=None):
    values = [value for field, value in fields if field == key]
    assert len(values) <= 1, key
    return values[0] if values else default


class Perfetto:
    def __init__(self, data, read_fields):
        self.read_fields = read_fields
        self.tracks, self.names = {}, {}  # {uuid: fields of its descriptor}, {iid: name}
        self.off_ns = collections.Counter()
        self.self_ns, self.slices = collections.Counter(), collections.defaultdict(list)
        self.counters, self.notes = collections.Counter(), []
        self.open, self.last_ns = collections.defaultdict(list), collections.defaultdict(int)
        for number, (field, packet) in enumerate(read_fields(data)):
            assert field == 1
            self.take(read_fields(packet), number)
        assert not any(self.open.values()), "slices that do not end"

    def take(self, packet, number):
        assert one(packet, 10) == 1 and one(packet, 13) == (2 if number else 3), "not of one sequence"
        if one(packet, 60) is not None:
            track = self.read_fields(one(packet, 60))
            assert one(track, 1) not in self.tracks
            assert one(track, 5) is None or one(track, 5) in self.tracks, "its parent comes later"
            self.tracks[one(track, 1)] = track
        for field, name in self.read_fields(one(packet, 12, b"")):
            fields = self.read_fields(name)
            assert field == 2 and one(fields, 1) not in self.names
            self.names[one(fields, 1)] = one(fields, 2, b"").decode()
        if one(packet, 11) is not None:
            self.play(one(packet, 8), self.read_fields(one(packet, 11)))

    def play(self, at_ns, event):
        kind, track = one(event, 9), one(event, 11)
        assert track in self.tracks and at_ns >= self.last_ns[track]
        if kind in (BEGIN, END) and self.open[track]:
            sums = self.off_ns if self.open[track][-1] is OFF else self.self_ns
            sums[self.open[track][-1]] += at_ns - self.last_ns[track]
        self.last_ns[track] = at_ns
        if kind == BEGIN:
            name = one(event, 23)
            self.open[track].append(self.names[one(event, 10)] if name is None else OFF)
            assert name in (None, OFF.encode()), name
        elif kind == END:
            self.open[track].pop()
        elif kind == COUNTER:
            value = one(event, 30)
            self.counters[self.name(track)] += value - (1 << 64) if value >> 63 else value
        else:
            assert kind == INSTANT
            self.notes.append(one(event, 23).decode())

    def name(self, track):
        return one(self.tracks[track], 2).decode()

    def processes(self):
        """{pid: names}: a viewer makes one process of each pid."""
        processes = collections.defaultdict(list)
        for track in self.tracks.values():
            if one(track, 3):
                fields = self.read_fields(one(track, 3))
                processes[one(fields, 1, 0)].append(one(fields, 6).decode())
        return processes

    def threads(self):
        """{(pid, tid)}"""
        descriptors = [self.read_fields(one(track, 4)) for track in self.tracks.values() if one(track, 4)]
        return {(one(d, 1, 0), one(d, 2, 0)) for d in descriptors}
