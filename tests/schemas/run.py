#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What prints JSON keeps to schemas/, and the schemas have every key: run.py EVREPORT GENERATE PRELOAD
HEAT EVCAL. Prints TAP.

The validator here knows what the schemas use; where python3-jsonschema is installed, it is asked too.
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
KNOWN = {"$schema", "$id", "$comment", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties",
         "items", "const", "oneOf"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
failed = number = 0


def check(name, problems):
    global failed, number
    problems = list(problems)
    number += 1
    failed += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:8]:
        print(f"# {problem!s:.300}")


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems_of(value, schema, root, at="$"):
    """Each way in which the value breaks the schema; a key that the schema has not is one."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "oneOf" in schema:
        answers = [list(problems_of(value, one, root, at)) for one in schema["oneOf"]]
        if [not answer for answer in answers].count(True) != 1:
            yield from min(answers, key=len) or [f"{at}: of several kinds at once"]
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        yield f"{at}: {value!r:.60} is no {' or '.join(names)}"
    elif isinstance(value, dict):
        yield from problems_of_object(value, schema, root, at)
    elif isinstance(value, list):
        for i, element in enumerate(value):
            yield from problems_of(element, schema.get("items", {}), root, f"{at}[{i}]")


def problems_of_object(value, schema, root, at):
    yield from (f"{at}: {key} is not there" for key in schema.get("required", ()) if key not in value)
    for key, element in value.items():
        of = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        if of is None:
            yield f"{at}: the schema has no {key}"
        else:
            yield from problems_of(element, of, root, f"{at}.{key}")


def unknown_words(schema):
    """What this validator would pass over in silence."""
    if isinstance(schema, dict):
        yield from (key for key in schema if key not in KNOWN)
        for key in ("properties", "$defs"):
            for one in schema.get(key, {}).values():
                yield from unknown_words(one)
        for one in [schema.get("items"), schema.get("additionalProperties"), *schema.get("oneOf", ())]:
            yield from unknown_words(one)


def check_that_faults_are_found(schema, report):
    """The validator says what is broken on purpose."""
    for name, change in (("a key that is missing", lambda r: r.pop("run")), ("a key that is new", lambda r: r.update(new=1)),
                         ("a text for a number", lambda r: r["run"].update(n_threads="2")),
                         ("a fraction for a count", lambda r: r["procedures"][0].update(self_ns=1.5)),
                         ("another version", lambda r: r.update(schema="evprof-report-2"))):
        broken = copy.deepcopy(report)
        change(broken)
        check(f"{name} is found", [] if list(problems_of(broken, schema, schema)) else ["it passed"])


def main():
    schemas = {}
    for file in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, file), encoding="utf-8") as stream:
            schemas[file.split(".")[0]] = json.load(stream)
    with tempfile.TemporaryDirectory() as folder:
        outputs = Outputs(*sys.argv[1:6], folder).all()
        for name, schema in schemas.items():
            check(f"{name}: a schema", unknown_words(schema))
            if jsonschema:
                jsonschema.Draft202012Validator.check_schema(schema)
            check(f"{name}: something prints it", [] if any(row[0] == name for row in outputs) else ["nothing"])
        for name, what, value in outputs:
            problems = list(problems_of(value, schemas[name], schemas[name]))
            if jsonschema:
                problems += [e.message for e in jsonschema.Draft202012Validator(schemas[name]).iter_errors(value)]
            check(f"{name}: {what}", problems)
        check_that_faults_are_found(schemas["report"], outputs[0][2])
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
