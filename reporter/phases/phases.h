/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of a run: when it did something else, what it did then, and what it did again. One thread. */
#ifndef EVPROF_REPORTER_PHASES_PHASES_H
#define EVPROF_REPORTER_PHASES_PHASES_H

#include "reporter/export/time_log.h"
#include "reporter/phases/segment.h"
#include "reporter/symbolize/symbolize.h"

#define EP_PHASE_PROCEDURES 3

/* Stretches that are alike: "A" is kind 0. */
struct ep_phase_kind {
	uint32_t n_stretches;
	double time_s, cpu_s;
	double instructions_per_cycle; /* NaN: not counted */
	const char *names
		[EP_PHASE_PROCEDURES]; /* most time first, NULL behind the last; the symbols' */
	double shares[EP_PHASE_PROCEDURES]; /* of cpu_s */
};

struct ep_phases {
	double window_s, duration_s;
	bool is_crowded; /* others had the CPUs at times: windows are of the run's CPU time, not of time */
	const char *
		region; /* that the trace was loaded for: windows are of CPU time in it; NULL: all */
	double *edges_us; /* (windows + 1) since the run began */
	struct ep_segmentation
		segmentation;        /* of windows; the phase N of people is stretch N - 1 */
	struct ep_phase_kind *kinds; /* (segmentation.n_kinds) */
	struct ep_repeat *repeats;   /* (n_repeats) */
	uint32_t n_repeats;
};

/* times: with counts, of all that is to be looked at. 0 or -ENOMEM. */
int ep_phases_find(const struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_time_log *times, struct ep_phases *out) EP_MUST_CHECK;
void ep_phases_finish(struct ep_phases *phases);

/* Since the run's start. */
double ep_phase_from_s(const struct ep_phases *phases, uint32_t stretch);
double ep_phase_to_s(const struct ep_phases *phases, uint32_t stretch);

/* One turn of a repeat. */
struct ep_turn_times {
	double mean_s, deviation_s, shortest_s, longest_s;
	uint32_t longest; /* turn, from 0 */
	/* These two are of all turns but the longest. NaN: there is no other. */
	double others_mean_s, others_deviation_s;
};
struct ep_turn_times ep_repeat_times(
	const struct ep_phases *phases, const struct ep_repeat *repeat);

#endif
