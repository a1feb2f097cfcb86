/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which slices may hold other places' counts. A slice's counts go to the place where it ends; where
 * places alternate faster than slices each of them gets the same mixture. Neighbouring slices tell:
 * a place that stays for several slices, between others that do so too, has its turns apart, and
 * only the slice at each change holds both. A change to or from a stay of less than EP_STAY_SLICES
 * tells that turns may be shorter than slices; all that lies up to EP_REACH_SLICES from it may then
 * be a mixture. docs/estimators.md says why.
 */
#ifndef EVPROF_REPORTER_LOAD_MIXING_H
#define EVPROF_REPORTER_LOAD_MIXING_H

#include "reporter/load/batch.h"

enum {
	EP_STAY_SLICES = 3,
	EP_REACH_SLICES = 8,
};

/* Judges the slices of a thread up to the last few, which wait for the next batch: adds to the sums
 * of paths and threads what is mixed. 0 or -ENOMEM. */
int ep_mixing_add(struct slice_batch *batch) EP_MUST_CHECK;
/* Judges a thread's last few slices. 0 or -ENOMEM. */
int ep_mixing_finish_thread(struct loader *loader, struct ep_trace_thread *thread) EP_MUST_CHECK;
/* Asks for the places of paths that have none yet, where names are to be had. 0 or -ENOMEM. */
int ep_name_places(struct loader *loader, const uint32_t *path_idx, uint32_t n) EP_MUST_CHECK;
void ep_recent_finish(struct ep_recent *recent);

/* Tells for each slice, by its place and its neighbours' (n), whether its counts may be another place's:
 * out_is_shared (n), and how many slices of other places may be of this one's: out_n_away (n). changes (n) is
 * memory to work in. */
void ep_mixing_judge(const uint32_t *places, uint32_t n, uint32_t *changes, uint8_t *out_is_shared,
	uint8_t *out_n_away);

#endif
