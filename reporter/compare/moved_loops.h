/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that stand at other lines in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_LOOPS_H
#define EVPROF_REPORTER_COMPARE_MOVED_LOOPS_H

#include "reporter/compare/compare.h"

/* rows (n): each of one run's report, in any order, and sorted differently afterwards. Where a procedure has as many
 * loops before as after, nested alike, and all moved by as many lines, or none stands where one stood, the k-th before
 * gets the line of the k-th after. */
void ep_compare_move_loops(struct ep_compared_row *rows, uint32_t n);

#endif
