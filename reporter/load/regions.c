// SPDX-License-Identifier: BSD-3-Clause
/* Adds the regions of threads to the trace's table, and finds the region that each slice ends in. */
#include "reporter/load/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/loader.h"

void ep_region_table_finish(struct ep_region_table *table)
{
	free(table->rows);
	ep_index_finish(&table->index);
	*table = (struct ep_region_table){ 0 };
}

void ep_thread_regions_finish(struct ep_thread_regions *regions)
{
	free(regions->known);
	free(regions->changes);
	free(regions->of_slice);
	free(regions->of_waits);
	*regions = (struct ep_thread_regions){ 0 };
}

/* ---- the table ---- */

static bool same_region(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_region *a = &((const struct ep_trace *)owner)->regions.rows[idx], *b = key;

	return a->parent_idx == b->parent_idx && a->name == b->name;
}

static bool is_wanted(const struct ep_trace *trace, const struct ep_region *region)
{
	return !trace->part.region || !strcmp(trace->part.region, region->name) ||
	       (region->parent_idx != EP_NONE && trace->regions.rows[region->parent_idx].is_wanted);
}

int ep_region_find_or_add(struct ep_trace *trace, struct ep_region *region, uint32_t *out_idx)
{
	struct ep_region_table *table = &trace->regions;
	uint64_t hash = ep_hash_mix(region->parent_idx, (uint64_t)(uintptr_t)region->name);

	*out_idx = ep_index_find(&table->index, hash, same_region, trace, region);
	if (*out_idx != EP_NONE || table->n_rows >= EP_MOST_REGIONS)
		return 0;
	if (EP_ARRAY_RESERVE(table->rows, table->n_rows, table->capacity) ||
		ep_index_add(&table->index, hash, table->n_rows))
		return -ENOMEM;
	region->is_wanted = is_wanted(trace, region);
	*out_idx = table->n_rows;
	table->rows[table->n_rows++] = *region;
	return 0;
}

/* ---- blocks ---- */

static struct ep_known_region *known_of(const struct ep_thread_regions *regions, uint32_t node)
{
	return node && node <= regions->n_known ? &regions->known[node - 1] : NULL;
}

static int add_node(struct ep_trace *trace, struct ep_thread_regions *regions,
	const struct ep_region_node *node, struct ep_known_region *out_known)
{
	const struct ep_known_region *parent = known_of(regions, node->parent);
	struct ep_region region = { .parent_idx = parent ? parent->idx : EP_NONE };
	int rc;

	*out_known = (struct ep_known_region){ region.parent_idx,
		.is_around = parent && parent->is_around };
	if (out_known->is_around || (node->parent && region.parent_idx == EP_NONE))
		return 0;
	region.name = ep_strings_add(&trace->strings, node->name, node->name_size);
	rc = region.name ? ep_region_find_or_add(trace, &region, &out_known->idx) : -ENOMEM;
	if (rc || out_known->idx != EP_NONE)
		return rc;
	*out_known = (struct ep_known_region){ region.parent_idx, .is_around = true };
	return 0;
}

static int take_nodes(
	struct ep_trace *trace, struct ep_thread_regions *regions, const struct ep_regions *block)
{
	uint32_t n = block->first_node - 1 + block->n_nodes;
	struct ep_known_region *bigger;

	if (n <= regions->n_known)
		return 0;
	bigger = realloc(regions->known, n * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	regions->known = bigger;
	while (regions->n_known < n) {
		uint32_t number = regions->n_known + 1;
		struct ep_known_region known = { .idx = EP_NONE };

		if (number >= block->first_node &&
			add_node(trace, regions, &block->nodes[number - block->first_node], &known))
			return -ENOMEM;
		regions->known[regions->n_known++] = known;
	}
	return 0;
}

/* Adds the growth of a running total since the last block to *sum, and returns the growth. */
static uint64_t take_growth(uint64_t *sum, uint64_t *before, uint64_t now)
{
	uint64_t grown;

	if (now <=
		/* A block that was written while a region ended lacks the region's last stay, and so may have
		 * less than the block before; the next block has that time. */
		*before)
		return 0;
	grown = now - *before;
	*sum += grown;
	*before = now;
	return grown;
}

/* Tells whether a region is shown and the region around it is not: then no other shown region contains its
 * time. */
static bool is_outermost(const struct ep_region_table *table, const struct ep_region *row)
{
	return row->is_wanted &&
	       (row->parent_idx == EP_NONE || !table->rows[row->parent_idx].is_wanted);
}

static int take_sum(struct loader *loader, struct ep_trace_thread *thread,
	struct ep_known_region *known, const struct ep_region_sum *now)
{
	struct ep_region_table *table = &loader->trace->regions;
	struct ep_region *row = &table->rows[known->idx];
	struct ep_block_sum sum = { .idx = known->idx, .is_region = true };

