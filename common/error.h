/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors a person will read: filled where the fault is known, printed once by the command.
 * Functions return 0 or a negative errno; the text travels in the caller's struct ep_error.
 */
#ifndef EVPROF_COMMON_ERROR_H
#define EVPROF_COMMON_ERROR_H

#define EP_MUST_CHECK __attribute__((warn_unused_result))
#define EP_PRINTF(format_arg, first_arg) __attribute__((format(printf, format_arg, first_arg)))

struct ep_error {
	char where
		[512]; /* "FILE", "FILE:LINE" or "FILE:LINE:COLUMN"; empty when no place is known */
	char message
		[1024]; /* says what is wrong, with which value, and what to do; no newline at the end */
};

/* Fills err (which may be NULL) and returns code, a negative errno, so that
 * "return ep_fail(err, -EINVAL, ...)" reads well. */
int ep_fail(struct ep_error *err, int code, const char *format, ...) EP_PRINTF(3, 4);

/* The same with a place. line and column count from 1; 0 means unknown and is left out. */
struct ep_place {
	const char *file;
	unsigned line;
	unsigned column;
};
int ep_fail_at(struct ep_error *err, int code, struct ep_place place, const char *format, ...)
	EP_PRINTF(4, 5);

/* Prints "PROGRAM: WHERE: MESSAGE" on stderr, one line. */
void ep_error_print(const struct ep_error *err, const char *program);

/* Returns the exit status of a command that went well: 0, or 1 with a line on stderr where its
 * output could not be written completely. */
int ep_flush_stdout(const char *program) EP_MUST_CHECK;

#endif
