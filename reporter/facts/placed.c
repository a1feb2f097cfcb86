// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computes the count of an event in a place from the event's own ticks: the event's total times the place's
 * share of the ticks' weights. docs/estimators.md derives it and its error.
 */
#include <math.h>
#include <stdlib.h>

#include "reporter/facts/builder.h"

/* The largest part of an event's count that may be in threads where the event never ended a slice. If the
 * part were larger, the ticks of other threads would decide the place of too much of the count. */
#define MOST_UNARMED 0.02

static const double z95 = 1.96;

/* Returns the share of the threads' time in which the event was the trigger. */
static double share_armed(const struct ep_trace *trace, uint32_t event_idx)
{
	double armed_us = 0, all_us = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &trace->threads[i];

		all_us += (double)thread->cost.cpu_us;
		if (event_idx < thread->n_armed)
			armed_us += (double)thread->armed_us[event_idx];
	}
	return all_us > 0 ? fmin(1, armed_us / all_us) : 0;
}

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

/* The share of a place, and the changes of the share in replicas. Each replica leaves out some of the windows. */
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

/* The share of a place by the ticks alone (met), and by how much the prediction of all windows exceeds the
 * prediction of the windows in which the ticks fell (lacking). A window predicts that half of its count
 * happened in the place where it began, and half in the place where it ended. */
struct shares {
	struct share met, lacking;
};

/* Computes the shares of a place. If all windows measured the event, the prediction by all windows is exact.
 * The more windows did not measure it, the more this prediction is itself a random draw; so its changes count
 * with the square root of the share of such windows. */
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

static double of_all(double part, const struct ep_window_sum *all)
{
	return all->all > 0 ? fmin(1, part / all->all) : 0;
}

/* Tells whether it is known which windows began and ended in different places. It is not known if no window
 * did, nor in reduced files before version 1.3. */
static bool knows_parted(const struct ep_tick_sum *all, enum ep_dimension dimension)
{
	return all->parted[dimension] > 0;
}

/* Returns how alike the two ends of a window are: 1 if both are always inside the place or both outside, as
 * when the program stays there for long; 0 if one end tells nothing about the other. Two independent ends,
 * each inside with probability q, differ with probability 2 q (1 - q). */
static double likeness(const struct ep_tick_sum *of_place, const struct ep_tick_sum *all,
	enum ep_dimension dimension)
{
	double q = of_all(of_place->foretold.all, &all->foretold);
	double parted = of_all(of_place->parted[dimension], &all->foretold);

	return q > 0 && q < 1 ? fmin(1, fmax(0, 1 - parted / (2 * q * (1 - q)))) : 1;
}

/* Returns which part of a tick's variance remains after slope times the window's prediction is subtracted. If a place
 * is entered and left at random, two moments that are u windows apart agree by like^u, whose mean for u from 0 to 1 is
 * h. If the program stays in the place for a constant time, they agree more, and h is larger. The slope shows this:
 * the slope with the least variance is 2 h / (1 + like), so that h is at least slope (1 + like) / 2. */
static double left_of_variance(double like, double slope)
{
	double h = like <= 0 ? 0 : like >= 1 ? 1 : (like - 1) / log(like);

	h = fmax(h, slope * (1 + like) / 2);
	return fmax(0, 1 - 2 * slope * h + slope * slope * (1 + like) / 2);
}

/* Returns the variance of a share by the interval of Agresti and Coull (1998): half of the interval is 1.96
 * standard errors. It is never 0, however few ticks there are. */
static double binomial_variance(double share, double n)
{
	double tilde_n = n + z95 * z95, centre = (share * n + z95 * z95 / 2) / tilde_n;

	return centre * (1 - centre) / tilde_n;
}

/* Returns the number of ticks of equal weight that would tell as much (Kish 1965). */
static double effective(const struct ep_tick_sum *sum)
{
	return sum->squares > 0 ? sum->met.all * sum->met.all / sum->squares : 0;
}

static double share_by(const struct shares *s, double slope)
{
	return fmin(1, fmax(0, s->met.value + slope * s->lacking.value));
}

/* Returns the variance of a place's share as if all ticks were independent. Few ticks may fall in windows
 * that the place shares with other places. So a part of the variance comes from the place's share in all
 * windows, which tells how much of its count lies in such windows. */
