#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, runs the tests and sums them up: the last line is
# "N passed, N failed". usage: ./test.sh [--all | --longer | --hardware | NAME...]
set -u
. "$(dirname "${BASH_SOURCE[0]}")/setup/functions.sh"

usage() {
	cat <<END
usage: ./test.sh [--all | --longer | --hardware | NAME...]
  (nothing)    the tests that need nothing but the build
  NAME...      these tests alone, or those of a suite; patterns as 'fill*' work
  --all        also installs what the wide tests use, and runs those: real programs, guests with a PMU
  --longer     what --all leaves out for its time: more repetitions, conditions, versions and guests
  --hardware   the checks of this machine's own PMU, and a page about it
END
}

mode=
case ${1:-} in
'') ;;
--all | --longer | --hardware) mode=${1#--} ;;
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
	if [ -e "$logs/testlog.json" ] && counts=$(python3 "$root/setup/count.py" "$logs/testlog.json" 2>"$build/count.log"); then
		cat "$build/count.log" >&2
		grep '^FAILED' "$build/count.log" >>"$failures"
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

# run_quietly FILE: what it prints and its exit status wait for count_script; one that hangs fails
run_quietly() {
	say "${1#"$root"/}, beside the others"
	timeout --foreground -k 20 3600 "$1" >"$(log_of "$1")" 2>&1
	echo $? >"$(log_of "$1").status"
}

# count_script FILE: of one that prints "N passed, N failed[, N skipped]" last
count_script() {
	local log status counts
	log=$(log_of "$1")
	grep -E '^(not ok|FAILED)' "$log" >>"$failures"
	status=$(cat "$log.status" 2>/dev/null || echo 1)
	counts=$(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed\(, \([0-9][0-9]*\) skipped\)\?.*/\1 \2 0\4/p' "$log" | tail -1)
	if [ -z "$counts" ]; then
		counts="1 0 0"
		[ "$status" -eq 0 ] || counts="0 1 0"
		[ "$status" -eq 0 ] || echo "FAILED: ${1#"$root"/}: exit status $status before its sum" >>"$failures"
	elif [ "$status" -ne 0 ] && [ "$(echo "$counts" | cut -d' ' -f2)" -eq 0 ]; then
		echo "FAILED: ${1#"$root"/}: exit status $status" >>"$failures"
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

# Sanitized tests, and guests whose time is counted in instructions: neither minds what runs at the same time.
patient="$root/tests/sanitize/run.sh $root/tests/guest/run.sh"
# Those of --all have an architecture each; the others are Arm's with another core, and without a PMU.
guests="a64fx power9"
other_guests="neoverse-n1 kunpeng920 no-pmu"
# It keeps one processor busy alone, and is judged by times that a busy machine spreads.
alone="$root/tests/guest/module/run.sh"

# be_patient: this session has the time that other processes leave
be_patient() {
	renice -n 10 $$ >/dev/null
	# where the kernel shares its processors among sessions, this one has a small share; tests have time limits
	{ echo 10 >/proc/$$/autogroup; } 2>/dev/null
}

# run_patiently FILE
run_patiently() {
	be_patient
	run_quietly "$1"
}

# begin COMMAND...: in a session of its own, so that it ends whole with this script
begin() {
	setsid bash -c '"$@"' begun "$@" </dev/null &
	begun+=" -$!"
}

# finish FILE...: counts what run_quietly keeps of them; bash waits for what it has begun until a signal comes, and for
# any other command until that ends
finish() {
	local script
	wait
	trap - EXIT INT TERM
	for script; do
		say "${script#"$root"/}"
		cat "$(log_of "$script")"
		count_script "$script"
	done
}

# run_all: what is patient runs beside the tests, which wait and run alone at times
run_all() {
	local begun= script
	for script in $patient $alone; do rm -f "$(log_of "$script")" "$(log_of "$script").status"; done # of the last run
	export root build EVPROF_GUESTS=$guests
	export -f say log_of run_quietly be_patient run_patiently
	trap 'kill -- $begun 2>/dev/null' EXIT
	trap 'exit 1' INT TERM
	for script in $patient; do begin run_patiently "$script"; done
	run_meson --no-suite contained --no-suite longer
	begin run_quietly "$alone"
	finish $patient $alone
}

run_longer() {
	run_meson --suite longer
	EVPROF_SANITIZE_ALL=1 run_script "$root/tests/sanitize/run.sh"
	EVPROF_GUESTS=$other_guests run_script "$root/tests/guest/run.sh"
}

packages=$(read_list "$root/setup/packages.txt")
if [ "$mode" = all ] || [ "$mode" = longer ]; then
	packages+=" $(read_list "$root/setup/packages-all.txt" "$root"/tests/*/packages)"
	packages+=" $(program_packages "$root/tests/programs/programs.list")"
fi
install_packages $packages || exit 1
build_tree || exit 1
unset DEBUGINFOD_URLS # unit tests of the symbols would ask the network
export EVPROF_BUILD=$build
failures=$build/failures.log # The sum stands behind their names, which the output before may bury.
: >"$failures"

case $mode in
hardware) run_script "$root/tests/hardware/run.sh" ;;
all) run_all ;;
longer) run_longer ;;
named)
	names=$(find_tests "$@") || exit 2
	run_meson $names
	;;
*) run_meson --no-suite programs --no-suite longer ;;
esac
cat "$failures"
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
