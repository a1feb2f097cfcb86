/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordered sets of distinct names with a hash index. The names are not copied. */
#ifndef EVPROF_KERNELS_DERIVE_LABELS_H
#define EVPROF_KERNELS_DERIVE_LABELS_H

#include "common/containers/index.h"

struct ep_labels {
	/* (n) names in the order of their first appearance; the caller's text owns them */
	const char **items;
	size_t n;
	uint32_t capacity;
	struct ep_index index;
};

/* Finds the index of a name, or adds the name, which must stay valid as long as the set. *out_is_new tells whether the
 * name was added. Returns 0 or -ENOMEM. */
int ep_labels_add(
	struct ep_labels *names, const char *name, size_t *out_idx, int *out_is_new) EP_MUST_CHECK;
/* Returns the index of a name; -1: the set does not have it. */
long ep_labels_find(const struct ep_labels *names, const char *name);
void ep_labels_finish(struct ep_labels *names);

#endif
