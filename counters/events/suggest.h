/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest names to one that is not known: a few best candidates, by edit distance. */
#ifndef EVPROF_COUNTERS_EVENTS_SUGGEST_H
#define EVPROF_COUNTERS_EVENTS_SUGGEST_H

#include <stddef.h>

#include "event.h"

#define EP_SUGGEST_MAX 4

struct ep_suggest {
	const char *wanted; /* compared without regard to case, '-' as '_' */
	int n_names;
	struct {
		char name[EP_EVENT_NAME_BYTES];
		unsigned distance;
	} best[EP_SUGGEST_MAX]; /* nearest first */
};

void ep_suggest_init(struct ep_suggest *out_suggest, const char *wanted);

/* Considers a candidate; shown is what is kept for it ("pmu::EVENT"), compared what is compared. */
void ep_suggest_add(struct ep_suggest *suggest, const char *compared, const char *shown);

/* "a, b, c" into out, cut to size_bytes; returns out. Empty when nothing is near. */
const char *ep_suggest_text(const struct ep_suggest *suggest, char *out, size_t size_bytes);

/* Equal without regard to case, '-' and '_' alike. */
int ep_name_equal(const char *a, const char *b);

#endif
