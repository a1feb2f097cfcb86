#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts a page's style and scripts into its frame and writes it as C: embed.py NAME OUTPUT HTML CSS JS...

NAME begins the names in C: ep_NAME_before_text.

The frame's @TEXT@ and @DATA@ stay for evreport to fill: between them the page is cut in pieces. The scripts
become one, in their order, whose hash goes into the page's policy, so that a browser runs no other.
"""
import base64
import hashlib
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def c_array(name, text):
    data = text.encode() + b"\0"
    lines = [",".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"const char {name}[] = {{\n" + ",\n".join(lines) + "\n};\n"


def main():
    name, output, frame, style = sys.argv[1], sys.argv[2], read(sys.argv[3]), read(sys.argv[4])
    # All names from a trace are put in as text, never as HTML.
    script = '"use strict";\n(() => {\n' + "".join(map(read, sys.argv[5:])) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    frame = frame.replace("@SCRIPT_HASH@", f"sha256-{digest}").replace("@STYLE@", style)
    before_text, rest = frame.split("@TEXT@")
    before_data, after_data = rest.split("@DATA@")
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include "reporter/page/frame.h"\n\n')
        out.write(c_array(f"ep_{name}_before_text", before_text))
        out.write(c_array(f"ep_{name}_before_data", before_data))
        out.write(c_array(f"ep_{name}_after_data", after_data.replace("@SCRIPT@", script)))


if __name__ == "__main__":
    main()
