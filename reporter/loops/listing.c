// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/loops/listing.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers/array.h"
#include "reporter/loops/loops_private.h"

static int reserve_text(struct ep_listing *listing, size_t n_more)
{
	size_t capacity = 2 * (listing->n_text_bytes + n_more);
	char *bigger;

	if (listing->n_text_bytes + n_more <= listing->text_capacity)
		return 0;
	bigger = realloc(listing->texts, capacity);
	if (!bigger)
		return -ENOMEM;
	listing->texts = bigger;
	listing->text_capacity = capacity;
	return 0;
}

static int add_instruction(struct ep_listing *listing, const cs_insn *instruction)
{
	char text[sizeof(instruction->mnemonic) + sizeof(instruction->op_str) + 2];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s%s%s", instruction->mnemonic,
			   instruction->op_str[0] ? " " : "", instruction->op_str) +
		   1;

	if (reserve_text(listing, n) ||
		EP_ARRAY_RESERVE(listing->rows, listing->n_rows, listing->capacity))
		return -ENOMEM;
	memcpy(listing->texts + listing->n_text_bytes, text, n);
	listing->rows[listing->n_rows++] = (struct ep_listed_instruction){ instruction->address,
		instruction->size, (uint32_t)listing->n_text_bytes, false };
	listing->n_text_bytes += n;
	return 0;
}

static int list_all(csh handle, const struct ep_procedure_code *code, cs_insn *instruction,
	struct ep_listing *out)
{
	const uint8_t *bytes = code->bytes;
	size_t n_left = code->n_bytes;
	uint64_t address = code->address;
	int rc = 0;

	while (!rc && cs_disasm_iter(handle, &bytes, &n_left, &address, instruction))
		rc = add_instruction(out, instruction);
	return rc;
}

int ep_listing_create(const struct ep_procedure_code *code, struct ep_listing *out)
{
	struct ep_listing listing = { 0 };
	cs_insn *instruction;
	int rc = -ENOMEM;
	csh handle;

	if (code->n_bytes > EP_LOOPS_MOST_BYTES)
		return -E2BIG;
	if (ep_code_open(code, &handle))
		return -ENOTSUP;
	/* this fails, without harm, on a machine with only one syntax */
	cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	instruction = cs_malloc(handle);
	if (instruction) {
		rc = list_all(handle, code, instruction, &listing);
		cs_free(instruction, 1);
	}
	cs_close(&handle);
	if (rc) {
		ep_listing_finish(&listing);
		return rc;
	}
	*out = listing;
	return 0;
}
