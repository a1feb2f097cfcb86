/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and loops whose source file has another name in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_FILES_H
#define EVPROF_REPORTER_COMPARE_MOVED_FILES_H

#include "reporter/compare/compare.h"

/* rows (n): each of one run's report, in any order, and sorted differently afterwards. Where a procedure has rows in one
 * file before that it has not after, and in one after that it has not before, those before get that file. Its
 * module may differ where it is the procedure's on one side only. */
void ep_compare_move_files(struct ep_compared_row *rows, uint32_t n);

#endif
