// SPDX-License-Identifier: BSD-3-Clause
/* The table of sources, and lists of candidates. */
#include "kernels/measure/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"

static const struct ep_count_source *const sources[] = {
	&ep_count_source_perf,
	&ep_count_source_papi,
	&ep_count_source_sim,
	&ep_count_source_valgrind,
};

const struct ep_count_source *ep_count_source_find(const char *setting, const char **out_argument)
{
	size_t length = strcspn(setting, ":");

	for (size_t i = 0; i < EP_ARRAY_SIZE(sources); i++)
		if (strlen(sources[i]->name) == length &&
			!strncmp(sources[i]->name, setting, length)) {
			*out_argument = setting[length] ? setting + length + 1 : NULL;
			return sources[i];
		}
	return NULL;
}

int ep_candidates_add(
	struct ep_candidates *candidates, const struct ep_event *event, const char *reason)
{
	if (EP_ARRAY_RESERVE(candidates->items, (uint32_t)candidates->n, candidates->capacity))
		return -ENOMEM;
	struct ep_candidate *item = &candidates->items[candidates->n++];
	*item = (struct ep_candidate){ .event = *event, .is_usable = !reason };
	snprintf(item->reason, sizeof(item->reason), "%s", reason ? reason : "");
	return 0;
}

void ep_candidates_finish(struct ep_candidates *candidates)
{
	free(candidates->items);
	*candidates = (struct ep_candidates){ 0 };
}
