// SPDX-License-Identifier: BSD-3-Clause
/* Threads of a trace: their totals, and the call paths of their tree nodes. */
#include <errno.h>
#include <stdlib.h>

#include "reporter/load/loader.h"
#include "reporter/load/mixing.h"

struct thread_key {
	uint32_t process_idx, number;
};

static bool same_thread(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_trace_thread *a = &((const struct ep_trace *)owner)->threads[idx];
	const struct thread_key *b = key;

	return a->process_idx == b->process_idx && a->number == b->number;
}

/* Adds the root and the lost path of the thread, where call paths are kept by thread. */
static int add_own_paths(struct ep_trace *trace, struct ep_trace_thread *thread)
{
	struct ep_path path = { .parent_idx = EP_PATH_ROOT,
		.module_idx = EP_NONE,
		.thread_number = (uint32_t)(thread - trace->threads) + 1 };

	if (ep_path_add(trace, &path, &thread->root_path_idx))
		return -ENOMEM;
	path.address = trace->paths[EP_PATH_LOST].address;
	return ep_path_add(trace, &path, &thread->lost_path_idx);
}

static int add_thread(struct loader *loader, struct thread_key key, uint64_t hash)
{
	struct ep_trace *trace = loader->trace;
	const struct ep_load_options *options = loader->options;
	struct ep_trace_thread *thread;

	if (EP_ARRAY_RESERVE(trace->threads, trace->n_threads, trace->thread_capacity) ||
		ep_index_add(&trace->thread_index, hash, trace->n_threads))
		return -ENOMEM;
	thread = &trace->threads[trace->n_threads++];
	*thread = (struct ep_trace_thread){ .process_idx = key.process_idx,
		.number = key.number,
		.root_path_idx = EP_PATH_ROOT,
		.lost_path_idx = EP_PATH_LOST };
	trace->processes[key.process_idx].n_threads++;
	thread->is_wanted =
		!options->wants || options->wants(options->context, trace, trace->n_threads - 1);
	return options->by_thread ? add_own_paths(trace, thread) : 0;
}

int ep_trace_thread_find_or_add(
	struct loader *loader, uint32_t process_idx, uint32_t number, uint32_t *out_idx)
{
	struct ep_trace *trace = loader->trace;
	struct thread_key key = { process_idx, number };
	uint64_t hash = ep_hash_mix(process_idx, number);

	*out_idx = ep_index_find(&trace->thread_index, hash, same_thread, trace, &key);
	if (*out_idx != EP_NONE)
		return 0;
	*out_idx = trace->n_threads;
	return add_thread(loader, key, hash);
}

void ep_trace_thread_finish(struct ep_trace_thread *thread)
{
	ep_sums_finish(&thread->sums);
	free(thread->path_idx);
	free(thread->script_idx);
	free(thread->exact);
	free(thread->armed_us);
	ep_thread_regions_finish(&thread->regions);
	ep_block_sums_finish(&thread->block_sums);
	free(thread->window.values);
	ep_pending_finish(&thread->pending);
	ep_recent_finish(&thread->recent);
	ep_timeline_finish(&thread->timeline);
}

static void forget_paths(struct ep_trace_thread *thread)
{
	free(thread->path_idx);
	thread->path_idx = NULL;
	thread->n_nodes = thread->node_capacity = 0;
}

/* Returns the count of event e in group g of a TOTALS block; NULL: the group does not hold the event. */
static const uint64_t *count_of(
	const struct ep_groups *groups, const struct ep_totals *totals, uint32_t g, uint32_t e)
{
	uint8_t position = groups->holds[(size_t)g * groups->n_events + e];

	if (!position || position > totals->groups[g].n_counts)
		return NULL;
	return &totals->counts[totals->groups[g].first_count + position - 1];
}

/* Returns the count of an event that every group counted all the time; negative for other events. */
static double exact_count(
	const struct ep_groups *groups, const struct ep_totals *totals, uint32_t e)
{
	double sum = 0;

	for (uint32_t g = 0; g < groups->n_groups; g++) {
		const uint64_t *count = count_of(groups, totals, g, e);

		if (!count || totals->groups[g].running_ns < totals->groups[g].enabled_ns)
			return -1;
		sum += (double)*count;
	}
	return groups->n_groups ? sum : -1;
}

