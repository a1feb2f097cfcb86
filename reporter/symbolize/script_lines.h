/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads CPython's tables that give each instruction of a function its source line. The format depends on the
 * version. */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SCRIPT_LINES_H
#define EVPROF_REPORTER_SYMBOLIZE_SCRIPT_LINES_H

#include "reporter/load/scripts.h"

/* Returns the line of the instruction at an offset in bytes. Where the compiler gave the instruction no line, the line
 * of the instruction before is returned. 0: not known, since the line in the table is not a possible one. */
uint32_t ep_script_line(const struct ep_script *script, uint32_t offset);

#endif
