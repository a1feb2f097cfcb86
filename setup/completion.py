#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completion of bash, zsh and fish for the programs, from their tables of options: completion.py FOLDER PROGRAM...

Names, letters and choices come from --list-options of each command, and where a command has no such table from its
--help, which tells what each option is for.
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^ +(?:-(\w), +)?--([\w-]+)(?:\[=\w+\]|(?: (\S+)))?(?:  +(.*)| (\S.*))?$")
COMMAND = re.compile(r"^  ([a-z][\w-]*)  +(\S.*)$")
CHOICES = re.compile(r"[\w.-]+(?:, [\w.-]+)*,? or [\w.-]+")
NAMED = re.compile(r"[a-z][\w-]*(?:\|[a-z][\w-]*)+")  # "on|off", where others write NAME
LISTED = re.compile(r"[a-z][\w-]*(?:, [a-z][\w:-]*)+,? or [a-z][\w-]*")  # what an option is for, as "auto, perf or sim:TABLE"
IN_USAGE = re.compile(r"^(?:usage:|      ) \w+ \w+ --([\w-]+)(?: (\S+))?")
IN_TEXT = re.compile(r"^--([\w-]+) (says .*)$")


class Option:
    def __init__(self, name, letter, value, about):
        self.name, self.letter, self.about = name, letter, about.split("; ")[0].split(" (")[0].replace("'", "").strip()
        self.has_value = bool(value)
        self.choices = self.choices_of(value, re.sub(r"\[[^]]*\]", "", about.split(" (")[0]))

    @staticmethod
    def choices_of(value, about):
        if NAMED.fullmatch(value):
            return value.split("|")
        listed = value if CHOICES.fullmatch(value) else about if value and LISTED.fullmatch(about) else ""
        return [re.sub(":[A-Z]+$", ":", choice) for choice in re.split(", or |, | or ", listed) if choice]

    def spellings(self):
        return [f"--{self.name}"] + ([f"-{self.letter}"] if self.letter else [])


def output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "LC_ALL": "C"})
    return done.stdout if not done.returncode else ""


def options_of(command):
    """Of a program's command, or of the program itself."""
    abouts, lines = {}, output(*command, "--help").splitlines()
    for at, line in enumerate(lines):
        if found := OPTION.match(line):
            letter, name, value, about, beside = found.groups()
            about = about or beside
            below = lines[at + 1].strip() if not about and at + 1 < len(lines) else ""
            abouts[name] = (letter or "", value or "", about or below)
        elif found := IN_USAGE.match(line):
            abouts[found[1]] = ("", found[2] or "", "")
        elif found := IN_TEXT.match(line):
            abouts[found[1]] = ("", "", found[2])
    table = [line.split("\t") for line in output(*command, "--list-options").splitlines()]
    options = []
    if table and all(len(row) == 3 for row in table):
        options = [Option(name[2:], letter, value, abouts.pop(name[2:], ("", "", ""))[2]) for name, letter, value in table]
    # a program without a command has --version beside the table of the command whose options it takes
    if not options or len(command) == 1:
        options += [Option(name, *row) for name, row in abouts.items()]
    return options


def read_program(path):
    """{command: (summary, options)}; "" is the program without a command."""
    text = output(path, "--help")
    commands = {"": ("", options_of([path]))}
    listed = re.split(r"^commands.*:$", text, flags=re.M)[-1] if re.search(r"^commands.*:$", text, re.M) else ""
    for line in listed.splitlines():
        if found := COMMAND.match(line):
            commands[found[1]] = (found[2].replace("'", ""), options_of([path, found[1]]))
    return commands


# ---- bash ----

def write_bash_program(commands, valued):
    """Where a program is run, what stands behind it is its own: its options, and files."""
    return f"""	local at=0
	case $command in
	run) at=2 ;;
	-*) at=1 ;;
	{"|".join(command for command in commands if command and command != "run")}) ;;
	*) [ "$COMP_CWORD" -gt 1 ] && return ;;
	esac
	while [ "$at" -gt 0 ] && [ "$at" -lt "$COMP_CWORD" ]; do
		case ${{COMP_WORDS[at]}} in
		{valued}) at=$((at + 2)) ;;
		--) return ;;
		-*) at=$((at + 1)) ;;
		*) return ;;
		esac
	done
"""


