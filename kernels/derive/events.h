/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement tables: event x repetition x thread lines over the kernel points (E, reps, P). */
#ifndef EVPROF_KERNELS_DERIVE_EVENTS_H
#define EVPROF_KERNELS_DERIVE_EVENTS_H

#include "kernels/derive/labels.h"

struct ep_events {
	char *text;             /* owns the names; may be NULL when someone else does */
	struct ep_labels names; /* (E) */
	size_t n_points;
	size_t n_rows;
	double *values;    /* (n_rows, P): medians over threads, by event, then repetition */
	size_t *first_row; /* (E + 1): event e owns rows first_row[e] .. first_row[e + 1] - 1 */
};

/* One line of the table before its order and threads are settled. */
struct ep_events_key {
	unsigned event, rep, thread;
	unsigned line; /* for messages */
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

#endif
