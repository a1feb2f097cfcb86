/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement tables: event x repetition x thread lines over the kernel points (E, reps, P). */
#ifndef EVPROF_KERNELS_DERIVE_EVENTS_H
#define EVPROF_KERNELS_DERIVE_EVENTS_H

#include "common/containers/names.h"
#include "common/error.h"
#include "kernels/derive/labels.h"

struct ep_events {
	char *text;             /* owns the names that were read */
	struct ep_names added;  /* owns those that a builder added */
	struct ep_labels names; /* (E) */
	size_t n_points;
	size_t n_rows;
	double *values;    /* (n_rows, P): medians over threads, by event, then repetition */
	size_t *first_row; /* (E + 1): event e owns rows first_row[e] .. first_row[e + 1] - 1 */
};

/* One line of the table before its order and threads are settled. */
struct ep_events_key {
	unsigned event, rep, thread;
	unsigned line; /* for messages; 0: the row was not read from a file */
	size_t row;    /* in values, as read */
};

/* Reads "event,rep,thread,<points>" and brings the points into the order of `points` (NULL: as they
 * stand). Lines may come in any order. -EINVAL for ragged lines, numbers that are not finite,
 * unknown, missing or doubled points, an (event, rep, thread) that comes twice, no lines. */
int ep_events_read(struct ep_events *events, const char *path, const struct ep_labels *points,
	struct ep_error *err) EP_MUST_CHECK;
/* The same from text, which is taken over; path only names it in messages. */
int ep_events_parse(struct ep_events *events, const char *path, char *text,
	const struct ep_labels *points, struct ep_error *err) EP_MUST_CHECK;
void ep_events_finish(struct ep_events *events);

/* Makes a table from numbers: init, add for each row in any order, settle; then finish in any case. */
struct ep_events_builder {
	struct ep_events *events;
	struct ep_events_key *keys;            /* (n_rows) */
	uint32_t value_capacity, key_capacity; /* rows */
};

void ep_events_builder_init(
	struct ep_events_builder *builder, struct ep_events *events, size_t n_points);
/* Adds the values (P) of an event, repetition and thread. The name is copied. -ENOMEM. */
int ep_events_builder_add(struct ep_events_builder *builder, const char *event, unsigned rep,
	unsigned thread, const double *values) EP_MUST_CHECK;
/* Orders the rows and takes medians over threads. names (P): the columns, which are brought into the order
 * of points. As ep_events_parse fails, so does this; path names the table in messages. */
int ep_events_builder_settle(struct ep_events_builder *builder, const char *const *names,
	const struct ep_labels *points, const char *path, struct ep_error *err) EP_MUST_CHECK;
void ep_events_builder_finish(struct ep_events_builder *builder);

#endif
