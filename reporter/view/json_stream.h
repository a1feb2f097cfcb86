/* SPDX-License-Identifier: BSD-3-Clause */
/* An object of JSON whose members are written one after the other, so that only one is in memory. */
#ifndef EVPROF_REPORTER_VIEW_JSON_STREAM_H
#define EVPROF_REPORTER_VIEW_JSON_STREAM_H

#include <json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ep_json_stream {
	FILE *out;
	/* A line for each element of an array, and for each other member; numbers of seven digits that are not whole;
	 * objects without what is null or false, which a key that is not there means as well. */
	bool is_brief;
	uint32_t n_members, n_elements; /* elements: of the array that is open */
	const char *array;              /* its key */
	int rc;                         /* the first error */
};

/* The stream owns the object that is put. Errors wait for finish. */
void ep_json_stream_put(struct ep_json_stream *stream, const char *key, struct json_object *value);
void ep_json_stream_open_array(struct ep_json_stream *stream, const char *key);
void ep_json_stream_add(struct ep_json_stream *stream, struct json_object *element);
void ep_json_stream_close_array(struct ep_json_stream *stream);
/* 0 or -ENOMEM. */
int ep_json_stream_finish(struct ep_json_stream *stream);

#endif
