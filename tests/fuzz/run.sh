#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz/run.sh [SECONDS [TARGET...]]: fuzzes what reads files (clang and libFuzzer), each target (trace, load,
# formula, estimate, callgrind, perfmap, jitdump, derive) for SECONDS (600). Finds go to build-fuzz/; inputs that reach new
# code are kept in build-fuzz/corpus-*. The first bytes of an input are a choice: see fuzz_TARGET.c.
set -e
seconds=${1:-600}
[ $# -eq 0 ] || shift
cd "$(dirname "$0")/../.."
if [ ! -d build-fuzz ]; then
	CC=clang meson setup build-fuzz -Dfuzzing=true -Db_sanitize=address,undefined -Db_lundef=false \
		-Dc_args=-fsanitize=fuzzer-no-link >/dev/null
fi
[ $# -gt 0 ] || set -- trace load formula estimate callgrind perfmap jitdump derive
ninja -C build-fuzz tests/trace/trace-generate $(printf ' tests/fuzz/fuzz_%s' "$@") >/dev/null

# seeds TARGET FOLDER
seeds() {
	case $1 in
	trace | load)
		for case in basic estimates tree mixed; do
			{ [ "$1" = load ] || printf '\0'
			  build-fuzz/tests/trace/trace-generate $case | zcat; } >"$2/$case"
		done ;;
	estimate)
		for i in 0 1 2 3 4 5 6; do
			{ printf "\\000\\00$i"; printf 'CYCLES,INSTR,A,B\n100,50,,3\n100,60,7,\n100,55,,4\n100,50,9,\n'; } \
				>"$2/table$i"
			{ printf "\\000\\00$i"; zcat tests/data/ocoe/streamcluster-01.csv.gz | head -40 |
				awk -F, -v OFS=, 'NR > 1 { for (i = 3; i <= NF; i++) if (i % 4 != NR % 4) $i = "" } 1'; } \
				>"$2/masked$i"
		done
		for kind in mlp gru; do
			{ printf '\001'; cat models/$kind.safetensors; } >"$2/$kind"
		done ;;
	callgrind)
		if command -v valgrind >/dev/null; then
			valgrind --tool=callgrind --callgrind-out-file="$2/true.out" --dump-instr=yes \
				--collect-jumps=yes --cache-sim=yes --branch-sim=yes /bin/true 2>/dev/null
			{ printf '\100'; head -c 50000 "$2/true.out"; } >"$2/true"
			rm -f "$2/true.out"
		fi ;;
	derive)
		for file in basis signatures; do
			{ printf '\001'; cat kernels/sets/flops/$file.csv; } >"$2/$file"
		done ;;
	esac
}

for target in "$@"; do
	corpus=build-fuzz/corpus-$target
	mkdir -p "$corpus"
	seeds "$target" "$corpus"
	set -- -max_len=60000
	case $target in
	formula) set -- -max_len=4096 -dict=tests/fuzz/formula.dict ;;
	estimate) set -- -max_len=1000000 ;;
	esac
	[ ! -d tests/fuzz/corpus-$target ] || set -- "$@" tests/fuzz/corpus-$target
	echo "fuzz_$target for $seconds s"
	OPENBLAS_NUM_THREADS=1 nice build-fuzz/tests/fuzz/fuzz_$target -max_total_time="$seconds" -timeout=120 \
		-rss_limit_mb=2048 -artifact_prefix=build-fuzz/ -print_final_stats=1 "$corpus" "$@" 2>&1 | tail -12
done
