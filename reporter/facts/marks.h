/* SPDX-License-Identifier: BSD-3-Clause */
/* Marked parts of a run: regions that the program named, and phases that evreport found. */
#ifndef EVPROF_REPORTER_FACTS_MARKS_H
#define EVPROF_REPORTER_FACTS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* A region, identified by its name and the regions around it. Rows are in the order to be shown: each region
 * comes before the regions inside it. */
struct ep_report_region {
	const char *name;
	uint32_t depth;      /* 0: no region is around it */
	uint32_t region_idx; /* index in the trace's regions */
	/* n_entries and wall_s are estimates: only a part of the run is shown, and the region was entered
	 * before that part or left after it */
	bool is_estimate;
	uint64_t n_entries;
	double wall_s; /* wall time, summed over all threads, with the regions inside it */
	uint64_t self_ns,
		/* CPU time of slices that ended in the region; total_ns includes the regions inside it */
		total_ns;
	double self_share, total_share; /* shares of the CPU time of all slices */
	/* standard errors of the shares; NAN: there is no sample */
	double self_error, total_error;
	double waiting_s; /* wall_s less total_ns, but at least 0 */
	/* error of waiting_s, from that of total_ns; NAN: wall_s is an estimate, or there is no
	 * sample */
	double waiting_error_s;
	/* not shown, since there are more regions than --top allows and this one has less than 0.1 % of the time */
	bool is_hidden;
};

/* A phase, as evreport phases finds it. Row N - 1 is the phase that people see as number N. */
struct ep_report_phase {
	uint32_t kind; /* index of the kind: 0 is "A" */
	double from_s, to_s;
	/* the procedure with most of the time of this kind of phases; NULL: not known */
	const char *procedure;
	double share; /* the procedure's share of that time */
};

#define EP_PHASE_KIND_BYTES 8
/* Writes the name of a kind of phases: "A", ... "Z", "AA", ... */
void ep_phase_kind_name(uint32_t kind, char out[EP_PHASE_KIND_BYTES]);

#endif
