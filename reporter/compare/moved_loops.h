/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds loops that are at other lines in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_LOOPS_H
#define EVPROF_REPORTER_COMPARE_MOVED_LOOPS_H

#include "reporter/compare/compare.h"

/* Gives loops of the older program the lines that they have in the newer one. Each of rows (n) comes from one
 * run's report; they may be in any order, and are sorted differently afterwards. The k-th loop of a procedure
 * in the older program gets the line of the procedure's k-th loop in the newer one, on two conditions. The
 * procedure has as many loops in both programs, nested alike. And either all loops moved by the same number
 * of lines, or no loop of the newer program is at a line where the older one had a loop. */
void ep_compare_move_loops(struct ep_compared_row *rows, uint32_t n);

#endif
