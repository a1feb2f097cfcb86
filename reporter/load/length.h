/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates how many slices traces have, before they are read. */
#ifndef EVPROF_REPORTER_LOAD_LENGTH_H
#define EVPROF_REPORTER_LOAD_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

/* The estimated length of some traces. All zero is the length of no trace. */
struct ep_traces_length {
	/* Slices that the clock ended, in regular files. In long files it is an estimate, good to some per
	 * cent. A slice that an event ended does not count, since a filler sees it as a part of one that the
	 * clock ended. */
	uint64_t n_slices;
	bool is_unknown; /* one of the traces is a pipe, which can be read only once */
};

/* Adds traces (NULL behind the last). In a long trace, and where there are many, only the first blocks are
 * read, and the rest is taken to be as dense. A file that is no trace counts as nothing; the later reading
 * reports it. */
void ep_traces_length_add(struct ep_traces_length *length, const char *const *paths);

#endif
