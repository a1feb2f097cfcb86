// SPDX-License-Identifier: BSD-3-Clause
/* Decodes SAMPLES blocks. They are the largest part of a trace and take most of the time to read it, so each column
 * is decoded by a loop of its own, which is fast. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/trace_cursor.h"

struct sample_columns {
	struct ep_cursor fixed[EP_N_FIXED_COLUMNS];
	uint64_t sizes[EP_N_FIXED_COLUMNS + EP_TRACE_MAX_EVENTS];
	uint64_t time_us;
	uint32_t n_events;
	uint32_t flags;        /* bitwise or of the samples' flags, after get_samples */
	struct ep_cursor rest; /* the columns of the events */
};

/* Sets the columns. Refuses a fixed column with less than one byte for each sample: so the size of the block limits
 * n_samples, and the memory that the caller allocates for the samples. */
static int open_columns(struct ep_cursor *c, uint32_t n_samples, struct sample_columns *columns)
{
	for (uint32_t i = 0; i < EP_N_FIXED_COLUMNS + columns->n_events; i++)
		columns->sizes[i] = ep_get_u(c);
	for (uint32_t i = 0; i < EP_N_FIXED_COLUMNS; i++) {
		const uint8_t *bytes = ep_get_bytes(c, columns->sizes[i]);

		if (c->bad || columns->sizes[i] < n_samples)
			return -EBADMSG;
		columns->fixed[i] = (struct ep_cursor){ .at = bytes, .end = c->at };
	}
	columns->rest = *c;
	return c->bad ? -EBADMSG : 0;
}

enum { SAMPLES_AT_ONCE = 64 };

/* Returns the bitwise or of n bytes. */
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

/* Reads a value that mostly has one or two bytes. There is no branch between one and two bytes, which the CPU may
 * mispredict. */
static inline uint64_t get_short(struct ep_cursor *c)
{
	uint32_t first, second, has_two;

	if (ep_cursor_left(c) < 2)
		return ep_get_u(c);
	first = c->at[0];
	second = c->at[1];
	has_two = first >> 7;
	if (first & second & 0x80)
		return ep_get_u(c);
	c->at += 1 + has_two;
	return (first & 0x7f) | (second << 7 & -has_two);
}

/* Reads n values of a column into out (n). In most columns all values are 0, or all have one byte; these two cases need
 * no decoding of varints. */
static void get_some(struct ep_cursor *column, uint32_t n, uint64_t *out)
{
	struct ep_cursor c = *column; /* a copy, so that the compiler keeps it in registers */
	uint8_t any = ep_cursor_left(&c) < n ? 0xff : any_bits(c.at, n);

	if (!any)
		memset(out, 0, n * sizeof(*out));
	for (uint32_t i = 0; any && any < 0x80 && i < n; i++)
		out[i] = c.at[i];
	for (uint32_t i = 0; any >= 0x80 && i < n; i++)
		out[i] = get_short(&c);
	if (any < 0x80)
		c.at += n;
	*column = c;
}

struct sample_before {
	uint64_t time_us;
	uint64_t node;
	int64_t group;
};

/* Returns the group of a sample: (before + 1 + turn) modulo n_groups. before is the group of the sample before, or -1.
 * turn 0: the groups took turns in their order. */
static inline int64_t next_group(int64_t before, int64_t turn, int64_t n_groups)
{
	int64_t group = before + 1;

	if (n_groups <= 1)
		return 0;
	if (!turn)
		return group < n_groups ? group : 0;
	return (turn % n_groups + group + n_groups) % n_groups;
}

/* Values of the fixed columns for at most SAMPLES_AT_ONCE samples. */
typedef uint64_t fixed_values[EP_N_FIXED_COLUMNS][SAMPLES_AT_ONCE];

/* Builds n samples, and adds their flags to *io_flags by bitwise or. Returns false if a node or flags exceed 32 bits,
 * which only a damaged trace has. */
static bool put_samples(const fixed_values values, uint32_t n, const struct ep_groups *groups,
	struct sample_before *io_before, uint32_t *io_flags, struct ep_sample *out_samples)
{
	/* a copy, so that the compiler keeps it in registers */
	struct sample_before before = *io_before;
	uint64_t period_us = groups->period_us, flags = 0, nodes = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t cpu = period_us + ep_unzigzag(values[EP_COLUMN_CPU][i]);
		uint64_t wall = cpu + ep_unzigzag(values[EP_COLUMN_OFF][i]);

		before.time_us += wall;
		before.node += ep_unzigzag(values[EP_COLUMN_STACK][i]);
		before.group = next_group(
			before.group, ep_unzigzag(values[EP_COLUMN_GROUP][i]), groups->n_groups);
		nodes |= before.node;
		flags |= values[EP_COLUMN_FLAGS][i];
		out_samples[i] = (struct ep_sample){
			.time_us = before.time_us,
			.cpu_us = cpu,
			.wall_us = wall,
			.idle_us = values[EP_COLUMN_IDLE][i],
			.node_idx = (uint32_t)before.node,
			.group = (uint16_t)before.group,
			.flags = (uint32_t)values[EP_COLUMN_FLAGS][i],
		};
	}
	*io_before = before;
	*io_flags |= (uint32_t)flags;
	return (nodes | flags) <= UINT32_MAX;
}

