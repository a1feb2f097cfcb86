/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers and short texts without libc's formatted input and output, whose code and tables lie on ten pages: a process
 * that ends within a millisecond would touch these pages for evprof alone. Locales change nothing. Any thread and
 * signal handlers may call these functions.
 */
#ifndef EVPROF_COMMON_OS_PLAIN_TEXT_H
#define EVPROF_COMMON_OS_PLAIN_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define EP_PLAIN_DIGITS 20 /* the most digits of a number, without a NUL */
#define EP_PROC_PATH_BYTES 64

/* Writes the digits of value in this base (10 or 16), without a NUL. Returns the number of digits. */
size_t ep_plain_number(char *out, uint64_t value, unsigned base);

/* Reads digits of this base (up to 16) after spaces and tabs, as strtoull does: a number that is too large becomes
 * UINT64_MAX. Unless out_end is NULL, *out_end is set to the first byte after the digits, or to text if there
 * are none. */
uint64_t ep_plain_read(const char *text, unsigned base, const char **out_end);

/* Copies text to out, which has size bytes (at least 1), with a NUL. A longer text is cut to size - 1 bytes. */
void ep_plain_copy(char *out, size_t size, const char *text);

/* Returns the value of an environment variable; NULL: it is not set. environment ends with NULL, or is NULL. */
const char *ep_plain_variable(char *const *environment, const char *name);

/* Writes "/proc/PID/file/name", or less where file or name is NULL. Longer paths are cut off. pid below 0 becomes 0,
 * which no process has. */
void ep_proc_path(char out[EP_PROC_PATH_BYTES], int pid, const char *file, const char *name);

#endif
