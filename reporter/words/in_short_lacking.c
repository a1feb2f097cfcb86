// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences on threads that were ready to run and had no CPU, by the kernel's account of its run
 * queues: how long that was, and which threads or programs had the CPUs. */
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/cpu_list.h"
#include "reporter/words/in_short_cpus.h"

#define MOST 0.5 /* share of the CPU time */

/* Tells whether the threads that work have most of the CPU time. In a script they do not: each of its processes
 * does little, and all of them together do most. */
static bool workers_have_most(const struct ep_report *r)
{
	double ns = 0, all_ns = 0;

	for (uint32_t i = 0; i < r->n_threads; i++) {
		all_ns += (double)r->threads[i].cpu_ns;
		ns += ep_works(r, &r->threads[i]) ? (double)r->threads[i].cpu_ns : 0;
	}
	return ns >= MOST * all_ns;
}

double ep_lacking_share(const struct ep_report *r)
{
	double ready_ns = 0, wall_ns = 0;
	bool is_of_workers = r->threads && workers_have_most(r);

	for (uint32_t i = 0; r->threads && i < r->n_threads; i++) {
		const struct ep_report_thread *t = &r->threads[i];

		if (is_of_workers && !ep_works(r, t))
			continue;
		if (t->waits.has_unknown)
			return NAN;
		ready_ns += (double)t->waits.ready_ns;
		wall_ns += (double)(t->cpu_ns + t->waits.all_ns);
	}
	return wall_ns > 0 ? ready_ns / wall_ns : NAN;
}

const char *ep_about_lacking(const struct ep_report *r)
{
	return r->selection ? "about " : "";
}

static double wanted_cpus(const struct ep_report *r, bool is_of_busiest)
{
	double ns = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		if (!is_of_busiest || ep_is_with_busiest(r, &r->threads[i]))
			ns += (double)(r->threads[i].cpu_ns + r->threads[i].waits.ready_ns);
	return r->duration_s > 0 ? ns / 1e9 / ep_shown_s(r) : 0;
}

double ep_wanted_cpus(const struct ep_report *r)
{
	return wanted_cpus(r, false);
}

static uint32_t count_all_workers(const struct ep_report *r)
{
	uint32_t n = 0;

	if (!workers_have_most(r))
		return r->n_threads;
	for (uint32_t i = 0; i < r->n_threads; i++)
		n += ep_works(r, &r->threads[i]);
	return n;
}

static const char *lacking(struct ep_words *b)
{
	bool is_one = count_all_workers(b->report) == 1;

	return ep_text(b, "%s ready to run but had no CPU %s%.0f %% of %s time: ",
		is_one ? "The program was" : "The threads were", ep_about_lacking(b->report),
		100 * ep_lacking_share(b->report), is_one ? "its" : "their");
}

bool ep_uses_openmp(const struct ep_trace *trace)
{
	static const char *const libraries[] = { "libgomp.", "libomp.", "libiomp5.", "libnvomp." };

	for (uint32_t i = 0; i < trace->n_modules; i++)
		for (size_t k = 0; k < EP_ARRAY_SIZE(libraries); k++)
			if (!strncmp(ep_base_name(trace->modules[i].path), libraries[k],
				    strlen(libraries[k])))
				return true;
	return false;
}

static const char *try_threads(struct ep_words *b, uint32_t n)
{
	if (ep_uses_openmp(b->trace))
		return ep_text(b, "Try OMP_NUM_THREADS=%u", n);
	return ep_text(b, "Try %u thread%s (OMP_NUM_THREADS, where OpenMP makes them)", n,
		n == 1 ? "" : "s");
}

static uint32_t count_in_process(const struct ep_report *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_threads; i++)
		n += ep_is_with_busiest(r, &r->threads[i]) && ep_works(r, &r->threads[i]);
	return n;
}

#define LIMITED 0.05 /* least share of the scheduler's periods in which a limit stopped the run */

static bool say_limited(struct ep_words *b, uint32_t n_allowed)
{
	const struct ep_report *r = b->report;

	if (ep_quantity_or(&r->limited_share, 0) < LIMITED)
		return false;
	ep_say(b,
		ep_text(b,
			"%sthe CPU limit of the run's container or batch job stopped it in %.0f %% of the scheduler's periods. %s.",
			lacking(b), 100 * r->limited_share.value,
			n_allowed && count_in_process(r) > n_allowed
				? ep_text(b, "%s, or a higher limit", try_threads(b, n_allowed))
				: "A higher limit makes it quicker"));
	return true;
}

