# SPDX-License-Identifier: BSD-3-Clause
"""Patterns of sentences: <name> stands for a number, <name~> for words, {one|other} for either."""
import re

NUMBER = r"-?\d[\d.,]*(?:e[+-]?\d+)?(?: ?[kKMGT])?"


def expression(pattern):
    out = ""
    for part in re.split(r"(<\w+~?>|[{|}])", pattern):
        if part in ("{", "|", "}"):
            out += {"{": "(?:", "|": "|", "}": ")"}[part]
        elif match := re.fullmatch(r"<(\w+)(~?)>", part):
            out += f"(?P<{match[1]}>{'.+?' if match[2] else NUMBER})"
        else:
            out += re.escape(part)
    return re.compile(out)


def number(text):
    """12, 1,234, 3.5e+06, 94.9 k"""
    text = text.replace(",", "")
    scale = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(text[-1], 1)
    return float(text.rstrip("kKMGT ").rstrip(".")) * scale


class Said:
    """A sentence that fits a pattern: numbers and words by their names."""

    def __init__(self, match):
        self.groups = {k: v for k, v in match.groupdict().items() if v is not None}
        self.text = match[0]

    def __contains__(self, key):
        return key in self.groups

    def __getitem__(self, key):
        value = self.groups[key]
        return number(value) if re.fullmatch(NUMBER, value) else value


CONVERSION = re.compile(r'%(?:%|"\s*PRIu64\s*"|[-+0-9.*]*l*[a-zA-Z])')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def words_of(source):
    """The longest unbroken piece of each text in C code that a sentence may have."""
    source = re.sub(r"/\*.*?\*/|//[^\n]*|#include[^\n]*", "", source, flags=re.S)
    joined = re.sub(r'"\s*(PRI\w+)?\s*"', lambda m: "%u" if m[1] else "", source)
    for text in LITERAL.findall(joined):
        pieces = [p.replace('\\"', '"') for p in re.split(r"%(?:[-+0-9.*]*l*[a-zA-Z])", text.replace("%%", "\0"))]
        best = max(pieces, key=len).replace("\0", "%").strip(" ,.:;()%")
        if len(best.split()) >= 3:
            yield best
