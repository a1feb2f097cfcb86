// SPDX-License-Identifier: BSD-3-Clause
/* Creates the estimator's states of threads and processes with the first slice that needs them, and destroys
 * them when no more slices will come. */
#include <errno.h>
#include <stdlib.h>

#include "reporter/load/loader.h"

static int list_events(struct loader *loader, struct ep_trace_process *process)
{
	const struct ep_trace *trace = loader->trace;
	struct ep_fill_events *events = calloc(1, sizeof(*events));

	process->fill_events = events;
	if (!events)
		return -ENOMEM;
	events->filler = loader->options->filler;
	events->context = loader->options->filler_context;
	events->n_bytes_of_all = &loader->n_filler_bytes;
	events->n_events = process->groups.n_events;
	events->names = calloc(events->n_events + 1, sizeof(*events->names));
	events->always = calloc(events->n_events + 1, 1);
	if (!events->names || !events->always)
		return -ENOMEM;
	for (uint32_t e = 0; e < events->n_events; e++) {
		const struct ep_event_info *info = &trace->events[process->event_idx[e]];

		events->names[e] = info->name;
		events->always[e] = info->always;
	}
	return 0;
}

int ep_fillers_prepare(struct loader *loader, struct ep_trace_thread *thread)
{
	const struct ep_filler_ops *filler = loader->options->filler;
	struct ep_trace_process *process = &loader->trace->processes[thread->process_idx];

	if (thread->filler)
		return 0;
	if (!process->fill_events && list_events(loader, process))
		return -ENOMEM;
	if (!process->filler)
		process->filler = filler->process_create
					  ? filler->process_create(process->fill_events)
					  : process->fill_events;
	if (process->filler)
		thread->filler = filler->thread_create ? filler->thread_create(process->filler)
						       : process->filler;
	if (!thread->filler)
		return -ENOMEM;
	process->n_fillers++;
	return 0;
}

void ep_fillers_finish_thread(struct loader *loader, struct ep_trace_thread *thread)
{
	const struct ep_filler_ops *filler = loader->options->filler;

	if (!thread->filler)
		return;
	if (filler->thread_destroy)
		filler->thread_destroy(thread->filler);
	thread->filler = NULL;
	loader->trace->processes[thread->process_idx].n_fillers--;
}

void ep_fillers_finish_process(struct loader *loader, struct ep_trace_process *process)
{
	const struct ep_filler_ops *filler = loader->options->filler;

	if (!process->filler || process->n_fillers)
		return;
	if (filler->process_destroy)
		filler->process_destroy(process->filler);
	process->filler = NULL;
	process->n_learnt = 0;
}

void ep_fillers_finish(struct loader *loader)
{
	struct ep_trace *trace = loader->trace;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		ep_fillers_finish_thread(loader, &trace->threads[i]);
	for (uint32_t i = 0; i < trace->n_processes; i++)
		ep_fillers_finish_process(loader, &trace->processes[i]);
}
