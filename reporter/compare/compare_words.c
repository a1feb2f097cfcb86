// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences of a comparison of two programs. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "compare.h"
#include "reporter/text/layout.h"
#include "reporter/text/short_names.h"
#include "reporter/words/words.h"

struct writer {
	struct ep_comparison *c;
	bool out_of_memory;
};

static void add(struct writer *w, const char **texts, uint32_t *n, size_t capacity,
	const char *format, va_list args)
{
	if (*n == capacity)
		return;
	texts[*n] = ep_strings_format(&w->c->texts, format, args);
	if (!texts[*n])
		w->out_of_memory = true;
	else
		++*n;
}

static EP_PRINTF(2, 3) void say(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(w, w->c->in_short, &w->c->n_in_short, EP_ARRAY_SIZE(w->c->in_short), format, args);
	va_end(args);
}

static EP_PRINTF(2, 3) void note(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(w, w->c->notes, &w->c->n_notes, EP_ARRAY_SIZE(w->c->notes), format, args);
	va_end(args);
}

/* ---- in short ---- */

#define SAME 0.01 /* a change below 1 % counts as none */

struct change_words {
	const char *same, *more, *less, *times;
};

static const struct change_words of_clock = { "as long as", "longer than", "less time than",
	"long" };
static const struct change_words of_cpu = { "as much as", "more than", "less than", "much" };

/* Formats a change as "12 % less than before (1.20 s instead of 1.37 s)". */
static void format_change(
	char *out, size_t size, const struct change_words *words, double before_s, double after_s)
{
	char before[EP_NUMBER_BYTES], after[EP_NUMBER_BYTES];
	double change = after_s / before_s - 1;

	ep_format_seconds(before, before_s);
	ep_format_seconds(after, after_s);
	if (fabs(change) < SAME)
		snprintf(out, size, "%s before (%s, then %s)", words->same, before, after);
	else if (change > 1)
		snprintf(out, size, "%.1f times as %s as before (%s instead of %s)",
			after_s / before_s, words->times, after, before);
	else
		snprintf(out, size, "%.0f %% %s before (%s instead of %s)", 100 * fabs(change),
			change > 0 ? words->more : words->less, after, before);
}

static void say_times(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;
	char clock[160], cpu[160];

	if (before->is_exact && after->is_exact && before->sampled_ns) {
		format_change(cpu, sizeof(cpu), &of_cpu, (double)before->sampled_ns / 1e9,
			(double)after->sampled_ns / 1e9);
		say(w, "Its time by callgrind's estimate of cycles, a cycle for a nanosecond, is %s.",
			cpu);
		return;
	}
	if (before->is_simulated || after->is_simulated || !(before->duration_s > 0) ||
		!before->cpu_ns)
		return;
	format_change(clock, sizeof(clock), &of_clock, ep_shown_s(before), ep_shown_s(after));
	format_change(cpu, sizeof(cpu), &of_cpu, (double)before->cpu_ns / 1e9,
		(double)after->cpu_ns / 1e9);
	if (ep_shown_s(before) > 0 && ep_shown_s(after) > 0)
		say(w, "%s took %s.", before->is_of_region ? "The region" : "The run", clock);
	say(w, "Its CPU time is %s.", cpu);
}

#define MAX_NAMED 3
#define LEAST_NAMED 0.01 /* share of the longer run's CPU time; smaller changes are not named */

/* Lists the largest sure changes as "solve 120 ms less, exchange 80.0 ms more (not there before)"; returns their
 * number. */
static uint32_t list_changes(const struct ep_comparison *c, double least_ns, char *out, size_t size)
{
	uint32_t n = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < c->n_rows && n < MAX_NAMED && used < size; i++) {
		const struct ep_compared_row *row = &c->rows[i];
		double change = ep_compared_change(row);
		char time[EP_NUMBER_BYTES], name[160];

		if (fabs(change) < least_ns)
			break;
		if (!ep_compared_is_sure(row))
			continue;
		ep_name_fit(row->name, EP_SPOKEN_WIDTH, "...", name, sizeof(name));
		ep_format_seconds(time, fabs(change) / 1e9);
		used += (size_t)snprintf(out + used, size - used, "%s%s %s %s", n++ ? ", " : "",
			name, time, change > 0 ? "more" : "less");
		if (used < size && !(row->is_before && row->is_after))
			used += (size_t)snprintf(out + used, size - used, " (%s)",
				row->is_after ? "not there before" : "no longer there");
	}
	return n;
}

static void say_changes(struct writer *w)
{
	const struct ep_comparison *c = w->c;
	double longer_ns = fmax((double)c->before->sampled_ns, (double)c->after->sampled_ns);
	char list[2048] = "";

	if (c->before->is_simulated != c->after->is_simulated)
		return;
	if (list_changes(c, LEAST_NAMED * longer_ns, list, sizeof(list)))
		say(w, "The largest changes: %s.", list);
	else
		say(w, "No part of it changed by 1 %% of the CPU time and more, and by more than chance does to samples.");
}

#define EVENER 0.1 /* share of the mean; a smaller change tells nothing about how work is spread */

static void say_balance(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;
	double was, is;

	if (!(before->rank_own_mean_s > 0) || !(after->rank_own_mean_s > 0))
		return;
	was = before->rank_own_most_s / before->rank_own_mean_s;
	is = after->rank_own_most_s / after->rank_own_mean_s;
	if (fabs(was - is) >= EVENER)
		say(w, "Work is spread %s evenly over the MPI ranks: the one that computes longest takes %.1f times their mean, %.1f times before.",
			is < was ? "more" : "less", is, was);
}

