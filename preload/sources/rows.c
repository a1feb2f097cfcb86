// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows in, columns out. In the handler a slice costs some 20 bytes of memory and 50 ns; turning
 * rows into columns costs about as much again when a block is packed.
 */
#include "rows.h"

#include <string.h>

#include "preload/process.h"
#include "preload/slice_code.h"

#define N_ROW_FIELDS 7
#define MAX_ROW_BYTES ((N_ROW_FIELDS + EP_GROUP_MAX_EVENTS) * 10)

void ep_rows_clear(struct ep_rows *rows)
{
	rows->n_rows = 0;
	rows->size_bytes = 0;
}

EP_SLICE_CODE bool ep_rows_are_full(const struct ep_rows *rows)
{
	return EP_ROWS_BYTES - rows->size_bytes < MAX_ROW_BYTES;
}

EP_SLICE_CODE bool ep_rows_add(struct ep_rows *rows, const struct ep_row *row)
{
	uint64_t fields[N_ROW_FIELDS] = { row->cpu_us, row->wall_us, row->idle_us, row->node_idx,
		row->group, row->flags, row->n_values };
	uint8_t *at = rows->data + rows->size_bytes;

	if (ep_rows_are_full(rows))
		return false;
	for (uint32_t i = 0; i < N_ROW_FIELDS; i++)
		at += ep_varint_put(at, fields[i]);
	for (uint32_t i = 0; i < row->n_values; i++)
		at += ep_varint_put(at, row->values[i]);
	rows->size_bytes = at - rows->data;
	rows->n_rows++;
	return true;
}

/* Our own bytes: no checks needed. */
static const uint8_t *take(const uint8_t *at, uint64_t *out)
{
	return at + ep_varint_get(at, at + 10, out);
}

struct row_reader {
	const uint8_t *at;
	uint64_t fields[N_ROW_FIELDS];
	uint64_t values[EP_GROUP_MAX_EVENTS];
};

static void next_row(struct row_reader *reader)
{
	for (uint32_t i = 0; i < N_ROW_FIELDS; i++)
		reader->at = take(reader->at, &reader->fields[i]);
	for (uint32_t i = 0; i < reader->fields[6]; i++)
		reader->at = take(reader->at, &reader->values[i]);
}

/* What the encoding of the next value in a column depends on. */
struct column_state {
	uint64_t value_before; /* of an event, or the node */
	uint32_t group_before;
	uint64_t period_us;
	uint32_t n_groups;
};

static void put_fixed(struct ep_wire *wire, int column, const uint64_t *fields,
	struct column_state *state)
{
	switch (column) {
	case EP_COLUMN_CPU:
		ep_wire_s(wire, (int64_t)(fields[0] - state->period_us));
		break;
	case EP_COLUMN_OFF:
		ep_wire_s(wire, (int64_t)(fields[1] - fields[0]));
		break;
	case EP_COLUMN_STACK:
		ep_wire_s(wire, (int64_t)(fields[3] - state->value_before));
		state->value_before = fields[3];
		break;
	case EP_COLUMN_GROUP: {
		uint32_t expected = (state->group_before + 1) % state->n_groups;

		ep_wire_s(wire, (int64_t)fields[4] - expected);
		state->group_before = fields[4];
		break;
	}
	case EP_COLUMN_FLAGS:
		ep_wire_u(wire, fields[5]);
		break;
	case EP_COLUMN_IDLE:
		ep_wire_u(wire, fields[2]);
		break;
	}
}

/* Position of the event in the group, or -1. */
static int position(const struct ep_group *group, uint32_t event)
{
	for (uint32_t i = 0; i < group->n_events; i++)
		if (group->events[i] == event)
			return i;
	return -1;
}

static void put_event(struct ep_wire *wire, uint32_t event, const struct row_reader *row,
	struct column_state *state)
{
	int i = row->fields[6] ? position(&ep_process.plan.groups[row->fields[4]], event) : -1;

	if (i < 0)
		return;
	ep_wire_s(wire, (int64_t)(row->values[i] - state->value_before));
	state->value_before = row->values[i];
}

static void put_column(const struct ep_thread *thread, struct ep_wire *wire, int column)
{
	struct column_state state = {
		.group_before = UINT32_MAX,
		.period_us = ep_process.period_ns / 1000,
		.n_groups = ep_process.plan.n_groups,
	};
	struct row_reader row = { .at = thread->rows.data };

	for (uint32_t i = 0; i < thread->rows.n_rows; i++) {
		next_row(&row);
		if (column < EP_N_FIXED_COLUMNS)
			put_fixed(wire, column, row.fields, &state);
		else
			put_event(wire, column - EP_N_FIXED_COLUMNS, &row, &state);
	}
}

/* Room for a column's length, to be filled in when it is known: a varint of fixed width. */
#define LENGTH_BYTES 3

static void fill_length(uint8_t *at, size_t length)
{
	at[0] = (length & 0x7f) | 0x80;
	at[1] = (length >> 7 & 0x7f) | 0x80;
	at[2] = length >> 14 & 0x7f;
}

void ep_rows_append(const struct ep_thread *thread, struct ep_wire *wire)
{
	uint32_t n_columns = EP_N_FIXED_COLUMNS + ep_process.plan.n_events;
	static const uint8_t no_lengths[LENGTH_BYTES * (EP_N_FIXED_COLUMNS + EP_PLAN_MAX_EVENTS)];
	size_t at, lengths_at, before;

	if (!thread->rows.n_rows)
		return;
	at = ep_block_start(wire, EP_BLOCK_SAMPLES, ep_process.key);
	ep_wire_u(wire, thread->idx);
	ep_wire_u(wire, thread->tree.epoch);
	ep_wire_u(wire, thread->rows.n_rows);
	ep_wire_u(wire, thread->rows.start_us);
	ep_wire_u(wire, thread->rows.first_slice);
	ep_wire_u(wire, ep_process.plan.n_events);
	lengths_at = wire->size_bytes;
	ep_wire_bytes(wire, no_lengths, LENGTH_BYTES * n_columns);
	for (uint32_t c = 0; c < n_columns && !wire->overflow; c++) {
		before = wire->size_bytes;
		put_column(thread, wire, c);
		fill_length(wire->data + lengths_at + LENGTH_BYTES * c, wire->size_bytes - before);
	}
	ep_block_finish(wire, at);
}
