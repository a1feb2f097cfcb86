#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The sums that test.sh prints, and how setup/functions.sh finds missing packages. Prints TAP.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# count LINE...: count.py on a log of these lines
count() {
	printf '%s\n' "$@" >"$work/log.json"
	python3 "$root/setup/count.py" "$work/log.json" 2>"$work/err"
}

tap='{"name": "t", "result": "%s", "stdout": "%s"}'
good=$(printf "$tap" OK 'ok 1 - a\nok 2 - b\n1..2\n')
bad=$(printf "$tap" ERROR 'ok 1 - a\nnot ok 2 - b\n1..2\n')
expect "each line of a TAP test counts" "2 0 0" "$(count "$good")"
expect "its failures too" "1 1 0" "$(count "$bad")"
grep -q 'FAILED: t: 2 - b' "$work/err"
expect "and are named" 0 $?
count "$(printf "$tap" ERROR 'not ok 1 - a\n# why\nok 2 - b\n# no\n')" >"$work/out"
expect "with the comments behind them" "FAILED: t: 1 - a   # why" "$(paste -sd' ' "$work/err")"
expect "tests add up" "5 1 0" "$(count "$good" "$bad" "$good")"
expect "a plain test counts as one" "1 0 0" "$(count '{"name": "t", "result": "OK", "stdout": "hello"}')"
expect "a plain failure too" "0 1 0" "$(count '{"name": "t", "result": "FAIL", "returncode": 1, "stdout": ""}')"
expect "a crash after good lines is a failure" "2 1 0" "$(count "$(printf "$tap" ERROR 'ok 1 - a\nok 2 - b\n')")"
expect "a test that takes too long" "0 1 0" "$(count "$(printf "$tap" TIMEOUT '')")"
expect "a skipped test" "0 0 1" "$(count "$(printf "$tap" SKIP 'no PMU here')")"
grep -q 'no PMU here' "$work/err"
expect "says why" 0 $?
expect "a skipped line" "1 0 1" "$(count "$(printf "$tap" OK 'ok 1 - a\nok 2 - b # SKIP no valgrind\n')")"
plain='{"name": "t", "result": "%s", "stdout": "ok xz\\nskip java: not installed\\n%s"}'
expect "lines without numbers count too" "1 0 1" "$(count "$(printf "$plain" OK '')")"
expect "their failures too" "1 2 1" "$(count "$(printf "$plain" FAIL 'not ok a: b\nnot ok c: d\n')")"
expect "nothing ran" "0 0 0" "$(count)"

. "$root/setup/functions.sh"
printf '# a comment\none\n\ntwo # why\n' >"$work/list"
expect "lists have comments" "one two" "$(echo $(read_list "$work/list"))"
printf '# name | packages | x\none | a b | - | true || false\ntwo | - | - | x\nthree | c | -\n' >"$work/programs"
expect "a list of programs names packages" "a b c" "$(echo $(program_packages "$work/programs"))"
can_preload /home/you/evprof-1.0/build
expect "usual paths can be preloaded from" 0 $?
for path in '/my tree/build' '/a:b' '/a$b' $'/a\tb'; do
	can_preload "$path"
	expect "not $path" 1 $?
done
list_tests() { printf '%s\n' 'unit+load batch' 'unit+load load' 'unit+fill fill_fit' 'unit+fill fill_path' 'session page'; }
expect "a test by its name" "batch" "$(find_tests batch)"
expect "a suite" "batch load" "$(echo $(find_tests load))"
expect "a pattern and a name" "fill_fit fill_path page" "$(echo $(find_tests 'fill_*' page))"
expect "each test once" "batch" "$(echo $(find_tests batch bat*))"
expect "an unknown name" "" "$(find_tests page fil 2>"$work/err")"
expect "is named, and what comes near" "== no test and no suite is named fil; near it: fill_fit fill_path" "$(head -1 "$work/err")"
if command -v dpkg-query >/dev/null; then
	expect "what is installed is not missing" "no-such-package" "$(missing_packages dpkg no-such-package)"
	expect "nothing is missing" "" "$(missing_packages dpkg)"
	expect "all is missing" "a-package b-package" "$(echo $(missing_packages a-package b-package))"
fi

