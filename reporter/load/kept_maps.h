/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of perf maps that a trace carries, by process number. */
#ifndef EVPROF_REPORTER_LOAD_KEPT_MAPS_H
#define EVPROF_REPORTER_LOAD_KEPT_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct ep_kept_map {
	uint32_t pid;
	char *text; /* (size), whole lines */
	size_t size;
};

struct ep_kept_maps {
	struct ep_kept_map *rows;
	uint32_t n_rows, capacity;
};

/* NULL: the trace has none of that process. */
const struct ep_kept_map *ep_kept_map_of(const struct ep_kept_maps *maps, uint32_t pid);
void ep_kept_maps_finish(struct ep_kept_maps *maps);

#endif
