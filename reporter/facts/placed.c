// SPDX-License-Identifier: BSD-3-Clause
/*
 * The count of a place from the event's own ticks: the total times the place's share of their weights.
 * docs/estimators.md derives it and its error.
 */
#include <math.h>
#include <stdlib.h>

#include "reporter/facts/builder.h"

/* The largest part of an event's count in threads that it never ended slices of. With more, other
 * threads' ticks would place theirs. */
#define MOST_UNARMED 0.02

static const double z95 = 1.96;

/* 95 % of Student's distribution with the replicas' degrees of freedom, less one: 2.12 of 16. */
static const double student_95 = 2.12;

static bool has_ticks(const struct ep_trace *trace, uint32_t event_idx)
{
	double armed = 0, all = 0;

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

/* The share of a place, and its changes where each replica leaves its windows out. */
struct share {
	double value;
	double changes[EP_N_REPLICAS];
};

static struct share share_of(const struct ep_window_sum *part, const struct ep_window_sum *all)
{
	struct share share = { .value = all->all > 0 ? part->all / all->all : 0 };

	for (int j = 0; j < EP_N_REPLICAS; j++) {
		double rest = all->all - (double)all->by_replica[j];

		if (all->all > 0 && rest > 0)
			share.changes[j] =
				(part->all - (double)part->by_replica[j]) / rest - share.value;
	}
	return share;
}

/* By the ticks alone, and by how much the windows that they met foretell less than all windows do. */
struct shares {
	struct share met, lacking;
};

/* Windows that measured the event are all there are of it or a part: as much as was not measured makes
 * what they foretell a draw. */
static struct shares shares_of(
	const struct ep_tick_sum *part, const struct ep_report_placing *placing)
{
	const struct ep_tick_sum *all = &placing->all;
	struct shares shares = { share_of(&part->met, &all->met),
		share_of(&part->foretold, &all->foretold) };
	struct share of_ticks = share_of(&part->of_ticks, &all->of_ticks);

	shares.lacking.value -= of_ticks.value;
	for (int j = 0; j < EP_N_REPLICAS; j++)
		shares.lacking.changes[j] =
			sqrt(placing->unmeasured) * shares.lacking.changes[j] - of_ticks.changes[j];
	return shares;
}

/* The slope that makes the variance of all procedures' shares least, told by their replicas. */
static void set_slope(const struct ep_attribution *procedures, uint32_t event_idx,
	struct ep_report_placing *placing)
{
	double met = 0, lacking = 0, both = 0, b;

	for (uint32_t i = 0; i < procedures->n_tallies; i++) {
		const struct ep_tick_sums *ticks = &procedures->tallies[i].ticks;
		struct shares s;

		if (event_idx >= ticks->n_rows)
			continue;
		s = shares_of(&ticks->rows[event_idx], placing);
		for (int j = 0; j < EP_N_REPLICAS; j++) {
			met += s.met.changes[j] * s.met.changes[j];
			lacking += s.lacking.changes[j] * s.lacking.changes[j];
			both += s.met.changes[j] * s.lacking.changes[j];
		}
	}
	b = lacking > 0 ? fmin(1, fmax(0, -both / lacking)) : 0;
	placing->slope = b;
	placing->unexplained = met > 0 ? fmax(0, 1 + (2 * b * both + b * b * lacking) / met) : 1;
}

static int sum_ticks(const struct ep_trace *trace, struct ep_tick_sums *sums)
{
	for (uint32_t i = 0; i < trace->n_costs; i++)
		if (ep_tick_sums_add(sums, &trace->costs[i].ticks))
			return -1;
	return 0;
}

void ep_build_placing(struct ep_builder *builder, const struct ep_attribution *procedures)
{
	struct ep_report *report = builder->report;
	struct ep_tick_sums ticks = { 0 };

	if (sum_ticks(builder->trace, &ticks))
		builder->out_of_memory = true;
	else if (ticks.n_rows)
		report->placing =
			ep_builder_calloc(builder, report->n_events, sizeof(*report->placing));
	for (uint32_t e = 0; report->placing && e < report->n_events && e < ticks.n_rows; e++) {
		struct ep_report_placing *placing = &report->placing[e];

		placing->all = ticks.rows[e];
		placing->unmeasured = fmax(0, 1 - report->events[e].slice_share);
		placing->has_ticks = placing->all.met.all > 0 && has_ticks(builder->trace, e);
		if (placing->has_ticks)
			set_slope(procedures, e, placing);
	}
	free(ticks.rows);
}

/* Ticks of equal weights that would tell as much (Kish 1965). */
static double effective(const struct ep_tick_sum *sum)
{
	return sum->squares > 0 ? sum->met.all * sum->met.all / sum->squares : 0;
}

/* Half the interval of Agresti and Coull (1998) around share, in standard errors: it holds 95 times
 * of 100 however few ticks there are; with none it is the rule of three, a little wider. */
static double binomial_error(double share, double n)
{
	double tilde_n = n + z95 * z95, centre = (share * n + z95 * z95 / 2) / tilde_n;
	double half = z95 * sqrt(centre * (1 - centre) / tilde_n);

	return (fabs(centre - share) + half) / z95;
}

/* The part of a share's error that its replicas do not tell, for they see too little of few ticks. Windows
 * explain some of the chance in ticks, where there are any, but never less than one more or less. */
static double unseen_error(const struct ep_report_placing *placing,
	const struct ep_tick_sum *of_place, double share, double seen)
{
	double n = effective(&placing->all), by_chance = binomial_error(share, n);
	double variance = by_chance * by_chance * (of_place->n_ticks ? placing->unexplained : 1);

	return sqrt(fmax(variance - seen * seen, 1 / (n * n)));
}

void ep_value_place(const struct ep_builder *builder, const struct ep_tick_sum *of_place,
	uint32_t event_idx, float *out_changes, struct ep_report_value *value)
{
	const struct ep_report_placing *placing = &builder->report->placing[event_idx];
	const struct ep_report_value *total = &builder->report->events[event_idx].total;
	struct shares s = shares_of(of_place, placing);
	double share = fmin(1, fmax(0, s.met.value + placing->slope * s.lacking.value));
	double seen;

	/* of the total and of the share, to the first order */
	for (int j = 0; j < EP_N_REPLICAS; j++)
		out_changes[j] =
			(float)(share * (total->changes ? (double)total->changes[j] : 0) +
				total->value *
					(s.met.changes[j] + placing->slope * s.lacking.changes[j]));
	seen = sqrt(ep_replica_variance(out_changes)) * student_95 / z95;
	value->value = total->value * share;
	value->is_estimate = true;
	value->has_ticks = true;
	value->n_ticks = of_place->n_ticks;
	value->changes = out_changes;
	value->placing_error = total->value > 0 ? total->value * unseen_error(placing, of_place,
									 share, seen / total->value)
						: 0;
	value->error = value->estimate_error = ep_error_add(seen, value->placing_error);
	if (total->error < 0 || total->is_partial)
		value->error = value->estimate_error = -1;
}
