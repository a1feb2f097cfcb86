/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads safetensors files: an 8-byte length, a JSON header, tensors of 32-bit floats. */
#ifndef EVPROF_REPORTER_ESTIMATE_SAFETENSORS_H
#define EVPROF_REPORTER_ESTIMATE_SAFETENSORS_H

#include "common/error.h"

#include <stddef.h>

enum { EP_TENSOR_MAX_RANK = 4 };

struct ep_tensor {
	size_t rank, shape[EP_TENSOR_MAX_RANK];
	size_t n_values;
	const float *values; /* row-major; every value is finite */
};

struct ep_safetensors;

/* Parses a file. bytes are not needed after the call. -EINVAL for a header that is cut off, too long or no
 * JSON; and for tensors that are not F32, overlap, leave holes, reach beyond the end, or hold values that are
 * not finite. */
int ep_safetensors_parse(const char *name, const void *bytes, size_t size_bytes,
	struct ep_safetensors **out_file, struct ep_error *err) EP_MUST_CHECK;
void ep_safetensors_destroy(struct ep_safetensors *file);

/* Find a tensor and a metadata value; NULL: there is none. */
const struct ep_tensor *ep_safetensors_find(const struct ep_safetensors *file, const char *name);
const char *ep_safetensors_metadata(const struct ep_safetensors *file, const char *key);

#endif
