/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers and short texts without libc's formatted input and output. These have their code and tables on ten pages, which
 * a process that ends within a millisecond would touch for evprof alone. Locales change nothing. For any thread, and
 * signal handlers.
 */
#ifndef EVPROF_COMMON_OS_PLAIN_TEXT_H
#define EVPROF_COMMON_OS_PLAIN_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define EP_PLAIN_DIGITS 20 /* the most digits of a number, without a NUL */
#define EP_PROC_PATH_BYTES 64

/* Writes the digits of value in this base (10 or 16), without a NUL. Returns how many. */
size_t ep_plain_number(char *out, uint64_t value, unsigned base);

/* Reads digits of this base (up to 16) after spaces and tabs, as strtoull does: a number that is too large becomes
 * UINT64_MAX. *out_end (or NULL) gets the first byte behind them, or text where there are none. */
uint64_t ep_plain_read(const char *text, unsigned base, const char **out_end);

/* Copies text, cut off where it has no room with its NUL. size is at least 1. */
void ep_plain_copy(char *out, size_t size, const char *text);

/* Returns the value of an environment variable; NULL: it is not set. environment ends with NULL, or is NULL. */
const char *ep_plain_variable(char *const *environment, const char *name);

/* Writes "/proc/PID/file/name", or less where file or name is NULL. Longer paths are cut off. pid below 0 becomes 0, which
 * no process has. */
void ep_proc_path(char out[EP_PROC_PATH_BYTES], int pid, const char *file, const char *name);

#endif
