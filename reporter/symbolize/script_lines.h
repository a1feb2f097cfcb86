/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython's tables from instructions to lines, as each version has them. */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SCRIPT_LINES_H
#define EVPROF_REPORTER_SYMBOLIZE_SCRIPT_LINES_H

#include "reporter/load/scripts.h"

/* Line of the instruction at an offset in bytes; where the compiler gave none, that of the one before. A
 * table that makes no sense ends where it does. */
uint32_t ep_script_line(const struct ep_script *script, uint32_t offset);

#endif
