// SPDX-License-Identifier: BSD-3-Clause
/* Adds findings on the run: CPU time that is not seen, processes that were killed, threads that waited. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/ended.h"
#include "reporter/words/findings.h"

#define MIN_CPU_NS 100000000 /* CPU time; a program with less does little but start up */

/* ---- CPU time that no thread of the trace has ---- */

static void find_unseen(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	for (uint32_t i = 0; i < r->n_processes; i++) {
		const struct ep_report_process *p = &r->processes[i];
		double seen = (double)p->cpu_ns / 1e9;

		if (p->unseen_s > 0)
			WARN(b, "%s (process %u) used %.2f s of CPU time by the kernel's account, %.2f s more than the threads in this trace: threads that began before evprof did, without the C library, or by a function that the program looked up in the library itself (as Free Pascal does), are not in it.",
				p->program, p->pid, p->unseen_s + seen, p->unseen_s);
	}
}

/* ---- ends ---- */

static void find_unfinished(struct ep_words *b)
{
	const struct ep_reader_stats *r = &b->trace->reader;
	bool is_whole = !r->n_damages && !r->cut_bytes;
	uint64_t n = b->trace->loss.n_unfinished_processes;

	if (n)
		NOTE(b, "%" PRIu64 " process%s no end in the trace: %s.", n,
			n == 1 ? " has" : "es have",
			is_whole
				? "killed, still running, ended by a system call of its own as Go programs do, or without a free descriptor at its end (the trace is opened for each write where a program may open few). At most the last second is missing"
				: "killed, still running, or lost with a part of the file");
}

static bool was_killed(const struct ep_report_process *process)
{
	return process->has_end && process->end_how == EP_END_SIGNAL;
}

/* Tells whether two processes were killed by the same signal. */
static bool same_end(const struct ep_report_process *a, const struct ep_report_process *b)
{
	return was_killed(a) && was_killed(b) && a->end_status == b->end_status;
}

/* Tells whether no process before i was killed by the same signal (by_program: and ran the same program), so
 * that each kind is named once. */
static bool is_first(const struct ep_report *r, uint32_t i, bool by_program)
{
	const struct ep_report_process *p = &r->processes[i];

	for (uint32_t k = 0; k < i; k++)
		if (same_end(&r->processes[k], p) &&
			(!by_program || !strcmp(r->processes[k].program, p->program)))
			return false;
	return true;
}

static uint32_t count_same(const struct ep_report *r, uint32_t i, bool by_program)
{
	const struct ep_report_process *p = &r->processes[i];
	uint32_t n = 0;

	for (uint32_t k = i; k < r->n_processes; k++)
		n += same_end(&r->processes[k], p) &&
		     (!by_program || !strcmp(r->processes[k].program, p->program));
	return n;
}

#define MAX_PROGRAMS 6

/* Makes "od (6), sort (6), cat (2)" of the programs whose processes ended as process i did. */
static const char *list_programs(struct ep_words *b, uint32_t i)
{
	const struct ep_report *r = b->report;
	const char *list = "";
	uint32_t n = 0;

	for (uint32_t k = i; k < r->n_processes; k++) {
		if (!same_end(&r->processes[k], &r->processes[i]) || !is_first(r, k, true))
			continue;
		if (n++ == MAX_PROGRAMS)
			return ep_text(b, "%s ...", list);
		list = ep_text(b, "%s%s%s (%u)", list, n > 1 ? ", " : "", r->processes[k].program,
			count_same(r, k, true));
	}
	return list;
}

static void find_signals(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	for (uint32_t i = 0; i < r->n_processes; i++) {
		const struct ep_report_process *p = &r->processes[i];
		const char *usual =
			p->end_status == SIGPIPE
				? " That is usual where the reader of a pipe ends first."
				: "";
		char buffer[EP_ENDED_BYTES];
		const char *ended = ep_ended_text(p, buffer);
		uint32_t n;

		if (!was_killed(p) || !is_first(r, i, false))
			continue;
		n = count_same(r, i, false);
		if (n == 1)
			NOTE(b, "%s (process %u) was %s.%s", p->program, p->pid, ended, usual);
		else
			NOTE(b, "%u processes were %s: %s.%s", n, ended, list_programs(b, i),
				usual);
	}
}

