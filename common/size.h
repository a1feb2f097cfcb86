/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads numbers and sizes in bytes from options. These functions do not use strtod, which expects a comma in place of
 * the point in some locales. They allocate nothing, since the preloaded library reads its settings with them. */
#ifndef EVPROF_COMMON_SIZE_H
#define EVPROF_COMMON_SIZE_H

#include <stdint.h>

#include "common/error.h"

/* Reads digits with at most one point. Returns the text after them; NULL: there are no digits, or more than 30. */
const char *ep_decimal_read(const char *text, double *out_value) EP_MUST_CHECK;
double ep_scale_by_ten(double value, int exponent);

/* Reads a size: "500", "500k", "1.5M", "2G" (powers of 1024), in lower or upper case. Returns -EINVAL for other texts,
 * and for more than 1e18 bytes. */
int ep_size_parse(const char *text, uint64_t *out_bytes) EP_MUST_CHECK;

#endif
