// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentence on memory that the program gets from the kernel again and again, and that the kernel clears
 * each time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/layout.h"
#include "reporter/text/short_names.h"
#include "words.h"

/* A fault brings in at least one page of the smallest size. The memory that is computed from faults is a lower
 * bound. */
#define FAULT_BYTES 4096
#define MANY_TIMES 4 /* memory got by faults, over the most that the process had at once */
/* faults per second of CPU time; if a fault takes a microsecond, they are 2 % of the CPU time */
#define MANY_A_SECOND 20000
#define MIN_CPU_NS 50000000 /* CPU time; a program with less spends much of it on start and end */

/* Returns the faults of each process's threads, by the process's index, which the caller frees. NULL: there is no
 * memory. */
static uint64_t *count_faults(const struct ep_report *r)
{
	uint32_t n = 0;
	uint64_t *faults;

	for (uint32_t i = 0; i < r->n_processes; i++)
		n = r->processes[i].process_idx >= n ? r->processes[i].process_idx + 1 : n;
	faults = calloc(n + 1, sizeof(*faults));
	for (uint32_t i = 0; faults && i < r->n_threads; i++)
		if (r->threads[i].process_idx < n)
			faults[r->threads[i].process_idx] += r->threads[i].n_minor_faults;
	return faults;
}

/* Counts the children of a process, one for each fork. After each fork a page faults once more when it is
 * written. So a process with n forks that keeps its memory has at most 1 + n times the faults. */
static uint32_t count_children(const struct ep_report *r, const struct ep_report_process *process)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_processes; i++)
		n += r->processes[i].ppid == process->pid;
	return n;
}

/* Finds the procedure that has most of the process's faults. Other processes may run it, too, so all their
 * faults are subtracted. NULL: no procedure has most of them, or the slices do not tell which. */
static const struct ep_report_row *find_place(const struct ep_report *r, uint64_t n_faults)
{
	double others;
	uint32_t event_idx = 0;

	while (event_idx < r->n_events && strcmp(r->events[event_idx].name, "minor-faults"))
		event_idx++;
	if (event_idx == r->n_events)
		return NULL;
	others = fmax(0, r->events[event_idx].total.count.value - (double)n_faults);
	for (uint32_t i = 0; i < r->procedures.n_rows; i++) {
		const struct ep_report_row *row = &r->procedures.rows[i];
		const struct ep_report_value *value = row->values ? &row->values[event_idx] : NULL;

		if (value && ep_quantity_is_known(&value->count) && !value->is_mixed &&
			ep_report_row_is_place(row) &&
			2 * (value->count.value - others) > (double)n_faults)
			return row;
	}
	return NULL;
}

static double times_anew(uint64_t n_faults, const struct ep_report_process *process)
{
	return process->peak_rss_kib
		       ? (double)n_faults * FAULT_BYTES / ((double)process->peak_rss_kib * 1024)
		       : 0;
}

/* Finds the process with the most faults among those that took much of their memory again and again. */
static const struct ep_report_process *find_process(const struct ep_report *r, uint64_t *out_n)
{
	const struct ep_report_process *found = NULL;
	EP_AUTOFREE uint64_t *faults = count_faults(r);

	for (uint32_t i = 0; faults && i < r->n_processes; i++) {
		const struct ep_report_process *process = &r->processes[i];
		uint64_t n = faults[process->process_idx];

		if (process->cpu_ns < MIN_CPU_NS || times_anew(n, process) < MANY_TIMES ||
			(double)n < MANY_A_SECOND * ((double)process->cpu_ns / 1e9) ||
			(found && n <= *out_n) ||
			times_anew(n, process) < MANY_TIMES * (1. + count_children(r, process)))
			continue;
		found = process;
		*out_n = n;
	}
	return found;
}

void ep_say_faults(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	uint64_t n = 0;
	const struct ep_report_process *process =
		r->selection || r->is_simulated ? NULL : find_process(r, &n);
	const struct ep_report_row *place = process ? find_place(r, n) : NULL;
	char faults[EP_NUMBER_BYTES], times[EP_NUMBER_BYTES];

	if (!process)
		return;
	ep_format_count(faults, n);
	ep_format_count(times, (uint64_t)(times_anew(n, process) + 0.5));
	ep_say(b,
		ep_text(b,
			"%s got memory from the kernel again and again, in %s page faults%s%s, %s times the most that it had at once, and the kernel clears each page first. Allocate memory once and keep it for the next iteration; where malloc gives it back, MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ keep it.",
			process->program, faults, place ? ", most of them in " : "",
			place ? ep_name_say(b, place->short_name) : "", times));
}
