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
	char *text;                             /* owns the names that were read */
	struct ep_names added;                  /* owns the rows' names that were added */
	struct ep_labels rows;                  /* (R) */
	struct ep_labels columns;               /* (C) */
	double *values;                         /* (R, C) */
	unsigned *line;                         /* (R), where each row stands; 0: in no file */
	uint32_t value_capacity, line_capacity; /* rows */
};

/* Reads "CORNER,column,..." and "row,number,..." lines. -EINVAL for ragged rows, numbers that are
 * not finite, names that come twice, no rows, another corner. */
int ep_labelled_read(struct ep_labelled *matrix, const char *path, const char *corner,
	struct ep_error *err) EP_MUST_CHECK;
/* The same from text, which is copied; path only names it. */
int ep_labelled_parse(struct ep_labelled *matrix, const char *path, const char *text,
	const char *corner, struct ep_error *err) EP_MUST_CHECK;
/* Makes a matrix from numbers: begin, with the columns' names ("A,B,C"), then add for each row, whose name is
 * copied. path names the matrix in messages. -ENOMEM, or -EINVAL for a name that comes twice. */
int ep_labelled_begin(struct ep_labelled *matrix, const char *path, const char *columns,
	struct ep_error *err) EP_MUST_CHECK;
int ep_labelled_add(struct ep_labelled *matrix, const char *row, const double *values,
	struct ep_error *err) EP_MUST_CHECK;
void ep_labelled_finish(struct ep_labelled *matrix);

#endif
