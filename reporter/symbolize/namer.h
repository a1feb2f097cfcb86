/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the places of samples while a trace is read; it is meant for ep_load_options.name_places. */
#ifndef EVPROF_REPORTER_SYMBOLIZE_NAMER_H
#define EVPROF_REPORTER_SYMBOLIZE_NAMER_H

#include "reporter/symbolize/shared_names.h"

struct ep_namer {
	const char *sysroot; /* folder below which files are looked for, or NULL */
	bool names_loops;    /* also name loops, which needs capstone and takes time */
	bool knows_kept_maps; /* true: symbols was made after the perf maps in the trace had been read */
	struct ep_symbols *symbols; /* made when first needed; the caller destroys them */
	/* Names that the namers of several traces share for code in files; names_loops is false then. NULL:
	 * nothing is shared. */
	struct ep_shared_names *shared;
};

/* Returns the options by which a run's files are looked for. Copies of found files are kept unless EVPROF_KEEP is
 * "off". */
struct ep_symbols_options ep_namer_options(const char *sysroot, uint64_t run_start_ns);
/* Names the places of a path, as load.h describes for name_places; namer is a struct ep_namer. */
int ep_namer_name_places(void *namer, struct ep_trace *trace, uint32_t path_idx,
	uint32_t out_places[EP_N_PLACE_KINDS]) EP_MUST_CHECK;
/* Returns the symbols of a trace that was read to its end; makes them if no path needed any. NULL: there is no
 * memory. */
struct ep_symbols *ep_namer_symbols(struct ep_namer *namer, struct ep_trace *trace);

/* Forgets the symbols. Called when the next path is of another trace (ep_load_options.forget_names). */
void ep_namer_forget(void *namer);

#endif
