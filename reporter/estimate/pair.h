/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run whose events took turns, against runs of the same program in which every event was counted
 * in every slice (OCOE: one counter, one event): whose slice is whose, and what an event's true
 * counts were. T slices, E events.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_PAIR_H
#define EVPROF_REPORTER_ESTIMATE_PAIR_H

#include "common/table.h"
#include "reporter/estimate/dtw.h"

enum ep_alignment {
	EP_ALIGN_STEP, /* slice k is slice k, as far as the shorter run goes */
	EP_ALIGN_DTW,  /* by the warping path of the events that both runs counted in every slice */
	EP_N_ALIGNMENTS,
};
extern const char *const ep_alignment_names[]; /* NULL-terminated */

/* Slices of mpx to slices of ocoe. By step too where the runs have no event in common that both
 * counted in every slice; cpu-time is none. 0 or -ENOMEM. */
int ep_pair_match(const struct ep_table *mpx, const struct ep_table *ocoe,
	enum ep_alignment alignment, size_t band, struct ep_dtw_match *out_match) EP_MUST_CHECK;

/* Where an event was counted in every slice; table_idx is n_tables where it was in none. */
struct ep_true_event {
	size_t table_idx, column;
};
struct ep_true_event ep_pair_find(const struct ep_table *ocoe, size_t n_tables, const char *event);

/* The counts of a column in the slices that match says, the mean where several meet one: (match.n),
 * the caller's to free; NULL when out of memory. */
double *ep_pair_truth(const struct ep_table *ocoe, size_t column, const struct ep_dtw_match *match);

/* The input of training: the counts that mpx measured and for the other slices the truth by DTW,
 * complete, and which of them are measured (T, E), the caller's to free. Events whose truth is not
 * known, or that mpx never measured in as many slices as the shortest trace has, are left out; so
 * are slices beyond the shortest trace where only the step aligns. 0 or -ENOMEM. */
int ep_pair_complete(const struct ep_table *mpx, const struct ep_table *ocoe, size_t n_tables,
	struct ep_table *out_table, unsigned char **out_measured) EP_MUST_CHECK;

#endif
