// SPDX-License-Identifier: BSD-3-Clause
/* Decodes REGIONS blocks; preload/thread/region_rows.c encodes them. */
#include "common/trace_regions.h"

#include <errno.h>
#include <stdlib.h>

#include "common/trace_cursor.h"

/* Reads the number of records, each of at least least_bytes, and allocates memory for them. NULL: c->bad is set, or
 * there is no memory. */
static void *get_records(
	struct ep_cursor *c, size_t least_bytes, size_t record_bytes, uint32_t *out_n)
{
	uint32_t n = ep_get_u32(c);

	c->bad |= n > ep_cursor_left(c) / least_bytes;
	*out_n = c->bad ? 0 : n;
	return c->bad ? NULL : calloc((size_t)n + 1, record_bytes);
}

static void get_nodes(struct ep_cursor *c, struct ep_regions *regions)
{
	regions->first_node = ep_get_u32(c);
	regions->nodes = get_records(c, 2, sizeof(*regions->nodes), &regions->n_nodes);
	c->bad |= !regions->first_node ||
		  (uint64_t)regions->first_node + regions->n_nodes > EP_REGION_MAX_NODES + 1;
	for (uint32_t i = 0; regions->nodes && i < regions->n_nodes && !c->bad; i++) {
		struct ep_region_node *node = &regions->nodes[i];

		node->parent = ep_get_u32(c);
		node->name = (const char *)ep_get_string(c, &node->name_size);
		c->bad |= node->parent >= regions->first_node + i;
	}
}

static void get_sums(struct ep_cursor *c, struct ep_regions *regions)
{
	regions->sums = get_records(c, 3, sizeof(*regions->sums), &regions->n_sums);
	for (uint32_t i = 0; regions->sums && i < regions->n_sums && !c->bad; i++) {
		struct ep_region_sum *sum = &regions->sums[i];

		sum->node = ep_get_u32(c);
		sum->n_entries = ep_get_u(c);
		sum->wall_ns = ep_get_u(c);
		c->bad |= !sum->node || sum->node > EP_REGION_MAX_NODES;
	}
}

static void get_changes(struct ep_cursor *c, struct ep_regions *regions)
{
	uint64_t slice = 0;

	regions->changes = get_records(c, 2, sizeof(*regions->changes), &regions->n_changes);
	for (uint32_t i = 0; regions->changes && i < regions->n_changes && !c->bad; i++) {
		struct ep_region_change *change = &regions->changes[i];
		uint64_t after = ep_get_u(c);

		c->bad |= after > UINT64_MAX - slice;
		slice += after;
		*change = (struct ep_region_change){ slice, ep_get_u32(c) };
		c->bad |= change->node > EP_REGION_MAX_NODES;
	}
}

void ep_regions_finish(struct ep_regions *regions)
{
	free(regions->nodes);
	free(regions->sums);
	free(regions->changes);
	*regions = (struct ep_regions){ 0 };
}

int ep_regions_decode(const struct ep_block *block, struct ep_regions *out_regions)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	struct ep_regions regions = { .thread = ep_get_u32(&c) };
	bool has_all;

	regions.n_lost = ep_get_u(&c);
	regions.n_unmatched = ep_get_u(&c);
	regions.n_left = ep_get_u(&c);
	regions.n_open = ep_get_u32(&c);
	get_nodes(&c, &regions);
	get_sums(&c, &regions);
	get_changes(&c, &regions);
	has_all = regions.nodes && regions.sums && regions.changes;
	if (c.bad || ep_cursor_left(&c) || !has_all) {
		ep_regions_finish(&regions);
		return c.bad || has_all ? -EBADMSG : -ENOMEM;
	}
	*out_regions = regions;
	return 0;
}
