/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON that is written as it comes, for files too large to be built in memory first. */
#ifndef EVPROF_REPORTER_EXPORT_JSON_OUT_H
#define EVPROF_REPORTER_EXPORT_JSON_OUT_H

#include <stdio.h>

/* The text in quotes; bytes that are no UTF-8 become U+FFFD, and < is escaped, so that no text ends a
 * script that the file is put into. NULL is "". */
void ep_json_put_text(FILE *out, const char *text);

#endif
