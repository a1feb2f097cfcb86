#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and the flushes of threads that
# end while their process ends, forks or execs under ThreadSanitizer.
# usage: run.sh [address|thread]; EVPROF_BUILD: where builds are kept (build)
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

# set_up NAME SANITIZERS TARGETS...
set_up() {
	local folder=$build/sanitize-$1
	[ -e "$folder/build.ninja" ] || meson setup "$folder" "$root" -Db_sanitize="$2" \
		-Db_lundef=false -Doptimization=1 >"$build/sanitize-$1.log" 2>&1 || {
		tail -20 "$build/sanitize-$1.log"
		return 1
	}
	nice ninja -C "$folder" "${@:3}" >"$build/sanitize-$1.log" 2>&1 || {
		grep -A5 FAILED "$build/sanitize-$1.log" | head -40
		return 1
	}
}

# The preload's and the codec's: what runs inside other programs, or reads files from anywhere.
address_tests="cfi clock error fds file join modules out plan rows settings source_rusage source_sim
	suggest sys table trace_decode tree unwind"

run_address() {
	local name targets=(tests/sanitize/flush)
	for name in $address_tests; do
		targets+=("tests/unit/test_$name")
	done
	set_up address address,undefined "${targets[@]}" || return 1
	export ASAN_OPTIONS=detect_leaks=0:handle_segv=1:detect_stack_use_after_return=0
	export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	for name in $address_tests; do
		"$build/sanitize-address/tests/unit/test_$name" >"$build/sanitize.out" 2>&1
		note $? "address, $name"
		grep -E '^not ok|^# |ERROR|runtime error' "$build/sanitize.out" | head -5
	done
	"$build/sanitize-address/tests/sanitize/flush" all 5 >"$build/sanitize.out" 2>&1
	note $? "address, flush"
	return 0
}

run_thread() {
	local scenario
	set_up thread thread tests/sanitize/flush || return 1
	export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:report_signal_unsafe=0:report_thread_leaks=0:suppressions=$root/tests/sanitize/thread.supp
	for scenario in threads_end exit_between exit_twice exec_between fork_between unload_between; do
		setarch -R "$build/sanitize-thread/tests/sanitize/flush" $scenario "$n_runs" \
			>"$build/sanitize.out" 2>&1
		note $? "thread, $scenario, $n_runs runs"
		grep -E -m1 -A14 'WARNING: ThreadSanitizer|^flush: ' "$build/sanitize.out"
	done
	return 0
}

for kind in ${1:-address thread}; do
	run_$kind || note 1 "$kind: build"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
