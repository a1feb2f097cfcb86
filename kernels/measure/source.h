/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources of evcal's counts: perf events, PAPI, callgrind's simulation, or ideal responses from a table. A
 * new source is a file and a row in source.c.
 *
 * list and add run in the main thread; the other functions in the thread that is counted.
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
	char reason[160]; /* the reason why it cannot be measured */
};
struct ep_candidates {
	struct ep_candidate *items; /* (n) candidates */
	size_t n;
	uint32_t capacity;
};

/* The point that is being measured. The source sim computes its counts from this. */
struct ep_work_item {
	const struct ep_labelled *basis;
	size_t point;   /* row of the basis */
	double divisor; /* number by which counts are divided */
};

enum { EP_COUNT_GROUP_MAX = 32 };

struct ep_count_group {
	const struct ep_event *events; /* (n) events of the group */
	size_t n;
	int fds[EP_COUNT_GROUP_MAX];
	struct ep_work_item item;
	const void *data; /* data of the source's own */
};

struct ep_count_source {
	const char *name;
	/* Appends every event of this machine, after each was tried. argument: the text after "NAME:" in --source, or
	 * NULL. */
	int (*list)(struct ep_candidates *candidates, const char *argument, struct ep_error *err);
	/* Tries an event that list did not give (raw codes, pmu/.../); NULL: the source has no such
	 * events. */
	int (*add)(struct ep_candidates *candidates, const char *name);
	/* Opens as many of the group's first events as can be counted together: *out_n_fit of them, at least
	 * one, are open afterwards. */
	int (*open)(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err);
	void (*start)(struct ep_count_group *group);
	/* Stops counting and sets values (n). Returns -EAGAIN if the counters did not run all the time. */
	int (*stop)(struct ep_count_group *group, double *values);
	void (*close)(struct ep_count_group *group);
	/* Returns the identifier of the CPU whose events are counted, as traces of this source have it. Valid after
	 * list has run. If the function or its result is NULL, the events are those of this machine's CPU. */
	const char *(*cpuid)(void);
	size_t n_threads_max; /* largest number of threads; 0: there is no limit */
	/* true: kernels run at full speed on the CPU whose events are counted, so that measured times are valid. */
	bool has_own_speed;
};

extern const struct ep_count_source ep_count_source_papi, ep_count_source_perf, ep_count_source_sim,
	ep_count_source_valgrind;

/* Finds the source of a setting: "perf", "papi", "sim:FILE[,cpuid=CPU]" or "valgrind"; *out_argument is the text after
 * the colon, or NULL. */
const struct ep_count_source *ep_count_source_find(const char *setting, const char **out_argument);

/* Adds a candidate. reason: why it cannot be measured; NULL: it can. Returns 0 or -ENOMEM. */
int ep_candidates_add(struct ep_candidates *candidates, const struct ep_event *event,
	const char *reason) EP_MUST_CHECK;
void ep_candidates_finish(struct ep_candidates *candidates);

/* The size of callgrind's last cache. Callgrind simulates two levels. The first has the size of the CPU's own L1 cache.
 * The last has this small size, so that points larger than the cache do not take hours. */
#define EP_SIMULATED_CACHE_BYTES (4u << 20)

/* Runs a program, usually evcal again, inside callgrind, and gives its exit status. */
int ep_count_valgrind_run(char **argv, int *out_status, struct ep_error *err) EP_MUST_CHECK;
bool ep_count_valgrind_is_inside(void);

#endif
