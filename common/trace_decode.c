// SPDX-License-Identifier: BSD-3-Clause
/*
 * The reading half of the trace's codec: bodies of blocks. Every length comes from a file and is
 * checked against what is there before it is used or allocated. Any thread.
 */
#include "common/trace.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

#define NODE_MIN_BYTES 3   /* three varints */
#define MODULE_MIN_BYTES 7 /* five varints and two empty strings */

/* A bounded walk over varints: once bad, everything reads as zero. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static struct cursor cursor_at(const struct ep_block *block, size_t at)
{
	return (struct cursor){ .at = block->body + at, .end = block->body + block->size_bytes };
}

static size_t n_left(const struct cursor *c)
{
	return c->end - c->at;
}

/* Where eight bytes are there, all of a varint's bytes at once: counts that vary have now this many
 * bytes, now that many, which no branch foretells. False: longer than eight. */
static inline bool get_from_word(struct cursor *c, uint64_t *out_value)
{
	uint64_t word, stops;

	memcpy(&word, c->at, sizeof(word));
	word = le64toh(word);
	stops = ~word & 0x8080808080808080;
	if (!stops)
		return false;
	c->at += (size_t)__builtin_ctzll(stops) / 8 + 1;
	word &= stops ^ (stops - 1); /* to the first byte that ends a varint */
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	*out_value = (word & 0x0fffffff) | (word & 0x0fffffff00000000) >> 4;
	return true;
}

static inline uint64_t get_u(struct cursor *c)
{
	uint64_t value;
	size_t n;

	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	if (c->end - c->at >= (ptrdiff_t)sizeof(value) && get_from_word(c, &value))
		return value;
	n = ep_varint_get(c->at, c->end, &value);
	if (!n) {
		c->bad = true;
		c->at = c->end;
		return 0;
	}
	c->at += n;
	return value;
}

static inline int64_t get_s(struct cursor *c)
{
	return ep_unzigzag(get_u(c));
}

static uint32_t get_u32(struct cursor *c)
{
	uint64_t value = get_u(c);

	c->bad |= value > UINT32_MAX;
	return (uint32_t)value;
}

static const uint8_t *get_bytes(struct cursor *c, size_t size)
{
	const uint8_t *bytes = c->at;

	if (size > n_left(c)) {
		c->bad = true;
		return c->end;
	}
	c->at += size;
	return bytes;
}

static const uint8_t *get_string(struct cursor *c, size_t *out_size)
{
	uint64_t size = get_u(c);
	const uint8_t *bytes = get_bytes(c, size);

	*out_size = c->bad ? 0 : size;
	return bytes;
}

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

static struct ep_module get_module(struct cursor *c)
{
	struct ep_module module = { .id = get_u32(c) };

	module.start = get_u(c);
	module.end = get_u(c);
	module.bias = get_u(c);
	module.time_us = get_u(c);
	module.path = (const char *)get_string(c, &module.path_size);
	module.build_id = get_string(c, &module.build_id_size);
	return module;
}

static bool modules_are_whole(struct cursor c, uint64_t n_modules)
{
	if (n_modules > n_left(&c) / MODULE_MIN_BYTES)
		return false;
	while (n_modules-- && !c.bad)
		get_module(&c);
	return !c.bad && !n_left(&c);
}

int ep_modules_next(const struct ep_block *block, size_t *at, struct ep_module *out_module)
{
	struct cursor c = cursor_at(block, *at);

	if (!*at) {
		uint64_t n_modules = get_u(&c);

		if (c.bad || !modules_are_whole(c, n_modules))
			return -EBADMSG;
		*at = c.at - block->body;
	}
	if (!n_left(&c))
		return 0;
	*out_module = get_module(&c);
	*at = c.at - block->body;
	return c.bad ? -EBADMSG : 1;
}

/* ---- STACKS ---- */

/* The address before, per module, of the nodes of one block. Blocks name few modules: an open
 * table of the last ones seen would be no faster than this list with its hit moved forward. */
struct last_address {
	uint32_t module_id;
	uint64_t address;
};

struct last_addresses {
	struct last_address *rows; /* (n_nodes): every node may name another module */
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

static void get_node(
	struct cursor *c, uint32_t idx, struct last_addresses *last, struct ep_stack_node *out_node)
{
	uint64_t up = get_u(c);
	struct last_address *before = find_last(last, get_u32(c));

