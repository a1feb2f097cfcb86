/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with named rows and columns: the expectation basis (point x expectation) and the metric
 * signatures (metric x expectation). */
#ifndef EVPROF_KERNELS_DERIVE_LABELLED_H
#define EVPROF_KERNELS_DERIVE_LABELLED_H

#include "kernels/derive/labels.h"

struct ep_labelled {
	char *path;
	char *text;                             /* owns the names */
	struct ep_labels rows;                  /* (R) */
	struct ep_labels columns;               /* (C) */
	double *values;                         /* (R, C) */
	unsigned *line;                         /* (R), where each row stands */
	uint32_t value_capacity, line_capacity; /* rows */
};

/* Reads "CORNER,column,..." and "row,number,..." lines. -EINVAL for ragged rows, numbers that are
 * not finite, names that come twice, no rows, another corner. */
int ep_labelled_read(struct ep_labelled *matrix, const char *path, const char *corner,
	struct ep_error *err) EP_MUST_CHECK;
/* The same from text, which is copied; path only names it. */
int ep_labelled_parse(struct ep_labelled *matrix, const char *path, const char *text,
	const char *corner, struct ep_error *err) EP_MUST_CHECK;
void ep_labelled_finish(struct ep_labelled *matrix);

#endif
