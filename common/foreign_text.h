/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes text from a trace, a formula file or another tool's file safe to print. A terminal would execute its control
 * characters, C1 controls and overrides of the writing direction.
 */
#ifndef EVPROF_COMMON_FOREIGN_TEXT_H
#define EVPROF_COMMON_FOREIGN_TEXT_H

#include <stddef.h>

/* Control characters that are usual in lines of a file. */
#define EP_FOREIGN_LINES "\t\n\r"

/* Returns where the first such byte is, apart from those in kept; size: there is none. */
size_t ep_foreign_text_find(const char *text, size_t size, const char *kept);

/* Replaces all such bytes, except those in kept, by '?'. */
void ep_foreign_text_clean(char *text, size_t size, const char *kept);

#endif
