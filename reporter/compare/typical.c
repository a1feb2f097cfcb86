// SPDX-License-Identifier: BSD-3-Clause
/* Makes one report of several runs, with the texts of the first and the means of all numbers. */
#include <stdlib.h>
#include <string.h>

#include "reporter/compare/compare.h"

#define MEAN(field) typical->field = mean_of(runs, offsetof(struct ep_report, field))
#define MEAN_QUANTITY(field)                                                                       \
	typical->field = mean_quantity_of(runs, offsetof(struct ep_report, field))
#define MEAN_NS(field) typical->field = mean_ns_of(runs, offsetof(struct ep_report, field))

static double mean_of(const struct ep_compared_runs *runs, size_t offset)
{
	double sum = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		sum += *(const double *)((const char *)runs->reports[r] + offset);
	return sum / runs->n;
}

/* Returns the mean of a quantity; if one run does not know the quantity, the mean is unknown. */
static struct ep_quantity mean_quantity_of(const struct ep_compared_runs *runs, size_t offset)
{
	double sum = 0;

	for (uint32_t r = 0; r < runs->n; r++) {
		const struct ep_quantity *one =
			(const void *)((const char *)runs->reports[r] + offset);

		if (!ep_quantity_is_known(one))
			return *one;
		sum += one->value;
	}
	return ep_quantity_exact(sum / runs->n);
}

static uint64_t mean_ns_of(const struct ep_compared_runs *runs, size_t offset)
{
	double sum = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		sum += (double)*(const uint64_t *)((const char *)runs->reports[r] + offset);
	return (uint64_t)(sum / runs->n + 0.5);
}

static const struct ep_report_value *find_total(const struct ep_report *report, const char *name)
{
	for (uint32_t i = 0; i < report->n_events; i++)
		if (!strcmp(report->events[i].name, name))
			return &report->events[i].total;
	return NULL;
}

/* Sets an event's total to its mean over the runs; if one run did not count the event, the mean is unknown. */
static void take_mean_total(const struct ep_compared_runs *runs, struct ep_report_event *event)
{
	double sum = 0;

	for (uint32_t r = 0; r < runs->n; r++) {
		const struct ep_report_value *total = find_total(runs->reports[r], event->name);

		if (!total || !ep_quantity_is_known(&total->count)) {
			event->total.count = ep_quantity_unknown("a run did not count it");
			return;
		}
		sum += total->count.value;
	}
	event->total.count.value = sum / runs->n;
}

static void take_means(struct ep_report *typical, const struct ep_compared_runs *runs)
{
	MEAN(duration_s);
	MEAN(region_s);
	MEAN_QUANTITY(load);
	MEAN(rank_own_most_s);
	MEAN(rank_own_mean_s);
	MEAN(lost_share);
	MEAN_NS(cpu_ns);
	MEAN_NS(busiest_ns);
	MEAN_NS(lock_ns);
	MEAN_NS(sampled_ns);
	MEAN_NS(waits.all_ns);
	MEAN_NS(waits.ready_ns);
	for (uint32_t r = 0; r < runs->n; r++) {
		typical->lacked_cpus |= runs->reports[r]->lacked_cpus;
		typical->waits.has_unknown |= runs->reports[r]->waits.has_unknown;
		typical->waits.is_unknown |= runs->reports[r]->waits.is_unknown;
		typical->has_noted_waits &= runs->reports[r]->has_noted_waits;
	}
}

struct ep_report *ep_compare_typical(const struct ep_compared_runs *runs)
{
	const struct ep_report *first = runs->reports[0];
	struct ep_report *typical =
		malloc(sizeof(*typical) + first->n_events * sizeof(*typical->events));

	if (!typical)
		return NULL;
	*typical = *first;
	typical->events = (struct ep_report_event *)(typical + 1);
	if (first->n_events)
		memcpy(typical->events, first->events, first->n_events * sizeof(*first->events));
	take_means(typical, runs);
	for (uint32_t i = 0; i < typical->n_events; i++)
		take_mean_total(runs, &typical->events[i]);
	return typical;
}
