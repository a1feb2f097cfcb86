/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes text from a trace, a formula file or another tool's file safe to print. A terminal would execute the text's
 * control characters, C1 controls and overrides of the writing direction.
 */
#ifndef EVPROF_COMMON_FOREIGN_TEXT_H
#define EVPROF_COMMON_FOREIGN_TEXT_H

#include <stddef.h>

/* Control characters that are usual in lines of a file. */
#define EP_FOREIGN_LINES "\t\n\r"

/* Returns the position of the first character that a terminal would execute, except the control characters in kept;
 * size: the text has no such character. */
size_t ep_foreign_text_find(const char *text, size_t size, const char *kept);

/* Replaces all bytes of such characters by '?', except the control characters in kept. */
void ep_foreign_text_clean(char *text, size_t size, const char *kept);

#endif
