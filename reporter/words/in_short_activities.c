// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences on what the time was spent on, and on the rank that the others wait for. */
#include <math.h>
#include <string.h>

#include "reporter/text/short_names.h"
#include "words.h"

#define MIN_ACTIVITY_SHARE 0.1
#define MIN_NAMED_SHARE 0.05

static bool is_worth_saying(const struct ep_report_activity *activity)
{
	return ep_activity_words[activity->activity].is_telling &&
	       activity->share >= fmax(MIN_ACTIVITY_SHARE, 3 * activity->error);
}

/* Returns words such as " (for reply)" on the procedure that makes a system call most; else "". */
static const char *called_by(
	struct ep_words *b, enum ep_activity activity, const struct ep_report_entry *entry)
{
	if (activity != EP_ACTIVITY_SYSTEM || !entry->caller || 2 * entry->caller_ns < entry->ns)
		return "";
	return ep_text(b, " (for %s)", ep_name_say(b, entry->caller));
}

/* Makes a list such as "MPI_Send 47 %, MPI_Wait 26 %". */
static const char *list_entries(struct ep_words *b, const struct ep_report_activity *activity)
{
	const char *list = "";

	for (uint32_t i = 0; i < activity->n_entries; i++) {
		double share = (double)activity->entries[i].ns / (double)b->report->sampled_ns;

		if (share >= MIN_NAMED_SHARE)
			list = ep_text(b, "%s%s%s %.0f %%%s", list, list[0] ? ", " : "",
				activity->entries[i].name, 100 * share,
				called_by(b, activity->activity, &activity->entries[i]));
	}
	return list;
}

static bool knows_ranks(const struct ep_report *r)
{
	return r->rank_own_mean_s > 0;
}

#define MUCH_LACKING 0.3 /* least share of threads' time without a CPU that explains waits */

/* Tells whether an activity's time may be that of threads that spin, while the threads that they wait for have no
 * CPU. */
static bool waits_for_cpus(const struct ep_report *r, enum ep_activity activity)
{
	return (activity == EP_ACTIVITY_MPI || activity == EP_ACTIVITY_OPENMP) &&
	       ep_lacking_share(r) >= MUCH_LACKING;
}

/* Returns the advice on an activity. There is no general advice on MPI where another sentence knows the ranks or
 * the lack of CPUs. */
static const char *advice_for(const struct ep_report *r, enum ep_activity activity)
{
	const char *advice = ep_activity_words[activity].advice;

	if (waits_for_cpus(r, activity))
		return "Much of this time may be waiting for threads that had no CPU: see below.";
	return activity == EP_ACTIVITY_MPI && knows_ranks(r) ? NULL : advice;
}

static void say_activity(struct ep_words *b, const struct ep_report_activity *activity)
{
	const char *advice = advice_for(b->report, activity->activity);
	const char *entries = list_entries(b, activity);

	ep_say(b,
		ep_text(b, "%.0f %% of the CPU time went to %s%s%s.%s%s", 100 * activity->share,
			ep_report_activity_title(b->report, activity->activity),
			entries[0] ? ": " : "", entries, advice ? " " : "", advice ? advice : ""));
}

#define UNEVEN 1.2 /* factor by which the rank that computes longest exceeds the mean */

static bool is_uneven(const struct ep_report *r)
{
	return knows_ranks(r) && r->rank_own_most_s >= UNEVEN * r->rank_own_mean_s;
}

/* Says why the ranks spend long in MPI. If they do not, it says which rank ends last. */
static void say_ranks(struct ep_words *b, bool is_mpi_long)
{
	const struct ep_report *r = b->report;
	const char *why;

	if (!knows_ranks(r))
		return;
	why = ep_slow_rank_words(b);
	if (!is_mpi_long && !is_uneven(r) && !why)
		return;
	if (is_uneven(r))
		ep_say(b,
			ep_text(b,
				"Rank %s computes longest: %.3g s outside of MPI, %.1f times the mean of the %u ranks. %s",
				r->slowest_rank->rank, r->rank_own_most_s,
				r->rank_own_most_s / r->rank_own_mean_s, r->n_ranks,
				why ? why
				: is_mpi_long
					? "The others wait for it: spread the work more evenly."
					: "Work spread more evenly ends the job sooner."));
	else if (why)
		ep_say(b, why);
	else
		ep_say(b,
			ep_text(b,
				"The %u ranks compute about equally long (%.3g s outside of MPI; the longest %.3g s): they do not wait for uneven work.%s",
				r->n_ranks, r->rank_own_mean_s, r->rank_own_most_s,
				waits_for_cpus(r, EP_ACTIVITY_MPI)
					? ""
					: " Fewer and larger messages, and a CPU for each rank, reduce it."));
}

void ep_say_activities(struct ep_words *b)
{
	for (uint32_t i = 0; i < b->report->n_activities; i++) {
		const struct ep_report_activity *activity = &b->report->activities[i];
		bool is_long = is_worth_saying(activity);

		if (is_long)
			say_activity(b, activity);
		if (activity->activity == EP_ACTIVITY_MPI)
			say_ranks(b, is_long);
	}
}

/* Returns a row's activity without regard to its callers. Procedures inside of libgcc_s.so.1 have no names, and
 * they unwind stacks: their time is that of exceptions. */
static enum ep_activity activity_of_row(const struct ep_report_row *row)
{
	static const char unwinder[] = "libgcc_s.";
	enum ep_activity activity = ep_activity_of(row->kind, row->module, row->short_name);

	if (2 * row->system_ns > row->self_ns &&
		(activity == EP_ACTIVITY_OWN || activity == EP_ACTIVITY_FILES))
		return EP_ACTIVITY_SYSTEM;
	if (activity == EP_ACTIVITY_OWN &&
		!strncmp(ep_base_name(row->module), unwinder, sizeof(unwinder) - 1))
		return EP_ACTIVITY_EXCEPTIONS;
	return activity;
}

bool ep_activities_tell_of(const struct ep_report *r, const struct ep_report_row *row)
{
	enum ep_activity activity = activity_of_row(row);

	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].activity == activity)
			return is_worth_saying(&r->activities[i]);
	return false;
}
