/* SPDX-License-Identifier: BSD-3-Clause */
/* --process, --thread, --region, --phase, --from and --to: which threads and which part of a trace are wanted. */
#ifndef EVPROF_REPORTER_COMMAND_SELECT_H
#define EVPROF_REPORTER_COMMAND_SELECT_H

#include "reporter/load/load.h"

struct ep_selection {
	const char *process;     /* pid, program name or "rank:N"; NULL: all */
	const char *thread;      /* tid or name; NULL: all */
	const char *region;      /* its name; NULL: the whole run */
	uint32_t phase;          /* of evreport phases, which sets from_s and to_s; 0: none */
	const char *sysroot;     /* where a phase's procedures are looked up */
	double from_s, to_s;     /* of the run; 0 and infinity: all */
	uint64_t from_ns, to_ns; /* the same for ep_load_options */
	bool *wanted;            /* (n_wanted) by thread index */
	uint32_t n_wanted;
	char text[512]; /* in words; "" when everything is wanted */
};

#define EP_REGION_EXPECTED "the name of a region, which evreport shows"
#define EP_PHASE_EXPECTED "the number of a phase, which evreport phases shows"

/* Reads the traces once for the names: a thread's is known only after its samples. -ENOENT: nothing
 * matches, the message lists what there is. */
int ep_selection_find(struct ep_selection *selection, const char *const *paths,
	const struct ep_load_options *options, struct ep_error *err) EP_MUST_CHECK;
struct ep_report_options;
/* For commands that show several runs: looks for the region, phase or moments in one run's traces
 * (options->trace_paths, by options->filler) and takes them into options, which keep pointing to selection. All
 * is wanted: nothing. */
int ep_selection_take_part(struct ep_selection *selection, struct ep_report_options *options,
	struct ep_error *err) EP_MUST_CHECK;
void ep_selection_finish(struct ep_selection *selection);
bool ep_selection_wants(const struct ep_selection *selection, uint32_t thread_idx);

#endif
