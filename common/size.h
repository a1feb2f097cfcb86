/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and sizes in bytes as options have them. By hand, since a locale may ask strtod for a comma. The preloaded
 * library reads its settings so: no allocation. */
#ifndef EVPROF_COMMON_SIZE_H
#define EVPROF_COMMON_SIZE_H

#include <stdint.h>

#include "common/error.h"

/* Reads digits, at most one point among them. Returns the text behind them, NULL if there are none. */
const char *ep_decimal_read(const char *text, double *out_value) EP_MUST_CHECK;
double ep_scale_by_ten(double value, int exponent);

/* Reads a size: "500", "500k", "1.5M", "2G" (powers of 1024), in small letters or large. Returns -EINVAL for other
 * texts, and above 1e18. */
int ep_size_parse(const char *text, uint64_t *out_bytes) EP_MUST_CHECK;

#endif
