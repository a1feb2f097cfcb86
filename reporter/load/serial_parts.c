// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/serial_parts.h"

#include "reporter/load/latency_private.h"

/* A bin belongs to a serial part if at least LEAST_THREADS and less than MOST_THREADS threads ran in it on
 * average: at MOST_THREADS, a second thread ran for a tenth of the bin. Two threads that take turns within a
 * slice cannot be told from one thread. */
#define LEAST_THREADS 0.5
#define MOST_THREADS 1.1
/* A shorter time in which no thread or several threads ran does not end a serial part: it is not worth a part
 * of its own if one thread wakes another, or waits for a page of a file. */
#define MOMENT_US 2000

/* Inserts a part into those found so far, which are sorted by alone_us, the largest first. If there are
 * n_most already, the smallest is dropped. Returns the number of parts. */
static uint32_t insert(const struct ep_serial_part *part, struct ep_serial_part *parts,
	uint32_t n_parts, uint32_t n_most)
{
	uint32_t at = n_parts < n_most ? n_parts++ : n_most;

	while (at && parts[at - 1].alone_us < part->alone_us) {
		if (at < n_most)
			parts[at] = parts[at - 1];
		at--;
	}
	if (at < n_most)
		parts[at] = *part;
	return n_parts;
}

uint32_t ep_serial_parts(const struct ep_latency *l, double least_us,
	struct ep_serial_part *out_parts, uint32_t n_most)
{
	struct ep_serial_part part = { 0 };
	double before = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; l && i < l->n_bins; i++) {
		uint64_t from_us = l->start_us + i * l->width_us;
		double n_threads = before + l->part[i] / (double)l->width_us;

		before += l->jump[i];
		if (n_threads < LEAST_THREADS || n_threads >= MOST_THREADS)
			continue;
		if (from_us > part.to_us + MOMENT_US) {
			if (part.alone_us >= least_us)
				n = insert(&part, out_parts, n, n_most);
			part = (struct ep_serial_part){ .from_us = from_us };
		}
		part.to_us = from_us + l->width_us;
		part.alone_us += (double)l->width_us;
	}
	return part.alone_us > 0 && part.alone_us >= least_us ? insert(&part, out_parts, n, n_most)
							      : n;
}

uint32_t ep_serial_part_paths(
	const struct ep_latency *l, const struct ep_serial_part *part, double *out_us)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n_kept; i++) {
		const struct ep_latency_kept *kept = &l->kept[i];
		uint64_t to_us = kept->from_us + kept->wall_us;
		uint64_t first_us = kept->from_us > part->from_us ? kept->from_us : part->from_us;
		uint64_t last_us = to_us < part->to_us ? to_us : part->to_us;

		if (kept->is_call || first_us >= last_us)
			continue;
		out_us[kept->path_idx] +=
			kept->cpu_us * (double)(last_us - first_us) / kept->wall_us;
		n++;
	}
	return n;
}
