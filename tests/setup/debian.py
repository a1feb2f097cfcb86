#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each file that is installed belongs to a Debian package and one of RPM, without which both fail: debian.py BUILD. Prints TAP."""
import fnmatch
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_BUILT = {"bin/evreport-reduce", "bin/evcal-gpu"}  # debian/rules leaves MPI and GPUs out


def introspect(what):
    return json.loads(subprocess.run(["meson", "introspect", what, sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout)


def in_package(path, libdir):
    """A package has libraries in a folder of the architecture."""
    return f"usr/lib/any/{path[len(libdir) + 1:]}" if path.startswith(libdir + "/") else f"usr/{path}"


options = {option["name"]: option["value"] for option in introspect("--buildoptions")}
installed = {str(pathlib.Path(path).relative_to(options["prefix"])) for path in introspect("--installed").values()}
patterns = [line for file in ROOT.glob("debian/*.install") for line in file.read_text().split()]
missing = [path for path in sorted(installed - NOT_BUILT)
           if not any(fnmatch.fnmatch(in_package(path, options["libdir"]) + "/", pattern + "/*") for pattern in patterns)]
MACROS = {"%{_bindir}": "bin", "%{_includedir}": "include", "%{_libdir}": options["libdir"], "%{_datadir}": "share", "%{_mandir}": "share/man"}
rows = [line for line in (ROOT / "packaging/evprof.spec").read_text().splitlines() if line.startswith("%{_")]
for macro, folder in MACROS.items():
    rows = [row.replace(macro, folder) for row in rows]
missing_in_rpm = [path for path in sorted(installed - NOT_BUILT) if not any(fnmatch.fnmatch(path, row) for row in rows)]
print("1..2")
for n, (title, files) in enumerate((("debian/*.install", missing), ("%files of evprof.spec", missing_in_rpm)), 1):
    print(f"{'not ok' if files else 'ok'} {n} - each file that is installed is in {title}")
    for path in files:
        print(f"# {path}")
sys.exit(bool(missing or missing_in_rpm))
