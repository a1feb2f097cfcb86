/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of distinct strings, numbered from 0 in the order they came. */
#ifndef EVPROF_COMMON_CONTAINERS_NAMES_H
#define EVPROF_COMMON_CONTAINERS_NAMES_H

#include "common/containers/index.h"

/* Begins as zero. */
struct ep_names {
	char **texts; /* (n_names), each of them valid until finish */
	uint32_t n_names, capacity;
	struct ep_index index;
};

/* The number of text, added when it is new. -ENOMEM. */
int ep_names_add(struct ep_names *names, const char *text, uint32_t *out_idx) EP_MUST_CHECK;
/* EP_NONE when it is not there. */
uint32_t ep_names_find(const struct ep_names *names, const char *text);
void ep_names_finish(struct ep_names *names);

#endif
