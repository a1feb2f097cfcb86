/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of counts: CSV (gzip or not), a header of event names, a row per slice, an empty cell
 * where nothing was measured.
 */
#ifndef EVPROF_COMMON_TABLE_H
#define EVPROF_COMMON_TABLE_H

#include "common/error.h"

#include <stddef.h>
#include <stdio.h>

struct ep_table {
	size_t n_rows, n_columns; /* R, C */
	char **names;             /* (C) */
	double *values;           /* (R, C); 0 where not measured */
	unsigned char *measured;  /* (R, C) 1 or 0 */
};

/* Reads PATH ("-": standard input). Every row has as many cells as the header; a cell is empty or
 * a finite number; negative numbers are kept for the caller to judge. -EINVAL with file and line.
 */
int ep_table_read(const char *path, struct ep_table *out_table, struct ep_error *err) EP_MUST_CHECK;

/* The same from memory; text ends with a NUL at text[size_bytes]; name is for messages. */
int ep_table_parse(const char *name, const char *text, size_t size_bytes,
	struct ep_table *out_table, struct ep_error *err) EP_MUST_CHECK;

/* Writes PATH ("-": standard output; compressed where it ends in .gz), numbers with at most
 * n_digits significant digits, trailing zeros left out. */
int ep_table_write(const char *path, const struct ep_table *table, int n_digits,
	struct ep_error *err) EP_MUST_CHECK;

/* A table of n_rows x n_columns zeros, nothing measured, names copied. */
int ep_table_init(struct ep_table *out_table, size_t n_rows, size_t n_columns,
	char *const *names) EP_MUST_CHECK;
void ep_table_finish(struct ep_table *table);

/* One cell of text for programs (RFC 4180): in quotes where it needs them; NULL: empty. */
void ep_table_put_text(FILE *out, const char *text);

/* Column of a name, or -1. */
int ep_table_column(const struct ep_table *table, const char *name);

#define EP_AUTOTABLE __attribute__((cleanup(ep_table_finish)))

#endif
