/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON text piece by piece, for files that are too large to be built in memory first. */
#ifndef EVPROF_REPORTER_EXPORT_JSON_OUT_H
#define EVPROF_REPORTER_EXPORT_JSON_OUT_H

#include <stdio.h>

/* Writes a text in quotes. Bytes that are no UTF-8 become U+FFFD. The sign < is escaped: the JSON may be embedded in a
 * script of an HTML page, which "</script>" in a text would end. NULL is written as "". */
void ep_json_put_text(FILE *out, const char *text);

#endif
