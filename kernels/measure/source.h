/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where evcal's counts come from: perf events, PAPI, callgrind's simulation, or ideal responses from a
 * table. A new source is a file and a row in source.c.
 *
 * list runs once in the main thread; the rest in the thread that is counted.
 */
#ifndef EVPROF_KERNELS_MEASURE_SOURCE_H
#define EVPROF_KERNELS_MEASURE_SOURCE_H

#include "counters/events/event.h"
#include "kernels/derive/labelled.h"

#include <stdbool.h>
#include <stddef.h>

/* An event that may be asked for, or the reason why it cannot be measured. */
struct ep_candidate {
	struct ep_event event;
	bool is_usable;
	char reason[160]; /* why not */
};
struct ep_candidates {
	struct ep_candidate *items; /* (n) */
	size_t n;
	uint32_t capacity;
};

/* The kernel's point that is being measured; the table source answers from it. */
struct ep_work_item {
	const struct ep_labelled *basis;
	size_t point;   /* row */
	double divisor; /* counts are divided by it */
};

enum { EP_COUNT_GROUP_MAX = 32 };

struct ep_count_group {
	const struct ep_event *events; /* (n) */
	size_t n;
	int fds[EP_COUNT_GROUP_MAX];
	struct ep_work_item item;
	const void *data; /* the source's */
};

struct ep_count_source {
	const char *name;
	/* Appends every event of this machine, tried one by one. argument: what stood behind
	 * "NAME:" in --source, or NULL. */
	int (*list)(struct ep_candidates *candidates, const char *argument, struct ep_error *err);
	/* Tries one name that list did not give (raw codes, pmu/.../); NULL where there are none.
	 */
	int (*add)(struct ep_candidates *candidates, const char *name);
	/* Opens the first events of the group that count together; *out_n_fit of them (at least
	 * one) are open then. */
	int (*open)(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err);
	void (*start)(struct ep_count_group *group);
	/* -EAGAIN: the counters did not run the whole time. values (n). */
	int (*stop)(struct ep_count_group *group, double *values);
	void (*close)(struct ep_count_group *group);
	/* The identifier of the CPU whose events they are, as traces of the source have it, once list
	 * ran. NULL, or a result of NULL: this machine's. */
	const char *(*cpuid)(void);
	size_t n_threads_max; /* 0: any */
	/* Kernels run at their own speed on the CPU whose events they are: times are the CPU's. */
	bool has_own_speed;
};

extern const struct ep_count_source ep_count_source_papi, ep_count_source_perf, ep_count_source_sim,
	ep_count_source_valgrind;

/* "perf", "papi", "sim:FILE[,cpuid=CPU]", "valgrind"; *out_argument is what follows the colon or NULL. */
const struct ep_count_source *ep_count_source_find(const char *setting, const char **out_argument);

/* -ENOMEM. */
int ep_candidates_add(struct ep_candidates *candidates, const struct ep_event *event,
	const char *reason) EP_MUST_CHECK;
void ep_candidates_finish(struct ep_candidates *candidates);

/* Callgrind has two levels: the CPU's own first, and this last one; small, so that the kernels of
 * points beyond it do not take hours. */
#define EP_SIMULATED_CACHE_BYTES (4u << 20)

/* Runs a program, usually this one again, inside callgrind and gives its exit status. */
int ep_count_valgrind_run(char **argv, int *out_status, struct ep_error *err) EP_MUST_CHECK;
bool ep_count_valgrind_is_inside(void);

#endif
