/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports put members into JSON and print it by these. */
#ifndef EVPROF_REPORTER_TEXT_JSON_TEXT_H
#define EVPROF_REPORTER_TEXT_JSON_TEXT_H

#include "common/error.h"

#include <stdio.h>

struct json_object;

/* A string, with U+FFFD for bytes that are no UTF-8: a command is cut after so many bytes, and a path may
 * be in another encoding. NULL, which is JSON's null, for NULL and "". */
struct json_object *ep_json_text(const char *text);

/* Add a member to an object: a text as above, and a number, which is null where it is not finite. */
void ep_json_set_text(struct json_object *object, const char *key, const char *text);
void ep_json_set_number(struct json_object *object, const char *key, double number);

/* Prints root in lines and frees it. flags are json-c's, beside JSON_C_TO_STRING_PRETTY. 0 or -ENOMEM. */
int ep_json_print(struct json_object *root, int flags, FILE *out) EP_MUST_CHECK;

#endif
