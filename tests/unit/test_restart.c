/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/sample/restart.h"

#include "common/cleanup.h"
#include "test.h"

#define AT_END(...)                                                                                \
	{                                                                                          \
		__VA_ARGS__, 0x0f, 0x05                                                            \
	}
#define N_BYTES 24

/* The bytes end where the system call does; what is left of them is nop. */
static const struct {
	const char *name;
	int number; /* -1: nothing is known */
	size_t n_bytes;
	uint8_t bytes[N_BYTES];
} cases[] = {
	{ "poll: the number last", 7, 7, AT_END(0xb8, 7, 0, 0, 0) },
	{ "pselect: mov 0x1c(%rsp),%edi between", 0x10e, 11,
		AT_END(0xb8, 0x0e, 1, 0, 0, 0x8b, 0x7c, 0x24, 0x1c) },
	{ "recvfrom: two 64-bit loads between", 0x2d, 17,
		AT_END(0xb8, 0x2d, 0, 0, 0, 0x48, 0x8b, 0x54, 0x24, 0x10, 0x48, 0x8b, 0x74, 0x24,
			8) },
	{ "mov %eax,%r8d and xor %edi,%edi between", 9, 12,
		AT_END(0xb8, 9, 0, 0, 0, 0x41, 0x89, 0xc0, 0x31, 0xff) },
	{ "mov $8,%r10d between", 0x80, 13, AT_END(0xb8, 0x80, 0, 0, 0, 0x41, 0xba, 8, 0, 0, 0) },
	{ "mov $8,%r8d alone says nothing", -1, 8, AT_END(0x41, 0xb8, 8, 0, 0, 0) },
	{ "mov %rdi,%rax: a number of the caller's", -1, 5, AT_END(0x48, 0x89, 0xf8) },
	{ "loaded, then changed by mov %ebx,%eax", -1, 9, AT_END(0xb8, 7, 0, 0, 0, 0x89, 0xd8) },
	{ "loaded, then loaded again from memory", -1, 11,
		AT_END(0xb8, 7, 0, 0, 0, 0x8b, 0x44, 0x24, 0x1c) },
	{ "loaded twice: the last counts", 8, 12, AT_END(0xb8, 7, 0, 0, 0, 0xb8, 8, 0, 0, 0) },
	{ "a jump between", -1, 9, AT_END(0xb8, 7, 0, 0, 0, 0xeb, 0) },
	{ "no system call", -1, 7, { 0xb8, 7, 0, 0, 0, 0x0f, 0x34 } },
};

TEST(finds_numbers)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		uint8_t code[64];
		uint32_t number = 12345;
		bool found;

		memset(code, 0x90, sizeof(code));
		memcpy(code + sizeof(code) - cases[i].n_bytes, cases[i].bytes, cases[i].n_bytes);
		found = ep_restart_number(code + sizeof(code), sizeof(code), &number);
		CHECK_MSG(found == (cases[i].number >= 0), "%s: found %d", cases[i].name, found);
		CHECK_MSG(number == (found ? (uint32_t)cases[i].number : 12345), "%s: number %u",
			cases[i].name, number);
	}
}

TEST(reads_no_further_than_allowed)
{
	static const uint8_t code[] = { 0x90, 0xb8, 7, 0, 0, 0, 0x0f, 0x05 };
	uint32_t number;

	for (size_t n_bytes = 0; n_bytes < sizeof(code); n_bytes++)
		CHECK(!ep_restart_number(code + sizeof(code), n_bytes, &number));
	CHECK(ep_restart_number(code + sizeof(code), sizeof(code), &number));
}
