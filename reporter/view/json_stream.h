/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a JSON object member by member, so that only one member is in memory. */
#ifndef EVPROF_REPORTER_VIEW_JSON_STREAM_H
#define EVPROF_REPORTER_VIEW_JSON_STREAM_H

#include <json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ep_json_stream {
	FILE *out;
	/* Writes briefly: one line for each element of an array, and for each other member. Numbers that are not
	 * whole have seven digits. Members that are null or false are left out; an absent key means the same. */
	bool is_brief;
	uint32_t n_members, n_elements; /* elements of the open array */
	const char *array;              /* key of the open array */
	int rc;                         /* the first error */
};

/* Writes a member; the stream takes ownership of value. Errors are returned by ep_json_stream_finish. */
void ep_json_stream_put(struct ep_json_stream *stream, const char *key, struct json_object *value);
void ep_json_stream_open_array(struct ep_json_stream *stream, const char *key);
void ep_json_stream_add(struct ep_json_stream *stream, struct json_object *element);
void ep_json_stream_close_array(struct ep_json_stream *stream);
/* Ends the object. Returns 0 or -ENOMEM. */
int ep_json_stream_finish(struct ep_json_stream *stream);

#endif
