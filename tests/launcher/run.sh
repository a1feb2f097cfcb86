#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# evprof run and list from outside, with a stub in the library's place.
# usage: run.sh EVPROF STUB.so   prints TAP
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/evprof"
cp "$2" "$work/libevprof.so"
cp "$2" "$work/libevprof-waits.so"
evprof=$work/evprof
export STUB_LOG=$work/log
unset LD_PRELOAD
n=0
failed=0

# check NAME COMMAND...: the command must succeed
check() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# out: /' "$work/out"
		sed 's/^/# err: /' "$work/err"
		[ -e "$STUB_LOG" ] && sed 's/^/# log: /' "$STUB_LOG"
		failed=$((failed + 1))
	fi
}

# run ARGS...: evprof with its output, errors and status kept
run() {
	rm -f "$STUB_LOG"
	"$evprof" "$@" >"$work/out" 2>"$work/err"
	status=$?
}

has() { grep -qF -- "$2" "$work/$1"; }
lacks() { ! grep -qF -- "$2" "$work/$1" 2>/dev/null; }
lacks_long() { ! grep -qE "^.{101}" "$work/$1"; }
empty() { [ ! -s "$work/$1" ]; }
gave() { [ "$status" -eq "$1" ]; }
unlogged() { [ ! -e "$STUB_LOG" ]; }
log_has() { grep -qxF -- "$1" "$STUB_LOG"; }

run run -- sh -c 'echo out; echo err >&2; exit 7'
check "the exit status is the program's" gave 7
check "its output too" [ "$(cat "$work/out" "$work/err")" = $'out\nerr' ]
check "the library is loaded" log_has "LD_PRELOAD=$work/libevprof.so"
run run -- sh -c 'kill -TERM $$'
check "a deadly signal stays one" gave $((128 + 15))
LD_PRELOAD=$work/libevprof.so run run -- true
check "below itself the library is preloaded once" log_has "LD_PRELOAD=$work/libevprof.so"

cd "$work"
run run -e 'cycles,cs;faults' --period=2ms -s sim:t.tsv,counters=4 -o 'x-%p.gz' --include 'a*' --exclude b -q true
check "events" log_has "EVPROF_EVENTS=cycles,cs;faults"
check "period" log_has "EVPROF_PERIOD=2ms"
check "the simulated table is absolute" log_has "EVPROF_SOURCE=sim:$work/t.tsv,counters=4"
check "the output is absolute" log_has "EVPROF_OUTPUT=$work/x-%p.gz"
check "include" log_has 'EVPROF_INCLUDE=a*'
check "exclude" log_has "EVPROF_EXCLUDE=b"
check "quiet" log_has "EVPROF_QUIET=1"
check "and says nothing" empty err
run run --include nothing true
check "a program that --include leaves out is named" has err "/true is left out by its name"
run run --exclude 'tr*' true
check "and one that --exclude does" has err "/true is left out by its name"
run run --include 't*' true
check "one that is taken is not" empty err
mkdir "$work/50%p" && cd "$work/50%p"
run run -o x.gz true
check "a percent in the folder is no placeholder" log_has "EVPROF_OUTPUT=$work/50%%p/x.gz"
cd /
run run -o /tmp/%h.gz true
check "an absolute output stays" log_has "EVPROF_OUTPUT=/tmp/%h.gz"
run run true -q --period never
check "the program's options are the program's" gave 0
check "and set nothing" lacks log EVPROF_QUIET
LD_PRELOAD=libm.so.6 run run true
check "an older LD_PRELOAD is kept" log_has "LD_PRELOAD=$work/libevprof.so:libm.so.6"
run run --waits on true
check "waits take the library that notes them" log_has "LD_PRELOAD=$work/libevprof-waits.so"
check "and are asked for" log_has "EVPROF_WAITS=on"
run run --waits off true
check "no other run does" log_has "LD_PRELOAD=$work/libevprof.so"
LD_PRELOAD=$work/libevprof.so run run --waits on true
check "nor one below a run without: two would be two profilers" log_has "LD_PRELOAD=$work/libevprof.so"
run run --waits maybe true
check "waits are on or off" has err "waits 'maybe' is neither on nor off"

run run --period never -- sh -c 'echo started'
check "a bad value starts nothing" empty out
check "with evprof's own status" gave 125
check "and is named" has err "'never'"
run run -p $$ -- sh -c 'echo started'
check "a running process is not attached to" gave 125
check "and starts nothing" empty out
check "it is said to be one" has err "$$ is a running process"
check "with who attaches" has err "perf record -p $$"
run run -p 1
check "nor is one of root's, before a program is missed" has err "1 is a running process"
run run -p 60000ns true
check "a period in nanoseconds has a unit" log_has "EVPROF_PERIOD=60000ns"
run run -p 0 true
check "0 is a bad period, and no process" has err "period '0' is not"
run run --perod 2ms true
check "an unknown option" gave 125
run run
check "no program" gave 125
run run -- "$work/absent"
check "an absent program" gave 127
run run -- "$work/out"
check "a file that cannot be executed" gave 126

