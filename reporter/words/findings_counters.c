// SPDX-License-Identifier: BSD-3-Clause
/* Adds findings on the counters: other users of the PMU, slices that did not measure, and events that do not
 * count. */
#include <math.h>
#include <string.h>

#include "reporter/words/findings.h"

/* ---- another user of the PMU ---- */

static void find_sharing(struct ep_words *b)
{
	const struct ep_loss *l = &b->trace->loss;
	uint64_t n = b->report->n_slices;

	if (l->n_not_run && l->n_not_run == n) {
		WARN(b, "The counters never ran: something else held them during the whole run ('evprof doctor' may say who). No count of hardware events is known.");
		return;
	}
	if (l->n_not_run && b->report->has_estimates)
		WARN(b, "In %.1f %% of the slices the counters did not run; their values are estimated.",
			ep_percent(l->n_not_run, n));
	if (l->idle_us)
		WARN(b, "Something else used the counters for %.1f %% of the time (the kernel shared them out); counts are scaled for that.",
			ep_percent(l->idle_us * 1000, b->report->sampled_ns));
}

static void find_bad_counts(struct ep_words *b)
{
	const struct ep_loss *l = &b->trace->loss;

	if (l->n_bad_counts)
		WARN(b, "Dropped because they are impossible in one slice (negative, or overflowed): %s. Their values are estimated.",
			ep_number_of(b, l->n_bad_counts, "count"));
	if (l->n_incomplete)
		WARN(b, "In %.1f %% of the slices the counts are incomplete.",
			ep_percent(l->n_incomplete, b->report->n_slices));
}

/* ---- more events than counters ---- */

/* Returns the smallest share of slices that measured an event, among events with estimates; 1: no event has any. */
static double least_share(const struct ep_report *r)
{
	double least = 1;

	for (uint32_t e = 0; e < r->n_events; e++)
		if (r->events[e].total.is_estimate &&
			ep_quantity_is_known(&r->events[e].total.count))
			least = fmin(least, r->events[e].slice_share);
	return least;
}

/* Returns words on how sure the estimates are, and on which estimator would do better. */
static const char *beside_estimates(const char *estimator)
{
	if (!strcmp(estimator, "hold"))
		return "their errors are not known: --estimator path takes longer and computes errors.";
	if (!strcmp(estimator, "auto"))
		return "the true value lies within the error beside it in 95 of 100 cases.";
	return "the true value lies within the error beside it in 95 of 100 cases. --estimator auto takes longer and picks the best for each event.";
}

static void find_gaps(struct ep_words *b)
{
	double least = least_share(b->report);
	double ran = 1 - ep_percent(b->trace->loss.n_not_run, b->report->n_slices) / 100;
	bool has_turns = least < 0.99 * ran; /* false: other users of the PMU made all gaps */

	if (least < 1)
		NOTE(b, "%s (%s). ~ marks such values, and %s",
			has_turns
				? "More events than counters: each was measured in a part of the slices and estimated for the others"
				: "Slices in which the counters did not run are estimated",
			b->report->filler, beside_estimates(b->report->filler));
}

static void find_outliers(struct ep_words *b)
{
	uint64_t n = 0;
	uint32_t most = 0;

	for (uint32_t e = 0; e < b->trace->n_events; e++) {
		n += b->trace->events[e].n_outliers;
		if (b->trace->events[e].n_outliers > b->trace->events[most].n_outliers)
			most = e;
	}
	if (n && b->report->has_estimates)
		NOTE(b,
			"Far above the event's other slices, and kept: %s (%" PRIu64
			" of %s). Estimates near them are less sure.",
			ep_number_of(b, n, "count"), b->trace->events[most].n_outliers,
			b->trace->events[most].name);
}

enum { MAX_NAMED = 3 };

/* Names the events that were never measured, as "a, b, c and 29 more". */
static void find_unmeasured(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const char *names = "";
	uint32_t n = 0;

	if (!r->n_slices || b->trace->loss.n_not_run >= r->n_slices)
		return;
	for (uint32_t e = 0; e < r->n_events; e++)
		if (!ep_quantity_is_known(&r->events[e].total.count) && n++ < MAX_NAMED)
			names = ep_text(b, "%s%s%s", names, n > 1 ? ", " : "", r->events[e].name);
	if (n > MAX_NAMED)
		names = ep_text(b, "%s and %u more", names, n - MAX_NAMED);
	if (n)
		WARN(b, "%s %s never measured: the run was too short for %s turn, or %s could not be counted. A longer run measures more, or a shorter evprof run --period.",
			names, n == 1 ? "was" : "were", n == 1 ? "its" : "their",
			n == 1 ? "it" : "they");
}

/* ---- counters that do not count ---- */

/* Warns of a PMU that does not count. A few events are 0 in many programs. If nearly all are 0 and only a few
 * (usually cycles) are not, a virtual machine or an emulator offers a PMU whose other events it never counts. */
enum { MIN_SILENT = 4 };

static void find_silent(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	uint32_t n_counted = 0, n_silent = 0;

	for (uint32_t e = 0; e < r->n_events; e++) {
		if (!ep_quantity_is_known(&r->events[e].total.count) ||
			b->trace->events[e].software)
			continue;
		n_counted += !(r->events[e].total.count.value == 0);
		n_silent += r->events[e].total.count.value == 0;
	}
	if (n_counted && n_silent >= MIN_SILENT && n_silent >= 3 * n_counted)
		WARN(b, "%u of %u hardware events were 0 in every slice that measured them. The PMU of a virtual or emulated machine may accept events that it never counts: metrics computed from them mean nothing here.",
			n_silent, n_silent + n_counted);
}

void ep_find_counters(struct ep_words *builder)
{
	find_sharing(builder);
	find_bad_counts(builder);
	find_silent(builder);
	find_gaps(builder);
	find_outliers(builder);
	find_unmeasured(builder);
}