static double variance_of_ticks(const struct ep_tick_sum *of_place,
	const struct ep_report_placing *placing, double share, enum ep_dimension dimension)
{
	double b = placing->slope, n = effective(&placing->all);
	double q = of_all(of_place->foretold.all, &placing->all.foretold);
	double by_share = binomial_variance(share, n), by_windows = q * (1 - q) / n;

	return ((1 - b) * by_share + b * by_windows) *
	       left_of_variance(likeness(of_place, &placing->all, dimension), b);
}

/* Returns the 95 % quantile of Student's distribution, by its expansion in 1 / freedom (Abramowitz and Stegun
 * 1964, 26.7.5). */
static double student_95(double freedom)
{
	double z3 = pow(z95, 3), z5 = pow(z95, 5), z7 = pow(z95, 7);

	return z95 + (z3 + z95) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z95) / (96 * freedom * freedom) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z95) / (384 * pow(freedom, 3));
}

/* Returns the degrees of freedom of a variance. Half of the variance comes from the place's own replicas,
 * half from the mean over all procedures. The place is one of these, and if only two procedures share an
 * event, both have the same replicas. Replicas tell no more than the windows of which they are sums. A
 * window's ticks in a place are a number between none and all of them, whose square varies by less than half
 * as much as the square of a normal variable; hence 2 degrees for each window. */
static double freedom_of(double n_procedures, double n_windows)
{
	double n_others = fmax(1, n_procedures - 1);
	double of_replicas = 4 * (EP_N_REPLICAS - 1) / (1 + 3 / n_others);

	return 1 / (1 / of_replicas + 1 / (2 * n_windows));
}

/* Returns the factor that corrects a variance which is too small, because each window pulls the share and the
 * slope towards its own ticks. A window has 1 / n_windows of the variance on average (MacKinnon and White
 * 1985). */
static double leverage_of(double n_windows)
{
	return 1 + 2 / n_windows;
}

/* Returns the number of windows of equal size whose ticks would tell as much (Carter, Schnepel and
 * Steigerwald 2017). If the ticks of a window are independent draws, they add their squared weights to the
 * variance. If they fall in the same place, they add the square of their summed weights; slope is the part of
 * the variance for which this holds. The result is infinite for reduced files that do not have sizes. */
static double effective_windows(const struct ep_tick_sum *all, double slope)
{
	const struct ep_window_sizes *sizes = &all->sizes;
	double own = 1 - slope, variance = own * all->squares + slope * sizes->squares;
	double squares = own * own * sizes->of_ticks + 2 * own * slope * sizes->both +
			 slope * slope * sizes->fourths;

	return squares > 0 ? fmax(1, variance * variance / squares) : INFINITY;
}

static double change_of(const struct shares *s, double slope, int replica)
{
	return s->met.changes[replica] + slope * s->lacking.changes[replica];
}

static double variance_of_replicas(const struct shares *s, double slope)
{
	float changes[EP_N_REPLICAS];

	for (int j = 0; j < EP_N_REPLICAS; j++)
		changes[j] = (float)change_of(s, slope, j);
	return ep_replica_variance(changes);
}

/* Sets the slope that minimizes the variance of all procedures' shares, as their replicas show it. */
static void set_slope(const struct ep_attribution *procedures, uint32_t event_idx,
	struct ep_report_placing *placing)
{
	double lacking = 0, both = 0;

	for (uint32_t i = 0; i < procedures->n_tallies; i++) {
		const struct ep_tick_sums *ticks = &procedures->tallies[i].ticks;
		struct shares s;

		if (event_idx >= ticks->n_rows)
			continue;
		s = shares_of(&ticks->rows[event_idx], placing);
		for (int j = 0; j < EP_N_REPLICAS; j++) {
			lacking += s.lacking.changes[j] * s.lacking.changes[j];
			both += s.met.changes[j] * s.lacking.changes[j];
		}
	}
	placing->slope = lacking > 0 ? fmin(1, fmax(0, -both / lacking)) : 0;
}

/* Sets the factors of variances for ticks that are not independent. Ticks of one window are alike, which
 * multiplies variances by a factor that the replicas of all procedures show. Replicas also treat windows as
 * drawn with replacement, but they are drawn without. Therefore the variance between windows, which this
 * factor adds, is reduced by the share of time in which the event was the trigger. */
