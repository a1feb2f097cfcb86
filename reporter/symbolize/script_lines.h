/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads CPython's tables from instructions to lines, in the form of each version. */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SCRIPT_LINES_H
#define EVPROF_REPORTER_SYMBOLIZE_SCRIPT_LINES_H

#include "reporter/load/scripts.h"

/* Returns the line of the instruction at an offset in bytes. Where the compiler gave it no line, the line of the
 * instruction before is returned. 0: not known. Where a table is invalid, what stands behind is ignored. */
uint32_t ep_script_line(const struct ep_script *script, uint32_t offset);

#endif
