// SPDX-License-Identifier: BSD-3-Clause
/* How the CPUs were used: threads that wait, that take turns, that are too many for them. Whether
 * they lacked CPUs is measured where the kernel keeps account of it, and a guess in other traces.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/report/internal.h"

#define LACKING 0.1        /* of the time of those that work: worth a sentence */
#define MAINLY_WAITING 0.5 /* CPUs busy on average, and less */
#define MIN_DURATION_S 0.1

enum ep_busyness ep_machine_busyness(const struct ep_report *report)
{
	double share = report->n_cpus ? report->load / report->n_cpus : NAN;

	if (isnan(share))
		return EP_MACHINE_UNKNOWN;
	if (share <= 0.5)
		return EP_MACHINE_FREE;
	return share < 0.75 ? EP_MACHINE_PARTLY_BUSY : EP_MACHINE_BUSY;
}

/* Threads of the busiest thread's process with at least this share of the work. */
static uint32_t count_threads(const struct ep_report *r, double least_share)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		n += r->threads[i].pid == r->threads[0].pid && r->threads[i].share >= least_share;
	return n;
}

#define WORKS_TOO 0.1 /* of the busiest thread's CPU time */

static bool works(const struct ep_report *r, const struct ep_report_thread *thread)
{
	return (double)thread->cpu_ns >= WORKS_TOO * (double)r->threads[0].cpu_ns;
}

double ep_lacking_share(const struct ep_report *r)
{
	double ready_ns = 0, wall_ns = 0;

	for (uint32_t i = 0; r->threads && i < r->n_threads; i++) {
		const struct ep_report_thread *t = &r->threads[i];

		if (!works(r, t))
			continue;
		if (t->waits.has_unknown)
			return NAN;
		ready_ns += (double)t->waits.ready_ns;
		wall_ns += (double)(t->cpu_ns + t->waits.all_ns);
	}
	return wall_ns > 0 ? ready_ns / wall_ns : NAN;
}

/* CPUs that threads would have kept busy on average, had there been one for each that was ready: of
 * process pid, or of all (0). What is not known of a thread is taken for none. */
static double wanted_cpus(const struct ep_report *r, uint32_t pid)
{
	double ns = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		if (!pid || r->threads[i].pid == pid)
			ns += (double)(r->threads[i].cpu_ns + r->threads[i].waits.ready_ns);
	return r->duration_s > 0 ? ns / 1e9 / r->duration_s : 0;
}

#define MIN_WORKER_SHARE 0.1

static bool say_waiting(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	bool is_free = ep_machine_busyness(r) == EP_MACHINE_FREE;
	bool has_workers = count_threads(r, MIN_WORKER_SHARE) > 1;
	bool had_cpus = ep_lacking_share(r) < LACKING;

	if (fmax(r->cpus_used, wanted_cpus(r, 0)) >= MAINLY_WAITING ||
		r->duration_s < MIN_DURATION_S)
		return false;
	ep_say(b,
		ep_text(b,
			"Most of its %.3g s the program waited (for data, %sanother program%s): "
			"computing took %.0f %% of that time. What it waits for matters more than "
			"its procedures.",
			r->duration_s, has_workers ? "a lock, " : "",
			is_free || had_cpus ? " or a user" : ", a user or a free CPU",
			100 * r->cpus_used));
	return true;
}

/* The process of the busiest thread; exec gives a number several. */
static const struct ep_report_process *busiest_process(const struct ep_report *r)
{
	for (uint32_t i = 0; r->n_threads && i < r->n_processes; i++)
		if (r->processes[i].pid == r->threads[0].pid)
			return &r->processes[i];
	return NULL;
}

static const char *whose(const struct ep_report *r)
{
	return r->n_hosts > 1 ? "machines'" : "machine's";
}

