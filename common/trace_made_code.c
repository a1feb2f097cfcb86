// SPDX-License-Identifier: BSD-3-Clause
#include "common/trace_made_code.h"

#include <errno.h>

#include "common/trace_cursor.h"

void ep_made_code_put(struct ep_wire *wire, const struct ep_made_code *code)
{
	ep_wire_u(wire, code->kind);
	ep_wire_u(wire, code->time_us);
	ep_wire_u(wire, code->start);
	ep_wire_u(wire, code->size_bytes);
	if (code->kind == EP_MADE_MOVE) {
		ep_wire_u(wire, code->old_start);
		return;
	}
	ep_wire_string(wire, code->name, code->name_size);
	ep_wire_string(wire, code->lines, code->lines_size);
}

void ep_made_line_put(struct ep_wire *wire, const struct ep_made_line *line, uint64_t last_address)
{
	ep_wire_s(wire, (int64_t)(line->address - last_address));
	ep_wire_u(wire, line->line);
	ep_wire_string(wire, line->file, line->file_size);
}

static struct ep_made_code get_code(struct ep_cursor *c)
{
	uint64_t kind = ep_get_u(c);
	struct ep_made_code code = { .kind = (enum ep_made_kind)kind };

	c->bad |= kind >= EP_N_MADE_KINDS;
	code.time_us = ep_get_u(c);
	code.start = ep_get_u(c);
	code.size_bytes = ep_get_u(c);
	if (code.kind == EP_MADE_MOVE) {
		code.old_start = ep_get_u(c);
		return code;
	}
	code.name = (const char *)ep_get_string(c, &code.name_size);
	code.lines = ep_get_string(c, &code.lines_size);
	return code;
}

int ep_made_code_next(const struct ep_block *block, size_t *at, struct ep_made_code *out_code)
{
	struct ep_cursor c = ep_cursor_at(block, *at);

	if (!ep_cursor_left(&c))
		return 0;
	*out_code = get_code(&c);
	*at = c.at - block->body;
	return c.bad ? -EBADMSG : 1;
}

int ep_made_line_next(const struct ep_made_code *code, size_t *at, struct ep_made_line *line)
{
	struct ep_cursor c = { .at = code->lines + *at, .end = code->lines + code->lines_size };

	if (!ep_cursor_left(&c))
		return 0;
	line->address += (uint64_t)ep_get_s(&c);
	line->line = ep_get_u32(&c);
	line->file = (const char *)ep_get_string(&c, &line->file_size);
	*at = c.at - code->lines;
	return !c.bad;
}