	c->bad |= !up || up > idx;
	before->address += get_s(c);
	*out_node = (struct ep_stack_node){
		.parent_idx = idx - (uint32_t)up,
		.module_id = before->module_id,
		.address = before->address,
	};
}

int ep_stacks_decode(const struct ep_block *block, struct ep_stacks *out_stacks)
{
	struct cursor c = cursor_at(block, 0);
	EP_AUTOFREE struct ep_stack_node *nodes = NULL;
	EP_AUTOFREE struct last_address *rows = NULL;
	struct last_addresses last = { 0 };
	struct ep_stacks stacks;

	stacks.thread = get_u32(&c);
	stacks.epoch = get_u32(&c);
	stacks.first_idx = get_u32(&c);
	stacks.n_nodes = get_u32(&c);
	if (c.bad || !stacks.first_idx || stacks.n_nodes > n_left(&c) / NODE_MIN_BYTES ||
		stacks.first_idx > UINT32_MAX - stacks.n_nodes)
		return -EBADMSG;
	nodes = calloc(stacks.n_nodes + 1, sizeof(*nodes));
	rows = calloc(stacks.n_nodes + 1, sizeof(*rows));
	if (!nodes || !rows)
		return -ENOMEM;
	last.rows = rows;
	for (uint32_t i = 0; i < stacks.n_nodes && !c.bad; i++)
		get_node(&c, stacks.first_idx + i, &last, &nodes[i]);
	if (c.bad || n_left(&c))
		return -EBADMSG;
	stacks.nodes = nodes;
	nodes = NULL;
	*out_stacks = stacks;
	return 0;
}

/* ---- SAMPLES ---- */

struct sample_columns {
	struct cursor fixed[EP_N_FIXED_COLUMNS];
	uint64_t sizes[EP_N_FIXED_COLUMNS + EP_TRACE_MAX_EVENTS];
	uint64_t time_us;
	uint32_t n_events;
	struct cursor rest; /* the events' columns */
};

/* Fixed columns hold at least one byte per sample: that bounds what n_samples can ask for. */
static int open_columns(struct cursor *c, uint32_t n_samples, struct sample_columns *columns)
{
	for (uint32_t i = 0; i < EP_N_FIXED_COLUMNS + columns->n_events; i++)
		columns->sizes[i] = get_u(c);
	for (uint32_t i = 0; i < EP_N_FIXED_COLUMNS; i++) {
		const uint8_t *bytes = get_bytes(c, columns->sizes[i]);

		if (c->bad || columns->sizes[i] < n_samples)
			return -EBADMSG;
		columns->fixed[i] = (struct cursor){ .at = bytes, .end = c->at };
	}
	columns->rest = *c;
	return c->bad ? -EBADMSG : 0;
}

enum { SAMPLES_AT_ONCE = 64 };

/* All of n bytes, or'ed. */
static uint8_t any_bits(const uint8_t *bytes, uint32_t n)
{
	uint64_t any = 0, word;
	uint32_t i = 0;

	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		any |= word;
	}
	for (; i < n; i++)
		any |= bytes[i];
	any |= any >> 32;
	any |= any >> 16;
	return (uint8_t)(any | any >> 8);
}

/* (n) of a column. Most columns say 0, or something small, of all the samples. */
static void get_some(struct cursor *column, uint32_t n, uint64_t *out)
{
	struct cursor c = *column; /* in registers */
	uint8_t any = n_left(&c) < n ? 0xff : any_bits(c.at, n);

	if (!any)
		memset(out, 0, n * sizeof(*out));
	for (uint32_t i = 0; any && any < 0x80 && i < n; i++)
		out[i] = c.at[i];
	for (uint32_t i = 0; any >= 0x80 && i < n; i++)
		out[i] = get_u(&c);
	if (any < 0x80)
		c.at += n;
	*column = c;
}

struct sample_before {
	uint64_t time_us;
	int64_t node;
	int64_t group;
};

/* The group after the last one in turn, but for what turn says. */
static int64_t next_group(int64_t before, int64_t turn, int64_t n_groups)
{
	int64_t group = before + 1;

	if (!turn)
		return group < n_groups ? group : 0;
	return (turn % n_groups + group + n_groups) % n_groups;
}

/* What the fixed columns say of some samples. */
typedef uint64_t fixed_values[EP_N_FIXED_COLUMNS][SAMPLES_AT_ONCE];

