/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as formats take them that allow nothing but UTF-8. */
#ifndef EVPROF_REPORTER_TEXT_UTF8_H
#define EVPROF_REPORTER_TEXT_UTF8_H

#include <stddef.h>

#define EP_UTF8_UNKNOWN "\xef\xbf\xbd" /* U+FFFD, in place of a byte that is no UTF-8 */

/* Returns the bytes of the character that text begins with, 1 to 4; 0: it begins with none. */
size_t ep_utf8_size(const char *text);

/* A copy with U+FFFD for bytes that are no UTF-8; the caller's to free. NULL: out of memory. */
char *ep_utf8_copy(const char *text);

#endif
