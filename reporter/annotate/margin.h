/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws brackets beside rows, which show where loops begin and end, with a column for each depth. */
#ifndef EVPROF_REPORTER_ANNOTATE_MARGIN_H
#define EVPROF_REPORTER_ANNOTATE_MARGIN_H

#include "reporter/annotate/annotate.h"

/* The loop of a row without code, such as a comment in the source: the row is drawn inside all loops around
 * it. */
#define EP_MARGIN_ANY (EP_NONE - 1)

enum ep_margin_mark {
	EP_MARGIN_NONE,
	EP_MARGIN_FIRST,
	EP_MARGIN_INSIDE,
	EP_MARGIN_LAST,
	EP_MARGIN_ONLY,   /* the loop's only row */
	EP_MARGIN_OTHERS, /* a row between the loop's rows that belongs to other code */
};

enum { EP_MARGIN_MOST = 8 }; /* most columns; deeper loops are not drawn */

struct ep_margins {
	uint8_t *marks; /* (n_rows, n_columns) values of enum ep_margin_mark */
	uint32_t n_rows, n_columns;
};

/* Makes the brackets. loop_of_row (n_rows) is the innermost loop of each row, EP_NONE or EP_MARGIN_ANY. Returns 0
 * or -ENOMEM. */
int ep_margins_create(const struct ep_annotation *annotation, const uint32_t *loop_of_row,
	uint32_t n_rows, struct ep_margins *out) EP_MUST_CHECK;
void ep_margins_finish(struct ep_margins *margins);
/* Prints a row's columns, and a blank after them if there are any. */
void ep_margins_put(const struct ep_margins *margins, uint32_t row, const struct ep_layout *layout);

#endif