static int get_samples(
	struct sample_columns *columns, const struct ep_groups *groups, struct ep_samples *samples)
{
	struct sample_before before = { .time_us = columns->time_us, .group = -1 };
	fixed_values values;
	bool is_good = true;

	columns->flags = 0;
	for (uint32_t from = 0, n; from < samples->n_samples; from += n) {
		n = samples->n_samples - from;
		n = n < SAMPLES_AT_ONCE ? n : SAMPLES_AT_ONCE;
		for (int i = 0; i < EP_N_FIXED_COLUMNS; i++)
			get_some(&columns->fixed[i], n, values[i]);
		is_good &= put_samples(
			values, n, groups, &before, &columns->flags, &samples->samples[from]);
	}
	for (int i = 0; i < EP_N_FIXED_COLUMNS; i++)
		is_good &= !columns->fixed[i].bad && !ep_cursor_left(&columns->fixed[i]);
	return is_good ? 0 : -EBADMSG;
}

static bool is_in_all_groups(const struct ep_groups *groups, uint32_t event)
{
	bool is_held = groups->n_groups != 0;

	for (uint32_t g = 0; g < groups->n_groups; g++)
		is_held &= groups->holds[(size_t)g * groups->n_events + event] != 0;
	return is_held;
}

static void put_zeros(uint32_t n, size_t n_events, uint64_t *value)
{
	for (; n; n--, value += n_events)
		*value = 0;
}

/* Reads the column of an event into samples->values (n_samples, n_events). Some events almost never happen, so a column
 * that has only zeros is filled without decoding. */
static int get_values(struct ep_cursor column, const struct ep_groups *groups, uint32_t event,
	bool has_all_run, struct ep_samples *samples)
{
	const struct ep_sample *sample = samples->samples;
	const struct ep_sample *end = sample + samples->n_samples;
	uint64_t *value = samples->values + event, before = 0;
	size_t n_events = groups->n_events;
	bool is_always_there = has_all_run && is_in_all_groups(groups, event);

	if (is_always_there && ep_cursor_left(&column) == samples->n_samples &&
		!any_bits(column.at, samples->n_samples)) {
		put_zeros(samples->n_samples, n_events, value);
		return 0;
	}
	for (; sample < end; sample++, value += n_events) {
		bool is_there = is_always_there ||
				(groups->n_groups && !(sample->flags & EP_SAMPLE_NOT_RUN) &&
					groups->holds[sample->group * n_events + event]);

		if (is_there)
			before += ep_get_s(&column);
		*value = is_there ? before : 0;
	}
	return column.bad || ep_cursor_left(&column) ? -EBADMSG : 0;
}

static int get_all_values(
	struct sample_columns *columns, const struct ep_groups *groups, struct ep_samples *samples)
{
	bool has_all_run = !(columns->flags & EP_SAMPLE_NOT_RUN);

	for (uint32_t e = 0; e < columns->n_events; e++) {
		uint64_t size = columns->sizes[EP_N_FIXED_COLUMNS + e];
		const uint8_t *bytes = ep_get_bytes(&columns->rest, size);
		struct ep_cursor column = { .at = bytes, .end = columns->rest.at };

		if (columns->rest.bad || get_values(column, groups, e, has_all_run, samples))
			return -EBADMSG;
	}
	return ep_cursor_left(&columns->rest) ? -EBADMSG : 0;
}

uint32_t ep_samples_count_of_clock(const struct ep_block *block)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	struct sample_columns columns;
	uint32_t n, n_of_clock = 0;

	ep_get_u32(&c); /* thread */
	ep_get_u32(&c); /* epoch */
	n = ep_get_u32(&c);
	ep_get_u(&c); /* time */
	ep_get_u(&c); /* first slice */
	columns.n_events = ep_get_u32(&c);
	if (c.bad || columns.n_events > EP_TRACE_MAX_EVENTS || open_columns(&c, n, &columns))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		n_of_clock += !(ep_get_u(&columns.fixed[EP_COLUMN_FLAGS]) & EP_SAMPLE_AT_EVENT);
	return n_of_clock;
}

int ep_samples_decode(const struct ep_block *block, const struct ep_groups *groups,
	struct ep_samples *out_samples)
{
	struct ep_cursor c = ep_cursor_at(block, 0);
	EP_AUTOFREE struct ep_sample *rows = NULL;
	EP_AUTOFREE uint64_t *values = NULL;
	struct ep_samples samples = { 0 };
	struct sample_columns columns;

	samples.thread = ep_get_u32(&c);
	samples.epoch = ep_get_u32(&c);
	samples.n_samples = ep_get_u32(&c);
	columns.time_us = ep_get_u(&c);
	samples.first_slice = ep_get_u(&c);
	columns.n_events = ep_get_u32(&c);
	if (c.bad || columns.n_events != groups->n_events || columns.n_events > EP_TRACE_MAX_EVENTS)
		return -EBADMSG;
	if (open_columns(&c, samples.n_samples, &columns))
		return -EBADMSG;
	rows = malloc((samples.n_samples + 1) * sizeof(*rows));
	values = malloc(((size_t)samples.n_samples * columns.n_events + 1) * sizeof(*values));
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