static int keep_exact(
	struct ep_trace *trace, struct ep_trace_thread *thread, const struct ep_totals *totals)
{
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];

	if (!process->has_meta || totals->n_groups != process->groups.n_groups)
		return 0;
	free(thread->exact);
	thread->n_exact = trace->n_events;
	thread->exact = malloc((trace->n_events + 1) * sizeof(*thread->exact));
	if (!thread->exact)
		return -ENOMEM;
	for (uint32_t e = 0; e < trace->n_events; e++)
		thread->exact[e] = -1;
	for (uint32_t e = 0; e < process->groups.n_events; e++)
		thread->exact[process->event_idx[e]] = exact_count(&process->groups, totals, e);
	return 0;
}

/* Limits the totals to a part of the run: the time of the thread is cut to the part, and counts are dropped,
 * since they cannot be divided. */
static void keep_part_of_totals(const struct ep_trace *trace, struct ep_trace_thread *thread)
{
	uint64_t born_us = trace->processes[thread->process_idx].born_ns / 1000;
	uint64_t from_us = trace->part.from_ns / 1000, to_us = trace->part.to_ns / 1000;
	uint64_t start_us = born_us + thread->totals.start_us,
		 end_us = born_us + thread->totals.end_us;

	start_us = start_us < from_us ? from_us : start_us;
	end_us = end_us > to_us ? to_us : end_us;
	thread->totals = (struct ep_totals){ .thread = thread->totals.thread,
		.tid = thread->totals.tid,
		.final = thread->totals.final };
	if (start_us >= end_us)
		return;
	thread->totals.start_us = start_us - born_us;
	thread->totals.end_us = end_us - born_us;
}

static int keep_totals(struct loader *loader, uint32_t process_idx, struct ep_totals *totals)
{
	struct ep_trace_process *process = &loader->trace->processes[process_idx];
	struct ep_trace_thread *thread;
	uint32_t idx;
	int rc;

	if (ep_trace_thread_find_or_add(loader, process_idx, totals->thread, &idx))
		return -ENOMEM;
	thread = &loader->trace->threads[idx];
	thread->name = ep_strings_add(&loader->trace->strings, totals->name, totals->name_size);
	if (!thread->name ||
		(!loader->trace->part.is_set && keep_exact(loader->trace, thread, totals)))
		return -ENOMEM;
	thread->tid = totals->tid;
	thread->has_totals = true;
	thread->is_final |= totals->final;
	if (!thread->has_ready)
		thread->last_us = totals->start_us;
	thread->written_us = totals->end_us;
	thread->totals = *totals;
	thread->totals.name = NULL;
	thread->totals.groups = NULL;
	thread->totals.counts = NULL;
	if (loader->trace->part.is_set)
		keep_part_of_totals(loader->trace, thread);
	if (totals->end_us > process->last_us)
		process->last_us = totals->end_us;
	rc = ep_block_sums_lay(loader, thread, totals->start_us);
	if (rc)
		return rc;
	if (!totals->final)
		return 0;
	forget_paths(thread);
	if (ep_samples_flush(loader, thread) || ep_mixing_finish_thread(loader, thread))
		return -ENOMEM;
	ep_fillers_finish_thread(loader, thread);
	ep_thread_regions_finish(&thread->regions);
	ep_block_sums_finish(&thread->block_sums);
	ep_pending_finish(&thread->pending);
	return 0;
}

int ep_trace_thread_take_totals(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_totals totals;
	int rc = ep_totals_decode(block, &totals);

	if (rc)
		return rc;
	rc = keep_totals(loader, process_idx, &totals);
	free(totals.groups);
	free(totals.counts);
	return rc;
}

/* Adds the part of the time ready without a CPU that lies in the shown part of the run. Running totals are
 * written about every second, each after a TOTALS block of the thread, which has its time; the growth between
 * two running totals counts as spread evenly. */
