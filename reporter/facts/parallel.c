// SPDX-License-Identifier: BSD-3-Clause
/* Finds how many threads ran at the same time, and whether shares of the passing time differ from shares of
 * CPU time. */
#include <math.h>

#include "reporter/facts/builder.h"

/* least difference between a procedure's share of CPU time and its share of passing time that
 * is worth showing */
#define TELLING 0.05

static bool is_telling(const struct ep_report_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++)
		if (fabs(table->rows[i].self_latency_share - table->rows[i].self_share) >= TELLING)
			return true;
	return false;
}

#define HARDLY 0.001 /* numbers of threads with a smaller share may be chance */

static uint32_t find_most(const double *times_us, double busy_us)
{
	uint32_t n = EP_MAX_PARALLEL;

	while (n > 1 && times_us[n - 1] < HARDLY * busy_us)
		n--;
	return n;
}

/* Builds the numbers of running threads. A report on some threads only has none, since the threads that ran
 * beside them are left out. */
void ep_build_parallel(struct ep_builder *builder)
{
	const double *times_us = builder->trace->parallel_us;
	struct ep_report *report = builder->report;
	struct ep_report_parallel *parallel = &report->parallel;
	double busy_us = 0, threads_us = 0, *times_s;

	for (uint32_t i = 0; i < EP_MAX_PARALLEL; i++) {
		busy_us += times_us[i];
		threads_us += (i + 1) * times_us[i];
	}
	if (busy_us <= 0 || report->selection || report->is_exact)
		return;
	parallel->n_most = find_most(times_us, busy_us);
	times_s = ep_builder_calloc(builder, parallel->n_most, sizeof(*times_s));
	if (!times_s)
		return;
	for (uint32_t i = 0; i < parallel->n_most; i++)
		times_s[i] = times_us[i] / 1e6;
	parallel->times_s = times_s;
	parallel->busy_s = busy_us / 1e6;
	parallel->alone_share = times_us[0] / busy_us;
	parallel->mean = threads_us / busy_us;
	/* a thread that was ready without a CPU looks like a thread that did not want to run */
	parallel->is_telling = !report->lacked_cpus && is_telling(&report->procedures);
}
