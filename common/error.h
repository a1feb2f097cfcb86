/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors that a person will read. They are set where the cause is known, and the command prints them once. Functions
 * return 0 or a negative errno; the text is in the caller's struct ep_error.
 */
#ifndef EVPROF_COMMON_ERROR_H
#define EVPROF_COMMON_ERROR_H

#define EP_MUST_CHECK __attribute__((warn_unused_result))
#define EP_PRINTF(format_arg, first_arg) __attribute__((format(printf, format_arg, first_arg)))

struct ep_error {
	char where[512]; /* "FILE", "FILE:LINE" or "FILE:LINE:COLUMN"; empty: no place is known */
	/* says what is wrong, with which value, and what to do; without a newline */
	char message[1024];
};

/* Fills err, which may be NULL, and returns code, a negative errno, so that callers can write "return ep_fail(err,
 * -EINVAL, ...)". */
int ep_fail(struct ep_error *err, int code, const char *format, ...) EP_PRINTF(3, 4);

/* A place for ep_fail_at, which does the same as ep_fail and sets err->where to the place. line and column count from
 * 1; 0: the number is not known, and is left out. */
struct ep_place {
	const char *file;
	unsigned line;
	unsigned column;
};
int ep_fail_at(struct ep_error *err, int code, struct ep_place place, const char *format, ...)
	EP_PRINTF(4, 5);

/* Prints "PROGRAM: WHERE: MESSAGE" on stderr, one line. */
void ep_error_print(const struct ep_error *err, const char *program);

/* Flushes stdout at the end of a command that succeeded, and returns the command's exit status: 0, or 1 with a line on
 * stderr if the output could not be written completely. */
int ep_flush_stdout(const char *program) EP_MUST_CHECK;

#endif
