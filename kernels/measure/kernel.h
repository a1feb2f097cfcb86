/* SPDX-License-Identifier: BSD-3-Clause */
/* A micro-kernel consists of points, each of which does exactly known work. Its basis has the expectations of each
 * point, and its signatures express metrics by expectations. Each kernel has a file of its own and a row in
 * kernels.c. */
#ifndef EVPROF_KERNELS_MEASURE_KERNEL_H
#define EVPROF_KERNELS_MEASURE_KERNEL_H

#include "kernels/derive/set.h"
#include "kernels/measure/machine.h"

#include <stdbool.h>

/* A kernel that is ready to run on this machine. */
struct ep_run {
	const struct ep_micro_kernel *kernel;
	const struct ep_cal_machine *machine;
	/* basis, signatures and params for the points that can run here; it has no events */
	struct ep_set set;
	size_t n_threads; /* threads that work at the same time; each is counted */
	/* number of calls in one count, each on operands of its own; 0: the kernel chooses */
	size_t n_copies;
	double grid; /* values are rounded to multiples of this; 0: they are not rounded */
	void *state; /* belongs to the kernel */
};

struct ep_micro_kernel {
	const char *name;
	const char *summary;
	/* Fills set, n_threads (on entry: the most threads that are wanted), grid and state.
	 * Returns -ENOTSUP with a reason where this machine cannot run the kernel. */
	int (*open)(struct ep_run *run, struct ep_error *err);
	/* Prepares a measurement, without being counted: fills or flushes caches, makes copies of operands.
	 * May be NULL. */
	void (*prepare)(struct ep_run *run, size_t point, size_t thread);
	/* Does the work that is counted. */
	void (*work)(struct ep_run *run, size_t point, size_t thread);
	/* Returns the number by which counts are divided. */
	double (*divisor)(const struct ep_run *run, size_t point);
	void (*close)(struct ep_run *run);
	/* false: the kernel's curves are only to be looked at, and evcal derive does not use them */
	bool has_basis;
	/* each access waits for the one before, so that the time per access is a latency */
	bool has_latency;
};

extern const struct ep_micro_kernel ep_kernel_branch, ep_kernel_flops, ep_kernel_dcache_reads,
	ep_kernel_dcache_writes, ep_kernel_dcache_patterns, ep_kernel_icache, ep_kernel_blas,
	ep_kernel_memory;

extern const struct ep_micro_kernel *const ep_kernels[]; /* NULL-terminated */

int ep_run_open(struct ep_run *run, const struct ep_micro_kernel *kernel,
	const struct ep_cal_machine *machine, size_t n_threads, size_t n_copies,
	struct ep_error *err) EP_MUST_CHECK;
void ep_run_close(struct ep_run *run);

/* Functions for a kernel's open. ep_run_expect sets signatures and params from texts, after the basis is set.
 * ep_run_builtin sets all three from the built-in set of this name. */
int ep_run_expect(struct ep_run *run, const char *signatures, const char *params,
	struct ep_error *err) EP_MUST_CHECK;
int ep_run_builtin(struct ep_run *run, const char *name, struct ep_error *err) EP_MUST_CHECK;

#endif
