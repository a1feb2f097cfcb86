// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences on what threads waited for, where waits were noted. There is one sentence if the
 * threads did little but wait, and one if they often waited for a lock. */
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/short_names.h"

#include "in_short_cpus.h"

#define MUCH_WAITING 0.5 /* least share of the time of all threads that they waited */
#define MUCH_LOCK_WAITING                                                                          \
	0.2 /* share of the time in which threads ran, or waited for neither an end nor a CPU */

/* Returns words such as ", whose holder waited for time to pass in hold"; "" where no holder has most of the wait. */
static const char *holder_words(struct ep_words *b, const struct ep_report_wait *wait)
{
	const struct ep_report_holder *holder = &wait->holders[0];

	if (!wait->n_holders || !holder->path[0] || 2 * holder->ns < wait->ns)
		return "";
	if (holder->kind)
		return ep_text(b, ", whose holder waited for %s in %s", holder->kind,
			ep_name_say(b, holder->procedure));
	return ep_text(b, ", whose holder computed in %s", ep_name_say(b, holder->procedure));
}

static bool is_of_kind(const struct ep_report_wait *wait, const char *const *kinds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wait->kind && !strcmp(wait->kind, kinds[i]))
			return true;
	return false;
}

static const char *const lock_kinds[] = { "mutex", "rwlock", "gil" };
static const char *const gil_kinds[] = { "gil" };
static const char *const end_kinds[] = { "join", "child" };

static const struct ep_report_wait *first_lock_wait(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->n_noted_waits; i++)
		if (is_of_kind(&r->noted_waits[i], lock_kinds, EP_ARRAY_SIZE(lock_kinds)))
			return &r->noted_waits[i];
	return NULL;
}

#define MUCH_LACKING 0.05 /* share of time without a CPU above which another sentence tells it */

/* Returns words that say that a share leaves out time without a CPU. Without these words a reader might
 * wonder why this share and the one without a CPU add up to more than 100 %. */
static const char *left_out(const struct ep_report *r)
{
	double all_ns = (double)(r->cpu_ns + r->waits.all_ns);

	return (double)r->waits.ready_ns > MUCH_LACKING * all_ns ? " (that without a CPU left out)"
								 : "";
}

static const char *remedy(const struct ep_report_wait *wait)
{
	return is_of_kind(wait, gil_kinds, EP_ARRAY_SIZE(gil_kinds))
		       ? "Python carries out the functions of one thread at a time: use processes (multiprocessing), or libraries that compute without this lock, as NumPy does."
		       : "Do less while it is held, or divide the data and give each part its own lock.";
}

/* Says how long threads waited for locks, as a share of the time in which they had something to do. Time in which a
 * thread only waited for others to end, or had no CPU, is left out, since it would make the share look small. */
static bool say_lock(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const struct ep_report_wait *first = first_lock_wait(r);
	double lock_ns = (double)r->lock_ns;
	double all_ns = (double)(r->cpu_ns + r->waits.all_ns) - (double)r->end_ns -
			(double)r->waits.ready_ns;

	if (!first || !first->procedure[0] || lock_ns < MUCH_LOCK_WAITING * all_ns)
		return false;
	ep_say(b,
		ep_text(b,
			"Threads that had something to do waited for locks for %.0f %% of their time%s, most for %s%s in %s%s. %s",
			100 * (lock_ns < all_ns ? lock_ns / all_ns : 1), left_out(r), first->title,
			first->what ? ep_text(b, " (%s)", first->what) : "",
			ep_name_say(b, first->procedure), holder_words(b, first), remedy(first)));
	return true;
}

static void say_most(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	double all_ns = (double)(r->cpu_ns + r->waits.all_ns);
	double share = all_ns > 0 ? (double)r->noted_ns / all_ns : 0;
	const struct ep_report_wait *first = r->noted_waits;
	const char *what = "";

	if (!r->n_noted_waits || share < MUCH_WAITING || !first->procedure[0])
		return;
	if (first->what)
		what = ep_text(b, " (%s)", first->what);
	ep_say(b,
		ep_text(b,
			"Threads waited for %.0f %% of their time: %.0f %% of that for %s%s in %s%s.",
			100 * (share < 1 ? share : 1), 100 * first->share, first->title, what,
			ep_name_say(b, first->procedure), holder_words(b, first)));
}

#define MUCH_UNNOTED 0.2 /* least share of the time of all threads in waits that were not noted */

/* Returns words that name the function of OpenMP's library with most of the samples there. The library has
 * samples since its threads spin for a moment before they sleep. */
static const char *openmp_call(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].activity == EP_ACTIVITY_OPENMP && r->activities[i].n_entries)
			return ep_text(b, "; its samples are most in %s",
				ep_name_say(b, r->activities[i].entries[0].name));
	return "";
}

/* Says that threads slept in OpenMP's library, which makes its system calls itself, so that no hook sees
 * them. The sentence is only sure if all other waits were noted: no noted wait was lost, and no call passed
 * without being looked at. */
static void say_openmp(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	double all_ns = (double)(r->cpu_ns + r->waits.all_ns);
	double seen_ns = (double)r->waits.ready_ns + (double)r->noted_ns;
	double unnoted_ns = (double)r->waits.all_ns - seen_ns;

	if (!r->has_noted_waits || r->waits.has_unknown || r->n_noted_lost || r->n_unseen_calls ||
		!(all_ns > 0) || unnoted_ns < MUCH_UNNOTED * all_ns || !ep_uses_openmp(b->trace))
		return;
	ep_say(b,
		ep_text(b,
			"Threads slept for %.0f %% of their time in calls that are not noted. OpenMP's library lets its threads wait for each other by such calls, at barriers and at the ends of parallel regions%s.",
			100 * unnoted_ns / all_ns, openmp_call(b)));
}

/* Says what threads waited for most, in one sentence where possible. Beside the sentence on a lock, another one on
 * the same lock, or on threads that wait for the lock's waiters, would add nothing. */
void ep_say_waits(struct ep_words *b)
{
	const struct ep_report_wait *first = b->report->noted_waits;

	/* For a region between two moments no share is known, since it is not known how long threads were in it. */
	if (b->report->waits.is_unknown)
		return;
	if (!say_lock(b) || !(is_of_kind(first, lock_kinds, EP_ARRAY_SIZE(lock_kinds)) ||
				    is_of_kind(first, end_kinds, EP_ARRAY_SIZE(end_kinds))))
		say_most(b);
	say_openmp(b);
}
