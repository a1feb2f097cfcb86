#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs evprof in the guest on programs that drive the PMU: for each scenario a folder in /out with the program's
# account, its status and the trace. verdict.py judges them later, outside.

# limited SECONDS COMMAND...: ends the command when the guest has run for so long beside it. A limit by the clock would
# end it where the host stopped the guest meanwhile: the clock then goes ahead at once.
limited() {
	seconds=$1
	shift
	"$@" &
	pid=$!
	(
		while [ "$seconds" -gt 0 ]; do
			sleep 1
			seconds=$((seconds - 1))
		done
		{
			echo "# still runs at the end of its time, $(cut -d' ' -f1 /proc/uptime) s after boot: $*"
			cat /proc/$pid/stack /proc/$pid/status | sed 's/^/#   /'
		} >/dev/console
		kill $pid
	) &
	watcher=$!
	wait $pid
	status=$?
	kill $watcher 2>/dev/null
	return $status
}

record() {
	name=$1
	shift
	mkdir -p "/out/$name"
	cd "/out/$name" || return
	echo "# $name, $(cut -d' ' -f1 /proc/uptime) s after boot"
	limited 600 evprof run -q -o trace.gz "$@" >stdout 2>stderr
	echo $? >status
}
# How many times longer than usual the programs run whose shares are judged, and their period: the bars of counts shrink
# with the root of the ticks' number.
longer=$(sed -n 's/.*evprof\.longer=\([0-9]*\).*/\1/p' /proc/cmdline)
period=$(sed -n 's/.*evprof\.period=\([0-9a-z]*\).*/\1/p' /proc/cmdline)
# Four events on general counters, two on fixed ones: one group.
events=cpu-cycles,instructions,cache-misses,L1-dcache-load-misses,r10e,r2c2

record two_10 -e $events -p $period -- mixes two 2 $((36000 * longer))
record two_100 -e $events -p $period -- mixes two 25 $((3000 * longer))
record two_1000 -e $events -p $period -- mixes two 250 $((300 * longer))
record two_10000 -e $events -p $period -- mixes two 2500 $((30 * longer))
record five_100 -e $events -p $period -- mixes five 25 $((1200 * longer))
record twenty_100 -e $events -p $period -- mixes twenty 25 $((300 * longer))
record threads_100 -e $events -p $period -- mixes threads 25 $((1500 * longer))
record phases_100 -e $events -p $period -- mixes phases 25 $((3000 * longer))
record tails_100 -e $events -p $period -- mixes tails 25 $((3000 * longer))
record inlined_100 -e $events -p $period -- mixes_inlined inlined 25 $((3000 * longer))
record recursion_100 -e $events -p $period -- mixes recursion 25 $((3000 * longer))
# What follows is judged by totals, groups and words.
record by_time -e $events -p 2ms --ticks time -- mixes two 25 3000
record topdown -m topdown -p 2ms -- mixes five 25 3000
# Without evprof run: the library plans by itself, what is asked for and what is not.
record both -p 2ms -- mixes two 25 600
alone() {
	name=$1
	shift
	mkdir -p "/out/$name"
	cd "/out/$name" || return
	limited 600 env "$@" EVPROF_PERIOD=2ms LD_PRELOAD=/usr/local/lib/libevprof.so mixes two 25 600 >stdout 2>stderr
	echo $? >status
}
alone both_alone EVPROF_KEEP=off
alone topdown_alone EVPROF_MODELS=topdown
# Events that want one counter, one that never gets any, more than there are counters.
record constrained -e r10007,r10008,cpu-cycles -p 2ms -- mixes two 25 1200
record never -e instructions,r10006 -p 2ms -- mixes two 25 1200
record packed -e cpu-cycles,instructions,r10e,r2c2,r10d,r19c,rc5,r2a6,r4a6 -p 2ms -- mixes two 25 2400
echo 1 >/sys/module/evpmu/parameters/n_stolen
record stolen -e r10e,r2c2,r10d,r19c -p 2ms -- mixes two 25 2400
echo 0 >/sys/module/evpmu/parameters/n_stolen
mkdir -p /out/doctor && evprof doctor >/out/doctor/stdout 2>&1
