#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# prepare.sh EVPROF FORMULAS OUTPUT DEPFILE: prepares the shipped models, and says which files they are made of.
set -e
EVPROF_FORMULAS=$2 "$1" plan --prepare="$3" >/dev/null
{
	printf '%s:' "$3"
	find "$2" -type d -o -name '*.formula' -o -name '*.events' | sed 's/[ #$]/\\&/g; s/^/ /' | tr -d '\n'
	echo
} >"$4"
