// SPDX-License-Identifier: BSD-3-Clause
/* Measures latencies. No counters are needed: the clock of CPU time suffices, which stops while other
 * programs run. */
#include "kernels/measure/latency.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
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

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A chain of additions of two registers takes one cycle for each addition on these CPUs. Additions of a
 * constant may take less: Golden Cove resolves chains of them while it renames registers. On POWER an
 * addition takes two or more cycles. */
#if defined(__x86_64__)
#define ADD_64_TIMES ".rept 64\n\tadd %1, %0\n\t.endr"
#elif defined(__aarch64__)
#define ADD_64_TIMES ".rept 64\n\tadd %0, %0, %1\n\t.endr"
#endif

/* Returns the nanoseconds of a cycle at the current clock rate; NaN: not known. */
static double time_cycle(void)
{
#ifdef ADD_64_TIMES
	enum { n_rounds = 2000 };
	uint64_t sum = 1, step = 3;
	double start = now_ns();

	for (int i = 0; i < n_rounds; i++)
		__asm__ volatile(ADD_64_TIMES : "+r"(sum) : "r"(step));
	return (now_ns() - start) / (64 * n_rounds);
#else
	return NAN;
#endif
}

double ep_latency_cycle_ns(unsigned n_times)
{
	double least = NAN;

	for (unsigned i = 0; i < n_times; i++)
		least = fmin(least, time_cycle());
	return least;
}

struct latency {
	double ns, cycle_ns;
};

/* Returns the least time per access and the least duration of a cycle of all tries, since other work on the CPU can
 * only make them longer. */
static struct latency time_point(struct ep_run *run, size_t point)
{
	struct latency least = { INFINITY, NAN };

	for (int i = 0; i < n_tries; i++) {
		run->kernel->prepare(run, point, 0);
		double start = now_ns();
		run->kernel->work(run, point, 0);
		least.ns = fmin(least.ns, (now_ns() - start) / run->kernel->divisor(run, point));
		least.cycle_ns = fmin(least.cycle_ns, time_cycle());
	}
	return least;
}

static void print_point(const char *name, struct latency latency, FILE *out)
{
	fprintf(out, "%s,%.4f,", name, latency.ns);
	if (!isnan(latency.cycle_ns))
		fprintf(out, "%.2f", latency.ns / latency.cycle_ns);
	fputc('\n', out);
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
	fprintf(out, "point,ns_per_access,cycles_per_access\n");
	for (size_t p = 0; p < points->n; p++)
		print_point(points->items[p], time_point(run, p), out);
	fclose(out);
	return ep_output_write(path, text, size, err);
}
