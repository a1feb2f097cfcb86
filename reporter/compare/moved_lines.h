/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the lines of procedures that begin at another line in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_LINES_H
#define EVPROF_REPORTER_COMPARE_MOVED_LINES_H

#include "reporter/compare/compare.h"

/* Gives lines of the older program the line numbers that they have in the newer one. Each of rows (n) comes
 * from one run's report, and has the newer program's names of procedures and files. A line moves by as many
 * lines as the beginning of its procedure did. Both sides' reports must have one beginning for the
 * procedure's name, in the line's own file. Lines that were inserted or removed inside of a procedure are not
 * looked for. Returns 0 or -ENOMEM. */
int ep_compare_move_lines(struct ep_compared_row *rows, uint32_t n,
	const struct ep_compared_runs *before, const struct ep_compared_runs *after) EP_MUST_CHECK;

#endif
