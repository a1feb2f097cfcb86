/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_stand_in.h for code that asks for events by the kernel's own names (PERF_TYPE_HARDWARE)
 * through ep_perf_door_open. Comes before the .c file under test.
 */
#ifndef EVPROF_TESTS_UNIT_PMU_NAMED_H
#define EVPROF_TESTS_UNIT_PMU_NAMED_H

#include "counters/events/perf_door.h"
#include "tests/unit/pmu_stand_in.h"

/* Cycles and instructions become the stand-in's; every other name is an event that needs one of its
 * general counters. */
int ep_perf_door_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	struct ep_event event = { .type = PERF_TYPE_RAW,
		.config = attr->config == PERF_COUNT_HW_CPU_CYCLES ? PMU_CYCLES
			  : attr->config == PERF_COUNT_HW_INSTRUCTIONS
				  ? PMU_INSTRUCTIONS
				  : PMU_FIRST_OTHER + attr->config,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_guest = attr->exclude_guest };

	CHECK(pid == 0 && cpu == -1 && attr->type == PERF_TYPE_HARDWARE);
	return ep_perf_open(&event, 0, group_fd);
}

#endif
