/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates how many slices traces have, before they are read. */
#ifndef EVPROF_REPORTER_LOAD_LENGTH_H
#define EVPROF_REPORTER_LOAD_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

/* The estimated length of some traces. All zero is the length of no trace. */
struct ep_traces_length {
	/* Slices that the clock ended, in regular files. In long files the number is an estimate with an
	 * error of some per cent. A slice that an event ended does not count, since a filler sees it as a
	 * part of the slice that the clock ended next. */
	uint64_t n_slices;
	bool is_unknown; /* one of the traces is a pipe, which can be read only once */
};

/* Adds the traces at paths, which ends with NULL. Of a long trace only the first blocks are read, and of many
 * traces only some; the rest is assumed to have as many slices per byte. A file that is no trace counts as no
 * slices; an error is reported when it is loaded. */
void ep_traces_length_add(struct ep_traces_length *length, const char *const *paths);

#endif
