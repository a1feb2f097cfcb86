#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts a page's style and script into its frame and writes it as C: embed.py NAME OUTPUT HTML CSS SCRIPT LICENCE.

NAME begins the names in C: ep_NAME_before_text.

The frame's @TEXT@ and @DATA@ stay for evreport to fill: between them the page is cut in pieces. The script's hash
goes into the page's policy, so that a browser runs no other. LICENCE is that of the libraries in the script.
"""
import base64
import hashlib
import html
import sys


def c_array(name, text):
    data = text.encode() + b"\0"
    lines = [",".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"const char {name}[] = {{\n" + ",\n".join(lines) + "\n};\n"


def main():
    name, output = sys.argv[1:3]
    texts = []
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    frame, style, script, licence = texts
    script = "/* Parts of it are D3, by Mike Bostock: its licence stands at the page's end. */\n" + script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    frame = frame.replace("@SCRIPT_HASH@", f"sha256-{digest}").replace("@STYLE@", style).replace("@LICENCE@", html.escape(licence))
    before_text, rest = frame.split("@TEXT@")
    before_data, after_data = rest.split("@DATA@")
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include "reporter/page/frame.h"\n\n')
        out.write(c_array(f"ep_{name}_before_text", before_text))
        out.write(c_array(f"ep_{name}_before_data", before_data))
        out.write(c_array(f"ep_{name}_after_data", after_data.replace("@SCRIPT@", script)))


if __name__ == "__main__":
    main()
