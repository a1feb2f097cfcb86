// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences on how the CPUs were used: by threads that wait, that take turns, or of which there
 * are more than CPUs. Whether threads lacked CPUs is measured where the kernel accounts for it; in other
 * traces it is guessed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/in_short_cpus.h"
#include "words.h"

/* the most CPUs that a program keeps busy on average if it mainly waits */
#define MAINLY_WAITING 0.5
#define MIN_DURATION_S 0.1

enum ep_busyness ep_machine_busyness(const struct ep_report *report)
{
	double share;

	if (!report->n_cpus || !ep_quantity_is_known(&report->load))
		return EP_MACHINE_UNKNOWN;
	share = report->load.value / report->n_cpus;
	if (share <= 0.5)
		return EP_MACHINE_FREE;
	return share < 0.75 ? EP_MACHINE_PARTLY_BUSY : EP_MACHINE_BUSY;
}

bool ep_is_with_busiest(const struct ep_report *r, const struct ep_report_thread *thread)
{
	return thread->pid == r->threads[0].pid && thread->process_idx == r->threads[0].process_idx;
}

/* Counts threads of the busiest thread's process that have at least this share of the work. */
static uint32_t count_threads(const struct ep_report *r, double least_share)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		n += ep_is_with_busiest(r, &r->threads[i]) && r->threads[i].share >= least_share;
	return n;
}

/* share of the busiest thread's CPU time; a thread with at least this works as well */
#define WORKS_TOO 0.1

bool ep_works(const struct ep_report *r, const struct ep_report_thread *thread)
{
	return (double)thread->cpu_ns >= WORKS_TOO * (double)r->threads[0].cpu_ns;
}

#define MIN_WORKER_SHARE 0.1

/* Returns how long the run, the region, or the threads that --process and --thread chose lasted: from the first
 * start to the last end. NAN: not known. */
static double lived_s(const struct ep_report *r)
{
	double from_s = r->duration_s, to_s = 0;

	if (!r->selection || r->is_of_region)
		return ep_shown_s(r);
	for (uint32_t i = 0; i < r->n_threads; i++) {
		from_s = fmin(from_s, r->threads[i].start_s);
		to_s = fmax(to_s, r->threads[i].start_s + r->threads[i].duration_s);
	}
	return to_s > from_s ? fmin(to_s - from_s, r->duration_s) : r->duration_s;
}

/* Says that the program mostly waited. The trace does not have the reason for which a thread waits, so that
 * the sentence names all possible reasons. A lock is a possible reason even if a single thread has nearly all
 * CPU time, since a thread with little CPU time may hold the lock. */
static bool say_waiting(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	double time_s = lived_s(r), used = r->cpus_used * ep_shown_s(r) / time_s,
	       wanted = ep_wanted_cpus(r) * ep_shown_s(r) / time_s;
	bool is_free = ep_machine_busyness(r) == EP_MACHINE_FREE;
	bool has_threads = count_threads(r, 0) > 1;
	bool had_cpus = ep_lacking_share(r) < LACKING;

	if (!(fmax(used, wanted) < MAINLY_WAITING) || time_s < MIN_DURATION_S)
		return false;
	ep_say(b,
		ep_text(b,
			"For most of its %.3g s %s slept, or waited (for data, %sanother program%s): computing took %.0f %% of that time. What it waits for matters more than its procedures.",
			time_s, r->selection ? "what is shown" : "the program",
			has_threads ? "a lock, " : "",
			is_free || had_cpus ? " or a user" : ", a user or a free CPU", 100 * used));
	return true;
}

/* Compares more than the process number, since exec makes several processes of one number. */
const struct ep_report_process *ep_busiest_process(const struct ep_report *r)
{
	for (uint32_t i = 0; r->n_threads && i < r->n_processes; i++)
		if (r->processes[i].pid == r->threads[0].pid &&
			r->processes[i].process_idx == r->threads[0].process_idx)
			return &r->processes[i];
	return NULL;
}

const char *ep_whose(const struct ep_report *r)
{
	return r->n_hosts > 1 ? "machines'" : "machine's";
}

/* Says that the process has more workers than CPUs that it may run on. */
static bool say_bound(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const struct ep_report_process *process = ep_busiest_process(r);
	uint32_t n = count_threads(r, MIN_WORKER_SHARE);
	uint32_t n_allowed = process ? process->n_cpus_allowed : 0;

	if (!n_allowed || n_allowed >= n || n_allowed >= r->n_cpus)
		return false;
	ep_say(b,
		ep_text(b,
			"%u threads share %u of the %s %u CPUs: the process is bound to %s (by taskset, mpirun --bind-to, a batch system or a container's limit).",
			n, n_allowed, ep_whose(r), r->n_cpus, n_allowed == 1 ? "it" : "them"));
	return true;
}

#define CROWDED 1.25 /* workers for each CPU; more are too many */

