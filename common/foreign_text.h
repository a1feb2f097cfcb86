/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text from a trace, a formula file or another tool's file, which reaches a terminal: control
 * characters, C1 controls and overrides of the writing direction would be obeyed there.
 */
#ifndef EVPROF_COMMON_FOREIGN_TEXT_H
#define EVPROF_COMMON_FOREIGN_TEXT_H

#include <stddef.h>

/* Lines of a file are made of these as well. */
#define EP_FOREIGN_LINES "\t\n\r"

/* Where the first such byte stands, apart from those in kept; size: nowhere. */
size_t ep_foreign_text_find(const char *text, size_t size, const char *kept);

/* Makes '?' of all such bytes but those in kept. */
void ep_foreign_text_clean(char *text, size_t size, const char *kept);

#endif
