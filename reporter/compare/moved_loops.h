/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds loops that stand at other lines in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_LOOPS_H
#define EVPROF_REPORTER_COMPARE_MOVED_LOOPS_H

#include "reporter/compare/compare.h"

/* Gives loops before the lines of the newer program. rows (n) are each of one run's report, in any order, and are
 * sorted differently afterwards. The k-th loop of a procedure before gets the line of its k-th loop after, on two
 * conditions. The procedure has as many loops before as after, nested alike. And either all loops moved by the
 * same number of lines, or no loop after stands where one stood before. */
void ep_compare_move_loops(struct ep_compared_row *rows, uint32_t n);

#endif
