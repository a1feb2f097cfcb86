#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, profiles the example program and prints its report.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/setup/functions.sh"

case ${1:-} in
'') ;;
*)
	echo "usage: ./quickstart.sh"
	[ "$1" = --help ] && exit 0
	exit 2
	;;
esac

install_packages $(read_list "$root/setup/packages.txt") || exit 1
build_tree || exit 1
trace=$build/heat.trace.gz
profile=("$build/preload/evprof" run --output "$trace" -- "$build/examples/heat")
say "profiling: ${profile[*]}"
"${profile[@]}" || exit 1
say "reporting: $build/reporter/evreport $trace"
exec "$build/reporter/evreport" "$trace"
