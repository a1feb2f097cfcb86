/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of code made at run time that a trace carries, by process number: lines of perf maps and entries of
 * jitdumps. */
#ifndef EVPROF_REPORTER_LOAD_KEPT_MAPS_H
#define EVPROF_REPORTER_LOAD_KEPT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/load/made_codes.h"

/* The names of one process number. Call paths keep only the process number for addresses outside of modules.
 * Where two processes had the same number (in containers, on two hosts, or one after the other), is_shared is
 * set, since the names may be those of the other process's code. */
struct ep_kept_map {
	uint32_t pid;
	uint64_t birth_ns; /* birth of the first process with that number whose names were read */
	bool is_shared;
	char *text; /* (size) whole lines of the first process */
	size_t size;
	struct ep_made_codes codes; /* codes of the first process */
};

struct ep_kept_maps {
	struct ep_kept_map *rows;
	uint32_t n_rows, capacity;
};

/* Finds the names of a process; NULL: the trace has none. */
struct ep_kept_map *ep_kept_map_of(const struct ep_kept_maps *maps, uint32_t pid);
void ep_kept_maps_finish(struct ep_kept_maps *maps);

#endif
