#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, profiles the example program, prints its report and makes a page of it.
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
build_tree programs || exit 1
trace=$build/heat.trace.gz
profile=("$build/preload/evprof" run --output "$trace" -- "$build/examples/heat")
say "profiling: ${profile[*]}"
"${profile[@]}" || exit 1
page=$build/heat.html
say "making a page: $build/reporter/evreport --html $page $trace"
"$build/reporter/evreport" --html "$page" "$trace" || page=
say "reporting: $build/reporter/evreport $trace"
PAGER= "$build/reporter/evreport" "$trace" || exit 1
[ -z "$page" ] || say "the same to look at, in a browser: $page"
