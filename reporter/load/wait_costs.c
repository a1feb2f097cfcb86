// SPDX-License-Identifier: BSD-3-Clause
/* Waits, summed by thread, call path, and the thing that was waited for. */
#include <errno.h>
#include <stdlib.h>

#include "reporter/load/loader.h"

static bool same_wait(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_wait_cost *a = &((const struct ep_trace *)owner)->waits[idx], *b = key;

	return a->thread_idx == b->thread_idx && a->path_idx == b->path_idx && a->kind == b->kind &&
	       a->holder_kind == b->holder_kind && a->lock_module_idx == b->lock_module_idx &&
	       a->lock == b->lock && a->name == b->name && a->holder == b->holder &&
	       a->holder_path_idx == b->holder_path_idx;
}

static uint64_t hash_of(const struct ep_wait_cost *wait)
{
	uint64_t hash = ep_hash_mix((uint64_t)wait->thread_idx << 32 | wait->path_idx, wait->kind);

	hash = ep_hash_mix(hash, wait->lock);
	hash = ep_hash_mix(hash, (uint64_t)wait->holder << 32 | wait->holder_path_idx);
	return ep_hash_mix(hash, (uint64_t)(uintptr_t)wait->name);
}

int ep_wait_cost_add(struct ep_trace *trace, const struct ep_wait_cost *wait, uint32_t *out_idx)
{
	uint64_t hash = hash_of(wait);

	*out_idx = ep_index_find(&trace->wait_index, hash, same_wait, trace, wait);
	if (*out_idx != EP_NONE) {
		struct ep_wait_cost *sum = &trace->waits[*out_idx];

		sum->n_waits += wait->n_waits;
		sum->off_ns += wait->off_ns;
		if (wait->longest_ns > sum->longest_ns)
			sum->longest_ns = wait->longest_ns;
		return 0;
	}
	if (EP_ARRAY_RESERVE(trace->waits, trace->n_waits, trace->wait_capacity) ||
		ep_index_add(&trace->wait_index, hash, trace->n_waits))
		return -ENOMEM;
	*out_idx = trace->n_waits;
	trace->waits[trace->n_waits++] = *wait;
	return 0;
}

/* Returns the call path of a tree node; EP_NONE: the trace does not have the node. */
static uint32_t path_of(const struct ep_trace_thread *thread, uint32_t epoch, uint32_t node_idx)
{
	if (!node_idx || epoch != thread->epoch || node_idx >= thread->n_nodes)
		return EP_NONE;
	return thread->path_idx[node_idx];
}

static int take_name(struct ep_trace *trace, const struct ep_waits *waits,
	const struct ep_wait_sum *sum, const char **out_name)
{
	const struct ep_wait_name *name = sum->name ? &waits->names[sum->name - 1] : NULL;

	*out_name = name ? ep_strings_add(&trace->strings, name->text, name->size) : NULL;
	return name && !*out_name ? -ENOMEM : 0;
}

static int take_lock(struct ep_trace *trace, struct ep_trace_process *process,
	const struct ep_wait_sum *sum, struct ep_wait_cost *wait)
{
	wait->lock = sum->object;
	wait->lock_module_idx = EP_NONE;
	if (!sum->object_module)
		return 0;
	return ep_module_for(trace, process, sum->object_module, &wait->lock_module_idx);
}

static int take_sum(struct loader *loader, uint32_t thread_idx, const struct ep_waits *waits,
	const struct ep_wait_sum *sum)
{
	struct ep_trace *trace = loader->trace;
	struct ep_trace_thread *thread = &trace->threads[thread_idx];
	struct ep_block_sum of_block = {
		.n = sum->n_waits, .ns = sum->off_ns, .longest_ns = sum->longest_ns
	};
	struct ep_wait_cost wait = {
		.thread_idx = thread_idx,
		.path_idx = path_of(thread, waits->epoch, sum->node_idx),
		.kind = sum->kind,
		.holder_kind = sum->holder_kind,
		.holder = sum->holder,
		.holder_path_idx = path_of(thread, waits->epoch, sum->holder_node),
		.n_waits = sum->n_waits,
		.off_ns = sum->off_ns,
		.longest_ns = sum->longest_ns,
	};

	if (wait.path_idx == EP_NONE)
		wait.path_idx = thread->lost_path_idx;
	if (take_name(trace, waits, sum, &wait.name) ||
		take_lock(trace, &trace->processes[thread->process_idx], sum, &wait) ||
		ep_wait_cost_add(trace, &wait, &of_block.idx))
		return -ENOMEM;
	return ep_block_sums_add(loader, thread, &of_block);
}

/* Tells whether a sum of waits is shown. Where only a region is loaded, no waits of a thread without regions
 * are shown. A sum without time stands for calls whose waits were not measured: it belongs to no region, and
 * is always shown, since it tells that waits may be missing. */
static bool is_shown(const struct ep_trace *trace, const struct ep_trace_thread *thread,
	const struct ep_waits *waits, uint32_t i)
{
	return !trace->part.region || !waits->sums[i].off_ns ||
	       ep_region_of_wait_is_wanted(&trace->regions, &thread->regions, i);
}

static int take_block(struct loader *loader, uint32_t thread_idx, const struct ep_waits *waits)
{
	struct ep_trace *trace = loader->trace;
	struct ep_trace_thread *thread = &trace->threads[thread_idx];
	int rc = 0;

	if (trace->part.is_set)
		thread->block_sums.n_lost_waits += waits->n_lost;
	else
		trace->n_lost_waits += waits->n_lost;
	trace->waits_lack_regions |=
		thread->regions.n_known && thread->regions.n_of_waits != waits->n_sums;
	for (uint32_t i = 0; i < waits->n_sums && !rc; i++)
		if (is_shown(trace, thread, waits, i))
			rc = take_sum(loader, thread_idx, waits, &waits->sums[i]);
	thread->regions.n_of_waits = 0;
	return rc;
}

int ep_trace_take_waits(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_waits waits;
	uint32_t thread_idx;
	int rc = ep_waits_decode(block, &waits);

	if (rc)
		return rc;
	rc = ep_trace_thread_find_or_add(loader, process_idx, waits.thread, &thread_idx);
	if (!rc && loader->trace->threads[thread_idx].is_wanted)
		rc = take_block(loader, thread_idx, &waits);
	free(waits.sums);
	return rc;
}
