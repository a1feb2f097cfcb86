/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON text piece by piece, for files that are too large to be built in memory first. */
#ifndef EVPROF_REPORTER_EXPORT_JSON_OUT_H
#define EVPROF_REPORTER_EXPORT_JSON_OUT_H

#include <stdio.h>

/* Writes a text in quotes. Bytes that are no UTF-8 become U+FFFD. The sign < is escaped, so that no text ends a
 * script that the file is embedded in. NULL is written as "". */
void ep_json_put_text(FILE *out, const char *text);

#endif
