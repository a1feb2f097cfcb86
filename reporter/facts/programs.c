// SPDX-License-Identifier: BSD-3-Clause
/* Sums processes by the program that they ran: a build or a script has hundreds of processes of a few
 * programs. */
#include <stdlib.h>
#include <string.h>

#include "reporter/facts/builder.h"

static struct ep_report_program *find_program(
	struct ep_report *report, const struct ep_report_process *process)
{
	const char *name = process->program;
	struct ep_report_program *program;

	for (uint32_t i = 0; i < report->n_programs; i++)
		if (!strcmp(report->programs[i].name, name))
			return &report->programs[i];
	program = &report->programs[report->n_programs++];
	program->name = name;
	program->file = process->file;
	return program;
}

static int by_cpu(const void *a, const void *b)
{
	const struct ep_report_program *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns > y->cpu_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

void ep_build_programs(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;

	report->programs =
		ep_builder_calloc(builder, report->n_processes, sizeof(*report->programs));
	if (!report->programs)
		return;
	for (uint32_t i = 0; i < report->n_processes; i++) {
		const struct ep_report_process *process = &report->processes[i];
		struct ep_report_program *program = find_program(report, process);

		program->n_processes++;
		program->n_threads += process->n_threads;
		program->cpu_ns += process->cpu_ns;
		program->share += process->share;
	}
	qsort(report->programs, report->n_programs, sizeof(*report->programs), by_cpu);
	for (uint32_t i = 0; i < report->n_programs; i++)
		report->n_programs_shown += ep_row_is_shown(builder, i, report->programs[i].share);
}

bool ep_report_is_programs(const struct ep_report *report, const char *path)
{
	return report->n_programs && report->programs[0].file &&
	       !strcmp(ep_base_name(path), report->programs[0].file);
}