/* ---- waiting and cost ---- */

#define MIN_WORKER_SHARE 0.1 /* share of the CPU time; threads that use less are there to wait */

#define ENOUGH_SWITCHES 20

/* Returns words on why threads left a CPU. A thread that waits gives its CPU up voluntarily. A thread loses it
 * involuntarily when another one wants the CPU, or when it calls sched_yield. */
static const char *why_switched(struct ep_words *b, uint64_t n_voluntary, uint64_t n_involuntary)
{
	uint64_t n = n_voluntary + n_involuntary;

	if (n < ENOUGH_SWITCHES)
		return "";
	return ep_text(b,
		" Of the %" PRIu64
		" times that they left a CPU, %.0f %% were to wait; at the others it was taken from them, or offered (sched_yield).",
		n, ep_percent(n_voluntary, n));
}

static const char *what_for(
	struct ep_words *b, const struct ep_report_waits *waits, uint64_t cpu_ns)
{
	double ready = ep_percent(waits->ready_ns, cpu_ns + waits->all_ns);
	double asleep = ep_percent(waits->all_ns - waits->ready_ns, cpu_ns + waits->all_ns);

	if (waits->has_unknown)
		return "asleep, blocked, or ready without a CPU";
	if (ready < 0.5)
		return "asleep or blocked, hardly ever for a CPU";
	if (asleep < 0.5)
		return "ready to run, for a CPU";
	return ep_text(b, "%s%.0f %% asleep or blocked, %.0f %% ready without a CPU",
		ep_about_lacking(b->report), asleep, ready);
}

static void find_waiting(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	struct ep_report_waits waits = { 0 };
	uint64_t cpu_ns = 0, n_voluntary = 0, n_involuntary = 0;

	for (uint32_t i = 0; i < r->n_threads; i++) {
		if (r->threads[i].share < MIN_WORKER_SHARE)
			continue;
		cpu_ns += r->threads[i].cpu_ns;
		ep_waits_add(&waits, &r->threads[i].waits);
		n_voluntary += r->threads[i].n_voluntary;
		n_involuntary += r->threads[i].n_involuntary;
	}
	if (waits.all_ns <= cpu_ns || r->is_simulated)
		return;
	NOTE(b, "The busiest threads spent %.0f %% of their time waiting (%s); the shares in this report are of CPU time.%s",
		ep_percent(waits.all_ns, cpu_ns + waits.all_ns), what_for(b, &waits, cpu_ns),
		waits.has_unknown ? why_switched(b, n_voluntary, n_involuntary) : "");
}

/* most ticks take less than this, with their part of the time that writing the trace takes */
#define MOST_OF_TICK_NS 60000

/* Returns advice to reduce evprof's own cost. Costs above those of ticks come from beginnings of threads and
 * processes, or from a machine on which ticks are expensive. Then a longer period would help little, and no advice
 * is given. */
static const char *how_own_cost_falls(const struct ep_report *r)
{
	return r->own_ns < MOST_OF_TICK_NS * r->n_samples
		       ? " A longer evprof run --period makes it less."
		       : "";
}

static void find_gpu(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].activity == EP_ACTIVITY_GPU)
			NOTE(b, "The program ran code of a GPU's runtime. This report covers the CPUs only: the profiler of a GPU's maker shows what the GPU did (nsys and ncu, rocprofv3).");
}

