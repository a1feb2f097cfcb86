/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files which read blocks of sums share. */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_PRIVATE_H
#define EVPROF_REPORTER_LOAD_REDUCED_PRIVATE_H

#include "reporter/load/loader.h"
#include "reporter/load/reduced.h"

struct ep_id_map {
	uint32_t *to; /* (n) the trace's index by the file's id; EP_NONE: the id is not known */
	uint32_t n, capacity;
};

struct ep_reduced_input {
	struct ep_id_map modules, scripts, paths, events, regions;
	struct ep_reduced_file file; /* the file that is being read */
	bool has_file, has_tail;
	uint64_t shift_us; /* added modulo 2^64 to times, to put them on the trace's clock */
};

/* The state of reading one block of sums into the trace. */
struct ep_taking {
	struct loader *loader;
	struct ep_trace *trace;
	struct ep_reduced_input *input;
	struct ep_fields fields;
	struct ep_process_key key;
};

/* Sets the index of an id. Returns 0, -ENOMEM, or -EBADMSG for an id far above the others. */
int ep_id_map_set(struct ep_id_map *map, uint32_t id, uint32_t to) EP_MUST_CHECK;

/* Returns EP_NONE where the id is not known. */
static inline uint32_t ep_id_map_find(const struct ep_id_map *map, uint32_t id)
{
	return id < map->n ? map->to[id] : EP_NONE;
}

/* Returns the path of an id, or the lost path where the id is not known. */
static inline uint32_t ep_taking_path(const struct ep_taking *t, uint32_t id)
{
	uint32_t idx = ep_id_map_find(&t->input->paths, id);

	return idx == EP_NONE ? EP_PATH_LOST : idx;
}

/* Returns the trace's single copy of a text; NULL: out of memory. */
const char *ep_taking_keep(struct ep_taking *t, const struct ep_field_text *text);
/* Finds or adds a thread of the block's process. Returns 0 or -ENOMEM. */
int ep_taking_thread(struct ep_taking *t, uint32_t number, uint32_t *out_idx) EP_MUST_CHECK;

/* Each of these functions reads one record. They return 0, -ENOMEM or -EBADMSG. */
int ep_reduced_take_event(struct ep_taking *t);
int ep_reduced_take_module(struct ep_taking *t);
int ep_reduced_take_script(struct ep_taking *t);
int ep_reduced_take_path(struct ep_taking *t);
int ep_reduced_take_thread(struct ep_taking *t);
int ep_reduced_take_armed(struct ep_taking *t);
int ep_reduced_take_rank_cost(struct ep_taking *t);
int ep_reduced_take_rank_columns(struct ep_taking *t);
int ep_reduced_take_faults(struct ep_taking *t);
int ep_reduced_take_wait(struct ep_taking *t);
int ep_reduced_take_region(struct ep_taking *t);
int ep_reduced_take_region_stats(struct ep_taking *t);
int ep_reduced_take_cost(struct ep_taking *t);
int ep_reduced_take_thread_sum(struct ep_taking *t);
int ep_reduced_take_path_sum(struct ep_taking *t);
int ep_reduced_take_tick(struct ep_taking *t);
int ep_reduced_take_parted(struct ep_taking *t);
int ep_reduced_take_sizes(struct ep_taking *t);
int ep_reduced_take_event_stats(struct ep_taking *t);
int ep_reduced_take_bin(struct ep_taking *t);
int ep_reduced_take_latency(struct ep_taking *t);
int ep_reduced_take_kept(struct ep_taking *t);

#endif
