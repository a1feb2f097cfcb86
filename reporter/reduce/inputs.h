/* SPDX-License-Identifier: BSD-3-Clause */
/* Which traces are to be reduced: files, and those in folders. */
#ifndef EVPROF_REPORTER_REDUCE_INPUTS_H
#define EVPROF_REPORTER_REDUCE_INPUTS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define EP_REDUCED_OUTPUT "job.gz"

/* Both programs say this of their arguments. */
#define EP_REDUCE_PART_EXPECTED "a number of bytes, from 1 to 4294967295, as in 20000000 or 20M"
#define EP_REDUCE_NO_TRACES "which traces? name files, or folders of them"

struct ep_reduce_inputs {
	char **paths; /* (n), and NULL behind the last; those of a folder by their number, then by name */
	uint64_t *sizes_bytes; /* (n) 0 where not known */
	uint32_t n, capacity;
	bool has_pipe; /* one of them can be read once, and does not tell its size */
};

/* For an option's row: the value is a size, into an uint32_t. */
int ep_reduce_part_take(void *into, const char *value) EP_MUST_CHECK;

/* All but output, which must not be a recorded trace. Names end with NULL. */
int ep_reduce_inputs_find(const char *const *names, const char *output,
	struct ep_reduce_inputs *out, struct ep_error *err) EP_MUST_CHECK;
void ep_reduce_inputs_finish(struct ep_reduce_inputs *inputs);

#endif
