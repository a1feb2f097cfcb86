#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run-estimate.sh [SECONDS]: builds the gap-filling fuzzer with clang and runs it on small tables and on
# the shipped weights; crashes go to a scratch folder whose name is printed.
set -e
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/evprof-fuzz-XXXXXX")
python3 reporter/estimate/embed.py "$scratch/weights.S" ep_weights_mlp=models/mlp.safetensors \
	ep_weights_gru=models/gru.safetensors
sources=$(ls reporter/estimate/*.c)
clang -g -O1 -std=gnu11 -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=undefined tests/fuzz/fuzz_estimate.c $sources "$scratch/weights.S" \
	common/error.c common/file.c common/table.c -lz -lm -lpthread \
	$(pkg-config --cflags --libs json-c openblas) -o "$scratch/fuzz_estimate"
mkdir "$scratch/seeds"
for i in 0 1 2 3 4 5 6; do
	{ printf "\\000\\00$i"; printf 'CYCLES,INSTR,A,B\n100,50,,3\n100,60,7,\n100,55,,4\n100,50,9,\n'; } \
		>"$scratch/seeds/table$i"
	{ printf "\\000\\00$i"; zcat tests/data/ocoe/streamcluster-01.csv.gz | head -40 |
		awk -F, -v OFS=, 'NR > 1 { for (i = 3; i <= NF; i++) if (i % 4 != NR % 4) $i = "" } 1'; } \
		>"$scratch/seeds/masked$i"
done
for kind in mlp gru; do
	{ printf '\001'; cat models/$kind.safetensors; } >"$scratch/seeds/$kind"
done
echo "scratch folder: $scratch"
OPENBLAS_NUM_THREADS=1 "$scratch/fuzz_estimate" -max_total_time="${1:-600}" -max_len=1000000 \
	-timeout=30 -artifact_prefix="$scratch/" "$scratch/seeds"
