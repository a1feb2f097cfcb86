/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordered sets of distinct names with a hash index. The names stay where they are (not copied). */
#ifndef EVPROF_KERNELS_DERIVE_LABELS_H
#define EVPROF_KERNELS_DERIVE_LABELS_H

#include "common/containers/index.h"

struct ep_labels {
	const char **items; /* (n), in the order of their first appearance; owned by whoever owns
			       the text */
	size_t n;
	uint32_t capacity;
	struct ep_index index;
};

/* The index of the name, which must stay alive as long as the set; adds it when it is new.
 * *out_is_new tells. -ENOMEM. */
int ep_labels_add(
	struct ep_labels *names, const char *name, size_t *out_idx, int *out_is_new) EP_MUST_CHECK;
/* The index, or -1. */
long ep_labels_find(const struct ep_labels *names, const char *name);
void ep_labels_finish(struct ep_labels *names);

#endif
