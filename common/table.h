/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of counts: CSV (gzip or not), with a header of event names and a row for each slice. A cell is empty where the
 * event was not measured.
 */
#ifndef EVPROF_COMMON_TABLE_H
#define EVPROF_COMMON_TABLE_H

#include "common/error.h"

#include <stddef.h>
#include <stdio.h>

struct ep_table {
	size_t n_rows, n_columns; /* R, C */
	char **names;             /* (C) */
	double *values;           /* (R, C) the counts; 0 where not measured */
	unsigned char *measured;  /* (R, C) 1: measured, 0: not measured */
};

/* Reads a table from path ("-": standard input). Every row has as many cells as the header. A cell is empty or a finite
 * number; the caller decides about negative numbers. Returns -EINVAL with file and line. */
int ep_table_read(const char *path, struct ep_table *out_table, struct ep_error *err) EP_MUST_CHECK;

/* Reads a table from memory. text ends with a NUL at text[size_bytes]; name is used in messages. */
int ep_table_parse(const char *name, const char *text, size_t size_bytes,
	struct ep_table *out_table, struct ep_error *err) EP_MUST_CHECK;

/* Writes a table to path ("-": standard output; compressed where path ends in .gz). Numbers have at most n_digits
 * significant digits, without trailing zeros. */
int ep_table_write(const char *path, const struct ep_table *table, int n_digits,
	struct ep_error *err) EP_MUST_CHECK;

/* Makes a table of n_rows x n_columns zeros in which nothing is measured. The names are copied. */
int ep_table_init(struct ep_table *out_table, size_t n_rows, size_t n_columns,
	char *const *names) EP_MUST_CHECK;
void ep_table_finish(struct ep_table *table);

/* Prints one cell of text for programs (RFC 4180), in quotes where it needs them; NULL: an empty cell. */
void ep_table_put_text(FILE *out, const char *text);

/* Returns the column of a name; -1: there is none. */
int ep_table_column(const struct ep_table *table, const char *name);

#define EP_AUTOTABLE __attribute__((cleanup(ep_table_finish)))

#endif
