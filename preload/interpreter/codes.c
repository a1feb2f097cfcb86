// SPDX-License-Identifier: BSD-3-Clause
#include "codes.h"

#include <string.h>

#include "common/os/slice_code.h"

#define MAX_CODES (EP_CODES_SLOTS / 2)
#define MAX_NAME_CHARACTERS 256
#define MAX_FILE_CHARACTERS 1024
#define MAX_TABLE_BYTES 32768
#define ROOM_BYTES 8192 /* a block is due when less room than this is left */

void ep_codes_reset(struct ep_codes *codes)
{
	if (codes->n_codes)
		memset(codes->slots, 0, sizeof(codes->slots));
	codes->n_codes = codes->n_unsent = 0;
	codes->n_unread = 0;
	codes->has_news = false;
	codes->pending_bytes = 0;
}

/* ---- strings ---- */

/* Writes a character in UTF-8; returns its bytes, at most 4. */
static size_t put_character(uint8_t *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = 0x80 | (c & 0x3f);
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = 0x80 | (c >> 6 & 0x3f);
		out[2] = 0x80 | (c & 0x3f);
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | (c >> 18 & 7));
	out[1] = 0x80 | (c >> 12 & 0x3f);
	out[2] = 0x80 | (c >> 6 & 0x3f);
	out[3] = 0x80 | (c & 0x3f);
	return 4;
}

/* Appends a Python string in the form of the trace, as UTF-8. Returns false if the object is no string that can be
 * read, or if there is no room. */
static bool append_string(struct ep_wire *wire, struct ep_peek *peek,
	const struct ep_python_layout *layout, uint64_t string, uint64_t max_characters)
{
	uint8_t raw[4 * MAX_FILE_CHARACTERS], text[4 * MAX_FILE_CHARACTERS];
	const void *head = ep_peek_get(peek, string, EP_STRING_HEADER_BYTES);
	uint64_t n;
	uint32_t state, width;
	size_t size = 0;

	if (!head)
		return false;
	n = ep_word_at(head, EP_OBJECT_SIZE);
	state = ep_half_at(head, EP_STRING_STATE) >> layout->string_kind_bit;
	width = state & 7;
	n = n < max_characters ? n : max_characters;
	if (!(state >> 3 & 1) || (width != 1 && width != 2 && width != 4) ||
		!ep_peek_copy(peek,
			string + (state >> 4 & 1 ? layout->ascii_bytes : layout->compact_bytes),
			raw, n * width))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t character = 0;

		memcpy(&character, raw + i * width, width);
		size += put_character(text + size, character);
	}
	ep_wire_string(wire, text, size);
	return !wire->overflow;
}

/* Appends the table of line numbers. A table that is too long or cannot be read is left out: the function's lines are
 * not known then. */
static void append_table(struct ep_wire *wire, struct ep_peek *peek, uint64_t bytes)
{
	const void *head = ep_peek_get(peek, bytes, EP_BYTES_DATA);
	uint64_t size = head ? ep_word_at(head, EP_OBJECT_SIZE) : 0;
	size_t at;
	uint8_t *out;

	if (size > MAX_TABLE_BYTES)
		size = 0;
	at = wire->size_bytes;
	ep_wire_u(wire, size);
	out = ep_wire_reserve(wire, size);
	if (!out || !size || ep_peek_copy(peek, bytes + EP_BYTES_DATA, out, size))
		return;
	wire->size_bytes = at;
	ep_wire_u(wire, 0);
}

/* ---- codes ---- */

static bool describe(struct ep_codes *codes, struct ep_peek *peek, const struct ep_python *python,
	const uint8_t *copy)
{
	const struct ep_python_layout *layout = &python->layout;
	struct ep_wire wire = { codes->pending, codes->pending_bytes, EP_CODES_PENDING_BYTES,
		false };

	ep_wire_u(&wire, codes->n_codes + 1);
	ep_wire_u(&wire, layout->minor);
	ep_wire_u(&wire, ep_half_at(copy, layout->code_first_line));
	if (!append_string(&wire, peek, layout, ep_word_at(copy, layout->code_name),
		    MAX_NAME_CHARACTERS) ||
		!append_string(&wire, peek, layout, ep_word_at(copy, layout->code_file),
			MAX_FILE_CHARACTERS))
		return false;
	append_table(&wire, peek, ep_word_at(copy, layout->code_table));
	if (wire.overflow)
		return false;
	codes->pending_bytes = wire.size_bytes;
	codes->n_unsent++;
	return true;
}

/* Returns a key of a code object. Its address alone is not enough, since a code object may be freed and another may
 * take its place; so the key includes what the object points to. */
static EP_SLICE_CODE uint64_t key_of(
	const struct ep_python_layout *layout, uint64_t code, const uint8_t *copy)
{
	uint64_t key = code;

	key = (key ^ ep_word_at(copy, layout->code_name)) * 0x9e3779b97f4a7c15ull;
	key = (key ^ key >> 29 ^ ep_word_at(copy, layout->code_file)) * 0xff51afd7ed558ccdull;
	key = (key ^ key >> 31 ^ ep_word_at(copy, layout->code_table)) * 0x9e3779b97f4a7c15ull;
	key = (key ^ key >> 29 ^ ep_half_at(copy, layout->code_first_line)) * 0xff51afd7ed558ccdull;
	return key ? key : 1;
}

EP_SLICE_CODE uint32_t ep_codes_number(
	struct ep_codes *codes, struct ep_peek *peek, const struct ep_python *python, uint64_t code)
{
	const uint8_t *found = ep_peek_get(peek, code, python->code_bytes);
	uint64_t key;
	uint32_t slot;

	if (!found)
		return 0;
	key = key_of(&python->layout, code, found);
	slot = (key >> 32) % EP_CODES_SLOTS;
	while (codes->slots[slot].key && codes->slots[slot].key != key)
		slot = (slot + 1) % EP_CODES_SLOTS;
	if (codes->slots[slot].key)
		return codes->slots[slot].id;
	if (codes->n_codes == MAX_CODES || !describe(codes, peek, python, found))
		return 0;
	codes->slots[slot].key = key;
	codes->slots[slot].id = ++codes->n_codes;
	return codes->n_codes;
}

bool ep_codes_want_flush(const struct ep_codes *codes)
{
	return codes->pending_bytes > EP_CODES_PENDING_BYTES - ROOM_BYTES;
}

void ep_codes_append(const struct ep_codes *codes, uint32_t thread_idx, struct ep_process_key key,
	struct ep_wire *wire)
{
	size_t at;

	if (!codes->n_unsent && !codes->has_news)
		return;
	at = ep_block_start(wire, EP_BLOCK_CODE, key);
	ep_wire_u(wire, thread_idx);
	ep_wire_u(wire, codes->n_unread);
	ep_wire_u(wire, codes->n_unsent);
	ep_wire_bytes(wire, codes->pending, codes->pending_bytes);
	ep_block_finish(wire, at);
}

void ep_codes_sent(struct ep_codes *codes)
{
	codes->n_unsent = 0;
	codes->pending_bytes = 0;
	codes->has_news = false;
}