/* More workers than CPUs that they may run on. */
static bool say_bound(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	const struct ep_report_process *process = busiest_process(r);
	uint32_t n = count_threads(r, MIN_WORKER_SHARE);
	uint32_t n_allowed = process ? process->n_cpus_allowed : 0;

	if (!n_allowed || n_allowed >= n || n_allowed >= r->n_cpus)
		return false;
	ep_say(b,
		ep_text(b,
			"%u threads share %u of the %s %u CPUs: the process is bound to "
			"%s (by taskset, mpirun --bind-to, a batch system or a container's limit).",
			n, n_allowed, whose(r), r->n_cpus, n_allowed == 1 ? "it" : "them"));
	return true;
}

#define CROWDED 1.25 /* times as many workers as CPUs */
#define SPINNING 0.1 /* of the time, of those that turn round for others */

static double waiting_share(const struct ep_report *r)
{
	double share = 0;

	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].activity == EP_ACTIVITY_MPI ||
			r->activities[i].activity == EP_ACTIVITY_OPENMP ||
			r->activities[i].activity == EP_ACTIVITY_IDLE)
			share += r->activities[i].share;
	return share;
}

static bool is_rank(const struct ep_report *r, uint32_t pid)
{
	for (uint32_t i = 0; i < r->n_processes; i++)
		if (r->processes[i].pid == pid && r->processes[i].rank)
			return true;
	return false;
}

/* Threads that work at the same time: of the busiest process, or of all ranks. */
static uint32_t count_workers(const struct ep_report *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		n += (r->threads[i].pid == r->threads[0].pid || is_rank(r, r->threads[i].pid)) &&
		     works(r, &r->threads[i]);
	return n;
}

/* More threads than CPUs, and they wait for each other: each wait lasts until the others had their
 * turn on a CPU. */
static bool say_crowded(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_workers(r);

	if (!r->n_cpus || n < CROWDED * r->n_cpus || waiting_share(r) < SPINNING)
		return false;
	ep_say(b, ep_text(b,
			  "%u threads shared the %s %u CPUs and waited for each other: each wait "
			  "lasts until others had their turn. Try fewer (OMP_NUM_THREADS%s).",
			  n, whose(r), r->n_cpus, r->n_ranks ? ", or ranks" : ""));
	return true;
}

/* ---- where it is known how long threads were ready without a CPU ---- */

static uint32_t count_all_workers(const struct ep_report *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		n += works(r, &r->threads[i]);
	return n;
}

static const char *lacking(struct ep_builder *b)
{
	bool is_one = count_all_workers(b->report) == 1;

	return ep_text(b, "%s ready to run but had no CPU %.0f %% of %s time: ",
		is_one ? "The program was" : "The threads were", 100 * ep_lacking_share(b->report),
		is_one ? "its" : "their");
}

/* Its library is loaded; passive waiting leaves no samples in it. */
static bool uses_openmp(const struct ep_trace *trace)
{
	static const char *const libraries[] = { "libgomp.", "libomp.", "libiomp5.", "libnvomp." };

	for (uint32_t i = 0; i < trace->n_modules; i++)
		for (size_t k = 0; k < EP_ARRAY_SIZE(libraries); k++)
			if (!strncmp(ep_base_name(trace->modules[i].path), libraries[k],
				    strlen(libraries[k])))
				return true;
	return false;
}

static const char *try_threads(struct ep_builder *b, uint32_t n)
{
	if (uses_openmp(b->trace))
		return ep_text(b, "Try OMP_NUM_THREADS=%u", n);
	return ep_text(b, "Try %u thread%s (OMP_NUM_THREADS, where OpenMP makes them)", n,
		n == 1 ? "" : "s");
}

static uint32_t count_in_process(const struct ep_report *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		n += r->threads[i].pid == r->threads[0].pid && works(r, &r->threads[i]);
	return n;
}

#define LIMITED 0.05 /* of the periods */

