/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement tables (E, reps, P): a line per event, repetition and thread, with a value for each
 * of the kernels' points. */
#ifndef EVPROF_KERNELS_DERIVE_EVENTS_H
#define EVPROF_KERNELS_DERIVE_EVENTS_H

#include "common/containers/names.h"
#include "common/error.h"
#include "kernels/derive/labels.h"

struct ep_events {
	char *text;             /* the text of the file, which owns the names that were read */
	struct ep_names added;  /* the names that a builder added */
	struct ep_labels names; /* (E) names of the events */
	size_t n_points;
	size_t n_rows;
	double *values;    /* (n_rows, P): medians over threads, by event, then repetition */
	size_t *first_row; /* (E + 1): event e owns rows first_row[e] .. first_row[e + 1] - 1 */
};

/* The key of one line of the table, before lines are ordered and threads are merged. */
struct ep_events_key {
	unsigned event, rep, thread;
	unsigned line; /* line in the file, for messages; 0: the row was not read from a file */
	size_t row;    /* index of the row in values, in the order of reading */
};

/* Reads a table "event,rep,thread,<points>" and brings the points into the order of `points` (NULL: they keep
 * the order of the file). Lines may come in any order. Returns -EINVAL for lines with a wrong number of
 * fields, numbers that are not finite, points that are unknown, missing or doubled, an (event, rep, thread)
 * that comes twice, or a table without lines. */
int ep_events_read(struct ep_events *events, const char *path, const struct ep_labels *points,
	struct ep_error *err) EP_MUST_CHECK;
/* Does the same for the table in text, which events owns from then on; messages name path. */
int ep_events_parse(struct ep_events *events, const char *path, char *text,
	const struct ep_labels *points, struct ep_error *err) EP_MUST_CHECK;
void ep_events_finish(struct ep_events *events);

/* Makes a table from numbers: call init, then add for each row in any order, then settle; call finish in any
 * case. */
struct ep_events_builder {
	struct ep_events *events;
	struct ep_events_key *keys;            /* (n_rows) key of each row */
	uint32_t value_capacity, key_capacity; /* capacities in rows */
};

void ep_events_builder_init(
	struct ep_events_builder *builder, struct ep_events *events, size_t n_points);
/* Adds the values (P) of an event, repetition and thread. Copies the name. Returns 0 or -ENOMEM. */
int ep_events_builder_add(struct ep_events_builder *builder, const char *event, unsigned rep,
	unsigned thread, const double *values) EP_MUST_CHECK;
/* Orders the rows and takes medians over threads. names (P): the columns, which are brought into
 * the order of points. Fails for the same reasons as ep_events_parse; messages name path. */
int ep_events_builder_settle(struct ep_events_builder *builder, const char *const *names,
	const struct ep_labels *points, const char *path, struct ep_error *err) EP_MUST_CHECK;
void ep_events_builder_finish(struct ep_events_builder *builder);

#endif
