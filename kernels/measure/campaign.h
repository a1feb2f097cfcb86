/* SPDX-License-Identifier: BSD-3-Clause */
/* A campaign measures chosen kernels with chosen events and writes the results into one folder. It shows progress and
 * keeps a time budget. */
#ifndef EVPROF_KERNELS_MEASURE_CAMPAIGN_H
#define EVPROF_KERNELS_MEASURE_CAMPAIGN_H

#include "kernels/measure/kernel.h"
#include "kernels/measure/source.h"

struct ep_campaign {
	const struct ep_count_source *source;
	const char *source_argument;
	const char *events;  /* "all", a pattern list, or a file of names */
	const char *kernels; /* names separated by commas; NULL: all kernels */
	const char *folder;
	size_t n_reps, n_threads, n_copies;
	double budget_s; /* seconds; 0: there is no limit */

	struct ep_cal_machine machine;
	struct ep_candidates candidates; /* all events that were asked for */
	struct ep_event *usable;         /* (n_usable) events that can be counted */
	size_t n_usable;
	double start_s;
	bool is_over_budget;
};

/* Lists the source's events and keeps those that were asked for. Returns -ENODEV, with the number of events that were
 * tried, if none of them can be counted here. */
int ep_campaign_choose(struct ep_campaign *campaign, struct ep_error *err) EP_MUST_CHECK;
/* Measures everything that earlier runs have not measured. */
int ep_campaign_run(struct ep_campaign *campaign, struct ep_error *err) EP_MUST_CHECK;
void ep_campaign_finish(struct ep_campaign *campaign);

#endif