/* The node is past 32 bits where the trace is damaged. */
static bool put_sample(const fixed_values values, uint32_t i, const struct ep_groups *groups,
	struct sample_before *before, struct ep_sample *out_sample)
{
	int64_t n_groups = groups->n_groups ? groups->n_groups : 1;
	uint64_t cpu = groups->period_us + ep_unzigzag(values[EP_COLUMN_CPU][i]);
	uint64_t wall = cpu + ep_unzigzag(values[EP_COLUMN_OFF][i]);
	int64_t turn = ep_unzigzag(values[EP_COLUMN_GROUP][i]);
	uint64_t flags = values[EP_COLUMN_FLAGS][i];

	before->time_us += wall;
	before->node = (int64_t)((uint64_t)before->node + ep_unzigzag(values[EP_COLUMN_STACK][i]));
	before->group = next_group(before->group, turn, n_groups);
	*out_sample = (struct ep_sample){
		.time_us = before->time_us,
		.cpu_us = cpu,
		.wall_us = wall,
		.idle_us = values[EP_COLUMN_IDLE][i],
		.node_idx = (uint32_t)before->node,
		.group = (uint16_t)before->group,
		.flags = (uint16_t)flags,
	};
	return before->node >= 0 && before->node <= UINT32_MAX && flags <= UINT16_MAX;
}

static int get_samples(
	struct sample_columns *columns, const struct ep_groups *groups, struct ep_samples *samples)
{
	struct sample_before before = { .time_us = columns->time_us, .group = -1 };
	fixed_values values;
	bool is_good = true;

	for (uint32_t from = 0, n; from < samples->n_samples; from += n) {
		n = samples->n_samples - from;
		n = n < SAMPLES_AT_ONCE ? n : SAMPLES_AT_ONCE;
		for (int i = 0; i < EP_N_FIXED_COLUMNS; i++)
			get_some(&columns->fixed[i], n, values[i]);
		for (uint32_t i = 0; i < n; i++)
			is_good &=
				put_sample(values, i, groups, &before, &samples->samples[from + i]);
	}
	for (int i = 0; i < EP_N_FIXED_COLUMNS; i++)
		is_good &= !columns->fixed[i].bad && !n_left(&columns->fixed[i]);
	return is_good ? 0 : -EBADMSG;
}

/* Column e of (n_samples, n_events). */
static int get_values(struct cursor column, const struct ep_groups *groups, uint32_t event,
	struct ep_samples *samples)
{
	const struct ep_sample *sample = samples->samples;
	const struct ep_sample *end = sample + (groups->n_groups ? samples->n_samples : 0);
	uint64_t *value = samples->values + event, before = 0;
	const uint8_t *holds = groups->holds + event;
	size_t n_events = groups->n_events;

	for (; sample < end; sample++, value += n_events) {
		if (!holds[sample->group * n_events] || sample->flags & EP_SAMPLE_NOT_RUN)
			continue;
		before += get_s(&column);
		*value = before;
	}
	return column.bad || n_left(&column) ? -EBADMSG : 0;
}

static int get_all_values(
	struct sample_columns *columns, const struct ep_groups *groups, struct ep_samples *samples)
{
	for (uint32_t e = 0; e < columns->n_events; e++) {
		uint64_t size = columns->sizes[EP_N_FIXED_COLUMNS + e];
		const uint8_t *bytes = get_bytes(&columns->rest, size);
		struct cursor column = { .at = bytes, .end = columns->rest.at };

		if (columns->rest.bad || get_values(column, groups, e, samples))
			return -EBADMSG;
	}
	return n_left(&columns->rest) ? -EBADMSG : 0;
}

int ep_samples_decode(const struct ep_block *block, const struct ep_groups *groups,
	struct ep_samples *out_samples)
{
	struct cursor c = cursor_at(block, 0);
	EP_AUTOFREE struct ep_sample *rows = NULL;
	EP_AUTOFREE uint64_t *values = NULL;
	struct ep_samples samples = { 0 };
	struct sample_columns columns;

