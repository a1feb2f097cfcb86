/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers with which reports put members into JSON and print it. */
#ifndef EVPROF_REPORTER_TEXT_JSON_TEXT_H
#define EVPROF_REPORTER_TEXT_JSON_TEXT_H

#include "common/error.h"

#include <stdio.h>

struct json_object;

/* Returns a string in which bytes that are not UTF-8 are replaced by U+FFFD. Such bytes occur since a command is cut
 * after a number of bytes, and since a path may have another encoding. NULL and "" give NULL, which is JSON's null. */
struct json_object *ep_json_text(const char *text);

/* Add a member to an object: a text as ep_json_text makes it, or a number, which becomes null where it is not
 * finite. */
void ep_json_set_text(struct json_object *object, const char *key, const char *text);
void ep_json_set_number(struct json_object *object, const char *key, double number);

/* Prints root on several lines and frees it. flags are those of json-c; JSON_C_TO_STRING_PRETTY is added. Returns
 * 0 or -ENOMEM. */
int ep_json_print(struct json_object *root, int flags, FILE *out) EP_MUST_CHECK;

#endif
