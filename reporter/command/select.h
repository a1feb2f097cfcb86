/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects threads and parts of a trace by --process, --thread, --region, --phase, --from and --to. */
#ifndef EVPROF_REPORTER_COMMAND_SELECT_H
#define EVPROF_REPORTER_COMMAND_SELECT_H

#include "reporter/load/load.h"

struct ep_selection {
	const char *process; /* pid, program name or "rank:N"; NULL: all */
	const char *thread;  /* tid or name; NULL: all */
	const char *region;  /* name of a region; NULL: the whole run */
	/* number of a phase (evreport phases), which sets from_s and to_s; 0: none */
	uint32_t phase;
	const char *sysroot;     /* folder of programs and libraries, to find phases; or NULL */
	double from_s, to_s;     /* seconds since the run began; 0 and infinity: all */
	uint64_t from_ns, to_ns; /* the same as times for ep_load_options */
	bool *wanted;            /* (n_wanted) whether a thread is wanted, by its index */
	uint32_t n_wanted;
	char text[512]; /* the selection in words; "": everything is wanted */
};

#define EP_REGION_EXPECTED "the name of a region, which evreport shows"
#define EP_PHASE_EXPECTED "the number of a phase, which evreport phases shows"

/* Finds the threads and the part of the run that the selection names. It reads the traces once for this, since the name
 * of a thread is in the trace only after samples of the thread. Returns -ENOENT if nothing matches; the message lists
 * the names that there are. */
int ep_selection_find(struct ep_selection *selection, const char *const *paths,
	const struct ep_load_options *options, struct ep_error *err) EP_MUST_CHECK;
struct ep_report_options;
/* Finds the region, phase or times in one run's traces (options->trace_paths, options->filler) and sets options to that
 * part, for commands that show several runs. Afterwards options have pointers into selection. The function does nothing
 * if the selection names no part. */
int ep_selection_take_part(struct ep_selection *selection, struct ep_report_options *options,
	struct ep_error *err) EP_MUST_CHECK;
void ep_selection_finish(struct ep_selection *selection);
bool ep_selection_wants(const struct ep_selection *selection, uint32_t thread_idx);

#endif
