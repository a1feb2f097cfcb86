// SPDX-License-Identifier: BSD-3-Clause
/* Implements mixing.h: a stay is a run of consecutive slices in one place; slices near short stays may be
 * mixed. */
#include "reporter/load/mixing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* This many slices on either side of a slice decide whether its counts are mixed. */
#define CONTEXT_SLICES (EP_REACH_SLICES + EP_STAY_SLICES + 1)

/* A thread's slices in order: first the slices kept from earlier batches, then those of the batch. */
struct sequence {
	struct ep_trace *trace;
	struct ep_trace_thread *thread;
	const struct ep_trace_process *process;
	const struct ep_recent *recent;
	const struct slice_batch *batch; /* NULL: no more slices come */
	uint32_t n, n_events;
};

static uint32_t path_at(const struct sequence *s, uint32_t i)
{
	uint32_t n_recent = s->recent->n_slices;

	return i < n_recent ? s->recent->path_idx[i] : s->batch->pending->path_idx[i - n_recent];
}

static const double *counts_at(const struct sequence *s, uint32_t i)
{
	uint32_t n_recent = s->recent->n_slices;

	return i < n_recent ? s->recent->counts + (size_t)i * s->n_events
			    : s->batch->stretch.values + (size_t)(i - n_recent) * s->n_events;
}

void ep_recent_finish(struct ep_recent *recent)
{
	free(recent->path_idx);
	free(recent->counts);
	*recent = (struct ep_recent){ 0 };
}

/* ---- judging by the order of places alone ---- */

/* If a slice lies near a short stay, at most this many slices may hold counts of its place: the slice itself,
 * and EP_REACH_SLICES on either side. */
#define AWAY_SLICES (2 * EP_REACH_SLICES + 1)

/* Finds the slices whose place is another than that of the slice before. Returns their number. */
static uint32_t find_changes(const uint32_t *places, uint32_t n, uint32_t *out_changes)
{
	uint32_t n_changes = 0;

	for (uint32_t i = 1; i < n; i++) {
		/* there is no branch here, since the CPU could not predict it */
		out_changes[n_changes] = i;
		n_changes += places[i] != places[i - 1];
	}
	return n_changes;
}

/* Tells whether the stay before or after change j is short. A stay that reaches to the first or the last
 * slice may be long, and does not count as short. */
static bool is_at_short_stay(const uint32_t *changes, uint32_t n_changes, uint32_t j)
{
	return (j && changes[j] - changes[j - 1] < EP_STAY_SLICES) ||
	       (j + 1 < n_changes && changes[j + 1] - changes[j] < EP_STAY_SLICES);
}

/* Marks the slices near a change. Changes come in order, so that slices before *marked are marked already. */
static void mark_near(uint32_t at, uint32_t n, uint32_t *marked, uint8_t *is_shared)
{
	uint32_t from = at > EP_REACH_SLICES ? at - EP_REACH_SLICES : 0;
	uint32_t to = n - at > EP_REACH_SLICES ? at + EP_REACH_SLICES + 1 : n;

	for (uint32_t i = from > *marked ? from : *marked; i < to; i++)
		is_shared[i] = 1;
	*marked = to;
}

/* Marks the slices near changes to and from short stays. */
static void mark_short_stays(const uint32_t *changes, uint32_t n_changes, uint32_t n,
	uint8_t *is_shared, uint8_t *n_away)
{
	uint32_t marked = 0;

	for (uint32_t j = 0; j < n_changes; j++) {
		n_away[changes[j]] = 1;
		if (!is_at_short_stay(changes, n_changes, j))
			continue;
		mark_near(changes[j], n, &marked, is_shared);
		n_away[changes[j]] = AWAY_SLICES;
	}
}

/* Judges all slices. The slice at a change between two long stays has counts of both places, in unknown
 * parts. If such a change lies near a short stay, the stays may be long by chance only, and all slices near
 * the change are marked, too. */
