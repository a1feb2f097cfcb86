/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comma-separated text in memory, cut in place: fields lose their comma, lines their newline.
 * No quoting: event names may hold anything but a comma. Lines that start with '#' and empty lines
 * are skipped. Errors name file and line.
 */
#ifndef EVPROF_KERNELS_DERIVE_CSV_H
#define EVPROF_KERNELS_DERIVE_CSV_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ep_csv {
	const char *path;  /* for messages */
	char *next;        /* start of the next line; the text ends with a NUL */
	char *field;       /* start of the next field in this line; NULL after the last */
	char *line_end;    /* the NUL where this line's newline was */
	unsigned line_no;  /* of this line, from 1 */
	unsigned field_no; /* of the last field taken, from 1 */
};

void ep_csv_init(struct ep_csv *csv, const char *path, char *text);
/* Goes to the next line with content; false at the end of the text. */
bool ep_csv_next_line(struct ep_csv *csv);
/* The next field of this line, or NULL after the last. */
char *ep_csv_field(struct ep_csv *csv);
/* The same for a name, which people will see: what a terminal obeys has become '?'. */
char *ep_csv_name(struct ep_csv *csv);
/* The next n fields as finite numbers; -EINVAL with a message for text, NaN, infinities, and for
 * fewer or more than n fields before the end of the line. values[column[i]] = field i; column may
 * be NULL for the order as it stands. */
int ep_csv_numbers(struct ep_csv *csv, size_t n, const unsigned *column, double *values,
	struct ep_error *err) EP_MUST_CHECK;
/* Fails with -EINVAL at the current line. */
int ep_csv_fail(const struct ep_csv *csv, struct ep_error *err, const char *format, ...)
	EP_PRINTF(3, 4);

#endif
