#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the scenarios on the machine under test, a guest or a real one, and leaves for each a folder with what
# the program said, its exit status, the trace and what evreport says here. verdict.py judges the folders later,
# and on another machine. Each function below is a scenario.
shopt -s extglob
out= only='*' guest= programs=/t evprof=evprof evreport=evreport library=/usr/lib/libevprof.so
formulas=/usr/share/evprof/formulas
while [ $# -gt 0 ]; do
	case $1 in
	--out) out=$2; shift ;;
	--only) only=$2; shift ;;
	--guest) guest=1 ;;
	--programs) programs=$2; shift ;;
	--build) evprof=$2/preload/evprof evreport=$2/reporter/evreport library=$2/preload/libevprof.so
		formulas=${0%/*}/../../formulas; shift ;;
	*) echo "scenarios.sh: unknown option $1" >&2; exit 2 ;;
	esac
	shift
done
work=$programs/work
holdpmu=$programs/holdpmu
# Rounds of 4 instructions: so many that what surrounds the loops weighs nothing.
rounds=${EVPROF_TEST_ROUNDS:-3000000}

beside= period=
# What stands for "instructions" under four names, so that each can have a group of its own.
case $(uname -m) in
aarch64) copies="r8:u r08:u r008:u r0008:u" not_here='power_*' loops_30us=3750 ;;
ppc64le)
	copies="r2:u r02:u r002:u r0002:u" not_here='arm_*|shares_1ms' loops_30us=7500
	# The kernel's share in every signal counts there too (docs/pmu-guests.md).
	period=EVPROF_PERIOD=10ms rounds=$((2 * rounds)) ;;
*) copies="rc0:u r0c0:u r00c0:u r000c0:u" not_here='arm_*|power_*' loops_30us=90000 ;;
esac
# Facts of emulation, and what needs root.
[ -n "$guest" ] || not_here+='|arm_silent'
[ "$(id -u)" = 0 ] || not_here+='|taken_*|user_*|doctor_*|papi*'
# A CPU without formulas of its own has no tree.
"$evprof" plan topdown >/dev/null 2>&1 || not_here+='|topdown|models'
set -- $copies
copy1=$1 copy2=$2 copy3=$3 copy4=$4

# record EVENTS PROGRAM ARGS...: the program under the preload, nothing else changed; $beside is a command that
# starts it and is not profiled.
record() {
	local events=$1
	shift
	timeout 120 $beside env $period EVPROF_EVENTS="$events" EVPROF_OUTPUT="$PWD/trace.gz" LD_PRELOAD="$library" \
		"$@" >stdout 2>stderr
	echo $? >status
}

# As an ordinary user, at the given perf_event_paranoid: COMMAND is a line for the shell.
as_user() { at_paranoid "$1" su -s /bin/bash "$ordinary_user" -c "$2"; }
at_paranoid() {
	local before level=$1
	shift
	before=$(cat /proc/sys/kernel/perf_event_paranoid)
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	"$@"
	echo "$before" >/proc/sys/kernel/perf_event_paranoid
}
ordinary_user=user
[ -n "$guest" ] || ordinary_user=nobody
export -f record
export period library work holdpmu rounds evprof

scenario_pmuprobe() { $programs/pmuprobe >stdout 2>stderr; echo $? >status; }

# The unit tests of common/ and preload/, where they were built for this machine.
scenario_unit() {
	local program status
	for program in $programs/unit/test_*; do
		[ -x "$program" ] || continue
		echo "#   ${program##*/}, $(cut -d' ' -f1 /proc/uptime) s"
		EVPROF_FORMULAS=$formulas EVPROF_TEST_DAMAGED=500 timeout 60 "$program" >"${program##*/}.tap" 2>&1
		status=$?
		echo "${program##*/} $status" >>stdout
	done
}

# One counter one event, and 1 to 4 groups; user mode only, since only that is known.
scenario_ocoe() { record "instructions:u,cycles:u" $work main 4 $rounds; }
scenario_mpx1() { record "$copy1" $work main 4 $rounds; }
scenario_mpx2() { record "$copy1;$copy2" $work main 8 $rounds; }
scenario_mpx3() { record "$copy1;$copy2;$copy3" $work main 12 $rounds; }
scenario_mpx4() { record "$copy1;$copy2;$copy3;$copy4" $work main 16 $rounds; }
scenario_mpx4_always() { record "cycles:u;$copy1;$copy2;$copy3;$copy4" $work main 16 $rounds; }

# Sums over threads, children and images.
scenario_threads() { record instructions:u,cycles:u $work threads 4 $rounds; }
# The shortest thread has twenty slices of 10 ms: a thread's first is slower than the rest.
scenario_threads_mpx() { record "$copy1;$copy2;$copy3" $work threads 4 $((8 * rounds)); }
scenario_processes() { record instructions:u,cycles:u $work processes 4 $((4 * rounds)); }
scenario_exec() { record instructions:u,cycles:u $work exec 3 $((2 * rounds)); }
scenario_naps() { record instructions:u,cycles:u $work naps 10 $rounds; }
scenario_faults() { record instructions:u,minor-faults $work faults 1 2000; }

# No events said: what evprof takes by itself on this CPU.
scenario_default() {
	LD_PRELOAD=$library EVPROF_OUTPUT=$PWD/trace.gz $work main 2 $rounds >stdout 2>stderr
	echo $? >status
}

