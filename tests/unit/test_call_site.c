// SPDX-License-Identifier: BSD-3-Clause
/* Calls of x86-64 by their bytes (as GNU as writes them), and the linkage stubs of GNU ld. */
#include "tests/unit/test.h"

#include <string.h>

#include "common/cleanup.h"
#include "preload/unwind/call_site.h"

TEST(calls_are_told_from_other_instructions)
{
	static const struct {
		const char *assembly;
		uint8_t bytes[EP_CALL_BYTES];
		enum ep_call_site call;
		int64_t distance;
	} rows[] = {
		{ "call .+0x105", { 0, 0, 0, 0xe8, 0, 1, 0, 0 }, EP_CALL_DIRECT, 0x100 },
		{ "call .-0xb", { 0, 0, 0, 0xe8, 0xf0, 0xff, 0xff, 0xff }, EP_CALL_DIRECT, -16 },
		{ "call *%rax", { 0, 0, 0, 0, 0, 0, 0xff, 0xd0 }, EP_CALL_INDIRECT, 0 },
		{ "call *%r11", { 0, 0, 0, 0, 0, 0x41, 0xff, 0xd3 }, EP_CALL_INDIRECT, 0 },
		{ "call *(%rbx)", { 0, 0, 0, 0, 0, 0, 0xff, 0x13 }, EP_CALL_INDIRECT, 0 },
		{ "call *8(%rax)", { 0, 0, 0, 0, 0, 0xff, 0x50, 8 }, EP_CALL_INDIRECT, 0 },
		{ "call *0x2e0(%rax)", { 0, 0, 0xff, 0x90, 0xe0, 2, 0, 0 }, EP_CALL_INDIRECT, 0 },
		{ "call *0x100(%rip)", { 0, 0, 0xff, 0x15, 0, 1, 0, 0 }, EP_CALL_INDIRECT, 0 },
		{ "call *(%rax,%rbx,8)", { 0, 0, 0, 0, 0, 0xff, 0x14, 0xd8 }, EP_CALL_INDIRECT, 0 },
		{ "call *8(%rsp)", { 0, 0, 0, 0, 0xff, 0x54, 0x24, 8 }, EP_CALL_INDIRECT, 0 },
		{ "call *0x100(%r12)", { 0, 0xff, 0x94, 0x24, 0, 1, 0, 0 }, EP_CALL_INDIRECT, 0 },
		{ "call *0x100(,%rax,8)", { 0, 0xff, 0x14, 0xc5, 0, 1, 0, 0 }, EP_CALL_INDIRECT,
			0 },
		{ "jmp *%rax", { 0, 0, 0, 0, 0, 0, 0xff, 0xe0 }, EP_CALL_NONE, 0 },
		{ "push 8(%rax)", { 0, 0, 0, 0, 0, 0xff, 0x70, 8 }, EP_CALL_NONE, 0 },
		{ "jmp .+0x105", { 0, 0, 0, 0xe9, 0, 1, 0, 0 }, EP_CALL_NONE, 0 },
		{ "nop; ret", { 0, 0, 0, 0, 0, 0, 0x90, 0xc3 }, EP_CALL_NONE, 0 },
		{ "nothing", { 0 }, EP_CALL_NONE, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		int64_t distance = 0;

		CHECK_MSG(ep_call_site_before(rows[i].bytes, &distance) == rows[i].call, "%s",
			rows[i].assembly);
		CHECK_MSG(distance == rows[i].distance, "%s", rows[i].assembly);
	}
}

TEST(stubs)
{
	static const struct {
		uint8_t bytes[EP_STUB_BYTES];
		int64_t slot;
	} rows[] = {
		{ { 0xff, 0x25, 0x10, 0, 0, 0, 0x68 }, 0x16 },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x10, 0, 0, 0 }, 0x1a },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf0, 0xff, 0xff, 0xff }, -5 },
		{ { 0x55, 0x48, 0x89, 0xe5 }, 0 },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x55 }, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_INT(ep_stub_slot(rows[i].bytes), rows[i].slot);
}
