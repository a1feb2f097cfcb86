/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with named rows and columns: the expectation basis (point x expectation) and the metric
 * signatures (metric x expectation). */
#ifndef EVPROF_KERNELS_DERIVE_LABELLED_H
#define EVPROF_KERNELS_DERIVE_LABELLED_H

#include "common/containers/names.h"
#include "common/error.h"
#include "kernels/derive/labels.h"

struct ep_labelled {
	char *path;
	/* text of the file, which owns the names that were read */
	char *text;
	struct ep_names added;    /* names of the rows that were added */
	struct ep_labels rows;    /* (R) names of rows */
	struct ep_labels columns; /* (C) names of columns */
	double *values;           /* (R, C) the matrix */
	/* (R) line of each row in its file; 0: the row is in no file */
	unsigned *line;
	uint32_t value_capacity, line_capacity; /* capacities in rows */
};

/* Reads lines "CORNER,column,..." and "row,number,...". Returns -EINVAL for lines with a wrong number of fields,
 * numbers that are not finite, names that come twice, a file without rows, or a header that does not begin with
 * corner. */
int ep_labelled_read(struct ep_labelled *matrix, const char *path, const char *corner,
	struct ep_error *err) EP_MUST_CHECK;
/* Does the same for a text, which is copied; path is only used in messages. */
int ep_labelled_parse(struct ep_labelled *matrix, const char *path, const char *text,
	const char *corner, struct ep_error *err) EP_MUST_CHECK;
/* Make a matrix from numbers: call begin with the columns' names ("A,B,C"), then add for each row, whose name is
 * copied. path names the matrix in messages. They return -ENOMEM, or -EINVAL for a name that comes twice. */
int ep_labelled_begin(struct ep_labelled *matrix, const char *path, const char *columns,
	struct ep_error *err) EP_MUST_CHECK;
int ep_labelled_add(struct ep_labelled *matrix, const char *row, const double *values,
	struct ep_error *err) EP_MUST_CHECK;
void ep_labelled_finish(struct ep_labelled *matrix);

#endif
