/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of source files, each file read once. */
#ifndef EVPROF_REPORTER_ANNOTATE_SOURCES_H
#define EVPROF_REPORTER_ANNOTATE_SOURCES_H

#include "common/containers/strings.h"

/* The state of a source file. */
enum ep_source_state {
	EP_SOURCE_FOUND,
	EP_SOURCE_NEWER,  /* found, and written after the run began: its lines may be others now */
	EP_SOURCE_ABSENT, /* not there, not to be read, no regular file, or of more than 64 MiB */
};

struct ep_source_file {
	const char *path;
	enum ep_source_state state;
	const char **lines; /* (n_lines) from line 1 on; tabs are blanks */
	uint32_t n_lines, capacity;
};

/* Begins as zero but for the first two. */
struct ep_sources {
	const char *sysroot;   /* where to look, too; NULL: nowhere else */
	uint64_t run_start_ns; /* CLOCK_REALTIME; 0: not known */
	struct ep_source_file *rows;
	uint32_t n_rows, capacity;
	struct ep_strings texts;
};

/* Good until the next call. NULL: out of memory. */
const struct ep_source_file *ep_sources_open(struct ep_sources *sources, const char *path);
/* A line's text, good until finish; NULL: there is none, or no memory. */
const char *ep_sources_line(struct ep_sources *sources, const char *path, uint32_t line);
void ep_sources_finish(struct ep_sources *sources);

#endif
