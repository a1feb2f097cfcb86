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

/* Places come in order: of what lies near one the slices up to *marked are marked already. */
static void mark_near(uint32_t at, uint32_t n, uint32_t *marked, float *shares)
{
	uint32_t from = at > EP_REACH_SLICES ? at - EP_REACH_SLICES : 0;
	uint32_t to = n - at > EP_REACH_SLICES ? at + EP_REACH_SLICES + 1 : n;

	for (uint32_t i = from > *marked ? from : *marked; i < to; i++)
		shares[i] = 1;
	*marked = to;
}

/* Marks what lies near changes to and from short stays. */
static void mark_short_stays(const uint32_t *places, uint32_t n, float *shares, float *away)
{
	uint32_t from = 0, to = n ? stay_end(places, n, 0) : 0, marked = 0;

	while (to < n) {
		uint32_t next = stay_end(places, n, to);

		away[to] = 1;
		if (is_short(from, to, n) || is_short(to, next, n)) {
			mark_near(to, n, &marked, shares);
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
	uint32_t marked = 0;

	memset(out_shares, 0, n * sizeof(*out_shares));
	memset(out_away, 0, n * sizeof(*out_away));
	mark_short_stays(places, n, out_shares, out_away);
	for (uint32_t i = 1; i < n; i++) {
		if (places[i] == places[i - 1] || out_away[i] > 1)
			continue;
		if (out_shares[i] > 0) {
			mark_near(i, n, &marked, out_shares);
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
	int kinds[EP_N_PLACE_KINDS]; /* (n_kinds) */
	int n_kinds;
	uint32_t *places;
	float *shares, *away;
};

/* Adds shares (n_kinds) of the counts of a slice. */
static void add_counts(const struct sequence *s, const struct judgement *j, struct ep_sums *of_path,
	const double *counts, const double *shares)
{
	for (uint32_t e = 0; e < s->n_events; e++) {
		uint32_t event = s->process->event_idx[e];
		double *path_mixed = of_path->rows[event].mixed;
		double *thread_mixed = s->thread->sums.rows[event].mixed;

		if (counts[e] == 0) /* most events count nothing in most slices */
			continue;
		for (int k = 0; k < j->n_kinds; k++) {
			double count = shares[k] * counts[e];

			path_mixed[j->kinds[k]] += count;
			thread_mixed[j->kinds[k]] += count;
		}
	}
}

/* (n_kinds) of slice i; false: all are 0. */
static bool find_shares(
	const struct sequence *s, uint32_t i, const struct judgement *j, double *out_shares)
{
	bool is_mixed = false;

	for (int k = 0; k < j->n_kinds; k++) {
		float share = j->shares[(size_t)k * s->n + i];

		out_shares[k] = (double)share;
		is_mixed |= share > 0;
	}
	return is_mixed;
}

/* Adds slice i for all kinds of places at once, since a path's sums are seldom in the cache. */
static void add_slice(const struct sequence *s, uint32_t i, const struct judgement *j)
{
	double shares[EP_N_PLACE_KINDS];
	struct ep_path_cost *cost;

	if (!find_shares(s, i, j, shares))
		return;
	cost = &s->trace->costs[s->trace->paths[s->path_idx[i]].cost_idx];
	for (int k = 0; k < j->n_kinds; k++) {
		struct ep_mixing *mixing = &cost->mixing[j->kinds[k]];

		if (shares[k] <= 0)
			continue;
		mixing->n_mixed += shares[k];
		mixing->n_away += (double)j->away[(size_t)k * s->n + i];
	}
	add_counts(s, j, &cost->sums, counts_at(s, i), shares);
}

static void find_kinds(const struct sequence *s, struct judgement *j)
{
	const uint32_t *places = s->n ? s->trace->paths[s->path_idx[0]].places : NULL;

	for (int kind = 0; places && kind < EP_N_PLACE_KINDS; kind++)
		if (places[kind] != EP_NONE)
			j->kinds[j->n_kinds++] = kind;
}

static void find_places(const struct sequence *s, const struct judgement *j)
{
	size_t n = s->n;

	for (size_t i = 0; i < n; i++) {
		const struct ep_path *path = &s->trace->paths[s->path_idx[i]];

		for (int k = 0; k < j->n_kinds; k++)
			j->places[k * n + i] = path->places[j->kinds[k]];
	}
}

/* Slices [from, to) are counted for, the others are there to judge them. */
static int judge(const struct sequence *s, uint32_t from, uint32_t to)
{
	size_t n = (size_t)s->n * EP_N_PLACE_KINDS;
	EP_AUTOFREE uint32_t *places = malloc((n + 1) * sizeof(*places));
	EP_AUTOFREE float *shares = malloc((n + 1) * sizeof(*shares));
	EP_AUTOFREE float *away = malloc((n + 1) * sizeof(*away));
	struct judgement j = { .places = places, .shares = shares, .away = away };

	if (!places || !shares || !away)
		return -ENOMEM;
	find_kinds(s, &j);
	find_places(s, &j);
	for (int k = 0; k < j.n_kinds; k++) {
		size_t first = (size_t)k * s->n;

		ep_mixing_judge(places + first, s->n, shares + first, away + first);
	}
	for (uint32_t i = from; i < to; i++)
		add_slice(s, i, &j);
	return 0;
}

/* Keeps the last slices of the sequence, which has at least as many. */
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
