// SPDX-License-Identifier: BSD-3-Clause
/* Runs the floating-point kernels as points: counts are per pass over the straight code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/derive/select.h"
#include "kernels/measure/kernel.h"
#include "kernels/micro/flops.h"

enum { n_passes = 1000 };

static const struct ep_flops_kernel *find_kernel(const char *point)
{
	for (size_t i = 0; i < ep_n_flops_kernels; i++)
		if (!strcmp(ep_flops_kernels[i].point, point))
			return &ep_flops_kernels[i];
	return NULL;
}

static int keep_supported(struct ep_run *run, struct ep_error *err)
{
	const struct ep_labels *points = &run->set.basis.rows;
	EP_AUTOFREE bool *keep = calloc(points->n, sizeof(*keep));

	if (!keep)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t p = 0; p < points->n; p++) {
		const struct ep_flops_kernel *kernel = find_kernel(points->items[p]);

		keep[p] = kernel && kernel->is_supported();
	}
	return ep_set_keep_points(&run->set, keep, err);
}

static int open_flops(struct ep_run *run, struct ep_error *err)
{
	int rc = ep_run_builtin(run, "flops", err);

	if (!rc)
		rc = keep_supported(run, err);
	if (rc)
		return rc;
	const struct ep_labels *points = &run->set.basis.rows;
	const struct ep_flops_kernel **kernels = calloc(points->n, sizeof(*kernels));
	if (!kernels)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t p = 0; p < points->n; p++)
		kernels[p] = find_kernel(points->items[p]);
	run->state = kernels;
	run->n_threads = 1;
	return 0;
}

static void work_flops(struct ep_run *run, size_t point, size_t thread)
{
	const struct ep_flops_kernel *const *points = run->state;
	ep_flops_fn kernel = points[point]->run;

	for (int i = 0; i < n_passes; i++)
		kernel();
}

/* Runs the code once before it is counted, since wide units need some microseconds to power up. */
static void prepare_flops(struct ep_run *run, size_t point, size_t thread)
{
	work_flops(run, point, thread);
}

static double flops_divisor(const struct ep_run *run, size_t point)
{
	return n_passes;
}

static void close_flops(struct ep_run *run)
{
	free(run->state);
}

const struct ep_micro_kernel ep_kernel_flops = {
	.name = "flops",
	.summary = "straight code of floating-point instructions by precision, width and FMA",
	.open = open_flops,
	.prepare = prepare_flops,
	.work = work_flops,
	.divisor = flops_divisor,
	.close = close_flops,
	.has_basis = true,
};
