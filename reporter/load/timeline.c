// SPDX-License-Identifier: BSD-3-Clause
/* A timeline of bounded size: when it gets too long, neighbouring bins are merged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"

#define FIRST_WIDTH_US 1024

struct slice_place {
	uint64_t from_us, to_us;
	double cpu_us;
	const double *counts;      /* (n_events), or NULL */
	const uint32_t *event_idx; /* (n_events) the timeline's column of each event */
	uint32_t n_events;
	const struct ep_value_change *changes; /* (n_events), or NULL */
};

/* Rounds down to a multiple of width, a power of two: this runs for every sample, and a division would take
 * as long as all the rest. */
static uint64_t align_down(uint64_t value, uint64_t width)
{
	return value & ~(width - 1);
}

static uint64_t n_widths(const struct ep_timeline *t, uint64_t us)
{
	return us >> __builtin_ctzll(t->width_us);
}

static void move_changes(struct ep_timeline *t, uint32_t from, uint32_t to)
{
	size_t n = (size_t)t->n_events * EP_N_REPLICAS;
	float *source = t->changes + from * n, *target = t->changes + to * n;

	for (size_t i = 0; i < n; i++) {
		target[i] += source[i];
		source[i] = 0;
	}
}

static void move_bin(struct ep_timeline *t, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	t->cpu_us[to] += t->cpu_us[from];
	t->cpu_us[from] = 0;
	for (uint32_t e = 0; e < t->n_events; e++) {
		t->counts[(size_t)to * t->n_events + e] +=
			t->counts[(size_t)from * t->n_events + e];
		t->counts[(size_t)from * t->n_events + e] = 0;
	}
	if (t->changes)
		move_changes(t, from, to);
}

static void halve(struct ep_timeline *t)
{
	uint64_t start = align_down(t->start_us, t->width_us * 2);
	uint32_t odd = start != t->start_us;

	for (uint32_t i = 0; i < t->n_bins; i++)
		move_bin(t, i, (i + odd) / 2);
	t->n_bins = (t->n_bins + odd + 1) / 2;
	t->width_us *= 2;
	t->start_us = start;
}

static void extend_down(struct ep_timeline *t, uint64_t start)
{
	uint32_t shift = (uint32_t)n_widths(t, t->start_us - start);

	for (uint32_t i = t->n_bins; shift && i-- > 0;)
		move_bin(t, i, i + shift);
	t->n_bins += shift;
	t->start_us = start;
}

static int allocate(struct ep_timeline *t, uint32_t capacity, uint64_t from_us)
{
	t->width_us = FIRST_WIDTH_US;
	t->start_us = align_down(from_us, FIRST_WIDTH_US);
	t->cpu_us = calloc(capacity, sizeof(*t->cpu_us));
	if (!t->cpu_us)
		return -ENOMEM;
	t->capacity = capacity;
	return 0;
}

static int widen_changes(struct ep_timeline *t, uint32_t n_events)
{
	size_t wide = (size_t)n_events * EP_N_REPLICAS,
	       narrow = (size_t)t->n_events * EP_N_REPLICAS;
	float *changes = calloc((size_t)t->capacity * wide, sizeof(*changes));

	if (!changes)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_bins; i++)
		memcpy(changes + i * wide, t->changes + i * narrow, narrow * sizeof(*changes));
	free(t->changes);
	t->changes = changes;
	return 0;
}

/* Makes the rows wider, where there are more events than before. */
static int widen(struct ep_timeline *t, uint32_t n_events)
{
	double *counts;

	if (n_events <= t->n_events)
		return 0;
	if (t->changes && widen_changes(t, n_events))
		return -ENOMEM;
	counts = calloc((size_t)t->capacity * n_events, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_bins && t->n_events; i++)
		memcpy(counts + (size_t)i * n_events, t->counts + (size_t)i * t->n_events,
			t->n_events * sizeof(*counts));
	free(t->counts);
	t->counts = counts;
	t->n_events = n_events;
	return 0;
}