cc=${CC:-cc}
echo 'int main(void) { return 3; }' >"$work/three.c"
if $cc -static -o "$work/static" "$work/three.c" 2>/dev/null; then
	run run -- "$work/static"
	check "a static program runs" gave 3
	check "and is said to be beyond reach" has err "$work/static is linked statically"
	run run -q -- "$work/static"
	check "but not when quiet" empty err
	printf '#!%s\n' "$work/static" >"$work/script"
	chmod +x "$work/script"
	run run -- "$work/script"
	check "the interpreter of a script as well" has err "$work/static is linked statically"
fi

manual=$(cd "$here/../../docs/man" && sed 's/\\-/-/g' evprof.1)
for command in run list plan; do
	for option in $("$work/evprof" $command --help | grep -o -- '--[a-z][a-z]*' | sort -u); do
		check "the manual has $option" grep -qw -e "$option" <<<"$manual"
	done
done

mkdir "$work/a b" && cp "$work/evprof" "$work/libevprof.so" "$work/a b"
evprof="$work/a b/evprof" run run true
check "a path that the loader would split is refused" gave 125
check "and named" has err "$work/a b/libevprof.so"
mkdir "$work/alone" && cp "$work/evprof" "$work/alone"
evprof="$work/alone/evprof" run run true
if gave 125; then
	check "without its library it says where it looked" has err "$work/alone"
else
	check "without a library beside it, it takes the installed one" gave 0
fi

run doctor
refused=$(grep -c 'nor software events' "$work/out")
run list task
if [ "$refused" -eq 0 ]; then
	check "list: software events" has out "task-clock"
else
	check "list: nothing where perf_event_open is refused" has err "no event like 'task' can be counted here"
fi
check "list: nothing else" lacks out "cpu-migrations"
run list xyzzy
check "list: no such event" gave 1
check "list: and says so" has err "no event like 'xyzzy'"
if [ "$(uname -m)" = x86_64 ]; then
	run list --cpu skx 'skx::UOPS_RETIRED:*'
	check "list: another CPU" has out "skx::UOPS_RETIRED:RETIRE_SLOTS"
	check "list: by a shell pattern" lacks out "MEM_UOPS_RETIRED"
	run list --cpu skx xyzzy
	check "list: no such event of another CPU" gave 1
	check "list: and says so, too" has err "no event of CPU skx is like 'xyzzy'"
	run list --cpu skz
	check "list: an unknown CPU" gave 2
	check "list: has its nearest" has err "skx"
fi
export EVPROF_FORMULAS=$here/../../formulas
run list --models xyzzy
check "list: no such model" has err "no model is like 'xyzzy'"
run list --models --cpu skx
check "list: models of a CPU" grep -q '^  topdown  ' "$work/out"
check "list: and those of every CPU" grep -q '^  software  ' "$work/out"
check "list: and no other's" lacks out "models: zen"
run plan --cpu skx topdown
check "plan: events in groups" grep -q '^group 2: .*:' "$work/out"
run plan --cpu skx --counters 1 topdown
check "plan: fewer counters, more groups" grep -q '^group 9: .*:' "$work/out"
check "plan: another CPU's is not held against this machine" lacks out 'evprof doctor says why'
run plan energy
check "plan: what needs no counter lacks none" lacks out 'evprof doctor says why'
run plan topdown
if [ "$status" != 0 ] || "$work/evprof" doctor | grep -q '^hardware counters: yes'; then
	check "plan: nothing is said to be lacking" lacks out 'evprof doctor says why'
else
	check "plan: that nothing of it can be counted here" has out 'no hardware events can be counted here now'
