// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/text/json_text.h"

#include <errno.h>
#include <json.h>
#include <math.h>

#include "common/cleanup.h"
#include "reporter/text/utf8.h"

struct json_object *ep_json_text(const char *text)
{
	EP_AUTOFREE char *copy = NULL;

	if (!text || !text[0])
		return NULL;
	copy = ep_utf8_copy(text);
	return copy ? json_object_new_string(copy) : NULL;
}

void ep_json_set_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, ep_json_text(text));
}

void ep_json_set_number(struct json_object *object, const char *key, double number)
{
	json_object_object_add(
		object, key, isfinite(number) ? json_object_new_double(number) : NULL);
}

int ep_json_print(struct json_object *root, int flags, FILE *out)
{
	const char *text = json_object_to_json_string_ext(root, flags | JSON_C_TO_STRING_PRETTY);

	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(root);
	return text ? 0 : -ENOMEM;
}
