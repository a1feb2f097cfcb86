/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the traces that are to be reduced: files, and files in folders. */
#ifndef EVPROF_REPORTER_REDUCE_INPUTS_H
#define EVPROF_REPORTER_REDUCE_INPUTS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define EP_REDUCED_OUTPUT "job.gz"

/* evreport reduce and evreport-reduce use these texts about their arguments. */
#define EP_REDUCE_PART_EXPECTED "a number of bytes, from 1 to 4294967295, as in 20000000 or 20M"
#define EP_REDUCE_NO_TRACES "which traces? name files, or folders of them"

struct ep_reduce_inputs {
	/* (n), NULL-terminated; files of a folder are ordered by the numbers in their names, then by name */
	char **paths;
	uint64_t *sizes_bytes; /* (n) size of each file; 0: not known */
	uint32_t n, capacity;
	bool has_pipe; /* one of the inputs can be read only once, and its size is not known */
};

/* Reads the value of an option, which is a size in bytes, into a uint32_t. The function is a take function of
 * common/options.h. */
int ep_reduce_part_take(void *into, const char *value) EP_MUST_CHECK;

/* Finds all inputs. The file output is left out of them, and must not be a recorded trace. names is
 * NULL-terminated. */
int ep_reduce_inputs_find(const char *const *names, const char *output,
	struct ep_reduce_inputs *out, struct ep_error *err) EP_MUST_CHECK;
void ep_reduce_inputs_finish(struct ep_reduce_inputs *inputs);

#endif
