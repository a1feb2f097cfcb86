#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh EVPROF EVREPORT FORMULAS ONE_PROCEDURE: from a simulated PMU with four counters to a Top-Down tree. Every row
# of the table is the same, so that the groups of a plan, whatever slices they get, give the same metrics;
# within 10 %, because gaps are filled by CPU time and slices differ in length.
set -e
evprof=$(realpath "$1") evreport=$(realpath "$2")
formulas=$(realpath "$3") one_procedure=$(realpath "$4")
EVPROF_FORMULAS=$formulas
export EVPROF_FORMULAS
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
set -x # what failed is the last line of the log

columns=CYCLES,INSTR,L1D_LOADS,L1D_STORES,L1I_MISS,L1D_LOAD_MISS,L1D_STORE_MISS,LLI_MISS,LL_LOAD_MISS
columns=$columns,LL_STORE_MISS,BR_COND,BR_COND_MISP,BR_IND,BR_IND_MISP,STALL
echo "$columns" >table.csv
row=100000,50000,8000,2000,500,800,200,100,100,20,9000,300,1000,100,50000
yes $row | head -5000 >>table.csv

events=$("$evprof" plan topdown,caches --cpu ocoe | sed -n 's/^group [0-9]*: //p' | tr ' \n' ',;' | sed 's/;$//')
cat >loop.sh <<'END'
i=0
while [ $i -lt 600000 ]; do i=$((i + 1)); done
END
"$evprof" run -q -s sim:table.csv,counters=4 -e "$events" -p 2ms -- sh loop.sh
"$evreport" metrics --cpu ocoe -m topdown,caches -f tsv trace.gz | cut -f2- >metrics

# (12*500 + 180*100) / 100000; 15*400 / 100000; (12*1000 + 180*120) / 100000; 50000 / 100000; ...
cat >expected <<'END'
Frontend_Bound	0.24	ok
Bad_Speculation	0.06	ok
Backend_Bound	0.336	ok
Retiring	0.5	ok
L1_Miss	0.12	ok
Memory_Bound	0.216	ok
L1D_MPKI	20	ok
L1D_Miss_Ratio	0.1	ok
L2D_MPKI	2.4	ok
L3D_MPKI	-	missing:L3_DCM
END
awk -F'\t' '
	function close_to(a, b) { return a == b || (a - b) ^ 2 <= (0.1 * b) ^ 2 }
	NR == FNR { got[$1] = $2; status[$1] = $3; next }
	{
		if (!($1 in got)) bad = $1 " is not there"
		else if (!close_to(got[$1], $2) || status[$1] != $3)
			bad = $1 " is " got[$1] " (" status[$1] "), expected " $2 " (" $3 ")"
		else next
		print bad; n_bad++
	}
	END { exit n_bad > 0 }' metrics expected

# A user's file with verdicts takes the place of the shipped one, and its warnings are printed.
unset EVPROF_FORMULAS
XDG_DATA_HOME=$folder/data
export XDG_DATA_HOME
mkdir -p data/evprof/formulas
sed 's/^\[metric Retiring\]$/&\nverdict = contradicted: by this test/' "$3/generic/ocoe/topdown.formula" \
	>data/evprof/formulas/mine.formula
"$evreport" metrics --cpu ocoe -m topdown trace.gz >warned
grep -q '^! Retiring is not to be relied on: contradicted: by this test$' warned
grep -q 'Retiring .*\[contradicted: see below\]' warned
"$evreport" metrics --cpu ocoe -m topdown --details trace.gz | grep -q '(not checked by evcal check)'
EVPROF_FORMULAS=$3 "$evreport" metrics --cpu ocoe -m topdown trace.gz >shipped
! grep contradicted shipped

# What evprof does by itself on a Skylake with four counters, from the plan to the first sentence: slots
# lost waiting for data, without an option that names a model.
EVPROF_FORMULAS=$formulas
export EVPROF_FORMULAS
rows() {
	cat <<'END'
CPU_CLK_THREAD_UNHALTED:THREAD_P 4000000
INST_RETIRED:ANY_P 2000000
UOPS_ISSUED:ANY 2400000
UOPS_RETIRED:RETIRE_SLOTS 2400000
INT_MISC:RECOVERY_CYCLES 1000
IDQ_UOPS_NOT_DELIVERED:CORE 800000
IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE 100000
CYCLE_ACTIVITY:STALLS_TOTAL 3000000
CYCLE_ACTIVITY:STALLS_MEM_ANY 2800000
EXE_ACTIVITY:BOUND_ON_STORES 10000
EXE_ACTIVITY:1_PORTS_UTIL 100000
EXE_ACTIVITY:2_PORTS_UTIL 100000
BR_INST_RETIRED:ALL_BRANCHES 200000
BR_MISP_RETIRED:ALL_BRANCHES 100
MACHINE_CLEARS:COUNT 10
MEM_INST_RETIRED:ALL_LOADS 600000
MEM_INST_RETIRED:ALL_STORES 100000
L2_RQSTS:ALL_DEMAND_DATA_RD 200000
L2_RQSTS:ALL_RFO 1000
L2_RQSTS:DEMAND_DATA_RD_MISS 150000
L2_RQSTS:RFO_MISS 500
MEM_LOAD_RETIRED:L3_HIT 50000
MEM_LOAD_RETIRED:L3_MISS 100000
END
}
rows | awk '{ n = n (NR > 1 ? "," : "") $1; r = r (NR > 1 ? "," : "") $2 }
	END { print n; for (i = 0; i < 20000; i++) print r }' >skx.csv
