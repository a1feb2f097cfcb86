/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds lines and loops whose source file has another name in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_FILES_H
#define EVPROF_REPORTER_COMPARE_MOVED_FILES_H

#include "reporter/compare/compare.h"

/* Gives lines and loops the file of the newer program. rows (n) are each of one run's report, in any order, and
 * are sorted differently afterwards. Where a procedure has rows in one file that it has only before, and in one
 * file that it has only after, the rows before get the file after. The two may be of different modules where the
 * procedure has each module on one side only. */
void ep_compare_move_files(struct ep_compared_row *rows, uint32_t n);

#endif
