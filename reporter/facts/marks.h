/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a run: regions that the program has named, and phases that evreport has found. */
#ifndef EVPROF_REPORTER_FACTS_MARKS_H
#define EVPROF_REPORTER_FACTS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* A region below the regions around it; in the order to be shown, each before those in it. */
struct ep_report_region {
	const char *name;
	uint32_t depth;      /* 0: outermost */
	uint32_t region_idx; /* in the trace's */
	bool is_estimate; /* n_entries and what is of wall_s: a share of what reaches over the border of a part */
	uint64_t n_entries;
	double wall_s; /* of all threads together, with the regions in it */
	uint64_t self_ns,
		total_ns; /* CPU time of slices that ended in it; total with those in it */
	double self_share, total_share; /* of the CPU time of all slices */
	double self_error, total_error; /* standard errors of the shares, NAN: no sample */
	double waiting_s;               /* wall_s without CPU time; NAN: not known */
	double waiting_error_s; /* as uncertain as total_ns is; NAN: wall_s is an estimate, or no sample */
	bool is_hidden;         /* one of very many, with next to no time */
};

/* A phase of evreport phases; the phase N of people is the row N - 1. */
struct ep_report_phase {
	uint32_t kind; /* 0 is "A" */
	double from_s, to_s;
	const char *procedure; /* with most of the time of its kind; NULL: not known */
	double share;          /* of it */
};

#define EP_PHASE_KIND_BYTES 8
/* "A", ... "Z", "AA", ... */
void ep_phase_kind_name(uint32_t kind, char out[EP_PHASE_KIND_BYTES]);

#endif