fi
check "plan: this CPU's events need no counters here" lacks err 'is not known otherwise'
run plan --cpu skx nonsense
check "plan: no such model" gave 1
check "plan: names those there are" has err topdown
run plan --counters 0 topdown
check "plan: wrong usage" gave 2
run run -s sim:/t.csv,counters=4,cpuid=GenuineIntel-6-55 true
check "a simulated CPU: its own models" grep -q '^EVPROF_EVENTS=.*;.*UOPS_ISSUED:ANY.*;.*BR_MISP_RETIRED' "$STUB_LOG"
run run -s sim:/t.csv,counters=4 true
check "a table of no CPU: what it has" lacks log EVPROF_EVENTS
run run -s sim:/t.csv,cpuid=NoSuchCPU-1-2 true
check "a simulated CPU that nobody knows: the table's own events" lacks log EVPROF_EVENTS
check "and the program runs" gave 0
check "and the CPU is named" has err NoSuchCPU-1-2
run run -s sim:/t.csv,cpuid=NoSuchCPU-1-2 -m topdown -e task-clock sh -c 'exit 3'
check "models of such a CPU: the program runs" gave 3
check "models of such a CPU: what else was asked for is counted" log_has EVPROF_EVENTS=task-clock
printf 'evprof-formula 1\n\n[model]\nname = mine\n\n[metric M]\nexpr = NO_SUCH_EVENT / 2\nlevel = 1\n' >mine.formula
run run -s sim:/t.csv,counters=4,cpuid=GenuineIntel-6-55-4 -m ipc,./mine.formula sh -c 'exit 3'
check "a model that cannot be counted: the program runs" gave 3
check "a model that cannot be counted: the reason" has err "the model './mine.formula' cannot be counted here: event NO_SUCH_EVENT"
check "a model that cannot be counted: the others are" grep -q '^EVPROF_EVENTS=.*INST_RETIRED' "$STUB_LOG"
printf 'evprof-formula 1\n[model]\nname = broken\n[metric M]\nexpr = 1 +\n' >broken.formula
run run -s sim:/t.csv,counters=4,cpuid=GenuineIntel-6-55-4 -m broken.formula sh -c 'exit 3'
check "a model that cannot be read: the program runs" gave 3
check "a model that cannot be read: the file is named" has err broken.formula
run run -m energy sh -c 'exit 3'
check "energy takes no counter: the program runs" gave 3
check "energy takes no counter: the library is not asked for groups" lacks log EVPROF_MODELS
if [ -e /sys/class/powercap/intel-rapl:0 ] || [ -e /sys/bus/event_source/devices/power ] || [ -e /sys/class/hwmon/hwmon0 ]; then
	n=$((n + 1))
	echo "ok $n - energy that cannot be read # SKIP this machine may have it"
else
	check "energy that cannot be read: the reason" has err "package_energy is not known here: neither perf's PMU power"
fi
run plan --cpu skx energy
check "energy needs no group" has out "read of the whole machine, without a counter of the CPU's: package_energy, memory_energy"
run run -m ./none.formula true
check "a model's file that is not there" gave 125
run run -m nonsense true
check "run: no such model" gave 125
check "run: and starts nothing" unlogged
run run -s sim:/t.csv,counters=4,cpuid=GenuineIntel-6-55-4 -e task-clock -m topdown true
check "run: models become groups beside the events" grep -qx 'EVPROF_EVENTS=task-clock;.*,.*' "$STUB_LOG"
if ! "$work/evprof" plan topdown >/dev/null 2>&1; then
	n=$((n + 1))
	echo "ok $n - run: models on this machine # SKIP no formulas for this CPU"
elif "$work/evprof" doctor | grep -q '^hardware counters: yes'; then
	run run -e task-clock -m topdown true
	check "run: models on this machine" grep -qx 'EVPROF_EVENTS=task-clock;.*,.*' "$STUB_LOG"
else
	run run -e task-clock -m topdown true
	check "run: models without hardware events are said in a line" has err "no hardware events here"
	check "run: and what was asked for beside them is counted" grep -qx 'EVPROF_EVENTS=task-clock' "$STUB_LOG"
fi
run doctor
check "doctor: a verdict" grep -qE '^hardware counters: (yes|none|not permitted|no,|they do not)' "$work/out"
case $(head -1 "$work/out") in
*yes) check "doctor: status" gave 0 ;;
*none*) check "doctor: status" gave 3 ;;
*"not permitted") check "doctor: status" gave 4 ;;
*) check "doctor: status" [ "$status" -ge 5 ] ;;
esac
check "doctor: lines that a terminal holds" lacks_long out
check "doctor: evprof's walker and libunwind" grep -qE "libunwind finds the same [0-9]+ frames|could not be compared" "$work/out"
# of cpu, user, nice, system, irq, softirq and stolen; the line says a whole per cent
stolen=$(awk '/^cpu / { b = $2 + $3 + $4 + $7 + $8 + $9; print b ? $9 / b * 100 : 0 }' /proc/stat)
said=$(tr '\n' ' ' <"$work/out" | sed -nE 's/.*its +host +gave +([0-9]+) +%.*/\1/p')
check "doctor: what the host took" awk "BEGIN { d = ${said:-0} - $stolen; exit !(d > -1 && d < 1) }"
run doctor nonsense
check "doctor: wrong usage" gave 2
(ulimit -n 64
	ordinary=
	[ "$(id -u)" = 0 ] && ordinary="setpriv --reuid 65534 --clear-groups --inh-caps=-all"
	chmod 755 "$work"; $ordinary "$evprof" doctor >"$work/out" 2>"$work/err")