# with_room LIMIT COMMAND...: a test in a queue of pending signals that holds so many
with_room() {
	(ulimit -S -i "$1" && EVPROF_QUEUE_PATIENCE_S=0.1 python3 "$root/tests/with_room.py" "${@:2}" 2>"$work/err")
}
some=$(ulimit -H -i)
expect "a test's output and status are its own" "begun 3" "$(with_room "$some" /bin/sh -c 'echo begun; exit 3') $?"
expect "its signal is" 139 "$({ with_room "$some" /bin/sh -c 'kill -SEGV $$'; } 2>/dev/null; echo $?)"
expect "one that succeeds runs once, whatever the queue" "begun 0" "$(with_room 0 /bin/sh -c 'echo begun') $?"
expect "one that skips too" "why 77" "$(with_room 0 /bin/sh -c 'echo why; exit 77') $?"
expect "one that fails while the queue is full is skipped" 0 "$(with_room 0 /bin/sh -c 'echo "not ok 1"; exit 1' >"$work/out"; echo $?)"
expect "and says why, as any test and in TAP" "skip: another program 1..0 # SKIP" "$(cut -d' ' -f1-3 "$work/out" | xargs)"
if command -v prlimit >/dev/null; then
	printf '#!/bin/sh\n[ -e %s/again ] && echo again && exit\n: >%s/again\nprlimit --pid $PPID --sigpending=%s:\nexit 1\n' \
		"$work" "$work" "$some" >"$work/first"
	chmod +x "$work/first"
	expect "it runs again when there is room" "again 0" "$(with_room 0 "$work/first") $?"
fi
cat >"$work/leaves" <<'END'
#!/bin/bash
# fails, and leaves a process that fills the queue
python3 -c '
import ctypes, os, pathlib, signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
while not ctypes.CDLL(None).sigqueue(os.getpid(), signal.SIGRTMIN, ctypes.c_void_p(0)):
    pass
pathlib.Path(sys.argv[1]).touch()
time.sleep(60)' "$0.full" &
until [ -e "$0.full" ]; do sleep 0.05; done
rm "$0.full"
echo "not ok 1"
exit 1
END
chmod +x "$work/leaves"
# others on this machine may take the little room meanwhile
for attempt in 1 2 3 4 5; do
	used=$(sed -n 's|^SigQ:[^0-9]*\([0-9]*\)/.*|\1|p' /proc/self/status)
	left=$(with_room $((used + 200)) "$work/leaves") && sleep 1 || break
done
expect "one that fills the queue itself fails" "not ok 1" "$left"
expect "a void attempt is told of in stderr" "not ok 1" "$(with_room 0 /bin/sh -c 'echo "not ok 1"; exit 1' >"$work/out"; cat "$work/err")"
# test.sh --all on a tree whose scripts do nothing but wait, each with the lock
tree=$work/tree
mkdir -p "$tree/setup" "$tree/tests/sanitize" "$tree/tests/guest/module" "$tree/tests/programs" "$tree/bin" "$tree/build"
cp "$root/test.sh" "$tree"
cat >"$tree/setup/functions.sh" <<END
root=$tree
build=$tree/build
say() { :; }
read_list() { :; }
program_packages() { :; }
install_packages() { :; }
build_tree() { :; }
END
printf '#!/bin/sh\n' >"$tree/bin/meson"
cat >"$tree/tests/sanitize/run.sh" <<END
#!/bin/bash
: >$tree/sanitizers
exec 9>>$tree/lock
flock -s 9
timeout --foreground 60 sleep 60
END
sed 's/sanitizers/guests/' "$tree/tests/sanitize/run.sh" >"$tree/tests/guest/module/run.sh"
cp "$tree/tests/guest/module/run.sh" "$tree/tests/guest/run.sh"
chmod +x "$tree"/bin/meson "$tree"/tests/*/run.sh "$tree"/tests/*/*/run.sh
for signal in INT TERM; do
	rm -f "$tree"/{sanitizers,guests}
	PATH=$tree/bin:$PATH python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # bash ignores it in the background
os.execv(sys.argv[1], sys.argv[1:])' "$tree/test.sh" --all >/dev/null 2>&1 &
	until [ -e "$tree/sanitizers" ] && [ -e "$tree/guests" ] || ! kill -0 $!; do sleep 0.05; done
	kill -$signal $!
	wait $!
	expect "test.sh ends at $signal" 1 $?
	flock -w 20 "$tree/lock" true
	expect "with all that it has begun" 0 $?
done
echo "1..$n"
exit $failed
