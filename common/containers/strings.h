/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps strings, such as those of a trace. Equal strings are kept once, so that they have the same address.
 * For one thread. */
#ifndef EVPROF_COMMON_CONTAINERS_STRINGS_H
#define EVPROF_COMMON_CONTAINERS_STRINGS_H

#include "common/containers/names.h"
#include "common/error.h"

#include <stdarg.h>

struct ep_strings {
	struct ep_names names;
};

void ep_strings_finish(struct ep_strings *strings);
/* Returns the kept copy of text, NUL-terminated and valid until finish; NULL: out of memory. Characters that
 * a terminal would execute (control characters, overrides of the writing direction) become '?'. */
const char *ep_strings_add(struct ep_strings *strings, const char *text, size_t size);
/* Does the same with the text that vprintf would print. */
const char *ep_strings_format(struct ep_strings *strings, const char *format, va_list args)
	EP_PRINTF(2, 0);

#endif