/* Says that a process has more threads than CPUs that it may run on. */
static bool say_bound_too_close(struct ep_words *b, uint32_t n_allowed)
{
	const struct ep_report *r = b->report;
	uint32_t n = count_in_process(r);

	if (!n_allowed || n_allowed >= r->n_cpus || n <= n_allowed ||
		wanted_cpus(r, true) <= n_allowed)
		return false;
	ep_say(b,
		ep_text(b,
			"%s%u threads share %u of the %s %u CPUs, to which the process is bound (by taskset, mpirun --bind-to, a batch system or a container's limit). %s, or give it more CPUs.",
			lacking(b), n, n_allowed, ep_whose(r), r->n_cpus,
			try_threads(b, n_allowed)));
	return true;
}

/* Counts the CPUs that the ranks of one host may use together; host NULL stands for ranks whose host is not known. */
static uint32_t cpus_on_host(const struct ep_report *r, const char *host)
{
	struct ep_cpu_list list = { { 0 } };

	for (uint32_t i = 0; i < r->n_processes; i++) {
		const struct ep_report_process *p = &r->processes[i];

		if (p->rank && p->host == host && p->cpus_allowed &&
			!ep_cpu_list_add(&list, p->cpus_allowed))
			return 0;
	}
	return ep_cpu_list_count(&list);
}

static bool is_first_of_host(const struct ep_report *r, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (r->processes[k].rank && r->processes[k].host == r->processes[i].host)
			return false;
	return r->processes[i].rank != NULL;
}

/* Counts the CPUs that the ranks may use together: all CPUs where that is not known, or where there are no ranks. */
static uint32_t cpus_of_ranks(const struct ep_report *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_processes && r->n_ranks > 1; i++) {
		uint32_t n_here =
			is_first_of_host(r, i) ? cpus_on_host(r, r->processes[i].host) : 0;

		if (is_first_of_host(r, i) && !n_here)
			return r->n_cpus;
		n += n_here;
	}
	return n && n < r->n_cpus ? n : r->n_cpus;
}

static const char *try_fewer(struct ep_words *b, uint32_t n, uint32_t n_cpus)
{
	const struct ep_report *r = b->report;

	if (r->n_ranks < 2)
		return ep_text(b, "%s.", try_threads(b, n_cpus));
	if (n <= r->n_ranks || r->n_ranks > n_cpus)
		return ep_text(b, "Try no more than %u rank%s%s.", n_cpus, n_cpus == 1 ? "" : "s",
			n_cpus < r->n_cpus ? ", or give them more CPUs" : "");
	return ep_text(
		b, "%s for each of %u ranks.", try_threads(b, n_cpus / r->n_ranks), r->n_ranks);
}

/* Returns "share the machine's 4 CPUs." or "share 2 of ... CPUs": ranks are often bound to the same CPUs by
 * mistake. */
static const char *share_what(struct ep_words *b, uint32_t n_cpus)
{
	const struct ep_report *r = b->report;

	if (n_cpus == r->n_cpus)
		return ep_text(b, "share the %s %u CPUs.", ep_whose(r), n_cpus);
	return ep_text(b,
		"share %u of the %s %u CPUs, to which all ranks are bound (mpirun --report-bindings shows it).",
		n_cpus, ep_whose(r), r->n_cpus);
}

static double lacked_cpus(const struct ep_report *r)
{
	return ep_wanted_cpus(r) - r->cpus_used;
}

#define MUCH_TAKEN 0.25 /* least share of the lacked CPUs that other programs had, to be named */

/* Returns words on the CPUs that other programs took. They stand first, since fewer threads do not bring those
 * CPUs back. */
static const char *besides(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (r->selection ||
		ep_quantity_or(&r->others_cpus, 0) < fmax(MUCH_TAKEN * lacked_cpus(r), 0.1))
		return "";
	return ep_text(b, "other programs kept %.1f of the %s %u CPUs busy; besides, ",
		r->others_cpus.value, ep_whose(r), r->n_cpus);
}

/* Says that there are more threads than CPUs: the machine's CPUs, or those that all ranks may use. */
static bool say_too_many(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	uint32_t n = ep_count_workers(r), n_cpus = cpus_of_ranks(r);

	if (!n_cpus || n <= n_cpus || ep_wanted_cpus(r) <= n_cpus)
		return false;
	ep_say(b,
		ep_text(b, "%s%s%u threads %s%s %s", lacking(b), besides(b), n,
			share_what(b, n_cpus),
			ep_waiting_share(r) < SPINNING
				? ""
				: " They wait for each other, and each wait lasts until others had their turn.",
			try_fewer(b, n, n_cpus)));
	return true;
}

/* Says that several programs of the run, as make starts them, had work for more CPUs than there are. */
static bool say_together(struct ep_words *b, uint32_t n_cpus)
{
	const struct ep_report *r = b->report;
	uint32_t n_all =
		r->n_ranks > 1 ? cpus_of_ranks(r) : n_cpus; /* each rank may have CPUs of its own */
	double wanted = ep_wanted_cpus(r);

	if (!n_all || wanted <= n_all)
		return false;
	ep_say(b,
		ep_text(b, "%s%stogether they had work for %.1f CPUs on average, and there %s %u.",
			lacking(b), besides(b), wanted, n_all == 1 ? "is" : "are", n_all));
	return true;
}

