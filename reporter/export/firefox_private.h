/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a Firefox profile that is being written: firefox.c writes the file, its counters and what
 * it is of, firefox_tables.c the tables that all threads share, firefox_threads.c the samples of each
 * thread. One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_FIREFOX_PRIVATE_H
#define EVPROF_REPORTER_EXPORT_FIREFOX_PRIVATE_H

#include "reporter/export/cells.h"
#include "reporter/export/export.h"
#include "reporter/export/text_ids.h"
#include "reporter/export/time_log.h"
#include "reporter/export/tree_walk.h"

struct ep_firefox {
	FILE *out;
	const struct ep_export *export;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	struct ep_text_ids texts;
	uint64_t birth_ns;
	uint32_t *func_of_symbol; /* (n_symbols) plus one; 0: none */
	uint32_t *symbols;        /* (n_funcs) */
	uint32_t n_funcs;
	uint32_t *resource_of_module; /* (n_modules) plus one */
	uint32_t *modules;            /* (n_resources) */
	uint32_t n_resources;
	struct ep_text_ids files;  /* source files; 0 is none */
	uint32_t *thread_of_track; /* (n_tracks) in the trace */
	uint32_t n_tracks;
	double *factors; /* (n_paths) by which the time that was seen becomes the report's */
};

/* Writes the tables of stacks, frames, functions, resources, sources and strings, without the braces
 * around them. Strings come last, since the tables before make them. */
void ep_firefox_put_shared(struct ep_firefox *f);

/* Writes the threads (f->thread_of_track), with commas between them. 0 or -ENOMEM. */
int ep_firefox_put_threads(struct ep_firefox *f);

/* Writes the identifier of a process (an index of the trace's processes), in quotes. */
void ep_firefox_put_pid(struct ep_firefox *f, uint32_t process_idx);

/* The track that leads those of a process, or EP_NONE where none of its threads has one. */
uint32_t ep_firefox_main_track(const struct ep_firefox *f, uint32_t process_idx);

#endif
