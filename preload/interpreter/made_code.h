/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes the pages in which ticks met code that the program made at run time, which lies in no module. At the end of the
 * process the names of code in these pages are kept. Runs in signal handlers; all threads share one table.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_MADE_CODE_H
#define EVPROF_PRELOAD_INTERPRETER_MADE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void ep_made_code_note(uint64_t address);
bool ep_made_code_was_met(void);

/* Tells whether a line of a perf map ("START SIZE NAME", hexadecimal, size bytes without the newline) names code on
 * pages where ticks met made code. */
bool ep_made_code_wants(const char *line, size_t size);
/* Tells whether code of size_bytes at start lies on such pages. */
bool ep_made_code_wants_range(uint64_t start, uint64_t size_bytes);

#endif
