// SPDX-License-Identifier: BSD-3-Clause
/*
 * Decodes the bodies of most blocks; trace_decode_samples.c decodes SAMPLES. Every length comes from a file, so it is
 * compared with the bytes that are left before it is used or memory is allocated. Any thread may call these functions.
 */
#include "common/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/trace_cursor.h"

#define NODE_MIN_BYTES 3   /* three varints */
#define CODE_MIN_BYTES 6   /* three varints and three empty strings */
#define MODULE_MIN_BYTES 7 /* five varints and two empty strings */

/* ---- META ---- */

int ep_meta_next(const struct ep_block *block, size_t *at, struct ep_meta_line *out_line)
{
	const char *line = (const char *)block->body + *at;
	size_t left = block->size_bytes - *at;
	const char *end, *tab;

	if (!left)
		return 0;
	end = memchr(line, '\n', left);
	if (!end)
		end = line + left;
	tab = memchr(line, '\t', end - line);
	if (!tab || tab == line)
		return -EBADMSG;
	out_line->key = line;
	out_line->key_size = tab - line;
	out_line->value = tab + 1;
	out_line->value_size = end - tab - 1;
	*at += end - line + (end < line + left);
	return 1;
}

size_t ep_meta_unescape(char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (c == '\\' && i + 1 < size) {
			c = text[++i];
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
		}
		text[n++] = c;
	}
	return n;
}

/* ---- MODULES ---- */

static struct ep_module get_module(struct ep_cursor *c)
{
	struct ep_module module = { .id = ep_get_u32(c) };

	module.start = ep_get_u(c);
	module.end = ep_get_u(c);
	module.bias = ep_get_u(c);
	module.time_us = ep_get_u(c);
	module.path = (const char *)ep_get_string(c, &module.path_size);
	module.build_id = ep_get_string(c, &module.build_id_size);
	return module;
}

static bool modules_are_whole(struct ep_cursor c, uint64_t n_modules)
{
	if (n_modules > ep_cursor_left(&c) / MODULE_MIN_BYTES)
		return false;
	while (n_modules-- && !c.bad)
		get_module(&c);
	return !c.bad && !ep_cursor_left(&c);
}

int ep_modules_next(const struct ep_block *block, size_t *at, struct ep_module *out_module)
{
	struct ep_cursor c = ep_cursor_at(block, *at);

	if (!*at) {
		uint64_t n_modules = ep_get_u(&c);

		if (c.bad || !modules_are_whole(c, n_modules))
			return -EBADMSG;
		*at = c.at - block->body;
	}
	if (!ep_cursor_left(&c))
		return 0;
	*out_module = get_module(&c);
	*at = c.at - block->body;
	return c.bad ? -EBADMSG : 1;
}

/* ---- STACKS ---- */

/* The address of the last node of a module so far in the block. The module's next node is encoded as a difference from
 * this address. Blocks have few modules, so a hash table would be no faster than the list of last_addresses, in which a
 * module moves to the front when it is found. */
struct last_address {
	uint32_t module_id;
	uint64_t address;
};

struct last_addresses {
	struct last_address *rows; /* room for n_nodes, since every node may have another module */
	uint32_t n_rows;
};

static struct last_address *find_last(struct last_addresses *last, uint32_t module_id)
{
	struct last_address found = { .module_id = module_id };
	uint32_t i = 0;

	if (last->n_rows && last->rows[0].module_id == module_id)
		return &last->rows[0];
	while (i < last->n_rows && last->rows[i].module_id != module_id)
		i++;
	if (i < last->n_rows)
		found = last->rows[i];
	else
		last->n_rows++;
	memmove(last->rows + 1, last->rows, i * sizeof(*last->rows));
	last->rows[0] = found;
	return &last->rows[0];
}

static void get_node(struct ep_cursor *c, uint32_t idx, struct last_addresses *last,
	struct ep_stack_node *out_node)
{
	uint64_t up = ep_get_u(c);
	struct last_address *before = find_last(last, ep_get_u32(c));

	c->bad |= !up || up > idx;
	before->address += ep_get_s(c);
	*out_node = (struct ep_stack_node){
		.parent_idx = idx - (uint32_t)up,
		.module_id = before->module_id,
		.address = before->address,
	};
}

int ep_stacks_decode(const struct ep_block *block, struct ep_stacks *out_stacks)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	EP_AUTOFREE struct ep_stack_node *nodes = NULL;
	EP_AUTOFREE struct last_address *rows = NULL;
	struct last_addresses last = { 0 };
	struct ep_stacks stacks;

	stacks.thread = ep_get_u32(&c);
	stacks.epoch = ep_get_u32(&c);
	stacks.first_idx = ep_get_u32(&c);
	stacks.n_nodes = ep_get_u32(&c);
	if (c.bad || !stacks.first_idx || stacks.n_nodes > ep_cursor_left(&c) / NODE_MIN_BYTES ||
		stacks.first_idx > UINT32_MAX - stacks.n_nodes)
		return -EBADMSG;
	nodes = calloc(stacks.n_nodes + 1, sizeof(*nodes));
	rows = calloc(stacks.n_nodes + 1, sizeof(*rows));
	if (!nodes || !rows)
		return -ENOMEM;
	last.rows = rows;
	for (uint32_t i = 0; i < stacks.n_nodes && !c.bad; i++)
		get_node(&c, stacks.first_idx + i, &last, &nodes[i]);
	if (c.bad || ep_cursor_left(&c))
		return -EBADMSG;
	stacks.nodes = nodes;
	nodes = NULL;
	*out_stacks = stacks;
	return 0;
}