# The Top-Down model of this CPU, and with the event sets beside it: planned, opened, recorded.
scenario_topdown() { record_models topdown; }
scenario_models() { record_models topdown,ipc,caches,branches,tlb,memory; }
record_models() {
	timeout 120 "$evprof" run -m "$1" -o "$PWD/trace.gz" -- "$work" main 16 "$rounds" >stdout 2>stderr
	echo $? >status
}

# PAPI's perf_event component, for one thread and for several. (PAPI gives up at level 3, even for root.)
# Not every CPU has presets there.
scenario_papi() { at_paranoid 2 record_papi PAPI_TOT_INS,perf::INSTRUCTIONS main 8; }
scenario_papi_threads() { at_paranoid 2 record_papi perf::INSTRUCTIONS threads 4; }
record_papi() { EVPROF_SOURCE=papi record "$1" "$work" "$2" "$3" "$rounds"; }

# Three procedures by turns of 10 us, 1 ms and 100 ms on average: each event's own overflow tells whose counts they
# are, where it interrupts.
scenario_shares_10us() { record_shares "${period:-EVPROF_PERIOD=50us}" 10 500; }
scenario_shares_1ms() { record_shares EVPROF_PERIOD=50us 1000 400; }
scenario_shares_100ms() { record_shares EVPROF_PERIOD=2ms 100000 600; }
# record_shares PERIOD TURN_US ALL_MS
record_shares() {
	local period=$1 n_loops=$((loops_30us * $2 / 100))
	record instructions:u,cycles:u $programs/shares $n_loops $(($3 * 1000 / 3 / $2))
}

# Unmodified programs of the distribution.
scenario_bash() {
	record instructions:u,cycles:u bash -c 'x=0; for i in {1..5000}; do x=$((x + i)); done; echo $x | cat'
}
scenario_xz() {
	head -c 400000 $library >input
	record instructions:u,cycles:u xz -1 -T2 -k -c input
	xz -dc <stdout >output 2>compare
	cmp output input >>compare 2>&1
	rm -f stdout input output
	echo >stdout
}

# More events than counters: packed by trying, and asked for as one group.
many_copies() {
	local name=${copy1#r} list=instructions:u
	for ((i = 0; i < $1; i++)); do
		name=0$name
		list+=,r$name
	done
	echo $list
}
scenario_packed() { record "$(many_copies 12)" $work main 12 $rounds; }
scenario_overcommitted() { record "$(many_copies 12);cycles:u" $work main 12 $rounds; }

# POWER: events that want the same counter, in one group. POWER's codes name it.
scenario_power_conflict() { record "r10002,r1001e" $work main 8 $rounds; }
scenario_power_conflicts() { record "r10002,r1001e,r1e054,r500fa,r600f4" $work main 12 $rounds; }

# Arm: codes that open; one never runs, one counts nothing.
scenario_arm_never_runs() { record "instructions:u,r1e:u" $work main 4 $rounds; }
scenario_arm_silent() { record "instructions:u,r184:u" $work main 4 $rounds; }
scenario_unknown() { record "instructions:u,NO_SUCH_EVENT" $work main 4 $rounds; }

# The tool that takes the counters does take them.
scenario_holdpmu() {
	$holdpmu pinned 0 $programs/pmuprobe >stdout 2>stderr
	echo $? >status
}

# Someone else has the counters: all of them, all but two, or in turn with us.
scenario_taken_all() {
	beside="$holdpmu pinned 0"
	record "instructions:u,$copy1" $work main 4 $rounds
}
scenario_taken_most() {
	beside="$holdpmu pinned 2"
	record "$copy1,$copy2,$copy3,$copy4" $work main 8 $rounds
}
scenario_shared() {
	beside="$holdpmu shared $(counters)"
	record "instructions:u,$copy1" $work main 16 $rounds
}
# How many counters there are, from what pmuprobe found.
counters() { sed -n 's/^singles instructions: \([0-9]*\) .*/\1/p' ../pmuprobe/stdout; }

# An ordinary user: permitted, and not.
scenario_user_paranoid2() { as_user 2 'record instructions:u,cycles:u $work main 4 $rounds'; }
scenario_user_paranoid3() { as_user 3 'record instructions:u,cycles:u $work main 4 $rounds'; }

scenario_doctor() { say_doctor; }
scenario_doctor_paranoid3() { as_user 3 say_doctor; }
scenario_doctor_taken() { say_doctor $holdpmu pinned 0; }
say_doctor() { "$@" $evprof doctor >stdout 2>stderr; echo $? >status; }
export -f say_doctor
scenario_list() { $evprof list >stdout 2>stderr; echo $? >status; }

# What evreport says here, for comparison with what it says elsewhere: where it has something of each kind to say,
# since it is slow under emulation.
reported="ocoe|mpx4|topdown|threads_mpx|processes|exec|faults|bash|shared|taken_all"
report() {
	[ -s trace.gz ] && [[ $scenario == @($reported) ]] || return
	export LC_ALL=C COLUMNS=100
	$evreport --format json trace.gz >report.json 2>report.err
	$evreport trace.gz >report.txt 2>>report.err
	$evreport dump trace.gz >dump.txt 2>>report.err
}

for scenario in $(sed -n 's/^scenario_\([a-z0-9_]*\)().*/\1/p' "$0"); do
	[[ $scenario != @($not_here) ]] || continue
	case $scenario in $only|pmuprobe) ;; *) continue ;; esac
	mkdir -p "$out/$scenario"
	chmod 777 "$out/$scenario"
	echo "# $scenario, $(cut -d' ' -f1 /proc/uptime) s after boot"
	(cd "$out/$scenario" && scenario_$scenario && report)
done
uname -m >"$out/machine"