double ep_waiting_share(const struct ep_report *r)
{
	double share = 0;

	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].activity == EP_ACTIVITY_MPI ||
			r->activities[i].activity == EP_ACTIVITY_OPENMP ||
			r->activities[i].activity == EP_ACTIVITY_IDLE)
			share += r->activities[i].share;
	return share;
}

static int by_pid(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Fills in the process numbers of ranks, in order, and returns how many there are. */
static uint32_t find_ranks(const struct ep_report *r, uint32_t *pids)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_processes; i++)
		if (r->processes[i].rank)
			pids[n++] = r->processes[i].pid;
	qsort(pids, n, sizeof(*pids), by_pid);
	return n;
}

/* Counts the workers. The search is fast, since jobs have hundreds of thousands of threads. Without memory the
 * count is 0, and nothing is said about them. */
uint32_t ep_count_workers(const struct ep_report *r)
{
	EP_AUTOFREE uint32_t *pids = malloc((r->n_processes + 1) * sizeof(*pids));
	uint32_t n_ranks = pids ? find_ranks(r, pids) : 0, n = 0;

	for (uint32_t i = 0; pids && i < r->n_threads; i++) {
		const struct ep_report_thread *thread = &r->threads[i];

		n += ep_works(r, thread) &&
		     (ep_is_with_busiest(r, thread) ||
			     bsearch(&thread->pid, pids, n_ranks, sizeof(*pids), by_pid));
	}
	return n;
}

/* Says that more threads than CPUs wait for each other: each wait lasts until the others had their turn on a CPU. */
static bool say_crowded(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = ep_count_workers(r);

	if (!r->n_cpus || n < CROWDED * r->n_cpus || ep_waiting_share(r) < SPINNING)
		return false;
	ep_say(b,
		ep_text(b,
			"%u threads shared the %s %u CPUs and waited for each other: each wait lasts until others had their turn. Try fewer (OMP_NUM_THREADS%s).",
			n, ep_whose(r), r->n_cpus, r->n_ranks ? ", or ranks" : ""));
	return true;
}

static bool is_guessed(const struct ep_report *r)
{
	return isnan(ep_lacking_share(r));
}

#define TOGETHER_ONE 1.2 /* the most CPUs that threads keep busy together if they take turns */

/* Returns words on why threads took turns. The words name sleeping, too, since two threads that only sleep
 * look like two that take turns at a lock. */
static const char *why_turns(struct ep_words *b)
{
	static const char waited[] =
		"they slept, or waited for data, a lock (python's GIL is one) or each other";
	const struct ep_report *r = b->report;

	if (!is_guessed(r) || ep_machine_busyness(r) == EP_MACHINE_FREE)
		return waited;
	if (ep_machine_busyness(r) == EP_MACHINE_BUSY)
		return ep_text(b,
			"either other programs used the CPUs (a load of %.1f on %u CPUs in the minute before), or %s",
			r->load.value, r->n_cpus, waited);
	return ep_text(b, "either %s, or other programs used the CPUs", waited);
}

static bool say_turns(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_threads(r, MIN_WORKER_SHARE);

	if (n < 2 || fmax(r->cpus_used, ep_wanted_cpus(r)) >= TOGETHER_ONE || r->n_cpus < 2)
		return false;
	ep_say(b,
		ep_text(b, "%u threads shared the work, but together kept only %.2f CPUs busy: %s.",
			n, r->cpus_used, why_turns(b)));
	return true;
}

#define ONE_HAS_MOST 0.75
/* share of the CPU time; a thread with less only waits and does no part of the work */
#define MIN_HELPER_SHARE 0.02

static bool is_uneven(const struct ep_report *r, uint32_t n)
{
	uint32_t n_helpers = count_threads(r, MIN_HELPER_SHARE);

	return n > 1 && (r->threads[0].share >= ONE_HAS_MOST ||
				(n_helpers > 2 && r->threads[0].share > 2.0 / n_helpers));
}

static bool say_balance(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_threads(r, 0);

	if (!is_uneven(r, n))
		return false;
	ep_say(b,
		ep_text(b,
			"One of %u threads (%s %u) did %.0f %% of the work: more CPUs help only when it is spread more evenly.",
			n, r->threads[0].name, r->threads[0].tid, 100 * r->threads[0].share));
	return true;
}

void ep_say_cpus(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	ep_say_stolen(b);

	/* The other sentences are left out if too little is known, or if a simulator ran the threads one at a time. */
	if (r->unseen_s > 0 || r->outside_s > 0 || r->duration_s < MIN_DURATION_S ||
		r->is_simulated)
		return;
	if (ep_say_lacking(b) || (is_guessed(r) && (say_bound(b) || say_crowded(b))) ||
		say_waiting(b) || say_balance(b) || isnan(r->cpus_used) || say_turns(b) ||
		!r->n_cpus)
		return;
	ep_say(b, ep_text(b, "On average %.1f of the %s %u CPUs were busy with it.",
			  ep_all_cpus_used(r), ep_whose(r), r->n_cpus));
}
