/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads lines of source files; each file is read once. */
#ifndef EVPROF_REPORTER_ANNOTATE_SOURCES_H
#define EVPROF_REPORTER_ANNOTATE_SOURCES_H

#include "common/containers/strings.h"

/* Whether a source file was found. */
enum ep_source_state {
	EP_SOURCE_FOUND,
	EP_SOURCE_NEWER,  /* found, but written after the run began: its lines may differ */
	EP_SOURCE_ABSENT, /* not found, not readable, not a regular file, or larger than 64 MiB */
};

struct ep_source_file {
	const char *path;
	enum ep_source_state state;
	const char **lines; /* (n_lines) texts from line 1 on; tabs are replaced by blanks */
	uint32_t n_lines, capacity;
};

/* The source files that were read. All members are 0 at the beginning, except sysroot and run_start_ns, which
 * the caller sets. */
struct ep_sources {
	const char *sysroot;   /* folder below which files are looked for first, or NULL */
	uint64_t run_start_ns; /* CLOCK_REALTIME; 0: not known */
	struct ep_source_file *rows;
	uint32_t n_rows, capacity;
	struct ep_strings texts;
};

/* Opens a source file; the result is valid until the next call. NULL: there is no memory. */
const struct ep_source_file *ep_sources_open(struct ep_sources *sources, const char *path);
/* Returns a line's text, which is valid until ep_sources_finish; NULL: there is no such line, or no memory. */
const char *ep_sources_line(struct ep_sources *sources, const char *path, uint32_t line);
void ep_sources_finish(struct ep_sources *sources);

#endif
