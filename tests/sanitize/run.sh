#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# All unit tests under AddressSanitizer and UndefinedBehaviorSanitizer; the flushes of threads that end
# while their process ends, forks or execs, and the reporter's threads, under ThreadSanitizer.
# usage: run.sh [address|thread]; both without.
# EVPROF_BUILD: where builds are kept (build)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${EVPROF_BUILD:-$root/build}
n_runs=${EVPROF_FLUSH_RUNS:-60}
passed=0
failed=0

note() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok $2"
	else
		failed=$((failed + 1))
		echo "not ok $2"
	fi
}

# set_up NAME SANITIZERS [TARGETS...]: stacks need the lines alone, and a quarter less time to compile than all of -g
set_up() {
	local folder=$build/sanitize-$1
	[ -e "$folder/build.ninja" ] || meson setup "$folder" "$root" -Db_sanitize="$2" \
		-Db_lundef=false -Doptimization=1 -Dc_args=-g1 >"$build/sanitize-$1.log" 2>&1 || {
		tail -20 "$build/sanitize-$1.log"
		return 1
	}
	[ $# -gt 2 ] || return 0
	ninja -C "$folder" "${@:3}" >"$build/sanitize-$1.log" 2>&1 || {
		grep -A5 FAILED "$build/sanitize-$1.log" | head -40
		return 1
	}
}

# These put the library before programs that have no sanitizer in them, which it refuses; or they
# try the scripts of this tree, or limit the memory of what they start.
plain_only="inputs launcher metrics_of_a_run metrics_of_recorded_tables compare_ocoe measure setup setup_small trace-documented"
# Its ticks come faster than code with sanitizers takes them, and fill the queue of signals until SIGIO ends it.
piles=clock
# They make many reports that differ in numbers alone, or try what others try: minutes each here. With
# EVPROF_SANITIZE_ALL=1 they run, too.
alike="places damage reduce reduce_mpi long_gaps micro fit assess plan_prepared formula_multiplexed compare_ocoe unwind
	json-parts json-documented export export_sqlite export_sqlite_questions ascii colour"
# Tests of these suites run the tree's scripts, pages of its docs and installed packages more than its C.
without_c="setup|docs|tree|python"
if [ -n "${EVPROF_SANITIZE_ALL:-}" ]; then
	alike=
	without_c=none
fi
n_pending=$(ulimit -i)
[ "$n_pending" != unlimited ] || n_pending=100000
n_pending=$((n_pending / 4))

run_address() {
	local folder=$build/sanitize-address names result name
	set_up address address,undefined || return 1
	ln -sfn "$root/formulas" "$build/formulas" # where the programs built there look for them
	names=$(meson test -C "$folder" --suite unit --list 2>/dev/null | grep -vE "unit\+($without_c)\b" | sed -n 's|.* / ||p' |
		grep -vxF "$(printf '%s\n' $plain_only $piles $alike)")
	export ASAN_OPTIONS=detect_leaks=0:handle_segv=1:detect_stack_use_after_return=0
	export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	# Ticks may pile up in others, too: with a limit of their own they leave room for the tests beside them.
	prlimit --sigpending="$n_pending" meson test -C "$folder" --suite unit --num-processes 2 --timeout-multiplier 20 --print-errorlogs $names \
		>"$build/sanitize.out" 2>&1
	grep -q '^ *1/' "$build/sanitize.out" || {
		tail -20 "$build/sanitize.out"
		return 1
	}
	while read -r name result; do
		[ "$result" = OK ] || [ "$result" = SKIP ]
		note $? "address, $name"
	done < <(sed -n '/^Summary of Failures/q; s|^ *[0-9]*/[0-9]* [^/]* / \([^ ]*\) *\([A-Z]*\) .*|\1 \2|p' "$build/sanitize.out")
	grep -E '^not ok|^# |ERROR: AddressSanitizer|runtime error' "$build/sanitize.out" | head -20
	return 0
}

# Unit tests of what evreport does in several threads.
threaded="ahead load_threads"

set_up_thread() {
	set_up thread thread tests/sanitize/flush $(printf 'tests/unit/test_%s ' $threaded)
}

run_thread() {
	local scenario name
	set_up_thread || return 1
	export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:report_signal_unsafe=0:report_thread_leaks=0:suppressions=$root/tests/sanitize/thread.supp
	for scenario in threads_end exit_between exit_twice exec_between fork_between unload_between; do
		timeout -k 5 600 setarch -R "$build/sanitize-thread/tests/sanitize/flush" $scenario "$n_runs" \
			>"$build/sanitize.out" 2>&1
		note $? "thread, $scenario, $n_runs runs"
		grep -E -m1 -A14 'WARNING: ThreadSanitizer|^flush: ' "$build/sanitize.out"
	done
	for name in $threaded; do
		setarch -R "$build/sanitize-thread/tests/unit/test_$name" >"$build/sanitize.out" 2>&1
		note $? "thread, $name"
		grep -E -m1 -A30 'WARNING: ThreadSanitizer|^not ok' "$build/sanitize.out"
	done
	return 0
}

for kind in ${1:-address thread}; do
	run_$kind || note 1 "$kind: build"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
