#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tree keeps the rules of docs/architecture.md.

check_tree.py [ROOT]: prints TAP. Includes follow the page's table, which has no circles; private
headers stay in their folder; no struct and no public function is defined under one name twice; no
file name occurs three times; pages are wrapped; comments begin with a subject or a verb; text has signs that ASCII lacks from one place.
"""
import collections
import os
import pathlib
import re
import sys

PRODUCT = ("common", "counters", "launcher", "preload", "reporter", "kernels")
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.M)
STRUCT = re.compile(r"^(?:static (?:const )?|extern )?(struct|enum|union) (\w+)(?: __attribute__\S+)? \{", re.M)
FUNCTION = re.compile(r"^(?!static|typedef|EP_HOOK|extern)[a-z][\w \t*]*?[ *](\w+)\([^;{}]*\)\s*\n\{", re.M)
# Two files that are never built together define the same functions: a choice of the build.
ALTERNATIVES = ({"deflate_libdeflate.c", "deflate_zlib.c"}, {"list_papi.c", "list_papi.h"},
                {"source_papi.c", "source_papi_absent.c"})
PER_PROGRAM = {"main"}
# Words with which fragments begin: "What it found." names neither the thing nor what happens to it.
FRAGMENT = re.compile(r"(?:/\*|//) (?:What|Of|Whoever|Who|Whose|And|That) ")
# A string literal with a sign that ASCII lacks; and the files that have both it and its stand-in.
FOREIGN_SIGN = re.compile(r'"(?:[^"\\\n]|\\.)*?(?:[\x80-\xff]|\\u[0-9a-fA-F]{4})')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
OF_SIGNS = {"reporter/text/signs.h", "reporter/text/layout.c", "reporter/annotate/margin.c"}
PAGE_COLUMNS = 110  # pages are wrapped at 100; a small edit need not wrap the paragraph anew


def read_rules(page):
    """{folder: folders that it may include} of the table's rows."""
    rules = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            rules[cells[0].strip("`")] = set(re.findall(r"`([^`]+)`", cells[2]))
    for folder, allowed in rules.items():
        if "reporter" in allowed:
            allowed |= {other for other in rules if other.startswith("reporter/") and other != folder}
    return rules


def find_circle(rules):
    done = set()

    def visit(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder not in done:
            for other in sorted(rules.get(folder, ())):
                circle = visit(other, path + [folder])
                if circle:
                    return circle
            done.add(folder)
        return None

    return next(filter(None, (visit(folder, []) for folder in rules)), None)


def sources(root):
    return [path for top in PRODUCT for path in sorted((root / top).rglob("*.[ch]"))]


def includes(root, path):
    """Files of the tree that path includes."""
    for name in INCLUDE.findall(path.read_text(encoding="latin-1")):
        for candidate in (path.parent / name, root / name):
            if candidate.exists():
                yield pathlib.Path(os.path.normpath(candidate))
                break


def broken_includes(root, rules):
    for path in sources(root):
        folder = str(path.parent.relative_to(root))
        for included in includes(root, path):
            other = str(included.parent.relative_to(root))
            if other == folder:
                continue
            if included.name.endswith("_private.h"):
                yield f"{path.relative_to(root)} includes the private header {included.relative_to(root)}"
            elif folder not in rules:
                yield f"docs/architecture.md has no row for {folder}"
            elif other not in rules[folder]:
                yield f"{path.relative_to(root)} includes {included.relative_to(root)}: {folder} may not use {other}"


def definitions(root):
    """{(kind, name): files}"""
    found = collections.defaultdict(set)
    for path in sources(root):
        text = path.read_text(encoding="latin-1")
        for kind, name in STRUCT.findall(text):
            found[kind, name].add(path)
        if path.suffix == ".c":
            for name in FUNCTION.findall(text):
                found["function", name].add(path)
    return found


def is_choice(paths):
    return any({path.name for path in paths} <= names for names in ALTERNATIVES)


def duplicates(root):
    for (kind, name), paths in sorted(definitions(root).items()):
        if len(paths) > 1 and name not in PER_PROGRAM and not is_choice(paths):
            yield f"{kind} {name} is defined in " + ", ".join(str(p.relative_to(root)) for p in sorted(paths))


def crowded_names(root):
    names = collections.Counter(path.name for path in sources(root))
    return [f"{name} occurs {n} times" for name, n in sorted(names.items()) if n > 2]


def is_prose(line):
    """Tables, code, pictures and lines without a blank to break at stay as long as they are."""
    return not line.startswith(("|", "    ", "```", "![")) and " " in line.strip()[:PAGE_COLUMNS]


def long_lines(root):
    for page in sorted([*(root / "docs").glob("*.md"), root / "README.md", root / "NEWS.md", root / "bench/README.md"]):
        is_code = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            is_code ^= line.startswith("```")
            if not is_code and len(line) > PAGE_COLUMNS and is_prose(line):
                yield f"{page.relative_to(root)}:{number} has {len(line)} columns of at most {PAGE_COLUMNS}"


def fragments(root):
    others = [path for top in ("tests", "bench", "examples") for path in sorted((root / top).rglob("*.[ch]"))]
    for path in sources(root) + others:
        for number, line in enumerate(path.read_text(encoding="latin-1").splitlines(), 1):
            if FRAGMENT.search(line):
                yield f"{path.relative_to(root)}:{number} is a comment that begins with no subject"


def foreign_signs(root):
    """Text of one file would otherwise have signs in locales that cannot show them."""
    for path in sources(root):
        text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="latin-1"))
        for number, line in enumerate(text.splitlines(), 1):
            if FOREIGN_SIGN.search(line) and str(path.relative_to(root)) not in OF_SIGNS:
                yield f"{path.relative_to(root)}:{number} has a sign that ASCII lacks: reporter/text/signs.h has such signs"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rules = read_rules((root / "docs/architecture.md").read_text())
    circle = find_circle(rules)
    results = [
        ("the table of docs/architecture.md has rows and no circle",
         [] if rules and not circle else [" > ".join(circle or ["no rows"])]),
        ("includes follow the table", sorted(set(broken_includes(root, rules)))),
        ("no struct and no public function has its name twice", list(duplicates(root))),
        ("no file name occurs three times", crowded_names(root)),
        ("pages are wrapped", list(long_lines(root))),
        ("comments begin with a subject or a verb", list(fragments(root))),
        ("signs that ASCII lacks have a stand-in", list(foreign_signs(root))),
    ]
    print(f"1..{len(results)}")
    for i, (title, faults) in enumerate(results, 1):
        for fault in faults:
            print(f"# {fault}")
        print(f"{'not ok' if faults else 'ok'} {i} - {title}")
    return any(faults for _, faults in results)


if __name__ == "__main__":
    sys.exit(main())
