/* SPDX-License-Identifier: BSD-3-Clause */
/* How a line of the source gets at its data, where the file is there to be read. */
#ifndef EVPROF_REPORTER_ADVISE_SOURCE_HINT_H
#define EVPROF_REPORTER_ADVISE_SOURCE_HINT_H

#include <stdint.h>

#include "reporter/facts/report.h"

/* Guesses from the text of a line how it walks through memory. */
enum ep_access ep_access_of_text(const char *text);
/* Reads the line and the one behind it, since samples of a loop are often put down to its head; then the one
 * before for a link, since what waits for a load may be of the next line. */
enum ep_access ep_access_of_line(const char *path, uint32_t line);

#endif
