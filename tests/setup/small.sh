#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The library and evprof alone, on a machine that lacks what the other parts need: pkg-config knows nothing
# there but zlib. Prints TAP.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# set_up FOLDER OPTIONS...: as on a machine without the libraries of the other parts
set_up() {
	PKG_CONFIG_LIBDIR=$work/pc PKG_CONFIG_PATH='' meson setup "$work/$1" "$root" "${@:2}" >"$work/log" 2>&1
}

mkdir "$work/pc"
printf 'Name: zlib\nDescription: zlib\nVersion: 1.2.13\nLibs: -lz\n' >"$work/pc/zlib.pc"

set_up whole
expect "a whole build needs json-c" "1 json-c" "$? $(grep -o -m1 'json-c' "$work/log")"
set_up tests -Dreporter=disabled -Dtests=enabled
expect "tests need all parts" "1 they need reporter" "$? $(grep -o -m1 'they need reporter' "$work/log")"
set_up small -Dreporter=disabled -Dcalibration=disabled -Dtests=disabled
rc=$?
expect "the small one is set up" 0 $rc
[ $rc -eq 0 ] || sed 's/^/# /' "$work/log"
expect "and says what is built" "evprof YES, evreport NO, evcal NO, benchmarks NO" "$(
	sed -n 's/^ *\(libevprof.so and \|tests and \)\{0,1\}\(evprof\|evreport\|evcal\|benchmarks\) *: *\(YES\|NO\)$/\2 \3/p' \
		"$work/log" | paste -sd, | sed 's/,/, /g')"
nice ninja -C "$work/small" >"$work/log" 2>&1
rc=$?
expect "and built" 0 $rc
[ $rc -eq 0 ] || tail -20 "$work/log" | sed 's/^/# /'
expect "without a warning" "" "$(grep 'warning:' "$work/log")"
"$work/small/preload/evprof" run --quiet -o "$work/trace.gz" -- /bin/sh -c 'exit 3'
expect "a program runs in it, and ends as it would" 3 $?
[ -s "$work/trace.gz" ]
expect "its trace is there" 0 $?
expect "no other part is there" "" "$(find "$work/small" -name evreport -o -name evcal -type f)"
needs=$(ldd "$work/small/preload/evprof" "$work/small/preload/libevprof.so")
expect "nothing needs their libraries" "" "$(grep -E 'blas|lapack|libdw|libelf|json' <<<"$needs")"
DESTDIR=$work/there meson install -C "$work/small" --no-rebuild >"$work/log" 2>&1
expect "it is installed with its manuals" "evprof-formula.5 evprof.1" "$(find "$work/there" -path '*/man/*' -type f -printf '%f\n' | sort | xargs)"
echo "1..$n"
exit $failed
