/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the parts of the writer of Firefox profiles. firefox.c writes the file, its counters and its metadata;
 * firefox_tables.c writes the tables that all threads share; firefox_threads.c writes the samples of each thread. All
 * of this runs on one thread.
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
	uint32_t *func_of_symbol; /* (n_symbols) function of a symbol plus one; 0: none */
	uint32_t *symbols;        /* (n_funcs) symbol of each function */
	uint32_t n_funcs;
	uint32_t *resource_of_module; /* (n_modules) resource of a module plus one; 0: none */
	uint32_t *modules;            /* (n_resources) module of each resource */
	uint32_t n_resources;
	struct ep_text_ids files;  /* source files; number 0 means no file */
	uint32_t *thread_of_track; /* (n_tracks) index of each track's thread in the trace */
	uint32_t n_tracks;
	double *factors; /* (n_paths) factors by which CPU time in the log is multiplied to get the report's time */
};

/* Writes the tables of stacks, frames, functions, resources, sources and strings, without the braces around them.
 * Strings come last, since writing the other tables adds strings. */
void ep_firefox_put_shared(struct ep_firefox *f);

/* Writes the threads (f->thread_of_track), with commas between them. Returns 0 or -ENOMEM. */
int ep_firefox_put_threads(struct ep_firefox *f);

/* Writes the identifier of a process (an index of the trace's processes), in quotes. */
void ep_firefox_put_pid(struct ep_firefox *f, uint32_t process_idx);

/* Returns the track of a process's main thread; if that thread is not shown, the process's first track. EP_NONE: none
 * of the process's threads has a track. */
uint32_t ep_firefox_main_track(const struct ep_firefox *f, uint32_t process_idx);

#endif