check "doctor: few open files" has out "64, at most 64: they are left to the program"
check "doctor: the clock then" has out "POSIX timer (a perf event would take an open file)"
check "doctor: and what would help" has out "LimitNOFILE="
if unshare -Ur true 2>/dev/null; then
	unshare -Ur "$evprof" doctor >"$work/out" 2>"$work/err"
	check "doctor: root of a user namespace" has out "root of a user namespace only"
fi
run nonsense
check "no such command" gave 2

cd "$work"
run run --max-size 10M true
check "max-size" log_has "EVPROF_MAX_SIZE=10M"
run stop nosuch.gz
check "stop: no trace" gave 1
check "stop: is named" has err "evprof stop: nosuch.gz: cannot open"
echo text >text && run stop text
check "stop: not a trace" gave 1
check "stop: is left as it is" [ -w text ]
printf '\037\213\010\004' >trace.gz && chmod 664 trace.gz && run stop
check "stop" gave 0
check "stop: takes the permission to write" [ "$(stat -c %a trace.gz)" = 444 ]
run stop trace.gz
check "stop: twice" has out "was stopped before"
run stop --nonsense
check "stop: wrong usage" gave 2

# A stub of a trace and of evreport: which status, which stream, which words.
cd "$work"
rm -f trace.gz trace.gz.old
printf '#!/bin/sh\necho "report of $1"\n' >evreport && chmod +x evreport
run sh -c 'echo out; : >trace.gz; exit 7'
check "program: the exit status is its" gave 7
check "program: its output is its own" [ "$(cat out)" = out ]
check "program: the report follows on standard error" has err "report of trace.gz"
check "program: what makes a page is said" has err "evreport --html report.html trace.gz"
check "program: the library is loaded" log_has "LD_PRELOAD=$work/libevprof.so"
rm -f trace.gz
run sh -c 'kill -TERM $$'
check "program: a deadly signal is in the status" gave $((128 + 15))
check "program: without a trace it is said" has err "there is no trace.gz"
: >trace.gz
run true
check "program: the trace of an earlier run is not its own" has err "nothing was recorded: trace.gz is of an earlier run"
check "program: and is not reported" lacks err "report of"
rm trace.gz evreport
run sh -c ': >trace.gz'
check "program: without evreport it is said" has err "evreport is not in"
printf '#!/bin/sh\necho "report of $1"\n' >evreport && chmod +x evreport
run -o other.gz -p 2ms -- sh -c 'echo "$EVPROF_PERIOD"; : >other.gz; exit 3'
check "program: options of evprof run stand before it" [ "$(cat out)" = 2ms ]
check "program: the exit status is still its" gave 3
check "program: the trace that was named is reported" has err "report of $work/other.gz"
rm -f evreport other.gz
run -p $$
check "program: -p with a running process starts nothing" has err "$$ is a running process"
check "program: its status says so" gave 125
run --perioud 2ms true
check "program: an unknown option is named" has err "perioud"
check "program: and the page with the options" has err "'evprof run --help'"
rm -f trace.gz
for word in record report top stat; do
	run "$word"
	check "$word: what to type here is said" has err "there is no command or option '$word': "
	check "$word: nothing runs" gave 2
done
words=$(sed -n 's/^\t{ "\([a-z-]*\)", ep_cmd_.*/\1/p' "$here/../../reporter/command/evreport.c")
check "evreport's commands were found" [ "$(echo "$words" | wc -w)" -gt 10 ]
for word in $words; do
	run "$word"
	check "$word: it is said to be evreport's" has err "type evreport $word "
	check "$word: nothing runs" gave 2
done
run no-such-program
check "no program" has err "is no command and no program"
check "no program: status" gave 2
run run -o - -- true
check "standard output is no trace" has err "cannot go to standard output"
check "standard output is no trace: nothing runs" gave 125
check "standard output is no trace: nothing is written" [ ! -e - ]

if command -v valgrind >/dev/null; then
	cd "$work"
	export TMPDIR=$work/tmp && mkdir "$TMPDIR"
	run run -s valgrind -- sh -c 'ls "$EVPROF_VALGRIND_DIR"/.. ; exit 5'
	check "valgrind: the exit status is the program's" gave 5
	check "valgrind: the library finds its folder" grep -q "^EVPROF_VALGRIND_DIR=$TMPDIR/evprof-callgrind-" "$STUB_LOG"
	check "valgrind: nothing on stderr" empty err
	check "valgrind: nothing is left" [ -z "$(ls -A "$TMPDIR")" ]
	check "valgrind: nor in the current folder" [ -z "$(ls "$work" | grep callgrind)" ]
	run run -s valgrind -- sh -c 'kill -TERM $$'
	check "valgrind: a deadly signal stays one" gave $((128 + 15))
fi
echo "1..$n"
[ $failed -eq 0 ]
