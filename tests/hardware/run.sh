#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The guests' checks on this machine's own PMU, and a page to send back. Needs the build (./test.sh makes it).
# As root it also checks what happens beside other users of the counters and for forbidden users.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_root=$(cd "$here/../.." && pwd)
build=$(realpath "${EVPROF_BUILD:-$source_root/build}")
page=evprof-hardware.txt
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$(realpath "$2"); shift ;;
	--page) page=$2; shift ;;
	*) echo "usage: tests/hardware/run.sh [--build DIR] [--page FILE]"; exit 2 ;;
	esac
	shift
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/evprof-hardware.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/programs" "$folder/out"
chmod -R a+rx "$folder"

for program in "$source_root"/tests/guest/*.c; do
	"${CC:-cc}" -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -pthread "$program" \
		-o "$folder/programs/$(basename "$program" .c)" || exit 1
done

value_of() { cat "$1" 2>/dev/null || echo unknown; }
describe_machine() {
	echo "CPU:      $(sed -n 's/^\(model name\|cpu\)\t*: *//p' /proc/cpuinfo | head -1), $(nproc) online"
	echo "          $(sed -n 's/^\(vendor_id\|cpu family\|model\|stepping\|CPU implementer\|CPU part\|revision\)[^:]*: *//p' \
		/proc/cpuinfo | head -4 | tr '\n' ' ')"
	echo "Kernel:   $(uname -srm), virtualization: $(systemd-detect-virt 2>/dev/null || echo unknown)"
	echo "PMUs:     $(ls /sys/bus/event_source/devices | tr '\n' ' ')"
	echo "Settings: perf_event_paranoid $(value_of /proc/sys/kernel/perf_event_paranoid)," \
		"nmi_watchdog $(value_of /proc/sys/kernel/nmi_watchdog)," \
		"mux interval $(value_of /sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms) ms, user $(id -un)"
}

"$folder/programs/pmuprobe" >"$folder/probe"
event=$(sed -n 's/^event instructions: //p' "$folder/probe")
case $event in
*counts*) verdict= ;;
ENOENT|EOPNOTSUPP) verdict="NO PMU: this machine offers no hardware counters ($event); nothing was measured." ;;
EACCES|EPERM) verdict="FORBIDDEN: this user may not count ($event): set kernel.perf_event_paranoid to 2 or less." ;;
*) verdict="UNUSABLE: instructions do not count ('$event'): another user may hold the counters." ;;
esac
if [ -n "$verdict" ]; then
	{ echo "evprof's hardware checks: $verdict"; echo; describe_machine; } | tee "$page"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

rounds=100000000
chmod -R a+rX "$build" 2>/dev/null
EVPROF_TEST_ROUNDS=$rounds bash "$source_root/tests/guest/scenarios.sh" --build "$build" \
	--programs "$folder/programs" --out "$folder/out" >"$folder/log" 2>&1
python3 "$source_root/tests/guest/verdict.py" --guest hardware --evprof "$build/preload/evprof" \
	--evreport "$build/reporter/evreport" "$folder/out" >"$folder/tap" 2>&1
n_passed=$(grep -c '^ok ' "$folder/tap")
n_failed=$(grep -c '^not ok ' "$folder/tap")
grep -q '^1\.\.' "$folder/tap" || n_failed=$((n_failed + 1))
{
	if [ "$n_failed" = 0 ]; then
		echo "evprof's hardware checks: GOOD, $n_passed passed"
	else
		echo "evprof's hardware checks: $n_failed FAILED, $n_passed passed"
	fi
	echo
	describe_machine
	[ "$(id -u)" = 0 ] || echo "Not checked: other users of the counters, forbidden users (both need root)."
	printf '\nWhat the PMU does\n'
	grep -E '^(capacity|singles|one_too_many|taken|shared|grow|mixed)' "$folder/probe" | sed 's/^/  /'
	printf '\nCounts of known loops (deviation from the truth)\n'
	sed -n 's/^ok [0-9]* - hardware: \(.* off)\)$/  \1/p' "$folder/tap"
	printf '\nFailed\n'
	sed -n '/^not ok/,/^ok/{/^ok/d;s/^/  /;p}' "$folder/tap"
} >"$page"
cat "$page"
echo "The page to send back is in $page"
echo "$n_passed passed, $n_failed failed"
[ "$n_failed" = 0 ]
