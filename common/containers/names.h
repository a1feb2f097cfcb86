/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of distinct strings, which are numbered from 0 in the order of their addition. */
#ifndef EVPROF_COMMON_CONTAINERS_NAMES_H
#define EVPROF_COMMON_CONTAINERS_NAMES_H

#include "common/containers/index.h"

/* All members are zero at first. */
struct ep_names {
	char **texts; /* (n_names) the texts, valid until finish */
	uint32_t n_names, capacity;
	struct ep_index index;
};

/* Sets *out_idx to the number of text, which is added if it is new. Returns 0 or -ENOMEM. */
int ep_names_add(struct ep_names *names, const char *text, uint32_t *out_idx) EP_MUST_CHECK;
/* Returns the number of text; EP_NONE: it is not in the set. */
uint32_t ep_names_find(const struct ep_names *names, const char *text);
void ep_names_finish(struct ep_names *names);

#endif
