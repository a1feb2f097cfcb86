// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/fill/learnt.h"

#include <stdlib.h>

#include "reporter/estimate/series.h"
#include "reporter/fill/fill_fit.h"

double ep_learnt_clock_of(
	const struct ep_learnt *learnt, const struct ep_stretch *stretch, uint32_t slice)
{
	size_t at = (size_t)slice * stretch->n_events + (uint32_t)learnt->clock;

	if (learnt->clock < 0)
		return stretch->cpu_us[slice];
	return stretch->state[at] == EP_VALUE_MEASURED ? stretch->values[at] : 0;
}

static void learn_slice(struct ep_learnt *learnt, const struct ep_stretch *stretch, uint32_t slice)
{
	size_t first = (size_t)slice * stretch->n_events;
	double clock = ep_learnt_clock_of(learnt, stretch, slice);
	struct ep_place_sums *sums =
		clock > 0 ? ep_place_history_at(&learnt->history, stretch->places[slice]) : NULL;

	for (uint32_t k = 0; sums && k < learnt->history.n_events; k++) {
		size_t at = first + learnt->rotated[k];

		if (stretch->state[at] == EP_VALUE_MEASURED)
			ep_place_sums_add(&sums[k], stretch->values[at] / clock, clock);
	}
}

/* Chooses the clock: by the names of the events that are always on in the process, otherwise by how steadily
 * they occur. */
static void choose_clock(struct ep_learnt *learnt, const struct ep_stretch *stretch)
{
	const struct ep_fill_events *events = learnt->events;
	struct ep_series series = { .n_events = events->n_events,
		.names = events->names,
		.always = events->always,
		.clock = -1,
		.work = -1 };

	ep_series_guess(&series);
	learnt->clock = series.clock;
	if (learnt->clock < 0)
		learnt->clock = ep_stretch_find_steadiest(stretch, events->always);
	learnt->has_clock = true;
}

void ep_learnt_add(struct ep_learnt *learnt, const struct ep_stretch *stretch)
{
	if (!learnt->has_clock)
		choose_clock(learnt, stretch);
	for (uint32_t i = stretch->n_learnt; learnt->history.n_events && i < stretch->n_slices; i++)
		learn_slice(learnt, stretch, i);
}

const struct ep_place_sums *ep_learnt_find(struct ep_learnt *learnt, uint64_t place, uint32_t event)
{
	uint32_t row = learnt->rows[event];
	const struct ep_place_sums *sums =
		row == EP_NONE ? NULL : ep_place_history_find(&learnt->history, place);

	return sums ? &sums[row] : NULL;
}

void ep_learnt_destroy(struct ep_learnt *learnt)
{
	ep_place_history_finish(&learnt->history);
	free(learnt->rotated);
	free(learnt->rows);
	free(learnt);
}

static void list_rotated(struct ep_learnt *learnt)
{
	const struct ep_fill_events *events = learnt->events;

	for (uint32_t e = 0; e < events->n_events; e++) {
		learnt->rows[e] = events->always[e] ? EP_NONE : learnt->history.n_events;
		if (!events->always[e])
			learnt->rotated[learnt->history.n_events++] = e;
	}
}

struct ep_learnt *ep_learnt_create(const struct ep_fill_events *events)
{
	struct ep_learnt *learnt = calloc(1, sizeof(*learnt));

	if (!learnt)
		return NULL;
	learnt->events = events;
	learnt->history.n_bytes_of_all = events->n_bytes_of_all;
	learnt->rotated = malloc((events->n_events + 1) * sizeof(*learnt->rotated));
	learnt->rows = malloc((events->n_events + 1) * sizeof(*learnt->rows));
	if (!learnt->rotated || !learnt->rows) {
		ep_learnt_destroy(learnt);
		return NULL;
	}
	list_rotated(learnt);
	return learnt;
}
