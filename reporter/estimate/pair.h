/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares a run whose events took turns with runs of the same program in which every event was counted in
 * every slice (OCOE: one counter, one event): finds which slices correspond to each other, and the true
 * counts of an event. T slices, E events.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_PAIR_H
#define EVPROF_REPORTER_ESTIMATE_PAIR_H

#include "common/table.h"
#include "reporter/estimate/dtw.h"

enum ep_alignment {
	EP_ALIGN_STEP, /* slice k of one run corresponds to slice k of the other, as far as both have one */
	/* the slices are matched by the warping path of the events that both runs counted in every slice */
	EP_ALIGN_DTW,
	EP_N_ALIGNMENTS,
};
extern const char *const ep_alignment_names[]; /* NULL-terminated */

/* Matches slices of mpx, the run whose events took turns, to slices of ocoe. EP_ALIGN_DTW, too, matches by
 * step if no event except cpu-time was counted in every slice of both runs. 0 or -ENOMEM. */
int ep_pair_match(const struct ep_table *mpx, const struct ep_table *ocoe,
	enum ep_alignment alignment, size_t band, struct ep_dtw_match *out_match) EP_MUST_CHECK;

/* The table and column in which an event was counted in every slice; table_idx is n_tables if there is
 * none. */
struct ep_true_event {
	size_t table_idx, column;
};
struct ep_true_event ep_pair_find(const struct ep_table *ocoe, size_t n_tables, const char *event);

/* Returns the counts of a column in the slices given by match, (match.n); if several slices correspond to
 * one, their mean. The caller frees the counts; NULL: out of memory. */
double *ep_pair_truth(const struct ep_table *ocoe, size_t column, const struct ep_dtw_match *match);

/* Makes input for training. out_table has no gaps: the counts that mpx measured, and in other slices the true
 * counts, matched by DTW. out_measured (T, E) tells which cells mpx measured. The caller frees both. Events
 * are left out if their true counts are not known, or if mpx never measured them in the first slices, as many
 * as the shortest run has. If slices are matched by step, slices beyond the end of the shortest run are left
 * out. 0 or -ENOMEM. */
int ep_pair_complete(const struct ep_table *mpx, const struct ep_table *ocoe, size_t n_tables,
	struct ep_table *out_table, unsigned char **out_measured) EP_MUST_CHECK;

#endif
