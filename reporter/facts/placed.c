// SPDX-License-Identifier: BSD-3-Clause
/*
 * The count of a place from the event's own ticks: the total times the place's share of their weights.
 * docs/estimators.md derives it and its error.
 */
#include <math.h>

#include "reporter/facts/builder.h"

/* The largest part of an event's count in threads that it never ended slices of. With more, other
 * threads' ticks would place theirs. */
#define MOST_UNARMED 0.02

static const double z95 = 1.96;

/* 95 % of Student's distribution with the replicas' degrees of freedom, less one: 2.12 of 16. */
static const double student_95 = 2.12;

bool ep_has_event_ticks(const struct ep_builder *builder, uint32_t event_idx)
{
	const struct ep_trace *trace = builder->trace;
	double armed = 0, all = 0;

	if (event_idx >= builder->ticks.n_rows || builder->ticks.rows[event_idx].weight <= 0)
		return false;
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &trace->threads[i];
		double count;

		if (event_idx >= thread->sums.n_rows)
			continue;
		count = thread->sums.rows[event_idx].measured + thread->sums.rows[event_idx].filled;
		all += count;
		if (event_idx < thread->n_armed && thread->armed_us[event_idx])
			armed += count;
	}
	return all > 0 && all - armed <= MOST_UNARMED * all;
}

/* Ticks of equal weights that would tell as much (Kish 1965). */
static double effective(const struct ep_tick_sum *sum)
{
	return sum->squares > 0 ? sum->weight * sum->weight / sum->squares : 0;
}

/* Half the interval of Agresti and Coull (1998) around share, in standard errors: it holds 95 times
 * of 100 however few ticks there are; with none it is the rule of three, a little wider. */
static double binomial_error(double share, double n)
{
	double tilde_n = n + z95 * z95, centre = (share * n + z95 * z95 / 2) / tilde_n;
	double half = z95 * sqrt(centre * (1 - centre) / tilde_n);

	return (fabs(centre - share) + half) / z95;
}

/* The share without the windows of replica j; of no ticks at all, nothing. */
static double share_without(
	const struct ep_tick_sum *part, const struct ep_tick_sum *all, int j, double otherwise)
{
	double rest = all->weight - (double)all->by_replica[j];

	return rest > 0 ? (part->weight - (double)part->by_replica[j]) / rest : otherwise;
}

/* Changes of the total and of the share, of the first order. */
static void set_changes(const struct ep_report_value *total, double share,
	const struct ep_tick_sum *part, const struct ep_tick_sum *all, float *out_changes)
{
	for (int j = 0; j < EP_N_REPLICAS; j++) {
		double of_total = total->changes ? (double)total->changes[j] : 0;

		out_changes[j] =
			(float)(share * of_total +
				total->value * (share_without(part, all, j, share) - share));
	}
}

void ep_value_place(const struct ep_builder *builder, const struct ep_tick_sum *of_place,
	uint32_t event_idx, float *out_changes, struct ep_report_value *value)
{
	const struct ep_tick_sum *all = &builder->ticks.rows[event_idx];
	const struct ep_report_value *total = &builder->report->events[event_idx].total;
	double share = of_place->weight / all->weight, by_replicas, by_chance;

	set_changes(total, share, of_place, all, out_changes);
	by_replicas = sqrt(ep_replica_variance(out_changes)) * student_95 / z95;
	by_chance = total->value * binomial_error(share, effective(all));
	value->value = total->value * share;
	value->is_estimate = true;
	value->has_ticks = true;
	value->n_ticks = of_place->n_ticks;
	value->changes = out_changes;
	value->placing_error = by_chance > by_replicas
				       ? sqrt(by_chance * by_chance - by_replicas * by_replicas)
				       : 0;
	value->error = value->estimate_error = fmax(by_replicas, by_chance);
	if (total->error < 0 || total->is_partial)
		value->error = value->estimate_error = -1;
}