/* Returns how many CPUs of the machine were idle on average. The run's part is all CPU time that the kernel
 * charged it; with many short processes this is far more than the samples show. */
static double idle_cpus(const struct ep_report *r)
{
	return r->n_cpus - ep_all_cpus_used(r) - r->others_cpus.value;
}

/* Tells whether more of the machine's CPUs were idle on average than the threads lacked. Averages do not show whether
 * they were idle at the moments when the threads lacked them. */
static bool had_idle_cpus(const struct ep_report *r)
{
	return idle_cpus(r) >= lacked_cpus(r);
}

/* Returns words on which threads or programs had the CPUs. Binding is named only as a possibility. The trace has
 * the CPUs that each process may run on, and say_taken treats processes that are bound, but threads may bind
 * themselves later. */
static const char *who_had_them(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	bool is_alone = count_all_workers(r) == 1;
	const char *they = is_alone ? "it" : "they";
	bool had_others = is_alone || r->others_cpus.value >= MUCH_TAKEN * lacked_cpus(r);

	if (r->selection)
		return "the rest of the run or other programs used the CPUs.";
	if (!ep_quantity_is_known(&r->others_cpus))
		return ep_text(b,
			"other programs used the CPUs, or %s wanted the same ones at the same moments.",
			they);
	if (had_idle_cpus(r))
		return ep_text(b,
			"%.1f of the machine's %u CPUs were idle on average, so %s%s wanted the same ones at the same moments: work comes in bursts, or threads are bound to CPUs (OMP_PLACES, sched_setaffinity).",
			idle_cpus(r), r->n_cpus, they, had_others ? " and other programs" : "");
	if (r->others_cpus.value < lacked_cpus(r))
		return ep_text(b,
			"%s and other programs (%.1f of the machine's %u CPUs) wanted the CPUs at the same moments.",
			they, r->others_cpus.value, r->n_cpus);
	return ep_text(b, "other programs kept %.1f of the machine's %u CPUs busy.",
		r->others_cpus.value, r->n_cpus);
}

static void say_taken(struct ep_words *b, uint32_t n_cpus)
{
	const struct ep_report *r = b->report;
	bool has_ranks = r->n_ranks > 1;
	const char *others = r->selection ? "the rest of the run, or other programs,"
			     : has_ranks  ? "other programs, or other ranks,"
			     : count_all_workers(r) > 1
				     ? "other programs, or others of its threads,"
				     : "other programs";

	if (n_cpus >= r->n_cpus)
		ep_say(b, ep_text(b, "%s%s", lacking(b), who_had_them(b)));
	else
		ep_say(b,
			ep_text(b,
				"%s%s ran on the %u of the %s %u CPUs to which it is bound (by taskset, mpirun --bind-to, a batch system or a container's limit).%s",
				lacking(b), others, n_cpus, ep_whose(r), r->n_cpus,
				has_ranks ? " mpirun --report-bindings shows where ranks run."
					  : ""));
}

/* Returns the number of CPUs that the busiest process may run on, or, if that is not known, the number for
 * another process of its host; 0: not known. */
static uint32_t allowed_cpus(const struct ep_report *r)
{
	const struct ep_report_process *process = ep_busiest_process(r);

	for (uint32_t i = 0; i < r->n_processes; i++)
		if (process && !process->n_cpus_allowed && r->processes[i].host == process->host &&
			r->processes[i].n_cpus_allowed)
			process = &r->processes[i];
	return process ? process->n_cpus_allowed : 0;
}

/* Returns false also when other programs had the CPUs, so that another sentence says how the run used the
 * CPUs that were left. */
bool ep_say_lacking(struct ep_words *b)
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

#define MUCH_STOLEN 0.1 /* least share of the time that the machine's CPUs worked, for a sentence */

#define MUCH_CHARGED 0.01 /* least share of the run's CPU time for more words */

static const char *say_charged(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if ((double)r->stolen_ns < MUCH_CHARGED * (double)r->cpu_ns)
		return "";
	return ep_text(b, " %.3g s of it are in the run's CPU time, and in no share below.",
		(double)r->stolen_ns / 1e9);
}

void ep_say_stolen(struct ep_words *b)
{
	if (ep_quantity_or(&b->report->stolen_share, 0) >= MUCH_STOLEN)
		ep_say(b,
			ep_text(b,
				"The host of this virtual machine gave %.0f %% of its CPU time to others (steal): on CPUs of its own the run is quicker.%s",
				100 * b->report->stolen_share.value, say_charged(b)));
}
