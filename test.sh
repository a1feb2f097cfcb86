#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, runs the tests and sums them up: the last line is
# "N passed, N failed". usage: ./test.sh [--all | --hardware | NAME...]
set -u
. "$(dirname "${BASH_SOURCE[0]}")/setup/functions.sh"

usage() {
	cat <<END
usage: ./test.sh [--all | --hardware | NAME...]
  (nothing)    the tests that need nothing but the build
  NAME...      these tests alone, or those of a suite; patterns as 'fill*' work
  --all        also installs what the wide tests use, and runs those: real programs, guests with a PMU
  --hardware   the checks of this machine's own PMU, and a page about it
END
}

mode=
case ${1:-} in
'') ;;
--all | --hardware) mode=${1#--} ;;
-h | --help)
	usage
	exit 0
	;;
-*)
	usage >&2
	exit 2
	;;
*) mode=named ;;
esac

passed=0
failed=0
skipped=0
sanitizers=$root/tests/sanitize/run.sh
groups= # of processes that end with this script

add() {
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# run_meson ARGS...
run_meson() {
	local logs=$build/meson-logs counts
	say "meson test $*"
	rm -f "$logs/testlog.json"
	# time limits end what hangs: a busy machine reaches none
	meson test -C "$build" --timeout-multiplier 5 "$@" 2>&1 | tee "$build/test.log" | grep -E '^ *[0-9]+/[0-9]+ ' >&2
	if [ -e "$logs/testlog.json" ] && counts=$(python3 "$root/setup/count.py" "$logs/testlog.json"); then
		add $counts
	else
		cat "$build/test.log"
		add 0 1 0
	fi
}

# log_of FILE: where that script's output is kept
log_of() {
	local name=${1#"$root"/}
	echo "$build/${name//\//-}.log"
}

# run_quietly FILE: what it prints and its exit status wait for count_script
run_quietly() {
	say "${1#"$root"/}, beside the others"
	"$1" >"$(log_of "$1")" 2>&1
	echo $? >"$(log_of "$1").status"
}

# count_script FILE: of one that prints "N passed, N failed[, N skipped]" last
count_script() {
	local log status counts
	log=$(log_of "$1")
	status=$(cat "$log.status" 2>/dev/null || echo 1)
	counts=$(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed\(, \([0-9][0-9]*\) skipped\)\?.*/\1 \2 0\4/p' "$log" | tail -1)
	if [ -z "$counts" ]; then
		[ "$status" -eq 0 ] && counts="1 0 0" || counts="0 1 0"
	elif [ "$status" -ne 0 ] && [ "$(echo "$counts" | cut -d' ' -f2)" -eq 0 ]; then
		echo "FAILED: ${1#"$root"/}: exit status $status"
		counts=$(echo "$counts" | sed 's/^\([0-9]*\) 0/\1 1/')
	fi
	set -- $counts
	add "$1" "$2" "$((10#$3))"
}

# run_script FILE
run_script() {
	say "${1#"$root"/}"
	"$1" 2>&1 | tee "$(log_of "$1")"
	echo "${PIPESTATUS[0]}" >"$(log_of "$1").status"
	count_script "$1"
}

# begin COMMAND...: in a process group of its own, which ends whole with this script; then wait $!
begin() {
	set -m
	"$@" </dev/null &
	set +m
	groups+=" -$!"
}

# begin_sanitizers: builds and runs them in the time that the tests leave, which wait and run alone at times; in a
# session of its own, so that it ends whole with this script
begin_sanitizers() {
	local log status
	log=$(log_of "$sanitizers")
	status=$log.status
	rm -f "$log" "$status" # of the last run
	setsid bash -c '"$0" beside >"$1" 2>&1; echo $? >"$2"' "$sanitizers" "$log" "$status" </dev/null &
	beside=$!
	trap 'kill -- -$beside $groups 2>/dev/null' EXIT
	trap 'exit 1' INT TERM
}

# run_guests FILE...: at the same time, since the x86 guest keeps one processor busy alone
run_guests() {
	local script
	for script; do run_quietly "$script" & done
	wait
}

# finish_sanitizers_and_guests: bash waits for what it has begun until a signal comes, and for any other command until
# that ends
finish_sanitizers_and_guests() {
	local guests="$root/tests/guest/module/run.sh $root/tests/guest/run.sh" script
	for script in $guests; do rm -f "$(log_of "$script")" "$(log_of "$script").status"; done # of the last run
	begin run_guests $guests
	wait
	trap - EXIT INT TERM
	for script in $sanitizers $guests; do
		say "${script#"$root"/}"
		cat "$(log_of "$script")"
		count_script "$script"
	done
}

packages=$(read_list "$root/setup/packages.txt")
if [ "$mode" = all ]; then
	packages+=" $(read_list "$root/setup/packages-all.txt" "$root"/tests/*/packages)"
	packages+=" $(program_packages "$root/tests/programs/programs.list")"
fi
install_packages $packages || exit 1
build_tree || exit 1
export EVPROF_BUILD=$build

case $mode in
hardware) run_script "$root/tests/hardware/run.sh" ;;
all)
	begin_sanitizers
	run_meson
	finish_sanitizers_and_guests
	;;
named)
	names=$(find_tests "$@") || exit 2
	run_meson $names
	;;
*) run_meson --no-suite programs ;;
esac
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
