// SPDX-License-Identifier: BSD-3-Clause
/* Functions of scripts in a trace: the block that describes them, and what a report makes of frames in them. */
#include "tests/unit/test.h"

#include <errno.h>

#include "reporter/symbolize/symbolize.h"
#include "tests/unit/two_groups.h"

static const uint8_t table[] = { 4, 1, 12, 1, 8, 2 }; /* 3.10: bytes, lines further */

static void put_codes(struct ep_wire *wire, uint32_t n)
{
	ep_wire_u(wire, 0);
	ep_wire_u(wire, 3);
	ep_wire_u(wire, n);
	for (uint32_t i = 0; i < n; i++) {
		ep_wire_u(wire, i + 1);
		ep_wire_u(wire, 10);
		ep_wire_u(wire, 5 + i);
		ep_wire_string(wire, i == 1 ? "outer" : "inner", 5);
		ep_wire_string(wire, "/home/u/main.py", 15);
		ep_wire_string(wire, table, sizeof(table));
	}
}

TEST(codes_come_back)
{
	uint8_t bytes[256];
	struct ep_wire wire = { bytes, 0, sizeof(bytes), false };
	struct ep_block block = { .type = EP_BLOCK_CODE, .body = bytes };
	struct ep_codes_head head;
	struct ep_code code;
	size_t at;

	put_codes(&wire, 2);
	block.size_bytes = wire.size_bytes;
	CHECK_INT(ep_codes_head_decode(&block, &at, &head), 0);
	CHECK_INT(head.n_unread, 3);
	CHECK_INT(head.n_codes, 2);
	CHECK_INT(ep_codes_next(&block, &at, &code), 1);
	CHECK_INT(ep_codes_next(&block, &at, &code), 1);
	CHECK_INT(code.id, 2);
	CHECK_INT(code.minor, 10);
	CHECK_INT(code.first_line, 6);
	CHECK(code.name_size == 5 && !memcmp(code.name, "outer", 5));
	CHECK(code.file_size == 15 && !memcmp(code.file, "/home/u/main.py", 15));
	CHECK(code.table_size == sizeof(table) && !memcmp(code.table, table, sizeof(table)));
	CHECK_INT(ep_codes_next(&block, &at, &code), 0);
	for (size_t size = 0; size < wire.size_bytes; size++) {
		block.size_bytes = size;
		CHECK_INT(ep_codes_head_decode(&block, &at, &head), -EBADMSG);
	}
	ep_wire_u(&wire, 0);
	block.size_bytes = wire.size_bytes;
	CHECK_INT(ep_codes_head_decode(&block, &at, &head), -EBADMSG);
}

static void check_frame(struct ep_trace *trace, struct ep_symbols *symbols, uint32_t path_idx,
	const char *name, uint32_t line)
{
	const struct ep_path *path = &trace->paths[path_idx];
	const struct ep_frame *frames;
	uint32_t n;

	for (int is_return = 0; is_return < 2; is_return++) {
		CHECK_INT(ep_symbols_resolve(
				  symbols, path->module_idx, path->address, is_return, &frames, &n),
			0);
		CHECK_INT(n, 1);
		CHECK_STR(ep_symbols_get(symbols, frames[0].symbol_idx)->short_name, name);
		CHECK_STR(frames[0].file, "/home/u/main.py");
		CHECK_INT(frames[0].line, line);
	}
}

/* Begins a trace with that many codes: inner, outer, and a second inner. */
static struct ep_trace *make_trace(uint32_t n_codes)
{
	size_t at;

	start_trace();
	trace_put_meta(&writer, meta);
	at = ep_block_start(&writer.wire, EP_BLOCK_CODE, writer.key);
	put_codes(&writer.wire, n_codes);
	ep_block_finish(&writer.wire, at);
	put_nodes(1,
		(struct ep_stack_node[]){ { 0, 0, ep_script_address(2, 4) },
			{ 1, 0, ep_script_address(1, 16) }, { 1, 0, ep_script_address(9, 0) },
			{ 1, 0, ep_script_address(3, 4) } },
		4);
	put_slices(2, 2, 0, 1000);
	return finish_trace();
}

TEST(frames_of_scripts_have_names_and_lines)
{
	struct ep_symbols_options options = { .sysroot = "/nonexistent" };
	struct ep_trace *trace = make_trace(2);
	struct ep_symbols *symbols;

	CHECK_INT(trace->loss.n_undecodable, 0);
	CHECK_INT(trace->scripts.n_rows, 2);
	CHECK_INT(trace->threads[0].n_unread_frames, 3);
	symbols = ep_symbols_create(trace, &options);
	check_frame(trace, symbols, EP_PATH_LOST + 1, "main.py:outer", 8);
	check_frame(trace, symbols, EP_PATH_LOST + 2, "main.py:inner", 9);
	/* a function that no block describes is no script's */
	CHECK(!trace->modules[trace->paths[EP_PATH_LOST + 3].module_idx].is_script);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

TEST(functions_of_one_name_are_told_apart_by_line)
{
	struct ep_symbols_options options = { .sysroot = "/nonexistent" };
	struct ep_trace *trace = make_trace(3);
	struct ep_symbols *symbols = ep_symbols_create(trace, &options);

	check_frame(trace, symbols, EP_PATH_LOST + 1, "main.py:outer", 8);
	check_frame(trace, symbols, EP_PATH_LOST + 2, "main.py:inner (line 5)", 9);
	check_frame(trace, symbols, EP_PATH_LOST + 4, "main.py:inner (line 7)", 9);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}
