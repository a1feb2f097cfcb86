// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the text that json-c would print of the whole object. Each piece is put into an object (and an array) like
 * those that surround it, and printed by json-c, which indents it. The text of the surrounding ones is cut off.
 */
#include "reporter/view/json_stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
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

/* ---- brief ---- */

/* Tells whether a member is a date, which keeps all digits: it is in seconds, with ten digits before the point, and
 * runs that began in the same second differ only in the digits after the point. */
static bool is_date(const char *key)
{
	return !strcmp(key, "started");
}

/* Rounds a number to seven digits; whole numbers stay. More digits of a share or an error have no meaning. */
static void round_number(struct json_object *number)
{
	double value = json_object_get_double(number);
	char text[32];

	snprintf(text, sizeof(text), "%.7g", value);
	if (value == floor(value))
		return;
	json_object_set_double(number, fabs(value) < 1e7 ? strtod(text, NULL) : round(value));
}

static bool is_nothing(struct json_object *value)
{
	return !value ||
	       (json_object_is_type(value, json_type_boolean) && !json_object_get_boolean(value));
}

/* Removes absent members and rounds numbers. A member may be removed during the iteration over an object, since the
 * loop has fetched the next member before (json_object.h). */
static void shorten(struct json_object *value)
{
	if (json_object_is_type(value, json_type_double))
		round_number(value);
	if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; i < json_object_array_length(value); i++)
			shorten(json_object_array_get_idx(value, i));
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, key, member)
	{
		if (!is_date(key))
			shorten(member);
		if (is_nothing(member))
			json_object_object_del(value, key);
	}
}

static void write_line(struct ep_json_stream *stream, struct json_object *value)
{
	const char *text;

	shorten(value);
	text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fputs(text, stream->out);
	else
		stream->rc = -ENOMEM;
}

/* ---- both ---- */

static void begin_member(struct ep_json_stream *stream)
{
	fputs(stream->n_members++ ? ",\n" : "{\n", stream->out);
}

static void put_briefly(struct ep_json_stream *stream, const char *key, struct json_object *value)
{
	if (json_object_is_type(value, json_type_array)) {
		ep_json_stream_open_array(stream, key);
		for (size_t i = 0; i < json_object_array_length(value); i++)
			ep_json_stream_add(
				stream, json_object_get(json_object_array_get_idx(value, i)));
		ep_json_stream_close_array(stream);
	} else {
		begin_member(stream);
		fprintf(stream->out, "  \"%s\": ", key);
		write_line(stream, value);
	}
	json_object_put(value);
}

void ep_json_stream_put(struct ep_json_stream *stream, const char *key, struct json_object *value)
{
	struct json_object *outer;

	if (stream->is_brief) {
		put_briefly(stream, key, value);
		return;
	}
	outer = json_object_new_object();
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

static void write_element(struct ep_json_stream *stream, struct json_object *element)
{
	struct json_object *outer = json_object_new_object(), *array = json_object_new_array();
	size_t n_front = strlen("{\n  \"\": [\n") + strlen(stream->array);

	json_object_array_add(array, element);
	json_object_object_add(outer, stream->array, array);
	write_inside(stream, outer, n_front, strlen("\n  ]\n}"));
	json_object_put(outer);
}

void ep_json_stream_add(struct ep_json_stream *stream, struct json_object *element)
{
	if (!stream->n_elements)
		begin_member(stream);
	if (stream->n_elements++)
		fputs(",\n", stream->out);
	else
		fprintf(stream->out, "  \"%s\": [\n", stream->array);
	if (!stream->is_brief) {
		write_element(stream, element);
		return;
	}
	fputs("    ", stream->out);
	write_line(stream, element);
	json_object_put(element);
}

void ep_json_stream_close_array(struct ep_json_stream *stream)
{
	if (stream->n_elements) {
		fputs("\n  ]", stream->out);
	} else if (stream->is_brief) {
		begin_member(stream);
		fprintf(stream->out, "  \"%s\": []", stream->array);
	} else {
		ep_json_stream_put(stream, stream->array, json_object_new_array());
	}
}

int ep_json_stream_finish(struct ep_json_stream *stream)
{
	fputs("\n}\n", stream->out);
	return stream->rc;
}
