// SPDX-License-Identifier: BSD-3-Clause
/* Adds a finding on processes that executed a program which is not in the trace. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"

typedef const struct ep_report_process *process_ptr;

static int by_process(const void *a, const void *b)
{
	process_ptr x = *(const process_ptr *)a, y = *(const process_ptr *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start_s < y->start_s ? -1 : x->start_s > y->start_s;
}

static bool has_successor(const process_ptr *sorted, uint32_t i, uint32_t n)
{
	return i + 1 < n && sorted[i + 1]->pid == sorted[i]->pid;
}

static int by_program(const void *a, const void *b)
{
	return strcmp((*(const process_ptr *)a)->program, (*(const process_ptr *)b)->program);
}

#define MAX_PROGRAMS 6

/* Makes a text such as "env (2), su" of processes that are sorted by their programs. */
static const char *list(struct ep_words *b, const process_ptr *sorted, uint32_t n)
{
	const char *text = "";
	uint32_t n_same, n_named = 0;

	for (uint32_t i = 0; i < n; i += n_same) {
		for (n_same = 1; i + n_same < n && !by_program(&sorted[i], &sorted[i + n_same]);)
			n_same++;
		if (n_named++ == MAX_PROGRAMS)
			return ep_text(b, "%s ...", text);
		text = ep_text(b, n_same > 1 ? "%s%s%s (%u)" : "%s%s%s", text,
			n_named > 1 ? ", " : "", sorted[i]->program, n_same);
	}
	return text;
}

void ep_find_became(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const struct ep_reader_stats *reader = &b->trace->reader;
	EP_AUTOFREE process_ptr *sorted = calloc(r->n_processes + 1, sizeof(process_ptr));
	uint32_t n_lost = 0;

	if (!sorted) {
		b->out_of_memory = true;
		return;
	}
	/* a selection or a damaged file may lack the program that a process executed, although it was measured */
	if (r->selection || reader->n_damages || reader->cut_bytes)
		return;
	for (uint32_t i = 0; i < r->n_processes; i++)
		sorted[i] = &r->processes[i];
	qsort(sorted, r->n_processes, sizeof(process_ptr), by_process);
	for (uint32_t i = 0; i < r->n_processes; i++)
		if (sorted[i]->has_end && sorted[i]->end_how == EP_END_EXEC &&
			!has_successor(sorted, i, r->n_processes))
			sorted[n_lost++] = sorted[i];
	if (!n_lost)
		return;
	qsort(sorted, n_lost, sizeof(process_ptr), by_program);
	NOTE(b, "%u process%s became a program that is not in this trace: %s. Not measured are static and set-user-ID programs, those that --include or --exclude leaves out, and programs started without LD_PRELOAD (env -i, sudo, su -, a chroot). Programs of other users have a trace beside this one.",
		n_lost, n_lost == 1 ? "" : "es", list(b, sorted, n_lost));
}