	sum.n = take_growth(&row->n_entries, &known->n_entries, now->n_entries);
	sum.ns = take_growth(&row->wall_ns, &known->wall_ns, now->wall_ns);
	if (is_outermost(table, row))
		thread->region_wall_ns += sum.ns;
	return sum.n || sum.ns ? ep_block_sums_add(loader, thread, &sum) : 0;
}

static int take_sums(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_regions *block)
{
	struct ep_region_table *table = &loader->trace->regions;
	struct ep_thread_regions *regions = &thread->regions;

	for (uint32_t i = 0; i < block->n_sums; i++) {
		struct ep_known_region *known = known_of(regions, block->sums[i].node);

		if (known && known->is_around)
			take_growth(&table->n_beyond, &known->n_entries, block->sums[i].n_entries);
		if (!known || known->idx == EP_NONE || known->is_around)
			continue;
		if (take_sum(loader, thread, known, &block->sums[i]))
			return -ENOMEM;
	}
	take_growth(&table->n_lost, &regions->n_lost, block->n_lost);
	take_growth(&table->n_unmatched, &regions->n_unmatched, block->n_unmatched);
	take_growth(&table->n_left, &regions->n_left, block->n_left);
	/* the number of open regions is no running total: the thread's last block counts */
	table->n_open += block->n_open - regions->n_open;
	regions->n_open = block->n_open;
	return 0;
}

/* The most changes that wait for their slices (16 MB of memory). Changes wait in vain if the blocks with
 * their slices are lost. */
#define MOST_WAITING (1u << 20)

/* Removes the waiting changes of slices from slice on. Blocks come in the order of their slices: so a waiting
 * change at a later slice than the first change of the next block is damaged, and the changes after it would
 * never be applied. */
static void forget_from(
	struct ep_region_table *table, struct ep_thread_regions *regions, uint64_t slice)
{
	uint32_t n = regions->n_changes;

	while (n && regions->changes[n - 1].slice >= slice)
		n--;
	table->n_waiting -= regions->n_changes - n;
	regions->n_changes = n;
}

/* Keeps the block's changes until their slices come. 0, -ENOMEM, or -EBADMSG where too many wait. */
static int keep_changes(struct ep_region_table *table, struct ep_thread_regions *regions,
	const struct ep_regions *block)
{
	struct ep_region_change *bigger;

	if (!block->n_changes)
		return 0;
	forget_from(table, regions, block->changes[0].slice);
	if (block->n_changes > MOST_WAITING - table->n_waiting)
		return -EBADMSG;
	bigger = realloc(regions->changes,
		((size_t)regions->n_changes + block->n_changes) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memcpy(bigger + regions->n_changes, block->changes, block->n_changes * sizeof(*bigger));
	regions->changes = bigger;
	regions->n_changes += block->n_changes;
	table->n_waiting += block->n_changes;
	return 0;
}

int ep_trace_take_regions(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace *trace = loader->trace;
	struct ep_trace_thread *thread;
	struct ep_regions regions;
	uint32_t idx;
	int rc = ep_regions_decode(block, &regions);

	if (rc)
		return rc;
	rc = ep_trace_thread_find_or_add(loader, process_idx, regions.thread, &idx);
	thread = &trace->threads[idx];
	if (!rc && thread->is_wanted) {
		rc = take_nodes(trace, &thread->regions, &regions);
		if (!rc)
			rc = take_sums(loader, thread, &regions);
		if (!rc && !loader->options->skip_samples)
			rc = keep_changes(&trace->regions, &thread->regions, &regions);
	}
	ep_regions_finish(&regions);
	return rc;
}

/* ---- slices ---- */

int ep_thread_regions_follow(struct ep_region_table *table, struct ep_thread_regions *regions,
	uint64_t first_slice, uint32_t n)
{
	uint32_t next = 0;

	free(regions->of_slice);
	regions->of_slice = NULL;
	if (!regions->n_changes && !regions->now)
		return 0;
	regions->of_slice = malloc(((size_t)n + 1) * sizeof(*regions->of_slice));
	if (!regions->of_slice)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		for (; next < regions->n_changes && regions->changes[next].slice <= first_slice + i;
			next++) {
			const struct ep_known_region *known =
				known_of(regions, regions->changes[next].node);

			regions->now = known && known->idx != EP_NONE ? known->idx + 1 : 0;
		}
		regions->of_slice[i] = regions->now - 1;
	}
	table->n_waiting -= next;
	regions->n_changes -= next;
	memmove(regions->changes, regions->changes + next,
		regions->n_changes * sizeof(*regions->changes));
	return 0;
}

void ep_region_add_slice(struct ep_trace *trace, uint32_t region_idx, const struct ep_sample *s)
{
	struct ep_region *region = &trace->regions.rows[region_idx];

	region->cpu_us += s->cpu_us;
	region->n_samples += !(s->flags & EP_SAMPLE_CUT);
	region->squares += (double)s->cpu_us * (double)s->cpu_us;
}

/* ---- waits ---- */

bool ep_region_of_wait_is_wanted(
	const struct ep_region_table *table, const struct ep_thread_regions *regions, uint32_t i)
{
	const struct ep_known_region *known =
		i < regions->n_of_waits ? known_of(regions, regions->of_waits[i]) : NULL;

	return known && known->idx != EP_NONE && table->rows[known->idx].is_wanted;
}

int ep_trace_take_wait_regions(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_thread_regions *regions;
	struct ep_wait_regions told;
	uint32_t idx;
	int rc = ep_wait_regions_decode(block, &told);

	if (rc)
		return rc;
	rc = ep_trace_thread_find_or_add(loader, process_idx, told.thread, &idx);
	if (rc) {
		free(told.nodes);
		return rc;
	}
	regions = &loader->trace->threads[idx].regions;
	free(regions->of_waits);
	regions->of_waits = told.nodes;
	regions->n_of_waits = told.n_sums;
	return 0;
}
