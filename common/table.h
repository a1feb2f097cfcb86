/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of counts, as CSV (gzip-compressed or not): a header of event names, and a row for each slice. A cell is empty
 * if the slice did not measure the event.
 */
#ifndef EVPROF_COMMON_TABLE_H
#define EVPROF_COMMON_TABLE_H

#include "common/error.h"

#include <stddef.h>
#include <stdio.h>

struct ep_table {
	size_t n_rows, n_columns; /* R, C */
	char **names;             /* (C) */
	double *values;           /* (R, C) the counts; 0 if not measured */
	unsigned char *measured;  /* (R, C) 1: measured, 0: not measured */
};

/* Reads a table from path ("-": standard input). Every row has as many cells as the header. A cell is empty or a finite
 * number; a negative number is accepted here, and the caller may refuse it. Returns -EINVAL for other contents, with
 * the file and line in err, or an error of ep_file_read. */
int ep_table_read(const char *path, struct ep_table *out_table, struct ep_error *err) EP_MUST_CHECK;

/* Reads a table from memory. text ends with a NUL at text[size_bytes]. name stands for the file in messages. */
int ep_table_parse(const char *name, const char *text, size_t size_bytes,
	struct ep_table *out_table, struct ep_error *err) EP_MUST_CHECK;

/* Writes a table to path ("-": standard output), compressed by gzip if path ends in .gz. Numbers have at most n_digits
 * significant digits, without trailing zeros. */
int ep_table_write(const char *path, const struct ep_table *table, int n_digits,
	struct ep_error *err) EP_MUST_CHECK;

/* Makes a table of n_rows x n_columns zeros in which nothing is measured. The names are copied. */
int ep_table_init(struct ep_table *out_table, size_t n_rows, size_t n_columns,
	char *const *names) EP_MUST_CHECK;
void ep_table_finish(struct ep_table *table);

/* Prints text as one CSV cell (RFC 4180), in quotes if it has a comma, a quote or a newline; NULL: an empty cell. */
void ep_table_put_text(FILE *out, const char *text);

/* Returns the index of the column that has this name; -1: no column has it. */
int ep_table_column(const struct ep_table *table, const char *name);

#define EP_AUTOTABLE __attribute__((cleanup(ep_table_finish)))

#endif
