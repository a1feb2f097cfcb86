#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The archive that runs from any folder: tarball.sh BUILD. Another folder than it was packed in, an environment
# without anything of ours: it records, reports and makes a page. Prints TAP.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
build=$(realpath "$1")

plain() {
	env -i PATH=/usr/bin:/bin HOME="$work" "$@"
}

mkdir "$work/out" "$work/elsewhere"
"$root/packaging/tarball.sh" "$build" "$work/out" >"$work/log" 2>&1
expect "it is packed" 0 $?
sed 's/^/# /' "$work/log"
tar xzf "$work"/out/evprof-*.tar.gz -C "$work/elsewhere"
rm -rf "$work/out"
here=$(echo "$work"/elsewhere/evprof-*)
expect "it unpacks into one folder" 1 "$(ls "$work/elsewhere" | wc -l)"
needs=$(plain ldd "$here/bin/evreport" "$here/bin/evcal" "$here/bin/evprof" | awk '$2 == "=>" { print $1, $3 }')
expect "all but the C library and the loader come along" "" "$(
	grep -v " $here/" <<<"$needs" | grep -Ev '^lib(c|m|dl|pthread|rt)\.so\.' | head -3)"
cd "$work" || exit 1
plain "$here/bin/evprof" run --quiet -o trace.gz -- /bin/sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exit 3'
expect "a program runs in it, and ends as it would" 3 $?
plain "$here/bin/evreport" trace.gz >report
expect "its report is made" "0 1" "$? $(grep -c '^evprof report  trace.gz' report)"
if plain "$here/bin/evreport" --html page.html trace.gz 2>error || ! grep -q 'was built without pages' error; then
	expect "and its page" 1 "$(grep -c 'id="evprof-data"' page.html)"
else
	n=$((n + 1))
	echo "ok $n - and its page # SKIP $(head -1 error)"
fi
# names that no other folder has
find "$here/share/evprof/formulas" -type f -exec sed -i 's/Memory_Bound/Memory_Of_Its_Own/g' {} +
plain "$here/bin/evreport" explain --cpu skx Memory_Of_Its_Own >explained
expect "formulas are those beside it" "0 yes" "$? $(grep -q Memory_Of_Its_Own explained && echo yes)"
echo "1..$n"
exit $failed
