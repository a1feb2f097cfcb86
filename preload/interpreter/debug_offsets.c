// SPDX-License-Identifier: BSD-3-Clause
#include "debug_offsets.h"

#include <string.h>

#include "common/cleanup.h"

#define COOKIE "xdebugpy"

/* Indexes of words before the sections and within them. */
enum {
	VERSION = 1,
	IS_FREE_THREADED = 2,
	RUNTIME = 3,
	RUNTIME_FINALIZING = 1,
	RUNTIME_HEAD = 2,
	INTERPRETER_NEXT = 2,
	INTERPRETER_THREADS = 3,
	THREAD_PREVIOUS = 1,
	THREAD_NEXT = 2,
	THREAD_INTERPRETER = 3,
	THREAD_FRAME = 4,
	THREAD_ID = 5,
	THREAD_CHUNK = 7,
	THREAD_STATUS = 8,
	FRAME_PREVIOUS = 1,
	FRAME_CODE = 2,
	FRAME_INSTRUCTION = 3,
	FRAME_OWNER = 5,
	CODE_FILE = 1,
	CODE_NAME = 3,
	CODE_TABLE = 4,
	CODE_FIRST_LINE = 5,
	CODE_INSTRUCTIONS = 9,
	OBJECT_TYPE = 1,
	BYTES_SIZE = 1,
	BYTES_DATA = 2,
	STRING_STATE = 1,
	STRING_LENGTH = 2,
	STRING_ASCII = 3,
};

/* The row for 3.13 is printed by tests/python/offsets_row.c; the row for 3.14 was counted in that version's header. */
static const struct ep_debug_sections versions[] = {
	{ 13, 6, 19, 28, 34, 44, 64, 67 },
	{ 14, 6, 22, 31, 39, 50, 74, 77 },
};

const struct ep_debug_sections *ep_debug_sections_of(unsigned minor)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(versions); i++)
		if (versions[i].minor == minor)
			return &versions[i];
	return NULL;
}

struct account {
	const uint64_t *words; /* (EP_DEBUG_OFFSETS_WORDS) the description */
	bool is_wrong;
};

/* Returns the offset of a field. The field must lie within its structure, whose size is the section's first word;
 * otherwise the account is noted as wrong. */
static uint16_t take(struct account *account, uint32_t section, uint32_t field)
{
	uint64_t offset = account->words[section + field];

	if (offset < account->words[section] && offset < EP_LAYOUT_NONE)
		return (uint16_t)offset;
	account->is_wrong = true;
	return 0;
}

static void expect(struct account *account, uint64_t word, uint64_t expected)
{
	account->is_wrong |= word != expected;
}

/* Checks offsets that are the same in all versions; codes.c relies on them. */
static void check_objects(struct account *account, const struct ep_debug_sections *at)
{
	expect(account, account->words[at->object + OBJECT_TYPE], EP_OBJECT_TYPE);
	expect(account, account->words[at->bytes + BYTES_SIZE], EP_OBJECT_SIZE);
	expect(account, account->words[at->bytes + BYTES_DATA], EP_BYTES_DATA);
	expect(account, account->words[at->string + STRING_STATE], EP_STRING_STATE);
	expect(account, account->words[at->string + STRING_LENGTH], EP_OBJECT_SIZE);
}

static void take_fields(
	struct account *a, const struct ep_debug_sections *at, struct ep_python_layout *out)
{
	*out = (struct ep_python_layout){
		.minor = (uint16_t)at->minor,
		.runtime_interpreters = take(a, RUNTIME, RUNTIME_HEAD),
		.runtime_current_thread = EP_LAYOUT_NONE,
		.runtime_finalizing = take(a, RUNTIME, RUNTIME_FINALIZING),
		.runtime_key = EP_LAYOUT_NONE,
		.interpreter_next = take(a, at->interpreter, INTERPRETER_NEXT),
		.interpreter_threads = take(a, at->interpreter, INTERPRETER_THREADS),
		.thread_previous = take(a, at->thread, THREAD_PREVIOUS),
		.thread_next = take(a, at->thread, THREAD_NEXT),
		.thread_interpreter = take(a, at->thread, THREAD_INTERPRETER),
		.thread_id = take(a, at->thread, THREAD_ID),
		.thread_frame = take(a, at->thread, THREAD_FRAME),
		.thread_cframe = EP_LAYOUT_NONE,
		.cframe_frame = EP_LAYOUT_NONE,
		.thread_status = take(a, at->thread, THREAD_STATUS),
		.thread_chunk = take(a, at->thread, THREAD_CHUNK),
		.frame_previous = take(a, at->frame, FRAME_PREVIOUS),
		.frame_code = take(a, at->frame, FRAME_CODE),
		.frame_instruction = take(a, at->frame, FRAME_INSTRUCTION),
		.frame_last = EP_LAYOUT_NONE,
		.frame_is_entry = EP_LAYOUT_NONE,
		.frame_owner = take(a, at->frame, FRAME_OWNER),
		.code_name = take(a, at->code, CODE_NAME),
		.code_file = take(a, at->code, CODE_FILE),
		.code_first_line = take(a, at->code, CODE_FIRST_LINE),
		.code_table = take(a, at->code, CODE_TABLE),
		.code_instructions = take(a, at->code, CODE_INSTRUCTIONS),
		.ascii_bytes = take(a, at->string, STRING_ASCII),
	};
}

/* Sets the offsets that the description lacks: their fields lie beside fields whose offsets it has. */
static void take_neighbours(
	struct account *a, const struct ep_debug_sections *at, struct ep_python_layout *out)
{
	uint64_t string_bytes = a->words[at->string];

	out->frame_function = out->frame_previous + 8u;
	out->frame_globals = out->frame_previous + 16u;
	out->frame_locals = out->frame_previous + 32u;
	/* string_bytes is the size of a legacy string, which has one more pointer at its end than a compact string */
	out->compact_bytes = (uint16_t)(string_bytes - 8);
	out->string_kind_bit = at->minor >= 14 ? 16 : 2;
	a->is_wrong |= out->frame_locals + 8u > a->words[at->frame] || string_bytes > 256 ||
		       out->compact_bytes < out->ascii_bytes;
}

bool ep_debug_offsets_read(
	struct ep_peek *peek, uint64_t runtime, unsigned minor, struct ep_python_layout *out)
{
	const struct ep_debug_sections *at = ep_debug_sections_of(minor);
	uint64_t words[EP_DEBUG_OFFSETS_WORDS];
	struct account account = { .words = words };

	if (!at || !ep_peek_copy(peek, runtime, words, sizeof(words)) ||
		memcmp(&words[0], COOKIE, sizeof(words[0])) != 0 ||
		words[VERSION] >> 16 != (3u << 8 | minor) || words[IS_FREE_THREADED])
		return false;
	check_objects(&account, at);
	take_fields(&account, at, out);
	take_neighbours(&account, at, out);
	return !account.is_wrong;
}
