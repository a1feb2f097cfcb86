#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""embed.py OUT.S NAME=FILE...: an assembler file that holds each file's bytes as NAME ... NAME_end."""
import sys

with open(sys.argv[1], "w") as out:
    out.write(".section .rodata\n")
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        out.write(".balign 16\n")
        for symbol in (name, name + "_end"):
            out.write(".globl %s\n.hidden %s\n" % (symbol, symbol))
        out.write('%s:\n.incbin "%s"\n%s_end:\n.byte 0\n' % (name, path, name))
    out.write('.section .note.GNU-stack,"",%progbits\n')
