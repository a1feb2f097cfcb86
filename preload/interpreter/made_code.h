/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where ticks met code that a program made at run time: addresses in no module, by pages. The end of the process
 * keeps the names of what lies there. Signal handlers; one table for all threads.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_MADE_CODE_H
#define EVPROF_PRELOAD_INTERPRETER_MADE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void ep_made_code_note(uint64_t address);
bool ep_made_code_was_met(void);

/* Does a line of a perf map ("START SIZE NAME", hexadecimal, size bytes without the newline) name code on
 * those pages? */
bool ep_made_code_wants(const char *line, size_t size);
/* Is code of so many bytes on those pages? */
bool ep_made_code_wants_range(uint64_t start, uint64_t size_bytes);

#endif