static void add_part_of_ready(const struct ep_trace *trace, struct ep_trace_thread *thread,
	const struct ep_ready_time *now)
{
	uint64_t born_us = trace->processes[thread->process_idx].born_ns / 1000;
	uint64_t begin_us = born_us + thread->last_us, end_us = born_us + thread->written_us;
	uint64_t from_us = trace->part.from_ns / 1000, to_us = trace->part.to_ns / 1000;
	double grown_ns = (double)now->ready_ns - (double)thread->last_ready.ready_ns;

	from_us = from_us > begin_us ? from_us : begin_us;
	to_us = to_us < end_us ? to_us : end_us;
	if (to_us > from_us && grown_ns > 0)
		thread->ready.ready_ns += (uint64_t)(grown_ns * (double)(to_us - from_us) /
						     (double)(end_us - begin_us));
}

int ep_trace_thread_take_ready(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_ready_time ready;
	struct ep_trace_thread *thread;
	uint32_t idx;
	int rc = ep_ready_time_decode(block, &ready);

	if (rc)
		return rc;
	if (ep_trace_thread_find_or_add(loader, process_idx, ready.thread, &idx))
		return -ENOMEM;
	thread = &loader->trace->threads[idx];
	if (loader->trace->part.is_set)
		add_part_of_ready(loader->trace, thread, &ready);
	else
		thread->ready = ready;
	thread->has_ready = true;
	thread->last_ready = ready;
	thread->last_us = thread->written_us;
	return 0;
}

/* Makes room for a block's nodes. A new epoch starts with an empty tree; nodes that are lost with a damaged
 * block get EP_NONE as their path. */
static int prepare_nodes(struct ep_trace_thread *thread, const struct ep_stacks *stacks)
{
	if (stacks->epoch != thread->epoch) {
		forget_paths(thread);
		thread->epoch = stacks->epoch;
	}
	if (stacks->first_idx > thread->n_nodes + (1u << 24))
		return -EBADMSG;
	while (thread->n_nodes < stacks->first_idx) {
		if (EP_ARRAY_RESERVE(thread->path_idx, thread->n_nodes, thread->node_capacity))
			return -ENOMEM;
		thread->path_idx[thread->n_nodes] = thread->n_nodes ? EP_NONE : 0;
		thread->n_nodes++;
	}
	return 0;
}

static int take_node(struct loader *loader, struct ep_trace_thread *thread, uint32_t node_idx,
	const struct ep_stack_node *node)
{
	struct ep_trace *trace = loader->trace;
	struct ep_path path = { .address = node->address };

	if (EP_ARRAY_RESERVE(thread->path_idx, thread->n_nodes, thread->node_capacity))
		return -ENOMEM;
	if (node_idx == thread->n_nodes)
		thread->n_nodes++;
	thread->path_idx[node_idx] = EP_NONE;
	path.parent_idx = thread->path_idx[node->parent_idx];
	if (path.parent_idx == EP_NONE)
		return 0;
	if (loader->options->by_thread)
		path.thread_number = (uint32_t)(thread - trace->threads) + 1;
	if (!(ep_is_script_address(node->address) && !node->module_id &&
		    ep_script_find(trace, thread, node->address, &path)) &&
		ep_module_for(trace, &trace->processes[thread->process_idx], node->module_id,
			&path.module_idx))
		return -ENOMEM;
	return ep_path_add(trace, &path, &thread->path_idx[node_idx]);
}

int ep_trace_thread_take_stacks(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace_thread *thread;
	struct ep_stacks stacks;
	uint32_t idx;
	int rc = ep_stacks_decode(block, &stacks);

	if (rc)
		return rc;
	rc = ep_trace_thread_find_or_add(loader, process_idx, stacks.thread, &idx);
	thread = &loader->trace->threads[idx];
	if (!rc)
		rc = prepare_nodes(thread, &stacks);
	for (uint32_t i = 0; i < stacks.n_nodes && !rc; i++)
		rc = take_node(loader, thread, stacks.first_idx + i, &stacks.nodes[i]);
	free(stacks.nodes);
	return rc;
}
