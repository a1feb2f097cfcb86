#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each file that is installed belongs to a Debian package, without which dh_missing fails: debian.py BUILD. Prints TAP."""
import fnmatch
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_BUILT = {"bin/evreport-reduce"}  # debian/rules leaves MPI out


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
print("1..1")
print(f"{'not ok' if missing else 'ok'} 1 - each file that is installed is in a package")
for path in missing:
    print(f"# {path}: in no debian/*.install")
sys.exit(bool(missing))
