// SPDX-License-Identifier: BSD-3-Clause
#include "shapes.h"

static uint8_t one_group[] = { 1, 2 };
static uint8_t topdown_groups[] = { 1, 0, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 };
static uint8_t two_groups[] = { 1, 2, 0, 1, 0, 2 };

const struct shape shape_plain = {
	"perf",
	"task-clock",
	"event\t0\ttask-clock\talways,sw\tns\nevent\t1\tpage-faults\talways,sw\tcount\n"
	"group\t0\t0,1\n",
	{ .n_events = 2, .n_groups = 1, .period_us = SHAPE_PERIOD_US, .holds = one_group },
};

const struct shape shape_rotated = {
	"perf",
	"task-clock:u",
	"event\t0\tcycles\talways\tcount\nevent\t1\tbranches\t-\tcount\nevent\t2\tcache-misses\t-"
	"\tcount\n"
	"group\t0\t0,1\ngroup\t1\t0,2\n",
	{ .n_events = 3, .n_groups = 2, .period_us = SHAPE_PERIOD_US, .holds = two_groups },
};

/* A CPU with models: Top-Down's first level, one event of it in half of the slices; no LCPI part
 * but the overall one. */
const struct shape shape_topdown = {
	"perf",
	"thread-cputime+task-clock:u",
	"cpuid\tGenuineIntel-6-55-7\n"
	"event\t0\tIDQ_UOPS_NOT_DELIVERED:CORE\t-\tcount\n"
	"event\t1\tINT_MISC:RECOVERY_CYCLES\t-\tcount\n"
	"event\t2\tUOPS_RETIRED:RETIRE_SLOTS\t-\tcount\n"
	"event\t3\tUOPS_ISSUED:ANY\t-\tcount\n"
	"event\t4\tCPU_CLK_THREAD_UNHALTED:THREAD_P\talways\tcount\n"
	"event\t5\tINST_RETIRED:ANY_P\talways\tcount\n"
	"group\t0\t0,2,3,4,5\ngroup\t1\t1,2,3,4,5\n",
	{ .n_events = 6, .n_groups = 2, .period_us = SHAPE_PERIOD_US, .holds = topdown_groups },
	EP_SAMPLE_AT_SCHEDULERS_TICK,
};

/* A CPU whose threads count the lines of memory that they move, of 256 bytes each: 2 GFLOP/s and 5 GB/s. */
static uint8_t flops_group[] = { 1, 2, 3, 4, 5, 6 };
const struct shape shape_flops = {
	"perf",
	"task-clock",
	"cpuid\tarm-0x46-0x001\n"
	"event\t0\tFP_SP_FIXED_OPS_SPEC\talways\tcount\n"
	"event\t1\tFP_SP_SCALE_OPS_SPEC\talways\tcount\n"
	"event\t2\tFP_DP_SCALE_OPS_SPEC\talways\tcount\n"
	"event\t3\tBUS_READ_TOTAL_MEM\talways\tcount\n"
	"event\t4\tBUS_WRITE_TOTAL_MEM\talways\tcount\n"
	"event\t5\tFP_DP_FIXED_OPS_SPEC\talways\tcount\n"
	"group\t0\t0,1,2,3,4,5\n",
	{ .n_events = 6, .n_groups = 1, .period_us = SHAPE_PERIOD_US, .holds = flops_group },
	.more = 10000,
	.more_of_last = 2000000,
};

/* valgrind's machine: what it counts, so many times too often what is rare. */
static uint8_t valgrind_group[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 };
const struct shape shape_simulated = {
	"valgrind",
	"task-clock",
	"event\t0\tLLC-icache-misses\talways\tcount\n"
	"event\t1\tLLC-store-misses\talways\tcount\n"
	"event\t2\tLLC-load-misses\talways\tcount\n"
	"event\t3\tindirect-branch-misses\talways\tcount\n"
	"event\t4\tL1-icache-load-misses\talways\tcount\n"
	"event\t5\tconditional-branch-misses\talways\tcount\n"
	"event\t6\tL1-dcache-store-misses\talways\tcount\n"
	"event\t7\tL1-dcache-load-misses\talways\tcount\n"
	"event\t8\tindirect-branches\talways\tcount\n"
	"event\t9\tconditional-branches\talways\tcount\n"
	"event\t10\tL1-dcache-stores\talways\tcount\n"
	"event\t11\tL1-dcache-loads\talways\tcount\n"
	"event\t12\tinstructions\talways\tcount\n"
	"group\t0\t0,1,2,3,4,5,6,7,8,9,10,11,12\n",
	{ .n_events = 13, .n_groups = 1, .period_us = SHAPE_PERIOD_US, .holds = valgrind_group },
};
