#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [SECONDS]: builds the formula fuzzer with clang and runs it from the kept corpus; new inputs
# and crashes go to a scratch folder whose name is printed.
set -e
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/evprof-fuzz-XXXXXX")
clang -g -O1 -std=gnu11 -D_GNU_SOURCE -DEVPROF_FORMULA_DIR='"formulas"' -I. \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	tests/fuzz/fuzz_formula.c common/formula/*.c common/error.c common/file.c \
	reporter/formula/import*.c -lz -lm $(pkg-config --cflags --libs json-c) -o "$scratch/fuzz_formula"
mkdir "$scratch/new"
echo "scratch folder: $scratch"
"$scratch/fuzz_formula" -max_total_time="${1:-600}" -max_len=4096 -timeout=10 \
	-dict=tests/fuzz/formula.dict -artifact_prefix="$scratch/" \
	"$scratch/new" tests/fuzz/corpus-formula