def write_bash(name, commands):
    values, words = [], []
    for command, (_, options) in commands.items():
        pattern = command or "*"
        for option in options:
            if option.has_value:
                keys = "|".join(f"'{command} {spelling}'" if command else f"*' {spelling}'" for spelling in option.spellings())
                values.append(f"\t{keys}) COMPREPLY=($(compgen -W '{' '.join(option.choices)}' -- \"$cur\")); return ;;")
        words.append(f"\t{pattern}) options='{' '.join([s for o in options for s in o.spellings()] + ['--help'])}' ;;")
    # the program's own come last, since * is every command
    values.sort(key=lambda row: row.startswith("\t*"))
    words.sort(key=lambda row: row.startswith("\t*"))
    names = " ".join(command for command in commands if command)
    runs = "|".join(spelling for option in commands["run"][1] if option.has_value for spelling in option.spellings()) if "run" in commands else ""
    return f"""# bash completion of {name}, made of its options by setup/completion.py
_{name}() {{
	local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} options
	COMPREPLY=()
{write_bash_program(commands, runs) if runs else ""}	case "$command $before" in
{chr(10).join(values)}
	esac
	case $command in
{chr(10).join(words)}
	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
	*) [ "$COMP_CWORD" -eq 1 ] && COMPREPLY=($(compgen -W '{names}' -- "$cur")) ;;
	esac
}}
complete -o default -F _{name} {name}
"""


# ---- zsh ----

def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_spec(option):
    about = f"[{zsh_text(option.about)}]" if option.about else ""
    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files" if option.has_value else ""
    spellings = option.spellings()
    if len(spellings) == 1:
        return f"'{spellings[0]}{about}{value}'"
    return f"'({' '.join(spellings)})'{{{','.join(spellings)}}}'{about}{value}'"


def write_zsh(name, commands):
    cases = [f"{command or '*'}) _arguments -s {' '.join(map(zsh_spec, options))} '*:file:_files' ;;" for command, (_, options) in commands.items()]
    cases.sort(key=lambda row: row.startswith("*"))
    summaries = " ".join(f"'{command}:{zsh_text(about)}'" for command, (about, _) in commands.items() if command)
    return f"""#compdef {name}
# zsh completion of {name}, made of its options by setup/completion.py
local -a commands
commands=({summaries})
if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
	_describe command commands
	_files
	return
fi
local command=$words[2]
if (( $commands[(I)$command:*] )); then
	shift words
	(( CURRENT-- ))
fi
case $command in
{chr(10).join(cases)}
esac
"""


# ---- fish ----

def write_fish(name, commands):
    names = " ".join(command for command in commands if command)
    rows = [f"# fish completion of {name}, made of its options by setup/completion.py"]
    for command, (about, options) in commands.items():
        when = f"__fish_seen_subcommand_from {command}" if command else f"not __fish_seen_subcommand_from {names}"
        if command:
            rows.append(f"complete -c {name} -n __fish_use_subcommand -a {command} -d '{about}'")
        for option in options:
            parts = [f"complete -c {name} -n '{when}' -l {option.name}"]
            parts += [f"-s {option.letter}"] if option.letter else []
            parts += [f"-x -a '{' '.join(option.choices)}'"] if option.choices else ["-r"] if option.has_value else []
            parts += [f"-d '{option.about}'"] if option.about else []
            rows.append(" ".join(parts))
    return "\n".join(rows) + "\n"


def main():
    folder = sys.argv[1]
    for path in sys.argv[2:]:
        name, commands = os.path.basename(path), read_program(path)
        for file, text in ((f"{name}.bash", write_bash(name, commands)), (f"_{name}", write_zsh(name, commands)),
                           (f"{name}.fish", write_fish(name, commands))):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text)


if __name__ == "__main__":
    main()