static void find_own_cost(struct ep_words *b)
{
	double share = ep_percent(b->report->own_ns, b->report->cpu_ns);

	if (share > 2 && b->report->cpu_ns > MIN_CPU_NS && !b->report->is_simulated)
		NOTE(b, "evprof itself took %.1f %% on top of the program's CPU time (not counted in it).%s",
			share, how_own_cost_falls(b->report));
}

#define HARDLY 0.02 /* least share of the threads' time without a CPU that counts as a delay */

/* Says how much the machine's load delayed the run: by the time that its threads were ready to run
 * and had no CPU. */
static const char *what_it_did(struct ep_words *b)
{
	double share = ep_lacking_share(b->report);

	if (share < HARDLY)
		return ep_text(b,
			"It hardly held the run up: its threads were ready without a CPU %s%.1f %% of their time.",
			ep_about_lacking(b->report), 100 * share);
	if (share >= HARDLY)
		return ep_text(b,
			"If it still was, that is a part of the time in which the threads were ready without a CPU, %s%.0f %% of theirs; shares of CPU time change little.",
			ep_about_lacking(b->report), 100 * share);
	return "If it still was, the run took longer and its threads waited more than on a free machine; shares of CPU time change little.";
}

#define MUCH_OF_OTHERS 0.25 /* least share of the machine's CPUs that is worth a finding */

static const char *what_others_did(struct ep_words *b)
{
	double share = ep_lacking_share(b->report);

	if (isnan(share))
		return "The run may have taken longer for that";
	return ep_text(b, "%s were ready without a CPU %s%.1f %% of their time",
		share < HARDLY ? "They hardly held it up: its threads" : "Its threads",
		ep_about_lacking(b->report), 100 * share);
}

/* Adds a finding on other programs on the machine. Their CPU time during the run is preferred, since the load
 * before the run tells less. */
static void find_others(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (!r->others_cpus.value || r->others_cpus.value < MUCH_OF_OTHERS * r->n_cpus)
		return;
	NOTE(b, "Other programs kept %.1f of the machine's %u CPUs busy during the run. %s; shares of CPU time change little.",
		r->others_cpus.value, r->n_cpus, what_others_did(b));
}

static void find_busy_machine(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (ep_quantity_is_known(&r->others_cpus))
		find_others(b);
	else if (ep_machine_busyness(r) == EP_MACHINE_BUSY)
		NOTE(b, "The machine was busy in the minute before the run (a load of %.1f on %u CPUs). %s",
			r->load.value, r->n_cpus, what_it_did(b));
}

#define WORTH_SAYING 0.02

/* Returns words on how much stolen time the CPU times contain. Linux sometimes charges a thread for time in
 * which the host ran something else. Slices that this made far too long are known, and left out of shares;
 * the rest is in slices of a usual length, and changes shares little. */
static const char *charged(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (!r->stolen_ns)
		return "CPU times may have some of it in them";
	return ep_text(b,
		"CPU times have %.3g s of it in them: slices that neither their clock nor a system call can have made so long. Shares are without",
		(double)r->stolen_ns / 1e9);
}

static void find_taken(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (ep_quantity_or(&r->stolen_share, 0) >= WORTH_SAYING)
		NOTE(b, "The host of this virtual machine gave %.0f %% of the CPU time that the machine had work for to others (steal). The run took longer for that, and %s.",
			100 * r->stolen_share.value, charged(b));
	if (ep_quantity_or(&r->limited_share, 0) >= WORTH_SAYING)
		NOTE(b, "The CPU limit of the run's container or batch job stopped it in %.0f %% of the scheduler's periods, for %.3g s in all (of each CPU). Threads that it stops are ready without a CPU.",
			100 * r->limited_share.value, r->limited_s.value);
}

void ep_find_run(struct ep_words *builder)
{
	find_unseen(builder);
	find_unfinished(builder);
	ep_find_became(builder);
	ep_find_outside(builder);
	find_signals(builder);
	find_busy_machine(builder);
	find_taken(builder);
	find_waiting(builder);
	find_gpu(builder);
	find_own_cost(builder);
}