/* share of the CPU time; smaller changes of a thread's share are usual between runs */
#define MORE_OF_TIME 0.1

/* Says whether work is spread more evenly over threads. With another number of threads nothing is said: with more
 * threads each has a smaller share, however the work is spread. */
static void say_busiest(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;
	double was, is;

	if (before->n_threads != after->n_threads || before->n_threads < 2 || before->n_ranks ||
		after->n_ranks || !before->cpu_ns || !after->cpu_ns)
		return;
	was = (double)before->busiest_ns / (double)before->cpu_ns;
	is = (double)after->busiest_ns / (double)after->cpu_ns;
	if (fabs(was - is) >= MORE_OF_TIME)
		say(w, "Work is spread %s evenly over the threads: the busiest has %.0f %% of the CPU time, %.0f %% before.",
			is < was ? "more" : "less", 100 * is, 100 * was);
}

#define MORE_FOR_LOCKS 0.05 /* share of the threads' time; smaller changes are not said */

static void say_locks(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;
	double was_s = (double)before->lock_ns / 1e9, is_s = (double)after->lock_ns / 1e9;
	double longer_s = fmax((double)(before->cpu_ns + before->waits.all_ns),
				  (double)(after->cpu_ns + after->waits.all_ns)) /
			  1e9;
	char was[EP_NUMBER_BYTES], is[EP_NUMBER_BYTES];

	if (!before->has_noted_waits || !after->has_noted_waits ||
		!(fabs(was_s - is_s) > MORE_FOR_LOCKS * longer_s))
		return;
	ep_format_seconds(was, was_s);
	ep_format_seconds(is, is_s);
	say(w, "Its threads waited %s for locks, all together, %s before.", is, was);
}

/* share of the threads' time; on a busy machine smaller changes are usual between runs */
#define MORE_LACKING 0.05

/* Says how the time without a CPU changed, since it makes a run slower or faster although no line of its program
 * was changed. */
static void say_lacking(struct writer *w)
{
	double was = ep_lacking_share(w->c->before), is = ep_lacking_share(w->c->after);

	if (fabs(is - was) >= MORE_LACKING)
		say(w, "Its threads were ready to run but had no CPU %.0f %% of their time, %.0f %% before.",
			100 * is, 100 * was);
}

/* ---- good to know ---- */

static void note_busy(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;
	bool was_busy = ep_machine_busyness(before) == EP_MACHINE_BUSY,
	     is_busy = ep_machine_busyness(after) == EP_MACHINE_BUSY;
	char load[80];

	if (!was_busy && !is_busy)
		return;
	if (ep_quantity_is_known(&before->load) && ep_quantity_is_known(&after->load))
		snprintf(load, sizeof(load), "a load of %.1f before and %.1f after",
			before->load.value, after->load.value);
	else
		snprintf(load, sizeof(load), "a load of %.1f",
			(was_busy ? before : after)->load.value);
	note(w, "The machine was busy when %s began (%s, on %u CPUs): times on the clock, and waiting, may differ for that.",
		!was_busy  ? "the second run"
		: !is_busy ? "the first run"
			   : "the runs",
		load, after->n_cpus);
}

static void note_machines(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;

	if (strcmp(before->cpu, after->cpu) || before->n_cpus != after->n_cpus)
		note(w, "The machines are not alike: %s, %s, %u CPUs before; %s, %s, %u CPUs after. The change may come from the machine.",
			before->hosts, before->cpu, before->n_cpus, after->hosts, after->cpu,
			after->n_cpus);
	else
		note_busy(w);
}

static void note_shape(struct writer *w)
{
	const struct ep_report *before = w->c->before, *after = w->c->after;

	if (before->n_ranks != after->n_ranks)
		note(w, "MPI ranks: %u before, %u after. CPU times are sums over all ranks.",
			before->n_ranks, after->n_ranks);
	else if (before->n_threads != after->n_threads)
		note(w, "Threads: %u before, %u after. CPU times are sums over all threads.",
			before->n_threads, after->n_threads);
	if (before->is_simulated != after->is_simulated)
		note(w, "Only the run %s was simulated by valgrind: its times cannot be compared with the other's.",
			before->is_simulated ? "before" : "after");
	else if (before->is_simulated && !(before->is_exact && after->is_exact))
		note(w, "valgrind simulated the runs: time on the clock and CPU time are the simulator's.");
	if (before->n_lost || after->n_lost)
		note(w, "Samples were lost, %.1f %% before and %.1f %% after: their time is missing.",
			100 * before->lost_share, 100 * after->lost_share);
}

static void note_chance(struct writer *w)
{
	if (w->c->before->is_exact && w->c->after->is_exact)
		note(w, "Counts and times of procedures are exact, by callgrind's simulation; time on the clock and CPU time are the simulator's.");
	else if (w->c->n_before + w->c->n_after > 2)
		note(w, "The error is that of samples and, as far as the runs of a side differ, of runs.");
	else if (w->c->before->n_samples && w->c->after->n_samples)
		note(w, "The error is that of samples. Runs of the same program differ as well, by the machine's state: repeat both to see which small changes stay.");
	else
		note(w, "One of the runs has no samples: there is little to compare.");
}

int ep_compare_explain(struct ep_comparison *comparison)
{
	struct writer w = { .c = comparison };

	say_times(&w);
	say_changes(&w);
	say_balance(&w);
	say_busiest(&w);
	say_locks(&w);
	say_lacking(&w);
	note_machines(&w);
	note_shape(&w);
	note_chance(&w);
	return w.out_of_memory ? -ENOMEM : 0;
}
