// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compares the report's CPU time with the kernel's account of processes. The kernel's account has more: the
 * time of threads that are not in the trace, of processes before the library is loaded and after it has
 * written its last block, and of children that were not measured. The kernel tells a process the CPU time of
 * the children that it waited for, including their own children. The time of the trace's other processes, by
 * the same account, is a part of it and is subtracted. Children for which no process waited are missing in
 * the sum, so the difference is a lower bound.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

typedef const struct ep_report_process *process_ptr;

/* Sorts by host, process number and start, so that the programs of one process stand together, in order. */
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

/* Tells whether the process that started this one is among the n in sorted. */
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

/* Tells whether process is the program that exec started in the process of "before". A process of the same
 * number may also be a new one, since the kernel gives the numbers of dead processes to others. */
static bool goes_on(process_ptr before, process_ptr process)
{
	bool has_died =
		before->has_end &&
		(before->end_how == EP_END_EXIT || before->end_how == EP_END_EXIT_NOW ||
			before->end_how == EP_END_QUICK_EXIT || before->end_how == EP_END_SIGNAL);

	return process->born == EP_BORN_EXEC && is_same(before, process) && !has_died;
}

/* Returns the CPU time that the kernel had charged to the process when this program of it ended. */
static double charged_s(process_ptr process)
{
	return process->user_s.value + process->system_s.value;
}

/* Returns the contribution of one process to the CPU time of children that are not in the trace. A process at
 * the top of the trace adds the time of its children; each other process subtracts its own time, which is a
 * part of that. sorted[0] to sorted[n - 1] are the programs that the process executed one after the other. */
static double account_of(
	const process_ptr *all, uint32_t n_all, const process_ptr *sorted, uint32_t n)
{
	double children_s = 0, self_s = 0;
	bool is_top = false;

	for (uint32_t i = 0; i < n; i++) {
		is_top |= sorted[i]->born == EP_BORN_ROOT && !has_parent(all, n_all, sorted[i]);
		children_s += sorted[i]->children_s.value;
		/* the kernel's account of a process continues over exec */
		if (i && goes_on(sorted[i - 1], sorted[i]))
			self_s -= charged_s(sorted[i - 1]);
		self_s += charged_s(sorted[i]);
	}
	return is_top ? children_s : -self_s;
}

/* Returns the CPU time of children that are not in the trace; 0 where the time of children is not known for
 * all programs. */
static double outside_s(const process_ptr *sorted, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!ep_quantity_is_known(&sorted[i]->children_s))
			return 0;
	for (uint32_t i = 0, n_same; i < n; i += n_same) {
		for (n_same = 1; i + n_same < n && is_same(sorted[i], sorted[i + n_same]);)
			n_same++;
		sum += account_of(sorted, n, sorted + i, n_same);
	}
	return sum;
}

static bool has_account(process_ptr process)
{
	return ep_quantity_is_known(&process->user_s);
}

/* Returns the CPU time of one program of a process. The kernel's account of a process continues over exec, so
 * the account at the end of the program before is subtracted. Without these accounts, the time of the
 * program's threads is taken. */
static double used_s(const process_ptr *sorted, uint32_t i)
{
	process_ptr process = sorted[i], before = NULL;
	if (i && goes_on(sorted[i - 1], process))
		before = sorted[i - 1];
	if (!has_account(process) || (before && !has_account(before)))
		return (double)process->cpu_ns / 1e9;
	return charged_s(process) - (before ? charged_s(before) : 0);
}

#define MIN_UNSEEN_S 0.1 /* least time that is reported; starting a program takes less */
/* least share of the process's CPU time; loading and starting take less */
#define MIN_UNSEEN_SHARE 0.1
/* CPU time per thread that no table has, for the thread's end and the kernel's work for it: 0.06 ms were
 * measured where 15 programs shared two CPUs. */
#define UNSEEN_OF_THREAD_S 0.0002

/* Returns the CPU time that the kernel charged to one program, less the time of its threads and of evprof. For a
 * program that exec started, the account must be known at the end of the program before; else the result is 0. */
static double unseen_s(const process_ptr *sorted, uint32_t i)
{
	process_ptr process = sorted[i];
	double seen_s = (double)process->cpu_ns / 1e9, own_s = (double)process->own_ns / 1e9;
	bool has_before = i && goes_on(sorted[i - 1], process);
	double unseen, least;

	if (!has_account(process) || (has_before && !has_account(sorted[i - 1])) ||
		(process->born == EP_BORN_EXEC && !has_before))
		return 0;
	unseen = used_s(sorted, i) - seen_s - own_s;
	least = fmax(MIN_UNSEEN_S + UNSEEN_OF_THREAD_S * process->n_threads,
		MIN_UNSEEN_SHARE * (unseen + seen_s));
	return unseen >= least ? unseen : 0;
}

#define MIN_UNTOLD_S 0.1
#define MIN_UNTOLD_SHARE 0.02

#define MIN_OUTSIDE_SHARE 0.05
/* CPU time that each measured process takes before the library is loaded and after it has written its last
 * block. */
#define UNSEEN_OF_EACH_S 0.004
#define MIN_OUTSIDE_S 0.02

/* Sums up the CPU time that no table has. A short process has much of its time before the library begins to
 * measure and after it ends. */
static void sum_up(struct ep_report *r, double all_s, double children_s)
{
	double inside_s = (double)r->cpu_ns / 1e9, untold_s = all_s - inside_s - r->unseen_s;

	r->charged_s = fmax(all_s, inside_s + (double)r->own_ns / 1e9) + fmax(children_s, 0);
	if (!r->is_simulated && untold_s >= MIN_UNTOLD_S && untold_s >= MIN_UNTOLD_SHARE * all_s)
		r->untold_s = untold_s;
	if (children_s >= MIN_OUTSIDE_S + UNSEEN_OF_EACH_S * r->n_processes &&
		children_s >= MIN_OUTSIDE_SHARE * (inside_s + children_s))
		r->outside_s = children_s;
}

void ep_build_account(struct ep_builder *builder)
{
	struct ep_report *r = builder->report;
	EP_AUTOFREE process_ptr *sorted = calloc(r->n_processes + 1, sizeof(process_ptr));
	double all_s = 0;

	if (!sorted)
		builder->out_of_memory = true;
	if (!sorted || r->selection) /* the account of selected processes would not be complete */
		return;
	for (uint32_t i = 0; i < r->n_processes; i++)
		sorted[i] = &r->processes[i];
	qsort(sorted, r->n_processes, sizeof(process_ptr), by_process);
	for (uint32_t i = 0; i < r->n_processes; i++) {
		struct ep_report_process *process = &r->processes[sorted[i] - r->processes];

		process->unseen_s = unseen_s(sorted, i);
		r->unseen_s += process->unseen_s;
		all_s += used_s(sorted, i);
	}
	sum_up(r, all_s, outside_s(sorted, r->n_processes));
}
