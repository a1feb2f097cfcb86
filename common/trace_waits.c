// SPDX-License-Identifier: BSD-3-Clause
/* Encodes and decodes WAITS and WAIT_REGIONS blocks. The encoders run in signal handlers, so they follow the rules of
 * trace_encode.c. */
#include "common/trace.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/trace_cursor.h"

#define WAIT_SUM_MIN_BYTES 11 /* a sum has this many varints */

static void put_sum(struct ep_wire *wire, const struct ep_wait_sum *sum)
{
	ep_wire_u(wire, sum->node_idx);
	ep_wire_u(wire, sum->kind);
	ep_wire_u(wire, sum->n_waits);
	ep_wire_u(wire, sum->off_ns);
	ep_wire_u(wire, sum->longest_ns);
	ep_wire_u(wire, sum->object_module);
	ep_wire_u(wire, sum->object);
	ep_wire_u(wire, sum->name);
	ep_wire_u(wire, sum->holder);
	ep_wire_u(wire, sum->holder_node);
	ep_wire_u(wire, sum->holder_kind);
}

void ep_waits_encode(struct ep_wire *wire, struct ep_process_key key, const struct ep_waits *waits)
{
	size_t at = ep_block_start(wire, EP_BLOCK_WAITS, key);

	ep_wire_u(wire, waits->thread);
	ep_wire_u(wire, waits->epoch);
	ep_wire_u(wire, waits->n_lost);
	ep_wire_u(wire, waits->n_names);
	for (uint32_t i = 0; i < waits->n_names; i++)
		ep_wire_string(wire, waits->names[i].text, waits->names[i].size);
	ep_wire_u(wire, waits->n_sums);
	for (uint32_t i = 0; i < waits->n_sums; i++)
		put_sum(wire, &waits->sums[i]);
	ep_block_finish(wire, at);
}

static uint8_t get_kind(struct ep_cursor *c)
{
	uint64_t kind = ep_get_u(c);

	c->bad |= kind > UINT8_MAX;
	return (uint8_t)kind;
}

static void get_sum(struct ep_cursor *c, uint32_t n_names, struct ep_wait_sum *out_sum)
{
	out_sum->node_idx = ep_get_u32(c);
	out_sum->kind = get_kind(c);
	out_sum->n_waits = ep_get_u(c);
	out_sum->off_ns = ep_get_u(c);
	out_sum->longest_ns = ep_get_u(c);
	out_sum->object_module = ep_get_u32(c);
	out_sum->object = ep_get_u(c);
	out_sum->name = ep_get_u32(c);
	out_sum->holder = ep_get_u32(c);
	out_sum->holder_node = ep_get_u32(c);
	out_sum->holder_kind = get_kind(c);
	c->bad |= out_sum->name > n_names || out_sum->longest_ns > out_sum->off_ns;
}

static void get_names(struct ep_cursor *c, struct ep_waits *waits)
{
	waits->n_names = ep_get_u32(c);
	c->bad |= waits->n_names > EP_WAIT_MAX_NAMES;
	for (uint32_t i = 0; i < waits->n_names && !c->bad; i++)
		waits->names[i].text = (const char *)ep_get_string(c, &waits->names[i].size);
}

int ep_waits_decode(const struct ep_block *block, struct ep_waits *out_waits)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	EP_AUTOFREE struct ep_wait_sum *sums = NULL;
	struct ep_waits waits = { .thread = ep_get_u32(&c) };

	waits.epoch = ep_get_u32(&c);
	waits.n_lost = ep_get_u(&c);
	get_names(&c, &waits);
	waits.n_sums = ep_get_u32(&c);
	if (c.bad || waits.n_sums > ep_cursor_left(&c) / WAIT_SUM_MIN_BYTES)
		return -EBADMSG;
	sums = calloc((size_t)waits.n_sums + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	for (uint32_t i = 0; i < waits.n_sums && !c.bad; i++)
		get_sum(&c, waits.n_names, &sums[i]);
	if (c.bad || ep_cursor_left(&c))
		return -EBADMSG;
	waits.sums = sums;
	sums = NULL;
	*out_waits = waits;
	return 0;
}

void ep_wait_regions_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_waits *waits)
{
	size_t at = ep_block_start(wire, EP_BLOCK_WAIT_REGIONS, key);

	ep_wire_u(wire, waits->thread);
	ep_wire_u(wire, waits->n_sums);
	for (uint32_t i = 0; i < waits->n_sums; i++)
		ep_wire_u(wire, waits->sums[i].region);
	ep_block_finish(wire, at);
}

int ep_wait_regions_decode(const struct ep_block *block, struct ep_wait_regions *out_regions)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	struct ep_wait_regions regions = { .thread = ep_get_u32(&c) };
	EP_AUTOFREE uint32_t *nodes = NULL;

	regions.n_sums = ep_get_u32(&c);
	if (c.bad || regions.n_sums > ep_cursor_left(&c))
		return -EBADMSG;
	nodes = calloc((size_t)regions.n_sums + 1, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < regions.n_sums; i++)
		nodes[i] = ep_get_u32(&c);
	if (c.bad || ep_cursor_left(&c))
		return -EBADMSG;
	regions.nodes = nodes;
	nodes = NULL;
	*out_regions = regions;
	return 0;
}
