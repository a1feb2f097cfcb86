/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel: points of known work, with the basis and the signatures it is expected to show. One
 * file and one row in kernels.c each.
 */
#ifndef EVPROF_KERNELS_MEASURE_KERNEL_H
#define EVPROF_KERNELS_MEASURE_KERNEL_H

#include "kernels/derive/set.h"
#include "kernels/measure/machine.h"

#include <stdbool.h>

/* A kernel made ready on this machine. */
struct ep_run {
	const struct ep_micro_kernel *kernel;
	const struct ep_cal_machine *machine;
	struct ep_set set; /* basis, signatures, params of the points that run here; no events */
	size_t n_threads;  /* that work at the same time, each counted */
	size_t n_copies;   /* calls on operands of their own that one count spans; 0: the kernel's
			      choice */
	double grid;       /* values are rounded to multiples of it; 0: not at all */
	void *state;       /* the kernel's */
};

struct ep_micro_kernel {
	const char *name;
	const char *summary;
	/* Fills set, n_threads (given: the most that is wanted), grid, state. -ENOTSUP with a
	 * reason where this machine cannot run it. */
	int (*open)(struct ep_run *run, struct ep_error *err);
	/* Not counted: fills caches, flushes them, makes copies. May be NULL. */
	void (*prepare)(struct ep_run *run, size_t point, size_t thread);
	/* Counted. */
	void (*work)(struct ep_run *run, size_t point, size_t thread);
	/* Returns the number by which counts are divided. */
	double (*divisor)(const struct ep_run *run, size_t point);
	void (*close)(struct ep_run *run);
	bool has_basis;   /* false: its curves are for looking at, evcal derive leaves them alone */
	bool has_latency; /* one access waits for the other: time per access is a latency */
};

extern const struct ep_micro_kernel ep_kernel_branch, ep_kernel_flops, ep_kernel_dcache_reads,
	ep_kernel_dcache_writes, ep_kernel_dcache_patterns, ep_kernel_icache, ep_kernel_blas,
	ep_kernel_memory;

extern const struct ep_micro_kernel *const ep_kernels[]; /* ends with NULL */

int ep_run_open(struct ep_run *run, const struct ep_micro_kernel *kernel,
	const struct ep_cal_machine *machine, size_t n_threads, size_t n_copies,
	struct ep_error *err) EP_MUST_CHECK;
void ep_run_close(struct ep_run *run);

/* Kernels call these in open: signatures and params from texts, once the set has its basis; all from a
 * built-in set. */
int ep_run_expect(struct ep_run *run, const char *signatures, const char *params,
	struct ep_error *err) EP_MUST_CHECK;
int ep_run_builtin(struct ep_run *run, const char *name, struct ep_error *err) EP_MUST_CHECK;

#endif
