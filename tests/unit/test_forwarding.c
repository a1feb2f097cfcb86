// SPDX-License-Identifier: BSD-3-Clause
/* Which loads no store can be forwarded to: the cases of Intel's Optimization Reference Manual, "Store Forwarding",
 * and what makes it unknown whether a store wrote the bytes. */
#include "reporter/loops/forwarding.h"

#include <elf.h>

#include "common/cleanup.h"
#include "test.h"

/* Bytes of instructions in hexadecimal, "|" between two; the text for people. "!" stands before blocked loads. */
static const struct {
	const char *what, *code;
} cases[] = {
	{ "two halves, then all: movl, movl, movq", "894424f8 | 895424fc | !488b4424f8" },
	{ "a half, then all", "8907 | !488b07" },
	{ "all, then a half", "48894424f8 | 8b4424fc" },
	{ "the same bytes", "8907 | 8b07" },
	{ "two halves, then a vector: movq, movq, movups", "488907 | 48894708 | !0f1007" },
	{ "two vectors, then both: movups, movups, vmovups", "0f1107 | 0f114f10 | !c5fc1007" },
	{ "a half, all, then all", "8907 | 488907 | 488b07" },
	{ "all, a half, then all", "488907 | 8907 | !488b07" },
	{ "bytes beside it", "8907 | 488b4704" },
	{ "another register", "8907 | 488b06" },
	{ "the register has changed: addq $4, %rdi", "8907 | 4883c704 | 488b07" },
	{ "a part of the index has changed: incl %ecx", "89040f | ffc1 | 488b040f" },
	{ "the index is the same", "89040f | !488b040f" },
	{ "behind a jump that was not taken: je, ret", "8907 | 7404 | !488b07 | c3 | c3" },
	{ "where a jump leads that was taken: je, ret", "8907 | 7401 | c3 | !488b07 | c3" },
	{ "where a jump leads back: jmp, movq, ret, movl, je",
		"eb04 | !488b07 | c3 | 8907 | 74f8 | c3" },
	{ "a load that is jumped to", "7402 | 8907 | 488b07" },
	{ "a call between", "8907 | e800000000 | 488b07" },
	{ "an address without access: leaq", "8907 | 488d07" },
	{ "a sum in memory: addq $1, (%rdi)", "8907 | !48830701 | 488b07" },
	{ "by the instruction's own address", "c7050001000001000000 | !488b05f9000000" },
	{ "a load into the register that it is by", "8907 | !488b3f | 488b3f" },
};

static uint8_t digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns how many bytes there are; out_blocked (64) by instruction. */
static size_t read_code(const char *text, uint8_t bytes[64], bool out_blocked[64], uint32_t *out_n)
{
	size_t size = 0;

	*out_n = 1;
	memset(out_blocked, 0, 64 * sizeof(*out_blocked));
	for (; *text; text++) {
		if (*text == '|')
			(*out_n)++;
		else if (*text == '!')
			out_blocked[*out_n - 1] = true;
		else if (*text != ' ') {
			bytes[size++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
			text++;
		}
	}
	return size;
}

TEST(loads_that_wait_for_stores)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		uint8_t bytes[64];
		bool blocked[64];
		uint32_t n;
		size_t size = read_code(cases[i].code, bytes, blocked, &n);
		const struct ep_procedure_code code = { bytes, size, 0x401000, EM_X86_64, false };
		struct ep_listing listing;

		CHECK_INT(ep_listing_create(&code, &listing), 0);
		CHECK_INT(ep_forwarding_mark(&code, &listing), 0);
		CHECK_INT(listing.n_rows, n);
		for (uint32_t k = 0; k < n && k < listing.n_rows; k++)
			CHECK_MSG(listing.rows[k].is_blocked == blocked[k], "%s: %s is%s blocked",
				cases[i].what, ep_listing_text(&listing, k),
				blocked[k] ? " not" : "");
		ep_listing_finish(&listing);
	}
}

TEST(of_other_machines_nothing_is_said)
{
	/* str w0, [x1]; ldr x0, [x1] */
	static const uint8_t bytes[] = { 0x20, 0x00, 0x00, 0xb9, 0x20, 0x00, 0x40, 0xf9 };
	const struct ep_procedure_code code = { bytes, sizeof(bytes), 0, EM_AARCH64, false };
	struct ep_listing listing;

	CHECK_INT(ep_listing_create(&code, &listing), 0);
	CHECK_INT(ep_forwarding_mark(&code, &listing), 0);
	CHECK(listing.n_rows == 2 && !listing.rows[0].is_blocked && !listing.rows[1].is_blocked);
	ep_listing_finish(&listing);
}

TEST(cut_anywhere)
{
	static const uint8_t bytes[] = { 0x89, 0x44, 0x24, 0xf8, 0x48, 0x8b, 0x44, 0x24, 0xf8, 0xe9,
		0xff, 0xff, 0xff, 0x7f };

	for (size_t size = 0; size <= sizeof(bytes); size++) {
		const struct ep_procedure_code code = { bytes, size, 0, EM_X86_64, false };
		struct ep_listing listing;

		CHECK_INT(ep_listing_create(&code, &listing), 0);
		CHECK_INT(ep_forwarding_mark(&code, &listing), 0);
		ep_listing_finish(&listing);
	}
}