"$evprof" run -s sim:skx.csv,counters=4,cpuid=GenuineIntel-6-55-4 -p 2ms -o skx.gz -- "$one_procedure" 400000000
"$evreport" skx.gz | sed -n '/^In short/,/^$/p' | tr -s ' \n' ' ' >sentence
grep -q '^In short - 7[0-9] % of the issue slots.* were lost waiting for data (Memory_Bound in Backend_Bound)' sentence ||
	{ echo "not the first sentence: $(cat sentence)"; exit 1; }
grep -q 'mostly from beyond the L2 cache.*To try there: ' sentence || { echo "no cause or remedy: $(cat sentence)"; exit 1; }
# Each row of the table has the same ratios: which slices a procedure has changes none of them.
"$evreport" --by procedure skx.gz | sed -n '/^How well it ran/,/^$/p' | tr -s ' ' >ratios
grep -q '^ procedure IPC L1D misses L2D misses L3 misses mispredicts$' ratios &&
	grep -qE '^ add_up 0\.50 (.*[^0-9.])?2[0-9]\.[0-9] % .*7[0-9]\.[0-9] % .*6[0-9]\.[0-9] % ' ratios ||
	{ echo "not IPC and misses of the table: $(cat ratios)"; exit 1; }
# A shell's procedures take turns that are far shorter than slices: there is no remedy for one of them.
"$evprof" run -q -s sim:skx.csv,counters=4,cpuid=GenuineIntel-6-55-4 -p 2ms -o sh.gz -- sh loop.sh
"$evreport" sh.gz | sed -n '/^In short/,/^$/p' | tr -s ' \n' ' ' >sentence
grep -q '^In short - 7[0-9] % of the issue slots' sentence && ! grep -q 'To try' sentence ||
	{ echo "a remedy for a mixture: $(cat sentence)"; exit 1; }
"$evreport" metrics --explain Memory_Bound skx.gz | grep -q 'event=0xa3,umask=0x14' ||
	{ echo "no way back to the counts"; exit 1; }

# One slice: the groups whose turn did not come are told in one line, and no sentence leans on it.
"$evprof" run -s sim:skx.csv,counters=4,cpuid=GenuineIntel-6-55-4 -p 1s -o one.gz -- sh -c :
"$evreport" one.gz | tr -s ' \n' ' ' >one.txt
[ "$(grep -o 'never measured' one.txt | wc -l)" -eq 1 ] && grep -q ' and [0-9]* more were never measured' one.txt &&
	! grep -q 'cycles for an instruction' one.txt || { cat one.txt; exit 1; }

# A CPU that no formula file serves: what Linux counts everywhere has a first sentence, too.
echo cycles,instructions,stalled-cycles-frontend,stalled-cycles-backend,cache-references,cache-misses >linux.csv
yes 4000000,2000000,200000,2400000,200000,120000 | head -5000 >>linux.csv
"$evprof" run -q -s sim:linux.csv,counters=2,cpuid=GenuineIntel-6-3C-3 -e "$(head -1 linux.csv)" -p 2ms -o linux.gz -- sh loop.sh
"$evreport" linux.gz | sed -n '/^In short/,/^$/p' | tr -s ' \n' ' ' >sentence
grep -q '^In short - 60 % of the cycles.* were lost waiting for data or for execution units (Backend_Stalled)' sentence ||
	{ echo "not the first sentence: $(cat sentence)"; exit 1; }
"$evreport" metrics -m linux -f tsv linux.gz | cut -f2- | grep -q '^Instructions_per_Cycle	0.5	ok' || { echo "no ratios"; exit 1; }

# Preloaded alone, without evprof run: the same events in the same groups, by themselves and for models asked for.
unset EVPROF_FORMULAS
# What the shell traces is not what was said.
preloaded() {
	set +x
	env XDG_DATA_HOME="$folder/none" EVPROF_SOURCE=sim:skx.csv,counters=4,cpuid=GenuineIntel-6-55-4 "$@" 2>said
	set -x
}
planned() { "$evreport" dump "$1" | grep -aP '^  (event|group)\t'; }
alone="LD_PRELOAD=$(dirname "$evprof")/libevprof.so"
preloaded EVPROF_OUTPUT=alone.gz "$alone" sh loop.sh
[ ! -s said ]
planned alone.gz >got
planned sh.gz >expected
[ "$(wc -l <got)" -gt 20 ] && diff expected got
"$evreport" alone.gz | sed -n '/^In short/,/^$/p' | tr -s ' \n' ' ' | grep -q '^In short - 7[0-9] % of the issue slots'
preloaded EVPROF_FORMULAS="$formulas" "$evprof" run -q -m branches,ipc -o asked_run.gz -- sh -c :
preloaded EVPROF_MODELS=branches,ipc EVPROF_OUTPUT=asked.gz "$alone" sh -c :
[ ! -s said ]
planned asked.gz >got
planned asked_run.gz >expected
[ "$(wc -l <got)" -gt 3 ] && diff expected got
# A model that nobody knows is told, and the others are counted; a file of one's own counts when it is prepared.
preloaded EVPROF_MODELS=nonsense,ipc EVPROF_OUTPUT=some.gz "$alone" sh -c :
grep -q "evprof: of the models 'nonsense,ipc' only those .* no model 'nonsense' is prepared" said
planned some.gz | grep -q INST_RETIRED
mkdir -p data/evprof/formulas
printf 'evprof-formula 1\n\n[model]\nname = own\ncpu = skx\nevents = skx\n\n[metric Own]\nexpr = MACHINE_CLEARS:COUNT / 2\nlevel = 1\n' \
	>data/evprof/formulas/own.formula
XDG_DATA_HOME=$folder/data "$evprof" plan --prepare
preloaded XDG_DATA_HOME="$folder/data" EVPROF_MODELS=own EVPROF_OUTPUT=own.gz "$alone" sh -c :
planned own.gz | grep -q MACHINE_CLEARS:COUNT