/* ---- CODE ---- */

static struct ep_code get_code(struct ep_cursor *c)
{
	struct ep_code code = { .id = ep_get_u32(c) };

	code.minor = ep_get_u32(c);
	code.first_line = ep_get_u32(c);
	code.name = (const char *)ep_get_string(c, &code.name_size);
	code.file = (const char *)ep_get_string(c, &code.file_size);
	code.table = ep_get_string(c, &code.table_size);
	return code;
}

static bool codes_are_whole(struct ep_cursor c, uint64_t n_codes)
{
	if (n_codes > ep_cursor_left(&c) / CODE_MIN_BYTES)
		return false;
	while (n_codes-- && !c.bad)
		get_code(&c);
	return !c.bad && !ep_cursor_left(&c);
}

int ep_codes_head_decode(
	const struct ep_block *block, size_t *out_at, struct ep_codes_head *out_head)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	struct ep_codes_head head;

	head.thread = ep_get_u32(&c);
	head.n_unread = ep_get_u(&c);
	head.n_codes = ep_get_u32(&c);
	if (c.bad || !codes_are_whole(c, head.n_codes))
		return -EBADMSG;
	*out_at = c.at - block->body;
	*out_head = head;
	return 0;
}

int ep_codes_next(const struct ep_block *block, size_t *at, struct ep_code *out_code)
{
	struct ep_cursor c = ep_cursor_at(block, *at);

	if (!ep_cursor_left(&c))
		return 0;
	*out_code = get_code(&c);
	*at = c.at - block->body;
	return c.bad ? -EBADMSG : 1;
}

/* ---- TOTALS, READY, CHILDREN, END ---- */

static void get_totals_head(struct ep_cursor *c, struct ep_totals *totals)
{
	totals->thread = ep_get_u32(c);
	totals->tid = ep_get_u32(c);
	totals->name = (const char *)ep_get_string(c, &totals->name_size);
	totals->final = ep_get_u(c) & 1;
	totals->start_us = ep_get_u(c);
	totals->end_us = ep_get_u(c);
	totals->cpu_ns = ep_get_u(c);
	totals->n_samples = ep_get_u(c);
	totals->n_lost = ep_get_u(c);
	totals->own_ns = ep_get_u(c);
	totals->n_minor_faults = ep_get_u(c);
	totals->n_major_faults = ep_get_u(c);
	totals->n_voluntary = ep_get_u(c);
	totals->n_involuntary = ep_get_u(c);
	totals->n_groups = ep_get_u32(c);
}

static uint32_t get_group_totals(struct ep_cursor *c, uint32_t first_count, uint64_t *counts,
	struct ep_group_totals *out_group)
{
	*out_group = (struct ep_group_totals){ .n_slices = ep_get_u(c) };
	out_group->enabled_ns = ep_get_u(c);
	out_group->running_ns = ep_get_u(c);
	out_group->n_counts = ep_get_u32(c);
	out_group->first_count = first_count;
	if (out_group->n_counts > ep_cursor_left(c)) {
		c->bad = true;
		return first_count;
	}
	for (uint32_t i = 0; i < out_group->n_counts; i++)
		counts[first_count + i] = ep_get_u(c);
	return first_count + out_group->n_counts;
}

int ep_totals_decode(const struct ep_block *block, struct ep_totals *out_totals)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	EP_AUTOFREE struct ep_group_totals *groups = NULL;
	EP_AUTOFREE uint64_t *counts = NULL;
	struct ep_totals totals;
	uint32_t n_counts = 0;

	get_totals_head(&c, &totals);
	if (c.bad || totals.n_groups > EP_TRACE_MAX_GROUPS)
		return -EBADMSG;
	groups = calloc(totals.n_groups + 1, sizeof(*groups));
	counts = calloc(ep_cursor_left(&c) + 1, sizeof(*counts));
	if (!groups || !counts)
		return -ENOMEM;
	for (uint32_t g = 0; g < totals.n_groups && !c.bad; g++)
		n_counts = get_group_totals(&c, n_counts, counts, &groups[g]);
	if (c.bad || ep_cursor_left(&c))
		return -EBADMSG;
	totals.groups = groups;
	totals.counts = counts;
	groups = NULL;
	counts = NULL;
	*out_totals = totals;
	return 0;
}

int ep_ready_time_decode(const struct ep_block *block, struct ep_ready_time *out_time)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	struct ep_ready_time time;

	time.thread = ep_get_u32(&c);
	time.ready_ns = ep_get_u(&c);
	time.n_turns = ep_get_u(&c);
	if (c.bad || ep_cursor_left(&c))
		return -EBADMSG;
	*out_time = time;
	return 0;
}

int ep_children_decode(const struct ep_block *block, uint64_t *out_us)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	uint64_t us = ep_get_u(&c);

	if (c.bad || ep_cursor_left(&c))
		return -EBADMSG;
	*out_us = us;
	return 0;
}

int ep_end_decode(const struct ep_block *block, struct ep_end *out_end)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	struct ep_end end;
	uint64_t how;

	end.time_us = ep_get_u(&c);
	how = ep_get_u(&c);
	end.status = ep_get_u32(&c);
	end.user_us = ep_get_u(&c);
	end.system_us = ep_get_u(&c);
	end.peak_rss_kib = ep_get_u(&c);
	end.note = (const char *)ep_get_string(&c, &end.note_size);
	if (c.bad || ep_cursor_left(&c) || how > EP_END_STOPPED)
		return -EBADMSG;
	end.how = (enum ep_end_how)how;
	*out_end = end;
	return 0;
}
