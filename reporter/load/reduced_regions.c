// SPDX-License-Identifier: BSD-3-Clause
/* Writes and reads regions that programs named, as blocks of sums. */
#include <errno.h>
#include <string.h>

#include "reporter/load/reduced_private.h"
#include "reporter/load/reduced_ranks.h"

#define ROOM 256 /* the most bytes of a record, not counting its name */

/* A mark in the map of a file's region numbers: the table had no room for the region, which is therefore
 * counted as the region around it. The other bits are the index of that region. */
#define BEYOND (1u << 31)
/* stands for "there is no region around it"; with the mark added it still differs from EP_NONE */
#define NONE_AROUND (BEYOND - 2)

static const struct ep_process_key no_process;

void ep_reduced_put_regions(struct ep_reduced_out *out, const struct ep_trace *trace)
{
	struct ep_region_table table = trace->regions;
	struct ep_fields fields;

	for (uint32_t i = 0; i < table.n_rows; i++) {
		struct ep_reduced_region row = { .id = i, .region = table.rows[i] };

		row.name = (struct ep_field_text){ row.region.name, strlen(row.region.name) };
		fields = ep_reduced_out_record(
			out, EP_REDUCED_REGIONS, no_process, ROOM + row.name.size);
		ep_reduced_region_fields(&fields, &row);
	}
	fields = ep_reduced_out_record(out, EP_REDUCED_REGION_STATS, no_process, ROOM);
	ep_reduced_region_stats_fields(&fields, &table);
}

/* Counts a region for which the table has no room as the region around it, as regions.c does for recorded
 * files. around_idx may be NONE_AROUND. */
static void count_beyond(
	struct ep_region_table *table, uint32_t around_idx, const struct ep_region *beyond)
{
	struct ep_region *around;

	table->n_beyond += beyond->n_entries;
	if (around_idx == NONE_AROUND)
		return;
	around = &table->rows[around_idx];
	around->cpu_us += beyond->cpu_us;
	around->n_samples += beyond->n_samples;
	around->squares += beyond->squares;
}

static void add_region(struct ep_region *to, const struct ep_region *more)
{
	to->n_entries += more->n_entries;
	to->wall_ns += more->wall_ns;
	to->cpu_us += more->cpu_us;
	to->n_samples += more->n_samples;
	to->squares += more->squares;
}

/* Adds a region inside parent_idx, which may be EP_NONE. *out_known is the value for the map of region
 * numbers. */
static int take_inside(struct ep_taking *t, const struct ep_reduced_region *read,
	uint32_t parent_idx, uint32_t *out_known)
{
	struct ep_region key = { .parent_idx = parent_idx, .name = ep_taking_keep(t, &read->name) };
	struct ep_region_table *table = &t->trace->regions;
	uint32_t idx;

	if (!key.name || ep_region_find_or_add(t->trace, &key, &idx))
		return -ENOMEM;
	if (idx == EP_NONE) {
		idx = parent_idx == EP_NONE ? NONE_AROUND : parent_idx;
		count_beyond(table, idx, &read->region);
		*out_known = BEYOND | idx;
		return 0;
	}
	add_region(&table->rows[idx], &read->region);
	*out_known = idx;
	return 0;
}

int ep_reduced_take_region(struct ep_taking *t)
{
	struct ep_reduced_region read = { 0 };
	uint32_t parent = EP_NONE, known = 0;

	ep_reduced_region_fields(&t->fields, &read);
	if (t->fields.in.bad || !read.name.text)
		return -EBADMSG;
	if (read.region.parent_idx != EP_NONE) {
		parent = ep_id_map_find(&t->input->regions, read.region.parent_idx);
		if (parent == EP_NONE)
			return -EBADMSG;
	}
	if (parent != EP_NONE && parent & BEYOND) {
		known = parent;
		count_beyond(&t->trace->regions, parent & ~BEYOND, &read.region);
	} else if (take_inside(t, &read, parent, &known)) {
		return -ENOMEM;
	}
	return ep_id_map_set(&t->input->regions, read.id, known);
}

int ep_reduced_take_region_stats(struct ep_taking *t)
{
	struct ep_region_table read = { 0 }, *table = &t->trace->regions;

	ep_reduced_region_stats_fields(&t->fields, &read);
	if (t->fields.in.bad)
		return -EBADMSG;
	table->squares += read.squares;
	table->n_lost += read.n_lost;
	table->n_unmatched += read.n_unmatched;
	table->n_left += read.n_left;
	table->n_open += read.n_open;
	table->n_beyond += read.n_beyond;
	return 0;
}
