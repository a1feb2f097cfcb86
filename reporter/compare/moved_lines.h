/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of procedures that begin at another line in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_LINES_H
#define EVPROF_REPORTER_COMPARE_MOVED_LINES_H

#include "reporter/compare/compare.h"

/* rows (n): each of one run's report, with the procedures' and files' names of the newer program. Lines before move by
 * as many as the beginning of their procedure did, where either side's reports tell one beginning for the name, in
 * the line's own file. Lines that were added or taken away inside of a procedure are not looked for. 0 or -ENOMEM. */
int ep_compare_move_lines(struct ep_compared_row *rows, uint32_t n,
	const struct ep_compared_runs *before, const struct ep_compared_runs *after) EP_MUST_CHECK;

#endif
