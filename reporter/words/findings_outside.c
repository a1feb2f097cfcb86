// SPDX-License-Identifier: BSD-3-Clause
/*
 * CPU time of children that nobody measured. The kernel tells a process what the children that it
 * waited for took, with theirs; what the trace's other processes took by the same account is a part
 * of that. Children that nobody waited for only make less of the rest: it is a lower bound. And CPU time
 * of the processes that are there, outside of what evprof measured of them.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"

#define MIN_OUTSIDE_SHARE 0.05
/* CPU time that a measured process takes before the library is there and after its last word. */
#define UNSEEN_OF_EACH_S 0.004
#define MIN_OUTSIDE_S 0.02

typedef const struct ep_report_process *process_ptr;

/* By host, process number and start: programs of one process stand together, in order. */
static int by_process(const void *a, const void *b)
{
	process_ptr x = *(const process_ptr *)a, y = *(const process_ptr *)b;
	int order = strcmp(x->host ? x->host : "", y->host ? y->host : "");

	if (order)
		return order;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start_s < y->start_s ? -1 : x->start_s > y->start_s;
}

static bool is_same(process_ptr a, process_ptr b)
{
	return a->pid == b->pid && !strcmp(a->host ? a->host : "", b->host ? b->host : "");
}

/* In sorted, of n: is the process that started this one there? */
static bool has_parent(const process_ptr *sorted, uint32_t n, process_ptr process)
{
	struct ep_report_process first = {
		.pid = process->ppid, .host = process->host, .start_s = -1e300
	};
	process_ptr wanted = &first;
	uint32_t from = 0, to = n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (by_process(&sorted[middle], &wanted) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < n && is_same(sorted[from], wanted);
}

/* One process: sorted[0] to sorted[n - 1] are the programs that it was. */
static double account_of(
	const process_ptr *all, uint32_t n_all, const process_ptr *sorted, uint32_t n)
{
	double children_s = 0, self_s = 0;
	bool is_top = false;

	for (uint32_t i = 0; i < n; i++) {
		bool goes_on = i && sorted[i]->born == EP_BORN_EXEC;

		is_top |= sorted[i]->born == EP_BORN_ROOT && !has_parent(all, n_all, sorted[i]);
		children_s += sorted[i]->children_s;
		/* the account of a process goes on over exec */
		if (goes_on)
			self_s -= sorted[i - 1]->user_s + sorted[i - 1]->system_s;
		self_s += sorted[i]->user_s + sorted[i]->system_s;
	}
	return is_top ? children_s : -self_s;
}

/* 0 where it is not known of all. */
static double outside_s(const process_ptr *sorted, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (sorted[i]->user_s < 0 || sorted[i]->children_s < 0)
			return 0;
	for (uint32_t i = 0, n_same; i < n; i += n_same) {
		for (n_same = 1; i + n_same < n && is_same(sorted[i], sorted[i + n_same]);)
			n_same++;
		sum += account_of(sorted, n, sorted + i, n_same);
	}
	return sum;
}

/* Returns the CPU time of one program of a process, whose account goes on over exec; without the
 * kernel's account its threads tell it. */
static double used_s(const process_ptr *sorted, uint32_t i)
{
	process_ptr process = sorted[i], before = NULL;
	double s = process->user_s + process->system_s;

	if (process->born == EP_BORN_EXEC && i && is_same(sorted[i - 1], process))
		before = sorted[i - 1];
	if (process->user_s < 0 || (before && before->user_s < 0))
		return (double)process->cpu_ns / 1e9;
	return before ? s - before->user_s - before->system_s : s;
}

#define MIN_UNTOLD_S 0.1
#define MIN_UNTOLD_SHARE 0.02

/* Processes that live shortly spend much of their time before the library begins and behind its end. */
static void find_untold(struct ep_builder *b, const process_ptr *sorted)
{
	struct ep_report *r = b->report;
	double inside_s = (double)r->cpu_ns / 1e9, all_s = 0, untold_s;

	for (uint32_t i = 0; i < r->n_processes; i++)
		all_s += used_s(sorted, i);
	untold_s = all_s - inside_s - r->unseen_s;
	if (r->is_simulated || untold_s < MIN_UNTOLD_S || untold_s < MIN_UNTOLD_SHARE * all_s)
		return;
	r->untold_s = untold_s;
	NOTE(b, "%.2f s of CPU time, %.0f %% of what the kernel charged, is in no table: what %s took before evprof began in %s and after it ended there (loading and linking, evprof's own work, the kernel's at exec and exit).",
		untold_s, 100 * untold_s / all_s,
		r->n_processes == 1 ? "the process"
				    : ep_text(b, "the %u processes", r->n_processes),
		r->n_processes == 1 ? "it" : "them");
}

void ep_find_outside(struct ep_builder *b)
{
	struct ep_report *r = b->report;
	EP_AUTOFREE process_ptr *sorted = calloc(r->n_processes + 1, sizeof(process_ptr));
	double inside_s = (double)r->cpu_ns / 1e9, outside;

	if (!sorted) {
		b->out_of_memory = true;
		return;
	}
	/* what is chosen is not all that there is */
	if (r->selection)
		return;
	for (uint32_t i = 0; i < r->n_processes; i++)
		sorted[i] = &r->processes[i];
	qsort(sorted, r->n_processes, sizeof(process_ptr), by_process);
	find_untold(b, sorted);
	outside = outside_s(sorted, r->n_processes);
	if (outside < MIN_OUTSIDE_S + UNSEEN_OF_EACH_S * r->n_processes ||
		outside < MIN_OUTSIDE_SHARE * (inside_s + outside))
		return;
	r->outside_s = outside;
	WARN(b, "Programs that are not in this trace took %.2f s of CPU time, %.0f %% of all: such as were started by those here and are linked statically or with musl, set-user-ID or Go's, lost LD_PRELOAD (env -i, sudo, su -, a chroot), or are left out by --include or --exclude.",
		outside, 100 * outside / (inside_s + outside));
}
