// SPDX-License-Identifier: BSD-3-Clause
/*
 * The text is json-c's own: each piece is printed inside of what it would be in, for the indentation, and
 * that is cut off.
 */
#include "reporter/view/json_stream.h"

#include <errno.h>
#include <string.h>

#define FLAGS (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE)

static void write_inside(
	struct ep_json_stream *stream, struct json_object *outer, size_t n_front, size_t n_back)
{
	size_t size = 0;
	const char *text = json_object_to_json_string_length(outer, FLAGS, &size);

	if (!text || size < n_front + n_back)
		stream->rc = -ENOMEM;
	else
		fwrite(text + n_front, 1, size - n_front - n_back, stream->out);
}

static void begin_member(struct ep_json_stream *stream)
{
	fputs(stream->n_members++ ? ",\n" : "{\n", stream->out);
}

void ep_json_stream_put(struct ep_json_stream *stream, const char *key, struct json_object *value)
{
	struct json_object *outer = json_object_new_object();

	begin_member(stream);
	json_object_object_add(outer, key, value);
	write_inside(stream, outer, strlen("{\n"), strlen("\n}"));
	json_object_put(outer);
}

void ep_json_stream_open_array(struct ep_json_stream *stream, const char *key)
{
	stream->array = key;
	stream->n_elements = 0;
}

void ep_json_stream_add(struct ep_json_stream *stream, struct json_object *element)
{
	struct json_object *outer = json_object_new_object(), *array = json_object_new_array();
	size_t n_front = strlen("{\n  \"\": [\n") + strlen(stream->array);

	if (!stream->n_elements)
		begin_member(stream);
	if (stream->n_elements++)
		fputs(",\n", stream->out);
	else
		fprintf(stream->out, "  \"%s\": [\n", stream->array);
	json_object_array_add(array, element);
	json_object_object_add(outer, stream->array, array);
	write_inside(stream, outer, n_front, strlen("\n  ]\n}"));
	json_object_put(outer);
}

void ep_json_stream_close_array(struct ep_json_stream *stream)
{
	if (stream->n_elements)
		fputs("\n  ]", stream->out);
	else
		ep_json_stream_put(stream, stream->array, json_object_new_array());
}

int ep_json_stream_finish(struct ep_json_stream *stream)
{
	fputs("\n}\n", stream->out);
	return stream->rc;
}
