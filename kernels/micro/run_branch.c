// SPDX-License-Identifier: BSD-3-Clause
/* Runs the branch kernels as points. Counts are per loop iteration and are rounded to quarters: expectations
 * are multiples of a quarter, and the rounding removes the few events of starting and stopping. */
#include <errno.h>
#include <stdlib.h>

#include "kernels/measure/kernel.h"
#include "kernels/micro/branch.h"

/* This many iterations take some milliseconds. A random branch is taken in half of them, with a standard error of 0.002
 * of all. */
enum { n_iterations = 65536 };

static int open_branch(struct ep_run *run, struct ep_error *err)
{
	uint64_t *random_state = malloc(sizeof(*random_state));

	if (!random_state)
		return ep_fail(err, -ENOMEM, "out of memory");
	*random_state = 88172645463325252ull; /* any number except 0; this is Marsaglia's */
	run->state = random_state;
	run->n_threads = 1;
	run->grid = 0.25;
	return ep_run_builtin(run, "branch", err);
}

static void prepare_branch(struct ep_run *run, size_t point, size_t thread)
{
	/* trains the branch predictors */
	ep_branch_kernels[point].run(n_iterations / 16, run->state);
}

static void work_branch(struct ep_run *run, size_t point, size_t thread)
{
	ep_branch_kernels[point].run(n_iterations, run->state);
}

static double branch_divisor(const struct ep_run *run, size_t point)
{
	return n_iterations;
}

static void close_branch(struct ep_run *run)
{
	free(run->state);
}

const struct ep_micro_kernel ep_kernel_branch = {
	.name = "branch",
	.summary = "eleven loops of known conditional, taken, direct and mispredicted branches",
	.open = open_branch,
	.prepare = prepare_branch,
	.work = work_branch,
	.divisor = branch_divisor,
	.close = close_branch,
	.has_basis = true,
};