static bool say_limited(struct ep_builder *b, uint32_t n_allowed)
{
	const struct ep_report *r = b->report;

	if (!(r->limited_share >= LIMITED))
		return false;
	ep_say(b, ep_text(b,
			  "%sthe CPU limit of the run's container or batch job stopped it in "
			  "%.0f %% of the scheduler's periods. %s.",
			  lacking(b), 100 * r->limited_share,
			  n_allowed && count_in_process(r) > n_allowed
				  ? ep_text(b, "%s, or a higher limit", try_threads(b, n_allowed))
				  : "A higher limit makes it quicker"));
	return true;
}

/* More threads of a process than CPUs that it may run on. */
static bool say_bound_too_close(struct ep_builder *b, uint32_t n_allowed)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_in_process(r);

	if (!n_allowed || n_allowed >= r->n_cpus || n <= n_allowed ||
		wanted_cpus(r, r->threads[0].pid) <= n_allowed)
		return false;
	ep_say(b,
		ep_text(b,
			"%s%u of them share %u of the %s %u CPUs, to which the process is bound "
			"(by taskset, mpirun --bind-to, a batch system or a container's limit). "
			"%s, or give it more CPUs.",
			lacking(b), n, n_allowed, whose(r), r->n_cpus, try_threads(b, n_allowed)));
	return true;
}

static const char *try_fewer(struct ep_builder *b, uint32_t n)
{
	const struct ep_report *r = b->report;

	if (r->n_ranks < 2)
		return ep_text(b, "%s.", try_threads(b, r->n_cpus));
	if (n <= r->n_ranks || r->n_ranks > r->n_cpus)
		return ep_text(b, "Try no more than %u ranks.", r->n_cpus);
	return ep_text(
		b, "%s for each of %u ranks.", try_threads(b, r->n_cpus / r->n_ranks), r->n_ranks);
}

/* More threads than the machine has CPUs. */
static bool say_too_many(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_workers(r);

	if (!r->n_cpus || n <= r->n_cpus || wanted_cpus(r, 0) <= r->n_cpus)
		return false;
	ep_say(b, ep_text(b, "%s%u of them share the %s %u CPUs.%s %s", lacking(b), n, whose(r),
			  r->n_cpus,
			  waiting_share(r) < SPINNING ? ""
						      : " They wait for each other, and each wait "
							"lasts until others had their turn.",
			  try_fewer(b, n)));
	return true;
}

/* The run's own programs, such as make's, which are no threads of one. */
static bool say_together(struct ep_builder *b, uint32_t n_cpus)
{
	const struct ep_report *r = b->report;
	uint32_t n_all = r->n_ranks > 1 ? r->n_cpus : n_cpus; /* each rank may have its own */
	double wanted = wanted_cpus(r, 0);

	if (!n_all || wanted <= n_all)
		return false;
	ep_say(b, ep_text(b, "%stogether they had work for %.1f CPUs on average, and there %s %u.",
			  lacking(b), wanted, n_all == 1 ? "is" : "are", n_all));
	return true;
}

static void say_taken(struct ep_builder *b, uint32_t n_cpus)
{
	const struct ep_report *r = b->report;
	bool has_ranks = r->n_ranks > 1;
	const char *what = "other programs had the CPUs.";

	if (n_cpus < r->n_cpus)
		what = ep_text(b,
			"other programs%s ran on the %u of the %s %u CPUs to which it is bound (by "
			"taskset, mpirun --bind-to, a batch system or a container's limit).%s",
			has_ranks ? ", or other ranks," : "", n_cpus, whose(r), r->n_cpus,
			has_ranks ? " mpirun --report-bindings shows where ranks run." : "");
	ep_say(b, ep_text(b, "%s%s", lacking(b), what));
}

/* What the tree's first process may run on; 0: not known. */
static uint32_t allowed_cpus(const struct ep_report *r)
{
	const struct ep_report_process *process = busiest_process(r);

	for (uint32_t i = 0; i < r->n_processes; i++)
		if (process && !process->n_cpus_allowed && r->processes[i].host == process->host &&
			r->processes[i].n_cpus_allowed)
			process = &r->processes[i];
	return process ? process->n_cpus_allowed : 0;
}