static void set_clusters(const struct ep_attribution *procedures, uint32_t event_idx,
	double armed_share, struct ep_report_placing *placing)
{
	double replicas = 0, ticks = 0, squares = 0, n_windows;

	for (uint32_t i = 0; i < procedures->n_tallies; i++) {
		const struct ep_tick_sums *sums = &procedures->tallies[i].ticks;
		const struct ep_tick_sum *of_place;
		struct shares s;
		double variance;

		if (event_idx >= sums->n_rows)
			continue;
		of_place = &sums->rows[event_idx];
		s = shares_of(of_place, placing);
		variance = variance_of_ticks(
			of_place, placing, share_by(&s, placing->slope), EP_BY_SYMBOL);
		replicas += variance_of_replicas(&s, placing->slope);
		ticks += variance;
		squares += variance * variance;
	}
	if (!knows_parted(&placing->all, EP_BY_SYMBOL))
		ticks = 0;
	n_windows = effective_windows(&placing->all, placing->slope);
	placing->clusters = ticks > 0 ? fmax(1, replicas / ticks) * leverage_of(n_windows) : 1;
	placing->student =
		student_95(freedom_of(ticks > 0 ? ticks * ticks / squares : 0, n_windows));
	placing->not_again = 1 - armed_share * (1 - 1 / placing->clusters);
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
		placing->has_ticks = effective(&placing->all) > 0 && has_ticks(builder->trace, e);
		if (!placing->has_ticks)
			continue;
		set_slope(procedures, e, placing);
		set_clusters(procedures, e, share_armed(builder->trace, e), placing);
	}
	free(ticks.rows);
}

/* Returns the variance of a place's share: the mean of the variance of its own replicas, which is too small
 * for few ticks, and of the variance by all windows. Without any tick it is at least what the upper end of
 * Agresti and Coull's interval gives, which is a little above the rule of three. */
static double variance_of_share(const struct ep_report_placing *placing,
	const struct ep_tick_sum *of_place, double share, double by_replicas,
	enum ep_dimension dimension)
{
	double n = effective(&placing->all), far = z95 * z95 / (n + z95 * z95);
	double by_all =
		knows_parted(&placing->all, dimension)
			? placing->clusters * variance_of_ticks(of_place, placing, share, dimension)
			: by_replicas;
	double least = of_place->n_ticks ? 0.25 / (n * n)
					 : pow(far / 2 / z95 + sqrt(binomial_variance(0, n)), 2);

	return fmax(least, placing->not_again * (by_all + by_replicas) / 2);
}

void ep_value_place(const struct ep_builder *builder, const struct ep_tick_sum *of_place,
	const struct ep_place_count *place, float *out_changes, struct ep_report_value *value)
{
	const struct ep_report_placing *placing = &builder->report->placing[place->event_idx];
	const struct ep_report_value *total = &builder->report->events[place->event_idx].total;
	struct shares s = shares_of(of_place, placing);
	double share = share_by(&s, placing->slope);
	double by_replicas = variance_of_replicas(&s, placing->slope);
	double variance =
		variance_of_share(placing, of_place, share, by_replicas, place->dimension);
	double scale = by_replicas > variance ? sqrt(variance / by_replicas) : 1;
	double rest = fmax(0, variance - by_replicas * scale * scale);

	/* changes of the product of total and share, to first order */
	for (int j = 0; j < EP_N_REPLICAS; j++)
		out_changes[j] =
			(float)(share * (total->changes ? (double)total->changes[j] : 0) +
				total->count.value * scale * change_of(&s, placing->slope, j));
	value->is_estimate = true;
	value->has_ticks = true;
	value->n_ticks = of_place->n_ticks;
	value->changes = out_changes;
	value->placing_error = fmax(0, total->count.value) * sqrt(rest) * placing->student / z95;
	double error = ep_error_add(sqrt(ep_replica_variance(out_changes)) * placing->student / z95,
		value->placing_error);

	if (total->count.state != EP_QUANTITY_KNOWN || total->is_partial)
		error = NAN;
	if (ep_quantity_is_known(&value->count))
		value->count = ep_quantity_within(total->count.value * share, error);
	value->estimate_error = ep_quantity_of(error, "that of the run's count is not known");
}
