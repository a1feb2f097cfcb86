#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz/run-trace.sh [SECONDS]: fuzzes the trace reader (clang and libFuzzer), each target for SECONDS (600).
# Finds go to build-fuzz/; inputs that reach new code are kept in build-fuzz/corpus-*.
set -e
seconds=${1:-600}
cd "$(dirname "$0")/../.."
if [ ! -d build-fuzz ]; then
	CC=clang meson setup build-fuzz -Dfuzzing=true -Db_sanitize=address,undefined -Db_lundef=false \
		-Dc_args=-fsanitize=fuzzer-no-link >/dev/null
fi
ninja -C build-fuzz tests/fuzz/fuzz_trace tests/fuzz/fuzz_load tests/trace/trace-generate >/dev/null
for target in trace load; do
	corpus=build-fuzz/corpus-$target
	mkdir -p "$corpus"
	for case in basic estimates tree mixed; do
		{ [ $target = load ] || printf '\0'
		  build-fuzz/tests/trace/trace-generate $case | zcat; } >"$corpus/$case"
	done
	echo "fuzz_$target for $seconds s"
	nice build-fuzz/tests/fuzz/fuzz_$target -max_total_time="$seconds" -max_len=60000 -timeout=20 \
		-rss_limit_mb=2048 -artifact_prefix=build-fuzz/ -print_final_stats=1 \
		"$corpus" tests/fuzz/corpus-$target 2>&1 | tail -12
done