	samples.thread = get_u32(&c);
	samples.epoch = get_u32(&c);
	samples.n_samples = get_u32(&c);
	columns.time_us = get_u(&c);
	samples.first_slice = get_u(&c);
	columns.n_events = get_u32(&c);
	if (c.bad || columns.n_events != groups->n_events || columns.n_events > EP_TRACE_MAX_EVENTS)
		return -EBADMSG;
	if (open_columns(&c, samples.n_samples, &columns))
		return -EBADMSG;
	rows = malloc((samples.n_samples + 1) * sizeof(*rows));
	values = calloc((size_t)samples.n_samples * columns.n_events + 1, sizeof(*values));
	if (!rows || !values)
		return -ENOMEM;
	samples.samples = rows;
	samples.values = values;
	if (get_samples(&columns, groups, &samples) || get_all_values(&columns, groups, &samples))
		return -EBADMSG;
	*out_samples = samples;
	rows = NULL;
	values = NULL;
	return 0;
}

/* ---- TOTALS, READY, CHILDREN, END ---- */

static void get_totals_head(struct cursor *c, struct ep_totals *totals)
{
	totals->thread = get_u32(c);
	totals->tid = get_u32(c);
	totals->name = (const char *)get_string(c, &totals->name_size);
	totals->final = get_u(c) & 1;
	totals->start_us = get_u(c);
	totals->end_us = get_u(c);
	totals->cpu_ns = get_u(c);
	totals->n_samples = get_u(c);
	totals->n_lost = get_u(c);
	totals->own_ns = get_u(c);
	totals->n_minor_faults = get_u(c);
	totals->n_major_faults = get_u(c);
	totals->n_voluntary = get_u(c);
	totals->n_involuntary = get_u(c);
	totals->n_groups = get_u32(c);
}

static uint32_t get_group_totals(
	struct cursor *c, uint32_t first_count, uint64_t *counts, struct ep_group_totals *out_group)
{
	*out_group = (struct ep_group_totals){ .n_slices = get_u(c) };
	out_group->enabled_ns = get_u(c);
	out_group->running_ns = get_u(c);
	out_group->n_counts = get_u32(c);
	out_group->first_count = first_count;
	if (out_group->n_counts > n_left(c)) {
		c->bad = true;
		return first_count;
	}
	for (uint32_t i = 0; i < out_group->n_counts; i++)
		counts[first_count + i] = get_u(c);
	return first_count + out_group->n_counts;
}

int ep_totals_decode(const struct ep_block *block, struct ep_totals *out_totals)
{
	struct cursor c = cursor_at(block, 0);
	EP_AUTOFREE struct ep_group_totals *groups = NULL;
	EP_AUTOFREE uint64_t *counts = NULL;
	struct ep_totals totals;
	uint32_t n_counts = 0;

	get_totals_head(&c, &totals);
	if (c.bad || totals.n_groups > EP_TRACE_MAX_GROUPS)
		return -EBADMSG;
	groups = calloc(totals.n_groups + 1, sizeof(*groups));
	counts = calloc(n_left(&c) + 1, sizeof(*counts));
	if (!groups || !counts)
		return -ENOMEM;
	for (uint32_t g = 0; g < totals.n_groups && !c.bad; g++)
		n_counts = get_group_totals(&c, n_counts, counts, &groups[g]);
	if (c.bad || n_left(&c))
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
	struct cursor c = cursor_at(block, 0);
	struct ep_ready_time time;

	time.thread = get_u32(&c);
	time.ready_ns = get_u(&c);
	time.n_turns = get_u(&c);
	if (c.bad || n_left(&c))
		return -EBADMSG;
	*out_time = time;
	return 0;
}

int ep_children_decode(const struct ep_block *block, uint64_t *out_us)
{
	struct cursor c = cursor_at(block, 0);
	uint64_t us = get_u(&c);

	if (c.bad || n_left(&c))
		return -EBADMSG;
	*out_us = us;
	return 0;
}

int ep_end_decode(const struct ep_block *block, struct ep_end *out_end)
{
	struct cursor c = cursor_at(block, 0);
	struct ep_end end;
	uint64_t how;

	end.time_us = get_u(&c);
	how = get_u(&c);
	end.status = get_u32(&c);
	end.user_us = get_u(&c);
	end.system_us = get_u(&c);
	end.peak_rss_kib = get_u(&c);
	end.note = (const char *)get_string(&c, &end.note_size);
	if (c.bad || n_left(&c) || how > EP_END_STOPPED)
		return -EBADMSG;
	end.how = (enum ep_end_how)how;
	*out_end = end;
	return 0;
}