void ep_mixing_judge(const uint32_t *places, uint32_t n, uint32_t *changes, uint8_t *out_is_shared,
	uint8_t *out_n_away)
{
	uint32_t n_changes = find_changes(places, n, changes), marked = 0;

	memset(out_is_shared, 0, n);
	memset(out_n_away, 0, n);
	mark_short_stays(changes, n_changes, n, out_is_shared, out_n_away);
	for (uint32_t j = 0; j < n_changes; j++) {
		uint32_t i = changes[j];

		if (out_n_away[i] > 1)
			continue;
		if (out_is_shared[i]) {
			mark_near(i, n, &marked, out_is_shared);
			out_n_away[i] = AWAY_SLICES;
		}
		out_is_shared[i] = 1;
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

/* The judgements of a sequence's slices, from ep_mixing_judge, (n_kinds, n) each. Only kinds of places that
 * have names are judged. */
struct judgement {
	int kinds[EP_N_PLACE_KINDS]; /* (n_kinds) the kinds of places, enum ep_place_kind */
	int n_kinds;
	uint32_t *places;
	uint8_t *is_shared, *n_away;
	/* (n_events) indexes of the process's events for which the batch has counts */
	uint32_t *events;
	uint32_t n_events;
};

static void judgement_finish(struct judgement *j)
{
	free(j->places);
	free(j->is_shared);
	free(j->n_away);
	free(j->events);
}

static int judgement_init(struct judgement *j, const struct sequence *s)
{
	size_t n = (size_t)s->n * EP_N_PLACE_KINDS + 1;

	*j = (struct judgement){ .places = malloc(n * sizeof(*j->places)),
		.is_shared = malloc(n),
		.n_away = malloc(n),
		.events = malloc((s->n_events + 1) * sizeof(*j->events)) };
	return j->places && j->is_shared && j->n_away && j->events ? 0 : -ENOMEM;
}

/* Adds the counts of slice i that may belong to another place. events (n_events) are the events to add; NULL:
 * all. */
static void add_counts(const struct sequence *s, const struct judgement *j, uint32_t i,
	const uint32_t *events, uint32_t n_events)
{
	const double *counts = counts_at(s, i);
	struct ep_event_sum *of_path, *of_thread = s->thread->sums.rows;
	int shared[EP_N_PLACE_KINDS], n_shared = 0;

	for (int k = 0; k < j->n_kinds; k++)
		if (j->is_shared[(size_t)k * s->n + i])
			shared[n_shared++] = j->kinds[k];
	if (!n_shared)
		return;
	of_path = s->trace->costs[s->trace->paths[path_at(s, i)].cost_idx].sums.rows;
	for (uint32_t n = 0; n < n_events; n++) {
		uint32_t e = events ? events[n] : n, event = s->process->event_idx[e];

		if (counts[e] == 0) /* most events count nothing in most slices */
			continue;
		for (int k = 0; k < n_shared; k++) {
			of_path[event].mixed[shared[k]] += counts[e];
			of_thread[event].mixed[shared[k]] += counts[e];
		}
	}
}

/* Adds the judgements of slices [from, to) that were kept from earlier batches. */
static void add_recent(
	const struct sequence *s, const struct judgement *j, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		struct ep_path_cost *cost =
			&s->trace->costs[s->trace->paths[path_at(s, i)].cost_idx];

		for (int k = 0; k < j->n_kinds; k++) {
			struct ep_mixing *mixing = &cost->mixing[j->kinds[k]];

			mixing->n_mixed += j->is_shared[(size_t)k * s->n + i];
			mixing->n_away += j->n_away[(size_t)k * s->n + i];
		}
		add_counts(s, j, i, NULL, s->n_events);
	}
}

/* Adds the judgements of slices [from, to) of the batch to the rows of their paths. The sums there are whole
 * numbers, and so the order of adding does not matter. */
static void add_new(const struct sequence *s, const struct judgement *j, uint32_t from, uint32_t to)
{
	const struct ep_path_rows *rows = &s->batch->loader->path_rows;
	const uint32_t *of_slice = rows->of_slice;

	for (int k = 0; k < j->n_kinds; k++) {
		const uint8_t *is_shared = j->is_shared + (size_t)k * s->n + s->recent->n_slices;
		const uint8_t *n_away = j->n_away + (size_t)k * s->n + s->recent->n_slices;
		int kind = j->kinds[k];

		for (uint32_t i = from; i < to; i++) {
			struct path_places *row = &rows->places[of_slice[i]];

			row->n_mixed[kind] += is_shared[i];
			row->n_away[kind] += n_away[i];
		}
	}
}

static void add_new_counts(
	const struct sequence *s, const struct judgement *j, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && j->n_events; i++)
		add_counts(s, j, s->recent->n_slices + i, j->events, j->n_events);
}

static void find_kinds(const struct sequence *s, struct judgement *j)
{
	const uint32_t *places = s->n ? s->trace->paths[path_at(s, 0)].places : NULL;

	for (int kind = 0; places && kind < EP_N_PLACE_KINDS; kind++)
		if (places[kind] != EP_NONE)
			j->kinds[j->n_kinds++] = kind;
}

static void find_events(const struct sequence *s, struct judgement *j)
{
	const bool *is_counted = s->batch ? s->batch->stretch.is_counted : NULL;

	for (uint32_t e = 0; s->batch && e < s->n_events; e++)
		if (!is_counted || is_counted[e])
			j->events[j->n_events++] = e;
}

