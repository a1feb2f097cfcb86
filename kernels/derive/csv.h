/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads comma-separated text in memory and cuts it in place: commas and newlines become NULs. There is no
 * quoting: event names may hold any character except a comma. Lines that start with '#' and empty lines are
 * skipped. Error messages name file and line.
 */
#ifndef EVPROF_KERNELS_DERIVE_CSV_H
#define EVPROF_KERNELS_DERIVE_CSV_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_csv {
	const char *path;  /* path for messages */
	char *next;        /* start of the next line; the text ends with a NUL */
	char *field;       /* start of the next field in this line; NULL: there are no more */
	char *line_end;    /* the NUL in place of this line's newline */
	unsigned line_no;  /* number of this line, from 1 */
	unsigned field_no; /* number of the last field taken, from 1 */
};

void ep_csv_init(struct ep_csv *csv, const char *path, char *text);
/* Goes to the next line with content; returns false at the end of the text. */
bool ep_csv_next_line(struct ep_csv *csv);
/* Returns the next field of this line; NULL: there are no more. */
char *ep_csv_field(struct ep_csv *csv);
/* Returns the next field as a name that people will see: control characters, which a terminal would obey, are replaced
 * by '?'. */
char *ep_csv_name(struct ep_csv *csv);
/* Takes the next n fields as finite numbers. Returns -EINVAL with a message for text, NaN and infinities, and if the
 * line has fewer or more than n fields left. values[column[i]] is set to field i; column NULL: values are in the order
 * of the fields. */
int ep_csv_numbers(struct ep_csv *csv, size_t n, const unsigned *column, double *values,
	struct ep_error *err) EP_MUST_CHECK;
/* Sets err with the place of the current line. Returns -EINVAL. */
int ep_csv_fail(const struct ep_csv *csv, struct ep_error *err, const char *format, ...)
	EP_PRINTF(3, 4);

#endif
