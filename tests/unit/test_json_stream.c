// SPDX-License-Identifier: BSD-3-Clause
/* A document that is written piece by piece equals the one that json-c writes at once. */
#include "reporter/view/json_stream.h"

#include "tests/unit/test.h"

static struct json_object *element(int i)
{
	struct json_object *object = json_object_new_object(), *numbers = json_object_new_array();

	for (int k = 0; k < i; k++)
		json_object_array_add(numbers, json_object_new_int(k));
	json_object_object_add(object, "name", json_object_new_string("a \"b\"\n/c"));
	json_object_object_add(object, "numbers", numbers);
	json_object_object_add(object, "nothing", NULL);
	return object;
}

/* The members of both: a text, null, an array of n_elements, an object. */
static char *whole(int n_elements)
{
	struct json_object *root = json_object_new_object(), *array = json_object_new_array();
	char *text;

	for (int i = 0; i < n_elements; i++)
		json_object_array_add(array, i == 1 ? NULL : element(i));
	json_object_object_add(root, "schema", json_object_new_string("s"));
	json_object_object_add(root, "none", NULL);
	json_object_object_add(root, "rows", array);
	json_object_object_add(root, "last", element(2));
	text = strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
								   JSON_C_TO_STRING_SPACED |
								   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
	return text;
}

static char *in_pieces(int n_elements)
{
	struct ep_json_stream stream = { 0 };
	char *text = NULL;
	size_t size;

	stream.out = open_memstream(&text, &size);
	ep_json_stream_put(&stream, "schema", json_object_new_string("s"));
	ep_json_stream_put(&stream, "none", NULL);
	ep_json_stream_open_array(&stream, "rows");
	for (int i = 0; i < n_elements; i++)
		ep_json_stream_add(&stream, i == 1 ? NULL : element(i));
	ep_json_stream_close_array(&stream);
	ep_json_stream_put(&stream, "last", element(2));
	CHECK_INT(ep_json_stream_finish(&stream), 0);
	fclose(stream.out);
	return text;
}

TEST(pieces_are_the_whole)
{
	for (int n = 0; n < 4; n++) {
		char *expected = whole(n), *actual = in_pieces(n);
		size_t size = strlen(expected);

		CHECK_MSG(!strncmp(actual, expected, size) && !strcmp(actual + size, "\n"),
			"%d elements:\n%s\n%s", n, expected, actual);
		free(expected);
		free(actual);
	}
}

/* Rows of a line each, without what is null or false at any depth; an array's elements stay. */
TEST(brief_has_a_line_for_each_row)
{
	static const char expected[] = "{\n"
				       "  \"none\": null,\n"
				       "  \"rows\": [\n"
				       "    {\"name\":\"a\",\"zero\":0,\"inner\":{\"yes\":true}},\n"
				       "    [null,1,0.1234568,12345679.0]\n"
				       "  ],\n"
				       "  \"empty\": [],\n"
				       "  \"nothing\": [],\n"
				       "  \"texts\": [\n"
				       "    \"b\"\n"
				       "  ]\n"
				       "}\n";
	struct ep_json_stream stream = { .is_brief = true };
	char *text = NULL;
	size_t size;

	json_c_set_serialization_double_format("%.15g", JSON_C_OPTION_GLOBAL);
	stream.out = open_memstream(&text, &size);
	ep_json_stream_put(&stream, "none", NULL);
	ep_json_stream_open_array(&stream, "rows");
	ep_json_stream_add(&stream,
		json_tokener_parse("{\"name\": \"a\", \"no\": false, \"zero\": 0, \"n\": null,"
				   " \"inner\": {\"yes\": true, \"n\": null}}"));
	ep_json_stream_add(&stream, json_tokener_parse("[null, 1, 0.12345678, 12345678.9]"));
	ep_json_stream_close_array(&stream);
	ep_json_stream_open_array(&stream, "empty");
	ep_json_stream_close_array(&stream);
	ep_json_stream_put(&stream, "nothing", json_object_new_array());
	ep_json_stream_put(&stream, "texts", json_tokener_parse("[\"b\"]"));
	CHECK_INT(ep_json_stream_finish(&stream), 0);
	fclose(stream.out);
	CHECK_STR(text, expected);
	free(text);
}