static void find_places(const struct sequence *s, const struct judgement *j)
{
	uint32_t n_recent = s->recent->n_slices, n_new = s->n - n_recent;
	const struct ep_path_rows *rows = s->batch ? &s->batch->loader->path_rows : NULL;

	for (int k = 0; k < j->n_kinds; k++) {
		uint32_t *places = j->places + (size_t)k * s->n;
		int kind = j->kinds[k];

		for (uint32_t i = 0; i < n_recent; i++)
			places[i] = s->trace->paths[s->recent->path_idx[i]].places[kind];
		for (uint32_t i = 0; i < n_new; i++)
			places[n_recent + i] = rows->places[rows->of_slice[i]].places[kind];
	}
}

/* Judges the sequence and adds up slices [from, to); the other slices are there only to judge these. */
static int judge(const struct sequence *s, uint32_t from, uint32_t to)
{
	EP_AUTOFREE uint32_t *changes = malloc(((size_t)s->n + 1) * sizeof(*changes));
	__attribute__((cleanup(judgement_finish))) struct judgement j = { 0 };
	uint32_t n_recent = s->recent->n_slices;

	if (!changes || judgement_init(&j, s))
		return -ENOMEM;
	find_kinds(s, &j);
	find_events(s, &j);
	find_places(s, &j);
	for (int k = 0; k < j.n_kinds; k++) {
		size_t first = (size_t)k * s->n;

		ep_mixing_judge(
			j.places + first, s->n, changes, j.is_shared + first, j.n_away + first);
	}
	add_recent(s, &j, from, to < n_recent ? to : n_recent);
	if (to <= n_recent)
		return 0;
	from = from > n_recent ? from - n_recent : 0;
	add_new(s, &j, from, to - n_recent);
	add_new_counts(s, &j, from, to - n_recent);
	return 0;
}

/* Keeps the last slices of the sequence for the next batch. */
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
		kept.path_idx[i] = path_at(s, first + i);
		memcpy(kept.counts + (size_t)i * s->n_events, counts_at(s, first + i),
			s->n_events * sizeof(*kept.counts));
	}
	ep_recent_finish(recent);
	*recent = kept;
	return 0;
}

/* Finds the places of the rows' paths, in the order in which slices met the paths first. */
static int name_rows(struct loader *loader)
{
	const struct ep_path_rows *rows = &loader->path_rows;

	for (uint32_t r = 0; r < rows->n_rows; r++) {
		uint32_t path_idx = rows->rows[r].path_idx;

		if (ep_name_places(loader, &path_idx, 1))
			return -ENOMEM;
		rows->places[r] = (struct path_places){ 0 };
		memcpy(rows->places[r].places, loader->trace->paths[path_idx].places,
			sizeof(rows->places[r].places));
	}
	return 0;
}

static void add_rows(struct loader *loader)
{
	const struct ep_path_rows *rows = &loader->path_rows;
	struct ep_trace *trace = loader->trace;

	for (uint32_t r = 0; r < rows->n_rows; r++) {
		const struct path_places *row = &rows->places[r];
		struct ep_path_cost *cost =
			&trace->costs[trace->paths[rows->rows[r].path_idx].cost_idx];

		for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++) {
			cost->mixing[kind].n_mixed += row->n_mixed[kind];
			cost->mixing[kind].n_away += row->n_away[kind];
		}
	}
}

int ep_mixing_add(struct slice_batch *batch)
{
	struct ep_recent *recent = &batch->thread->recent;
	uint32_t n = recent->n_slices + batch->stretch.n_slices;
	uint32_t n_judged = n > CONTEXT_SLICES ? n - CONTEXT_SLICES : 0;
	struct sequence s = { batch->loader->trace, batch->thread, batch->process, recent, batch, n,
		batch->n_events };

	/* callgrind's own counts belong to procedures already, and the counts of slices are not used for
	 * places */
	if (!batch->loader->options->name_places || batch->process->has_costs)
		return 0;
	if (ep_path_rows_reserve_places(&batch->loader->path_rows) || name_rows(batch->loader) ||
		judge(&s, recent->n_judged, n_judged))
		return -ENOMEM;
	add_rows(batch->loader);
	return keep_recent(&s, recent, n_judged);
}

int ep_mixing_finish_thread(struct loader *loader, struct ep_trace_thread *thread)
{
	struct ep_recent *recent = &thread->recent;
	const struct sequence s = { loader->trace, thread,
		&loader->trace->processes[thread->process_idx], recent, NULL, recent->n_slices,
		recent->n_events };
	int rc = recent->n_slices ? judge(&s, recent->n_judged, recent->n_slices) : 0;

	ep_recent_finish(recent);
	return rc;
}
