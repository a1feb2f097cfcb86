/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes names valid UTF-8, for file formats that allow nothing else. */
#ifndef EVPROF_REPORTER_TEXT_UTF8_H
#define EVPROF_REPORTER_TEXT_UTF8_H

#include <stddef.h>

#define EP_UTF8_UNKNOWN "\xef\xbf\xbd" /* U+FFFD, which replaces a byte that is not UTF-8 */

/* Returns the number of bytes, 1 to 4, of the character at the beginning of text. 0: text does not begin with a
 * valid character. */
size_t ep_utf8_size(const char *text);

/* Returns a copy in which bytes that are not UTF-8 are replaced by U+FFFD. The caller frees it. NULL: out of
 * memory. */
char *ep_utf8_copy(const char *text);

#endif
