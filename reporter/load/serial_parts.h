/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the times in which one thread ran and no other did: the parts of a run that more CPUs do not shorten. */
#ifndef EVPROF_REPORTER_LOAD_SERIAL_PARTS_H
#define EVPROF_REPORTER_LOAD_SERIAL_PARTS_H

#include <stdint.h>

struct ep_latency;

/* A serial part, on the clock of struct ep_latency_slice. For moments within it several threads or none may
 * run; alone_us is the part's length without these moments. */
struct ep_serial_part {
	uint64_t from_us, to_us;
	double alone_us;
};

/* Finds the serial parts with the largest alone_us, which is least_us or more. Returns their number, at most n_most; the
 * largest comes first. latency may be NULL. */
uint32_t ep_serial_parts(const struct ep_latency *latency, double least_us,
	struct ep_serial_part *out_parts, uint32_t n_most);
/* Adds the CPU time that the kept slices have in the part to out_us (n_paths), by path. Returns the number of these
 * slices. */
uint32_t ep_serial_part_paths(
	const struct ep_latency *latency, const struct ep_serial_part *part, double *out_us);

#endif
