/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings of a trace, each kept once, so that equal ones have one address. One thread. */
#ifndef EVPROF_COMMON_CONTAINERS_STRINGS_H
#define EVPROF_COMMON_CONTAINERS_STRINGS_H

#include "common/containers/names.h"
#include "common/error.h"

#include <stdarg.h>

struct ep_strings {
	struct ep_names names;
};

void ep_strings_finish(struct ep_strings *strings);
/* Returns the one copy, NUL-terminated and valid until finish; NULL when out of memory. Bytes that
 * a terminal would obey (control characters, overrides of the writing direction) become '?'. */
const char *ep_strings_add(struct ep_strings *strings, const char *text, size_t size);
/* The same of what vprintf would print. */
const char *ep_strings_format(struct ep_strings *strings, const char *format, va_list args)
	EP_PRINTF(2, 0);

#endif
