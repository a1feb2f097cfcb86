// SPDX-License-Identifier: BSD-3-Clause
/* mixing.h: places in order, their stays, and what lies near a short one. */
#include "reporter/load/mixing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* So many slices to either side tell of one. */
#define CONTEXT_SLICES (EP_REACH_SLICES + EP_STAY_SLICES + 1)

/* A thread's slices in order: those kept of before, and those of a batch. */
struct sequence {
	struct ep_trace *trace;
	struct ep_trace_thread *thread;
	const struct ep_trace_process *process;
	uint32_t n, n_recent, n_events;
	uint32_t *path_idx;       /* (n) */
	const double *old_counts; /* (n_recent, n_events) */
	const double *new_counts; /* (n - n_recent, n_events) */
};

static const double *counts_at(const struct sequence *s, uint32_t i)
{
	return i < s->n_recent ? s->old_counts + (size_t)i * s->n_events
			       : s->new_counts + (size_t)(i - s->n_recent) * s->n_events;
}

void ep_recent_finish(struct ep_recent *recent)
{
	free(recent->path_idx);
	free(recent->counts);
	*recent = (struct ep_recent){ 0 };
}

/* ---- what places alone tell ---- */

static uint32_t stay_end(const uint32_t *places, uint32_t n, uint32_t from)
{
	uint32_t to = from + 1;

	while (to < n && places[to] == places[from])
		to++;
	return to;
}

/* A stay that was there before the first slice, or goes on behind the last, may be a long one. */
static bool is_short(uint32_t from, uint32_t to, uint32_t n)
{
	return from && to < n && to - from < EP_STAY_SLICES;
}

static void mark_near(uint32_t at, uint32_t n, float *shares)
{
	uint32_t from = at > EP_REACH_SLICES ? at - EP_REACH_SLICES : 0;
	uint32_t to = n - at > EP_REACH_SLICES ? at + EP_REACH_SLICES + 1 : n;

	for (uint32_t i = from; i < to; i++)
		shares[i] = 1;
}

/* Changes to and from short stays. */
static void mark_short_stays(const uint32_t *places, uint32_t n, float *shares, float *away)
{
	uint32_t from = 0, to = n ? stay_end(places, n, 0) : 0;

	while (to < n) {
		uint32_t next = stay_end(places, n, to);

		away[to] = 1;
		if (is_short(from, to, n) || is_short(to, next, n)) {
			mark_near(to, n, shares);
			away[to] = 2 * EP_REACH_SLICES + 1;
		}
		from = to;
		to = next;
	}
}

/* The slice at a change between long stays holds both, in unknown parts; near short stays a long one is
 * chance. */
void ep_mixing_judge(const uint32_t *places, uint32_t n, float *out_shares, float *out_away)
{
	memset(out_shares, 0, n * sizeof(*out_shares));
	memset(out_away, 0, n * sizeof(*out_away));
	mark_short_stays(places, n, out_shares, out_away);
	for (uint32_t i = 1; i < n; i++) {
		if (places[i] == places[i - 1] || out_away[i] > 1)
			continue;
		if (out_shares[i] > 0) {
			mark_near(i, n, out_shares);
			out_away[i] = 2 * EP_REACH_SLICES + 1;
		}
		out_shares[i] = 1;
	}
}

/* ---- a thread's slices ---- */

int ep_name_places(struct loader *loader, const uint32_t *path_idx, uint32_t n)
{
	const struct ep_load_options *options = loader->options;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t places[EP_N_PLACE_KINDS];

		if (!options->name_places || loader->trace->paths[path_idx[i]].places[0] != EP_NONE)
			continue;
		if (options->name_places(options->namer, loader->trace, path_idx[i], places))
			return -ENOMEM;
		memcpy(loader->trace->paths[path_idx[i]].places, places, sizeof(places));
	}
	return 0;
}

/* A sequence's slices as ep_mixing_judge sees them, (n_kinds, n) each, of the kinds of places that are named. */
struct judgement {
	uint32_t *places;
	float *shares, *away;
};

static void add_counts(const struct sequence *s, struct ep_sums *of_path, const double *counts,
	const double *shares)
{
	for (uint32_t e = 0; e < s->n_events; e++) {
		uint32_t event = s->process->event_idx[e];

		if (counts[e] == 0) /* of most events in most slices */
			continue;
		for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++) {
			of_path->rows[event].mixed[kind] += shares[kind] * counts[e];
			s->thread->sums.rows[event].mixed[kind] += shares[kind] * counts[e];
		}
	}
}

