/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the phases of a run: when the program began to do something else, what it did then, and which phases are
 * alike. One thread at a time may use the phases. */
#ifndef EVPROF_REPORTER_PHASES_PHASES_H
#define EVPROF_REPORTER_PHASES_PHASES_H

#include "reporter/export/time_log.h"
#include "reporter/phases/segment.h"
#include "reporter/symbolize/symbolize.h"

#define EP_PHASE_PROCEDURES 3

/* Phases that are alike; kind 0 is called "A". n_stretches: their number; time_s: their time on the clock; cpu_s: CPU
 * time of all threads in them. */
struct ep_phase_kind {
	uint32_t n_stretches;
	double time_s, cpu_s;
	double instructions_per_cycle; /* NaN: not counted */
	/* procedures with most time, NULL after the last; the symbols own the names */
	const char *names[EP_PHASE_PROCEDURES];
	double shares[EP_PHASE_PROCEDURES]; /* share of each procedure in cpu_s */
};

struct ep_phases {
	double window_s, duration_s;
	/* threads had to wait for CPUs often, since other programs had them; windows are then pieces of CPU time */
	bool is_crowded;
	/* region that the trace was loaded for; windows are then pieces of CPU time in the region; NULL: the whole
	 * run */
	const char *region;
	double *edges_us; /* (windows + 1) times since the run began */
	struct ep_segmentation
		segmentation;        /* stretches of windows; phase N for users is stretch N - 1 */
	struct ep_phase_kind *kinds; /* (segmentation.n_kinds) description of each kind */
	struct ep_repeat *repeats;   /* (n_repeats) repeats, and phases that are not repeated */
	uint32_t n_repeats;
};

/* Finds the phases in the times. The counts that times has are used for rates. Returns 0 or -ENOMEM. */
int ep_phases_find(const struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_time_log *times, struct ep_phases *out) EP_MUST_CHECK;
void ep_phases_finish(struct ep_phases *phases);

/* These two return the time at which a phase begins or ends, in seconds since the run's start. */
double ep_phase_from_s(const struct ep_phases *phases, uint32_t stretch);
double ep_phase_to_s(const struct ep_phases *phases, uint32_t stretch);

/* The times that the turns of a repeat take; a turn is one pass through its stretches. Deviations are standard
 * deviations. */
struct ep_turn_times {
	double mean_s, deviation_s, shortest_s, longest_s;
	uint32_t longest; /* index of the longest turn, from 0 */
	/* The mean and deviation of all turns except the longest; NaN: there is only one turn. */
	double others_mean_s, others_deviation_s;
};
struct ep_turn_times ep_repeat_times(
	const struct ep_phases *phases, const struct ep_repeat *repeat);

#endif
