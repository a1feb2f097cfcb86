#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What prints JSON keeps to schemas/, and the schemas have every key: run.py EVREPORT GENERATE PRELOAD
HEAT REGIONS EVCAL. Prints TAP. Debian's python3-jsonschema judges.
"""
import copy
import json
import os
import sys
import tempfile

from outputs import HERE, Outputs

try:
    import jsonschema
except ImportError:
    jsonschema = None
FOLDER = os.path.join(HERE, "..", "..", "schemas")
failed = number = 0


def check(name, problems):
    global failed, number
    problems = list(problems)
    number += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:8]:
        print(f"# {problem!s:.300}")


def strict(schema):
    """The same, but a key that it has not is a fault, too."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    # conditions say what else must be there, of keys that are known
    closed = {key: one if key == "allOf" else strict(one) for key, one in schema.items()}
    if isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed


def problems_of(value, schema):
    for error in jsonschema.Draft202012Validator(strict(schema)).iter_errors(value):
        yield f"{error.json_path}: {error.message:.200}"


def check_that_faults_are_found(schema, report):
    """The validator says what is broken on purpose."""
    for name, change in (("a key that is missing", lambda r: r.pop("run")), ("a key that is new", lambda r: r.update(new=1)),
                         ("a text for a number", lambda r: r["run"].update(n_threads="2")),
                         ("a fraction for a count", lambda r: r["procedures"][0].update(self_ns=1.5)),
                         ("another version", lambda r: r.update(schema="evprof-report-2"))):
        broken = copy.deepcopy(report)
        change(broken)
        check(f"{name} is found", [] if list(problems_of(broken, schema)) else ["it passed"])


def main():
    if not jsonschema:
        print("1..0 # SKIP python3-jsonschema is not installed")
        return 0
    schemas = {}
    for file in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, file), encoding="utf-8") as stream:
            schemas[file.split(".")[0]] = json.load(stream)
    with tempfile.TemporaryDirectory() as folder:
        outputs = Outputs(*sys.argv[1:7], folder).all()
        for name, schema in schemas.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            check(f"{name}: something prints it", [] if any(row[0] == name for row in outputs) else ["nothing"])
        for name, what, value in outputs:
            check(f"{name}: {what}", problems_of(value, schemas[name]))
        check("a report has regions", [] if any(name == "report" and value.get("regions") for name, _, value in outputs) else ["none has"])
        check_that_faults_are_found(schemas["report"], outputs[0][2])
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
