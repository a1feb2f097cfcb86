/* SPDX-License-Identifier: BSD-3-Clause */
/* Names places while a trace is read, for ep_load_options.name_places. */
#ifndef EVPROF_REPORTER_SYMBOLIZE_NAMER_H
#define EVPROF_REPORTER_SYMBOLIZE_NAMER_H

#include "reporter/symbolize/shared_names.h"

struct ep_namer {
	const char *sysroot;  /* where to look for the files, or NULL */
	bool names_loops;     /* too, which takes capstone and its time */
	bool knows_kept_maps; /* the symbols were made when the trace's perf maps were there */
	struct ep_symbols *symbols; /* made when first needed; the caller's to destroy */
	/* NULL, or other traces' namers ask the same for code in files; names_loops is false then. */
	struct ep_shared_names *shared;
};

/* Where a run's files are looked for; copies of them are kept unless EVPROF_KEEP is "off". */
struct ep_symbols_options ep_namer_options(const char *sysroot, uint64_t run_start_ns);
/* name_places of load.h; namer is a struct ep_namer. */
int ep_namer_name_places(void *namer, struct ep_trace *trace, uint32_t path_idx,
	uint32_t out_places[EP_N_PLACE_KINDS]) EP_MUST_CHECK;
/* The symbols of a trace that is whole, made if no path asked for them; NULL when out of memory. */
struct ep_symbols *ep_namer_symbols(struct ep_namer *namer, struct ep_trace *trace);

/* For ep_load_options.forget_names: what is named next is of another trace. */
void ep_namer_forget(void *namer);

#endif
