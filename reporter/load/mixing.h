/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds slices that may hold counts of other places. A slice's counts go to the place where the slice ends;
 * if the program changes places faster than slices end, each place gets the same mixture of counts. The
 * places of neighbouring slices show this. A stay is a run of consecutive slices that end in one place. At a
 * change between two stays of at least EP_STAY_SLICES slices, only the slice at the change has counts of two
 * places. A change to or from a shorter stay shows that the program may change places within a slice; all
 * slices up to EP_REACH_SLICES from that change may then be mixed. docs/estimators.md gives the reasons.
 */
#ifndef EVPROF_REPORTER_LOAD_MIXING_H
#define EVPROF_REPORTER_LOAD_MIXING_H

#include "reporter/load/batch.h"

enum {
	EP_STAY_SLICES = 3,
	EP_REACH_SLICES = 8,
};

/* Judges a thread's slices except the last few, which wait for the next batch, and adds the mixed counts to
 * the sums of paths and threads. 0 or -ENOMEM. */
int ep_mixing_add(struct slice_batch *batch) EP_MUST_CHECK;
/* Judges a thread's last few slices. 0 or -ENOMEM. */
int ep_mixing_finish_thread(struct loader *loader, struct ep_trace_thread *thread) EP_MUST_CHECK;
/* Finds the places of paths that have none yet, if the option name_places is set. 0 or -ENOMEM. */
int ep_name_places(struct loader *loader, const uint32_t *path_idx, uint32_t n) EP_MUST_CHECK;
void ep_recent_finish(struct ep_recent *recent);

/* Judges slices by their places (n). out_is_shared[i] tells whether counts of slice i may belong to another
 * place, out_n_away[i] how many slices of other places may hold counts of slice i's place. changes (n) is
 * scratch memory. */
void ep_mixing_judge(const uint32_t *places, uint32_t n, uint32_t *changes, uint8_t *out_is_shared,
	uint8_t *out_n_away);

#endif
