# SPDX-License-Identifier: BSD-3-Clause
"""Loops by a comment in the source: the line of a loop's header that says /* loop: NAME */ is where it begins."""
import os


def marked_line(source, name):
    """None: there is no such comment."""
    with open(source, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if f"/* loop: {name} */" in text:
                return number
    return None


def is_at(row, source, name):
    """Is a row of the report, of advise or of compare that loop?"""
    line = marked_line(source, name)
    return line is not None and f"loop at {os.path.basename(source)}:{line} in" in row["name"]
