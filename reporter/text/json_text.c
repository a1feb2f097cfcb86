// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/text/json_text.h"

#include <json.h>

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