/* All kinds at once, since a path's sums are seldom in the cache. */
static void add_slice(const struct sequence *s, uint32_t i, const struct judgement *judgement)
{
	struct ep_path_cost *cost = &s->trace->costs[s->trace->paths[s->path_idx[i]].cost_idx];
	double shares[EP_N_PLACE_KINDS];
	bool is_mixed = false;

	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++) {
		size_t at = (size_t)kind * s->n + i;

		shares[kind] = (double)judgement->shares[at];
		if (shares[kind] <= 0)
			continue;
		cost->mixing[kind].n_mixed += shares[kind];
		cost->mixing[kind].n_away += (double)judgement->away[at];
		is_mixed = true;
	}
	if (is_mixed)
		add_counts(s, &cost->sums, counts_at(s, i), shares);
}

/* Are places of the kind named? */
static bool is_named(const struct sequence *s, int kind)
{
	return s->n && s->trace->paths[s->path_idx[0]].places[kind] != EP_NONE;
}

static void find_places(const struct sequence *s, uint32_t *places)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++)
			places[(size_t)kind * s->n + i] =
				s->trace->paths[s->path_idx[i]].places[kind];
}

/* Slices [from, to) are counted for, the others are there to judge them. */
static int judge(const struct sequence *s, uint32_t from, uint32_t to)
{
	size_t n = (size_t)s->n * EP_N_PLACE_KINDS;
	EP_AUTOFREE uint32_t *places = malloc((n + 1) * sizeof(*places));
	EP_AUTOFREE float *shares = calloc(n + 1, sizeof(*shares));
	EP_AUTOFREE float *away = malloc((n + 1) * sizeof(*away));
	const struct judgement judgement = { places, shares, away };

	if (!places || !shares || !away)
		return -ENOMEM;
	find_places(s, places);
	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++) {
		size_t first = (size_t)kind * s->n;

		if (is_named(s, kind))
			ep_mixing_judge(places + first, s->n, shares + first, away + first);
	}
	for (uint32_t i = from; i < to; i++)
		add_slice(s, i, &judgement);
	return 0;
}

/* The last of the sequence, which has at least as many as it keeps. */
static int keep_recent(const struct sequence *s, struct ep_recent *recent, uint32_t n_judged)
{
	uint32_t n = s->n < 2 * CONTEXT_SLICES ? s->n : 2 * CONTEXT_SLICES, first = s->n - n;
	struct ep_recent kept = {
		.n_slices = n,
		.n_judged = n_judged > first ? n_judged - first : 0,
		.n_events = s->n_events,
		.path_idx = malloc((n + 1) * sizeof(*kept.path_idx)),
		.counts = malloc(((size_t)n * s->n_events + 1) * sizeof(*kept.counts)),
	};

	if (!kept.path_idx || !kept.counts) {
		ep_recent_finish(&kept);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		kept.path_idx[i] = s->path_idx[first + i];
		memcpy(kept.counts + (size_t)i * s->n_events, counts_at(s, first + i),
			s->n_events * sizeof(*kept.counts));
	}
	ep_recent_finish(recent);
	*recent = kept;
	return 0;
}

int ep_mixing_add(struct slice_batch *batch)
{
	struct ep_recent *recent = &batch->thread->recent;
	uint32_t n = recent->n_slices + batch->stretch.n_slices;
	uint32_t n_judged = n > CONTEXT_SLICES ? n - CONTEXT_SLICES : 0;
	EP_AUTOFREE uint32_t *path_idx = malloc((n + 1) * sizeof(*path_idx));
	struct sequence s = { batch->loader->trace, batch->thread, batch->process, n,
		recent->n_slices, batch->n_events, path_idx, recent->counts,
		batch->stretch.values };

	/* callgrind's own counts belong to their procedures, and the slices' to none */
	if (!batch->loader->options->name_places || batch->process->has_costs)
		return 0;
	if (!path_idx)
		return -ENOMEM;
	if (recent->n_slices)
		memcpy(path_idx, recent->path_idx, recent->n_slices * sizeof(*path_idx));
	memcpy(path_idx + recent->n_slices, batch->pending->path_idx,
		batch->stretch.n_slices * sizeof(*path_idx));
	if (ep_name_places(batch->loader, path_idx, n) || judge(&s, recent->n_judged, n_judged))
		return -ENOMEM;
	return keep_recent(&s, recent, n_judged);
}

int ep_mixing_finish_thread(struct loader *loader, struct ep_trace_thread *thread)
{
	struct ep_recent *recent = &thread->recent;
	const struct sequence s = { loader->trace, thread,
		&loader->trace->processes[thread->process_idx], recent->n_slices, recent->n_slices,
		recent->n_events, recent->path_idx, recent->counts, NULL };
	int rc = recent->n_slices ? judge(&s, recent->n_judged, recent->n_slices) : 0;

	ep_recent_finish(recent);
	return rc;
}