static void reach(struct ep_timeline *t, uint64_t from_us, uint64_t to_us)
{
	uint64_t start, end;

	for (;;) {
		start = align_down(from_us, t->width_us);
		end = align_down(to_us, t->width_us) + t->width_us;
		if (start > t->start_us)
			start = t->start_us;
		if (end < t->start_us + t->n_bins * t->width_us)
			end = t->start_us + t->n_bins * t->width_us;
		if (n_widths(t, end - start) <= t->capacity)
			break;
		halve(t);
	}
	extend_down(t, start);
	t->n_bins = (uint32_t)n_widths(t, end - start);
}

static int reserve_changes(struct ep_timeline *t)
{
	if (!t->changes)
		t->changes = calloc(
			(size_t)t->capacity * t->n_events * EP_N_REPLICAS, sizeof(*t->changes));
	return t->changes ? 0 : -ENOMEM;
}

static void add_changes(
	struct ep_timeline *t, uint32_t bin, double share, const struct slice_place *place)
{
	float *of_bin = t->changes + (size_t)bin * t->n_events * EP_N_REPLICAS;

	for (uint32_t e = 0; e < place->n_events; e++) {
		const struct ep_value_change *change = &place->changes[e];
		float *of_event = of_bin + (size_t)place->event_idx[e] * EP_N_REPLICAS;

		for (size_t k = 0; k < EP_ARRAY_SIZE(change->by); k++)
			of_event[change->replica[k]] += (float)share * change->by[k];
	}
}

static void add_share(
	struct ep_timeline *t, uint32_t bin, double share, const struct slice_place *place)
{
	t->cpu_us[bin] += share * place->cpu_us;
	for (uint32_t e = 0; place->counts && e < place->n_events; e++)
		t->counts[(size_t)bin * t->n_events + place->event_idx[e]] +=
			share * place->counts[e];
	if (place->changes)
		add_changes(t, bin, share, place);
}

static void share_out(struct ep_timeline *t, const struct slice_place *place)
{
	uint64_t at = place->from_us, length = place->to_us - place->from_us;

	do {
		uint32_t bin = (uint32_t)n_widths(t, at - t->start_us);
		uint64_t end = t->start_us + (bin + 1) * t->width_us;

		if (end > place->to_us)
			end = place->to_us;
		add_share(t, bin, length ? (double)(end - at) / (double)length : 1, place);
		at = end;
	} while (at < place->to_us);
}

static int add_across(struct ep_timeline *t, uint32_t capacity, uint32_t n_events,
	const struct slice_place *place)
{
	if (!t->capacity && allocate(t, capacity, place->from_us))
		return -ENOMEM;
	if (widen(t, n_events) || (place->changes && reserve_changes(t)))
		return -ENOMEM;
	reach(t, place->from_us, place->to_us);
	share_out(t, place);
	return 0;
}

int ep_timeline_add_bin(struct ep_timeline *t, uint32_t capacity, uint32_t n_events,
	const struct ep_timeline_bin *bin)
{
	struct slice_place place = { .from_us = bin->from_us,
		.to_us = bin->from_us + bin->width_us,
		.cpu_us = bin->cpu_us,
		.counts = bin->counts,
		.event_idx = bin->event_idx,
		.n_events = bin->n_events };

	if (!t->capacity && allocate(t, capacity, place.from_us))
		return -ENOMEM;
	while (t->width_us < bin->width_us)
		halve(t);
	if (widen(t, n_events))
		return -ENOMEM;
	reach(t, place.from_us, place.to_us - 1);
	share_out(t, &place);
	return 0;
}

static inline uint64_t from_us_of(const struct ep_sample *s)
{
	return s->wall_us < s->time_us ? s->time_us - s->wall_us : 0;
}

static struct slice_place place_of(const struct ep_timeline_slices *slices, uint32_t i)
{
	const struct ep_sample *s = &slices->samples[i];

