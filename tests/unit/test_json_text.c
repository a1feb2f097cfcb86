// SPDX-License-Identifier: BSD-3-Clause
/* Texts and numbers that JSON cannot hold become what it can. */
#include "tests/unit/test.h"

#include <json.h>

#include "common/cleanup.h"
#include "reporter/text/json_text.h"

/* Prints an object of one member and frees it. */
static char *printed(struct json_object *object, int flags)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(ep_json_print(object, flags, out), 0);
	fclose(out);
	return text;
}

TEST(numbers)
{
	static const struct {
		double number;
		const char *printed;
	} rows[] = {
		{ 1.5, "{\n  \"a\":1.5\n}\n" },
		{ NAN, "{\n  \"a\":null\n}\n" },
		{ -INFINITY, "{\n  \"a\":null\n}\n" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct json_object *object = json_object_new_object();

		ep_json_set_number(object, "a", rows[i].number);
		EP_AUTOFREE char *text = printed(object, 0);
		CHECK_STR(text, rows[i].printed);
	}
}

TEST(texts)
{
	static const struct {
		const char *text, *printed;
	} rows[] = {
		{ "a/b", "{\n  \"a\":\"a/b\"\n}\n" },
		{ "caf\xe9", "{\n  \"a\":\"caf\xef\xbf\xbd\"\n}\n" },
		{ "", "{\n  \"a\":null\n}\n" },
		{ NULL, "{\n  \"a\":null\n}\n" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct json_object *object = json_object_new_object();

		ep_json_set_text(object, "a", rows[i].text);
		EP_AUTOFREE char *text = printed(object, JSON_C_TO_STRING_NOSLASHESCAPE);
		CHECK_STR(text, rows[i].printed);
	}
}
