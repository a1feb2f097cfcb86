// SPDX-License-Identifier: BSD-3-Clause
/* Latencies need no counters: the clock is enough. */
#include "kernels/measure/latency.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "kernels/report/output.h"

enum { n_tries = 3 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_point(struct ep_run *run, size_t point)
{
	double least = 0;

	for (int i = 0; i < n_tries; i++) {
		run->kernel->prepare(run, point, 0);
		double start = now_ns();
		run->kernel->work(run, point, 0);
		double ns = (now_ns() - start) / run->kernel->divisor(run, point);
		least = i && least < ns ? least : ns;
	}
	return least;
}

int ep_latency_write(struct ep_run *run, const char *folder, struct ep_error *err)
{
	const struct ep_labels *points = &run->set.basis.rows;
	EP_AUTOFREE char *text = NULL;
	char path[PATH_MAX];
	size_t size;

	snprintf(path, sizeof(path), "%s/latencies.csv", folder);
	if (!access(path, F_OK))
		return 0;
	int rc = ep_cal_machine_pin(run->machine->cpus[0]);
	FILE *out = open_memstream(&text, &size);
	if (rc || !out) {
		if (out)
			fclose(out);
		return ep_fail(err, rc ? rc : -ENOMEM, "cannot measure latencies");
	}
	fprintf(out, "point,ns_per_access\n");
	for (size_t p = 0; p < points->n; p++)
		fprintf(out, "%s,%.4f\n", points->items[p], time_point(run, p));
	fclose(out);
	return ep_output_write(path, text, size, err);
}