	return (struct slice_place){
		.from_us = slices->birth_us + from_us_of(s),
		.to_us = slices->birth_us + s->time_us,
		.cpu_us = (double)(int64_t)s->cpu_us,
		.counts = slices->counts ? slices->counts + (size_t)i * slices->n_events : NULL,
		.event_idx = slices->event_idx,
		.n_events = slices->n_events,
		.changes = slices->changes ? slices->changes + (size_t)i * slices->n_events : NULL,
	};
}

/* A bin that exists; the pointers are valid until bins are added or merged. */
struct bin {
	uint64_t from_us, to_us;
	double *cpu_us, *counts;
};

static struct bin bin_at(const struct ep_timeline *t, uint64_t us)
{
	uint64_t idx = n_widths(t, us - t->start_us), from_us = align_down(us, t->width_us);

	return (struct bin){ from_us, from_us + t->width_us, t->cpu_us + idx,
		t->counts ? t->counts + idx * t->n_events : NULL };
}

/* Returns the first slice, from the one at from on, that does not lie in the bin. */
static uint32_t end_of_bin(
	const struct bin *bin, const struct ep_timeline_slices *slices, uint32_t from)
{
	uint64_t birth_us = slices->birth_us, bin_from_us = bin->from_us, bin_to_us = bin->to_us;
	uint32_t n_slices = slices->n_slices, i = from;

	for (; i < n_slices; i++) {
		const struct ep_sample *s = &slices->samples[i];

		if (birth_us + from_us_of(s) < bin_from_us || birth_us + s->time_us >= bin_to_us)
			break;
	}
	return i;
}

static void add_changes_inside(struct ep_timeline *t, const struct ep_timeline_slices *slices,
	uint64_t from_us, uint32_t from, uint32_t to)
{
	uint32_t bin = (uint32_t)n_widths(t, from_us - t->start_us);

	for (uint32_t i = from; slices->changes && i < to; i++) {
		struct slice_place place = place_of(slices, i);

		add_changes(t, bin, 1, &place);
	}
}

/* Adds slices that all lie in one bin, one event after the other, so that each sum stays in a register. */
static void add_inside(
	const struct bin *bin, const struct ep_timeline_slices *slices, uint32_t from, uint32_t to)
{
	uint32_t n_events = slices->counts ? slices->n_events : 0;
	double sum = *bin->cpu_us;

	for (uint32_t i = from; i < to; i++)
		sum += (double)(int64_t)slices->samples[i].cpu_us;
	*bin->cpu_us = sum;
	for (uint32_t e = 0; e < n_events; e++) {
		const double *count = slices->counts + (size_t)from * n_events + e;
		double *of_event = &bin->counts[slices->event_idx[e]];

		if (slices->is_counted && !slices->is_counted[e])
			continue;
		sum = *of_event;
		for (uint32_t i = from; i < to; i++, count += n_events)
			sum += *count;
		*of_event = sum;
	}
}

/* Adds slices. Most slices lie in the bin in which the slice before ended. */
int ep_timeline_add(struct ep_timeline *t, uint32_t capacity, uint32_t n_events,
	const struct ep_timeline_slices *slices)
{
	uint32_t i = 0, to;

	while (i < slices->n_slices) {
		struct slice_place place = place_of(slices, i);
		struct bin bin;

		if (add_across(t, capacity, n_events, &place))
			return -ENOMEM;
		bin = bin_at(t, place.to_us);
		to = end_of_bin(&bin, slices, i + 1);
		add_inside(&bin, slices, i + 1, to);
		add_changes_inside(t, slices, bin.from_us, i + 1, to);
		i = to;
	}
	return 0;
}

void ep_timeline_finish(struct ep_timeline *t)
{
	free(t->cpu_us);
	free(t->counts);
	free(t->changes);
	*t = (struct ep_timeline){ 0 };
}
