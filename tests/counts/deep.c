/* SPDX-License-Identifier: BSD-3-Clause */
/* deep MS: spins at the bottom of twenty procedures, level_19 down to level_00. */
#include "work.h"

static volatile uint64_t sink;

__attribute__((noinline)) static void level_00(int64_t cpu_ns)
{
	int64_t end_ns = work_cpu_ns() + cpu_ns;

	while (work_cpu_ns() < end_ns)
		for (int i = 0; i < 5000; i++)
			sink = sink * 2862933555777941757 + 3037000493;
}

#define LEVEL(upper, lower)                                                                        \
	__attribute__((noinline)) static void level_##upper(int64_t cpu_ns)                        \
	{                                                                                          \
		level_##lower(cpu_ns);                                                             \
		sink++; /* no tail call */                                                         \
	}

LEVEL(01, 00)
LEVEL(02, 01)
LEVEL(03, 02)
LEVEL(04, 03)
LEVEL(05, 04)
LEVEL(06, 05)
LEVEL(07, 06)
LEVEL(08, 07)
LEVEL(09, 08)
LEVEL(10, 09)
LEVEL(11, 10)
LEVEL(12, 11)
LEVEL(13, 12)
LEVEL(14, 13)
LEVEL(15, 14)
LEVEL(16, 15)
LEVEL(17, 16)
LEVEL(18, 17)
LEVEL(19, 18)

int main(int argc, char **argv)
{
	FILE *truth;

	level_19(atol(argv[1]) * 1000000);
	truth = work_open_truth();
	fprintf(truth, "{\"n_levels\": 20}\n");
	fclose(truth);
	return 0;
}
