/* SPDX-License-Identifier: BSD-3-Clause */
/* Guesses how a line of the source accesses its data, if the source file can be read. */
#ifndef EVPROF_REPORTER_ADVISE_SOURCE_HINT_H
#define EVPROF_REPORTER_ADVISE_SOURCE_HINT_H

#include <stdint.h>

#include "reporter/facts/report.h"

/* Guesses from the text of a line how it walks through memory. */
enum ep_access ep_access_of_text(const char *text);
/* Guesses how the code at a line accesses its data. The function reads the line and the next one, since samples of a
 * loop are often attributed to the loop's head. The line before is read for a linked access only, since the
 * instruction that waits for a load may belong to the line after the load. */
enum ep_access ep_access_of_line(const char *path, uint32_t line);

#endif
