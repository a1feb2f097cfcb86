/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of distinct strings, numbered from 0 in the order they came. */
#ifndef EVPROF_COMMON_CONTAINERS_NAMES_H
#define EVPROF_COMMON_CONTAINERS_NAMES_H

#include "common/error.h"

#include <stdint.h>

#define EP_NAME_NONE UINT32_MAX

struct ep_names {
	char **texts; /* (n_names) */
	uint32_t n_names;
	uint32_t *buckets; /* open addressing; EP_NAME_NONE is empty */
	uint32_t n_buckets;
};

/* The number of text, added when it is new. -ENOMEM. */
int ep_names_add(struct ep_names *names, const char *text, uint32_t *out_idx) EP_MUST_CHECK;
/* EP_NAME_NONE when it is not there. */
uint32_t ep_names_find(const struct ep_names *names, const char *text);
/* An event's name of a formula as counter sources take it: "msr@tsc@" is msr/tsc/. Allocated; NULL: out of
 * memory. */
char *ep_names_of_event(const char *in_formula);
void ep_names_finish(struct ep_names *names);

#endif
