/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and paths as JSON may hold them. */
#ifndef EVPROF_REPORTER_TEXT_JSON_TEXT_H
#define EVPROF_REPORTER_TEXT_JSON_TEXT_H

struct json_object;

/* A string, with U+FFFD for bytes that are no UTF-8: a command is cut after so many bytes, and a path may
 * be in another encoding. NULL, which is JSON's null, for NULL and "". */
struct json_object *ep_json_text(const char *text);

#endif
