// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences of a series. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/lineup.h"
#include "reporter/text/layout.h"
#include "reporter/text/short_names.h"

static int say(struct ep_lineup *s, const char *text)
{
	if (s->n_in_short == EP_ARRAY_SIZE(s->in_short))
		return 0;
	s->in_short[s->n_in_short] = ep_strings_add(&s->texts, text, strlen(text));
	return s->in_short[s->n_in_short++] ? 0 : -ENOMEM;
}

static const struct ep_lineup_column *last_of(const struct ep_lineup *s)
{
	return &s->columns[s->n_columns - 1];
}

static int say_quickest(struct ep_lineup *s)
{
	uint32_t quickest = 0, n_unknown = 0;
	char text[256], time[EP_NUMBER_BYTES];

	for (uint32_t k = 0; k < s->n_columns; k++) {
		n_unknown += isnan(s->columns[k].speedup);
		if (s->columns[k].speedup > s->columns[quickest].speedup)
			quickest = k;
	}
	if (n_unknown)
		return say(s,
			"If several threads were in the region, its duration is not known: only CPU time is compared.");
	ep_format_seconds(time, ep_shown_s(s->columns[quickest].report));
	if (quickest)
		snprintf(text, sizeof(text),
			"Number %u was the quickest: %s, %.2f times as fast as the first.",
			quickest + 1, time, s->columns[quickest].speedup);
	else
		snprintf(text, sizeof(text), "None was quicker than the first: %s.", time);
	return say(s, text);
}

static int say_scaling(struct ep_lineup *s)
{
	const struct ep_lineup_column *last = last_of(s);
	char text[256];

	if (isnan(last->efficiency) || last->n_workers == s->columns[0].n_workers)
		return say_quickest(s);
	snprintf(text, sizeof(text),
		"From %u %s to %u the run became %.2f times as fast: an efficiency of %.0f %%.",
		s->columns[0].n_workers, s->has_ranks ? "ranks" : "threads", last->n_workers,
		last->speedup, 100 * last->efficiency);
	return say(s, text);
}

/* ---- simulated columns ---- */

static int say_least_estimate(struct ep_lineup *s)
{
	double first_ns = (double)s->columns[0].report->sampled_ns, least_ns;
	char text[320], time[EP_NUMBER_BYTES];
	uint32_t least = 0;

	for (uint32_t k = 1; k < s->n_columns; k++)
		if (s->columns[k].report->sampled_ns < s->columns[least].report->sampled_ns)
			least = k;
	least_ns = (double)s->columns[least].report->sampled_ns;
	ep_format_seconds(time, least_ns / 1e9);
	if (least)
		snprintf(text, sizeof(text),
			"By callgrind's estimate of cycles, a cycle for a nanosecond, number %u takes least: %s of CPU time, %.2f of what the first takes.",
			least + 1, time, least_ns / first_ns);
	else
		snprintf(text, sizeof(text),
			"By callgrind's estimate of cycles, a cycle for a nanosecond, none takes less than the first: %s of CPU time.",
			time);
	return say(s, text);
}

/* Lists the columns that valgrind simulated, as "number 2" or "numbers 2, 4". */
static void list_simulated(const struct ep_lineup *s, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "number%s", s->n_simulated > 1 ? "s" : "");
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->n_columns && used < size; k++)
		if (s->columns[k].report->is_simulated)
			used += (size_t)snprintf(
				out + used, size - used, "%s %u", n++ ? "," : "", k + 1);
}

/* Says how far the times of simulated columns can be compared: the simulator's time on the clock tells
 * nothing about the program's time. */
static int say_simulated(struct ep_lineup *s)
{
	char text[320], list[160];

	if (s->is_exact)
		return say_least_estimate(s);
	if (s->n_simulated == s->n_columns)
		return say(s,
			"valgrind simulated the runs: their times are the simulator's, and callgrind's estimate is not there for all of them.");
	list_simulated(s, list, sizeof(list));
	snprintf(text, sizeof(text),
		"valgrind simulated %s and not the others: their times are not alike.", list);
	return say(s, text);
}

/* ---- losses ---- */

#define EFFICIENT 0.95
#define MAX_NAMED 3
#define LEAST_NAMED 0.01 /* share of the CPU time; smaller changes are not named */

/* Lists procedures whose CPU time surely grew, as "exchange 500 ms, pack 20 ms"; returns their number. */
static uint32_t list_grown(const struct ep_lineup *s, char *out, size_t size)
{
	double least_ns = LEAST_NAMED * (double)last_of(s)->report->sampled_ns;
	uint32_t n = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < s->n_rows && n < MAX_NAMED && used < size; i++) {
		double change = ep_lineup_change(s, &s->rows[i]);
		char name[160], time[EP_NUMBER_BYTES];

		if (change < least_ns || change <= s->rows[i].least_sure)
			continue;
		ep_name_fit(s->rows[i].name, EP_SPOKEN_WIDTH, "...", name, sizeof(name));
		ep_format_seconds(time, change / 1e9);
		used += (size_t)snprintf(
			out + used, size - used, "%s%s %s", n++ ? ", " : "", name, time);
	}
	return n;
}

/* Returns the workers' time on the clock minus their CPU time: during the difference they waited, or did not
 * exist. */
static double idle_s(const struct ep_lineup_column *column)
{
	return column->n_workers * ep_shown_s(column->report) -
	       (double)column->report->cpu_ns / 1e9;
}

/* Says how much time was lost. Perfect scaling keeps the number of workers times the time on the clock
 * constant, so that any growth of this product is lost time. */
static int say_losses(struct ep_lineup *s)
{
	const struct ep_lineup_column *first = &s->columns[0], *last = last_of(s);
	double lost_s = last->n_workers * ep_shown_s(last->report) -
			first->n_workers * ep_shown_s(first->report);
	double more_idle_s = idle_s(last) - idle_s(first);
	char text[1024], list[640] = "", lost[EP_NUMBER_BYTES], idle[EP_NUMBER_BYTES];
	uint32_t n;

	if (!s->is_scaling || !(last->efficiency < EFFICIENT) || !(lost_s > 0))
		return 0;
	n = list_grown(s, list, sizeof(list));
	ep_format_seconds(lost, lost_s);
	ep_format_seconds(idle, fmax(more_idle_s, 0));
	snprintf(text, sizeof(text),
		"All %s together took %s more: %s of it they did not compute%s%s.",
		s->has_ranks ? "ranks" : "threads", lost, idle,
		n ? "; more CPU time went to " : ", and no procedure surely took more CPU time",
		list);
	return say(s, text);
}

int ep_lineup_explain(struct ep_lineup *series)
{
	int rc = series->n_simulated ? say_simulated(series) : say_scaling(series);

	return rc ? rc : say_losses(series);
}
