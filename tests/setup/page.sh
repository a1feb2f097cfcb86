#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The page is made of esbuild and D3, of the scripts in a release's archive, or left out, which is said. Prints TAP.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# set_up FOLDER TREE OPTIONS...: whether the build's summary has the page
set_up() {
	meson setup "$work/$1" "$2" -Dtests=disabled "${@:3}" >"$work/log" 2>&1 || { tail -3 "$work/log" | grep -o 'the page needs D3 5'; return; }
	sed -n 's/^ *evreport --html.*: *\(YES\|NO\)$/\1/p' "$work/log"
}

# frames FOLDER: the sums of both pages' frames
frames() {
	(cd "$work/$1" && ninja reporter/page/page_frame.c reporter/page/compare_frame.c >"$work/log" 2>&1 && cat reporter/page/*_frame.c | cksum)
}

# an esbuild that finds no D3
printf "[binaries]\nesbuild = 'false'\n" >"$work/none.ini"
# Trees of git have no built scripts: those of archives would do in place of esbuild.
if [ ! -e "$root/reporter/page/bundled" ]; then
	expect "without D3 there is no page" NO "$(set_up none "$root" --native-file "$work/none.ini")"
	expect "one that is asked for is missed" "the page needs D3 5" "$(set_up asked "$root" --native-file "$work/none.ini" -Dpage=enabled)"
fi
expect "a page may be left out" NO "$(set_up out "$root" -Dpage=disabled)"
if [ -e "$root/.git" ] && command -v git >/dev/null && [ "$(set_up with "$root")" = YES ]; then
	meson dist -C "$work/with" --no-tests --allow-dirty --formats gztar >"$work/log" 2>&1
	expect "an archive is made" 0 $?
	tar xzf "$work"/with/meson-dist/evprof-*.tar.gz -C "$work"
	tree=$(echo "$work"/evprof-*/)
	expect "it has a page without D3" YES "$(set_up archive "$tree" --native-file "$work/none.ini" -Dpage=enabled)"
	expect "which is that of esbuild" "$(set_up again "$tree" >/dev/null; frames again)" "$(frames archive)"
	expect "both are there" 0 "$(frames archive >/dev/null; echo $?)"
else
	n=$((n + 1))
	echo "ok $n - an archive is made # SKIP esbuild, D3 or git is missing"
fi
echo "1..$n"
exit $failed