/* What others took leaves to be said how the run used the rest. */
static bool say_lacking(struct ep_builder *b)
{
	uint32_t n_allowed = allowed_cpus(b->report);
	uint32_t n_cpus = n_allowed ? n_allowed : b->report->n_cpus;

	if (!(ep_lacking_share(b->report) >= LACKING))
		return false;
	if (say_limited(b, n_allowed) || say_bound_too_close(b, n_allowed) || say_too_many(b) ||
		say_together(b, n_cpus))
		return true;
	say_taken(b, n_cpus);
	return false;
}

static bool is_guessed(const struct ep_report *r)
{
	return isnan(ep_lacking_share(r));
}

#define TOGETHER_ONE 1.2 /* CPUs that threads taking turns keep busy */

static const char *why_turns(struct ep_builder *b)
{
	static const char lock[] = "a lock lets one of them run at a time (python's GIL is one)";
	const struct ep_report *r = b->report;

	if (!is_guessed(r))
		return ep_text(b, "%s, or they wait for each other", lock);
	switch (ep_machine_busyness(r)) {
	case EP_MACHINE_FREE:
		return ep_text(b, "%s, or they wait for each other", lock);
	case EP_MACHINE_BUSY:
		return ep_text(b,
			"either other programs had the CPUs (a load of %.1f on %u CPUs in the "
			"minute before), or %s",
			r->load, r->n_cpus, lock);
	default:
		return ep_text(b, "either %s, or other programs had the CPUs", lock);
	}
}

static bool say_turns(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_threads(r, MIN_WORKER_SHARE);

	if (n < 2 || fmax(r->cpus_used, wanted_cpus(r, 0)) >= TOGETHER_ONE || r->n_cpus < 2)
		return false;
	ep_say(b,
		ep_text(b, "%u threads shared the work, but together kept only %.2f CPUs busy: %s.",
			n, r->cpus_used, why_turns(b)));
	return true;
}

#define ONE_HAS_MOST 0.75
#define MIN_HELPER_SHARE 0.02 /* threads with less only wait for something: no part of the work */

static bool is_uneven(const struct ep_report *r, uint32_t n)
{
	uint32_t n_helpers = count_threads(r, MIN_HELPER_SHARE);

	return n > 1 && (r->threads[0].share >= ONE_HAS_MOST ||
				(n_helpers > 2 && r->threads[0].share > 2.0 / n_helpers));
}

static bool say_balance(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_threads(r, 0);

	if (!is_uneven(r, n))
		return false;
	ep_say(b, ep_text(b,
			  "One of %u threads (%s %u) did %.0f %% of the work: more CPUs help only "
			  "when it is spread more evenly.",
			  n, r->threads[0].name, r->threads[0].tid, 100 * r->threads[0].share));
	return true;
}

#define MUCH_STOLEN 0.1 /* of what the machine's CPUs worked */

static void say_stolen(struct ep_builder *b)
{
	if (b->report->stolen_share >= MUCH_STOLEN)
		ep_say(b,
			ep_text(b,
				"The host of this virtual machine gave %.0f %% of its CPU time to "
				"others (steal): on CPUs of its own the run is quicker.",
				100 * b->report->stolen_share));
}

void ep_say_cpus(struct ep_builder *b)
{
	const struct ep_report *r = b->report;

	say_stolen(b);

	/* Too little is known, or a simulator ran the threads one at a time. */
	if (r->unseen_s > 0 || r->outside_s > 0 || r->duration_s < MIN_DURATION_S ||
		r->is_simulated)
		return;
	if (say_lacking(b) || (is_guessed(r) && (say_bound(b) || say_crowded(b))) ||
		say_waiting(b) || say_balance(b) || say_turns(b) || !r->n_cpus)
		return;
	ep_say(b, ep_text(b, "On average %.1f of the %s %u CPUs were busy with it.", r->cpus_used,
			  whose(r), r->n_cpus));
}
