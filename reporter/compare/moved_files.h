/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds lines and loops whose source file has another name in the newer program. */
#ifndef EVPROF_REPORTER_COMPARE_MOVED_FILES_H
#define EVPROF_REPORTER_COMPARE_MOVED_FILES_H

#include "reporter/compare/compare.h"

/* Gives lines and loops the file of the newer program. Each of rows (n) comes from one run's report; they may
 * be in any order, and are sorted differently afterwards. If a procedure has rows in exactly one file that
 * only the side before has, and in exactly one file that only the side after has, the rows before get the
 * file after. The two files may be of different modules if each of these modules is on one side only. */
void ep_compare_move_files(struct ep_compared_row *rows, uint32_t n);

#endif
