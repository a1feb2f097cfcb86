/* SPDX-License-Identifier: BSD-3-Clause */
/* How many slices traces have, before they are read. */
#ifndef EVPROF_REPORTER_LOAD_LENGTH_H
#define EVPROF_REPORTER_LOAD_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

/* All zero is the length of no trace. */
struct ep_traces_length {
	/* Slices that the clock ended, in regular files; an estimate good to some per cent where these are
	 * long. A slice that an event ended is a part of one of them for a filler. */
	uint64_t n_slices;
	bool is_unknown; /* there is a pipe among them, which is read once only */
};

/* Adds traces (NULL behind the last). Of a long one, and of many, the first blocks are read and the
 * rest is as dense. What is no trace counts as nothing: who reads it will say so. */
void ep_traces_length_add(struct ep_traces_length *length, const char *const *paths);

#endif
