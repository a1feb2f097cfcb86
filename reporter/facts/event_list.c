// SPDX-License-Identifier: BSD-3-Clause
/* Builds the list of events: each one's count in the run, and the error of that count. */
#include <math.h>

#include "reporter/facts/builder.h"

/* Returns the error of the run's count; NaN: not known. Errors of stretches are added as if they were
 * independent. A place that was hardly measured in any stretch has the same error in all of them; the changes
 * in replicas show this larger error. */
static double total_error(const struct ep_event_info *info, const struct ep_report_value *total)
{
	double error;

	if (!(info->estimator || info->is_scaled) || !(info->variance >= 0))
		return NAN;
	error = sqrt(info->variance);
	return info->has_changes ? fmax(error, total->count.error) : error;
}

static void fill_event(struct ep_builder *builder, uint32_t e)
{
	const struct ep_event_info *info = &builder->trace->events[e];
	struct ep_report_event *row = &builder->report->events[e];
	double exact = 0;
	bool is_exact = builder->report->n_threads > 0, is_partial = false;

	row->name = info->name;
	row->unit = info->unit;
	row->always = info->always;
	row->software = info->software;
	row->n_slices = info->n_slices;
	row->n_slices_measured = info->n_slices_measured;
	row->slice_share =
		info->n_slices ? (double)info->n_slices_measured / (double)info->n_slices : 0;
	row->total = ep_value_of(builder, &info->sum, e);
	row->is_scaled = info->is_scaled;
	if (info->has_changes)
		ep_value_take_changes(&row->total, info->changes);
	row->estimator = info->estimator;
	row->error = ep_quantity_of(total_error(info, &row->total), "the estimator tells no error");
	row->holdout_error =
		info->holdout_slices
			? ep_quantity_exact(info->holdout_error / (double)info->holdout_slices)
			: ep_quantity_unknown("no measured slice was hidden from the estimator");
	for (uint32_t i = 0; i < builder->report->n_threads; i++) {
		const struct ep_report_value *value = &builder->report->threads[i].values[e];

		is_exact &= !value->is_estimate && ep_quantity_is_known(&value->count);
		is_partial |= value->is_partial;
		exact += value->count.value;
	}
	/* callgrind's own counts cover the whole run, those of threads only their slices */
	if (is_exact && !builder->trace->exact)
		row->total = ep_value_exact(exact, 0);
	row->total.is_partial = is_partial;
	builder->report->has_partial_events |= is_partial;
	builder->report->has_estimates |=
		row->total.is_estimate && ep_quantity_is_known(&row->total.count);
}

void ep_build_events(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;

	report->events =
		ep_builder_calloc(builder, builder->trace->n_events, sizeof(*report->events));
	if (!report->events)
		return;
	report->n_events = builder->trace->n_events;
	for (uint32_t e = 0; e < report->n_events; e++)
		fill_event(builder, e);
}
