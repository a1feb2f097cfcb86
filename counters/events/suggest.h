/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the names that are nearest to an unknown one, by edit distance. */
#ifndef EVPROF_COUNTERS_EVENTS_SUGGEST_H
#define EVPROF_COUNTERS_EVENTS_SUGGEST_H

#include <stddef.h>

#include "event.h"

#define EP_SUGGEST_MAX 4

struct ep_suggest {
	const char *wanted; /* the unknown name; case is ignored, and '-' equals '_' */
	int n_names;
	struct {
		char name[EP_EVENT_NAME_BYTES];
		unsigned distance;
	} best[EP_SUGGEST_MAX]; /* the nearest names, nearest first */
};

void ep_suggest_init(struct ep_suggest *out_suggest, const char *wanted);

/* Compares a candidate. compared is the text to compare, shown the text to keep ("pmu::EVENT"). */
void ep_suggest_add(struct ep_suggest *suggest, const char *compared, const char *shown);

/* Writes "a, b, c" to out, cut to size_bytes, and returns out; empty where no name is near. */
const char *ep_suggest_text(const struct ep_suggest *suggest, char *out, size_t size_bytes);

/* Tells whether two names are equal, ignoring case, where '-' equals '_'. */
int ep_name_equal(const char *a, const char *b);

#endif
