// SPDX-License-Identifier: BSD-3-Clause
/* Floating-point instructions: their classes by name, and the columns in callgrind's files. */
#include "tests/unit/test.h"

#include "common/callgrind.h"
#include "common/cleanup.h"
#include "launcher/floating_class.h"
#include "launcher/floating_columns.h"

enum { ADD = EP_FLOATING_ADD, MUL = EP_FLOATING_MUL, DIV = EP_FLOATING_DIV, FMA = EP_FLOATING_FMA };

static const struct {
	const char *mnemonic, *operands, *event; /* NULL: of no class */
} instructions[] = {
	{ "addsd", "xmm0, xmm1", "fp-scalar-double-add" },
	{ "subss", "xmm0, dword ptr [rax]", "fp-scalar-single-add" },
	{ "vmulpd", "ymm0, ymm1, ymmword ptr [rax]", "fp-256-double-mul" },
	{ "vmulpd", "xmm0, xmm1, xmm2", "fp-128-double-mul" },
	{ "haddps", "xmm0, xmm1", "fp-128-single-add" },
	{ "addsubpd", "xmm0, xmm1", "fp-128-double-add" },
	{ "maxpd", "xmm0, xmm1", "fp-128-double-add" },
	{ "rsqrtss", "xmm0, xmm1", "fp-scalar-single-mul" },
	{ "vsqrtsd", "xmm0, xmm1, xmm2", "fp-scalar-double-div" },
	{ "vdivps", "ymm0, ymm1, ymm2", "fp-256-single-div" },
	{ "vfmadd231sd", "xmm0, xmm1, xmm2", "fp-scalar-double-fma" },
	{ "vfnmsub132ps", "ymm0, ymm1, ymm2", "fp-256-single-fma" },
	{ "vfmsubadd213pd", "xmm0, xmm1, xmm2", "fp-128-double-fma" },
	{ "dpps", "xmm0, xmm1, 0xff", "fp-128-single-fma" },
	{ "faddp", "st(1)", "fp-scalar-double-add" },
	{ "fsqrt", "", "fp-scalar-double-div" },
	{ "movsd", "xmm0, xmm1", NULL },
	{ "movsd", "dword ptr es:[rdi], dword ptr [rsi]", NULL },
	{ "ucomisd", "xmm0, xmm1", NULL },
	{ "cvtsi2sd", "xmm0, rax", NULL },
	{ "xorps", "xmm0, xmm0", NULL },
	{ "roundsd", "xmm0, xmm1, 9", NULL },
	{ "paddd", "xmm0, xmm1", NULL },
	{ "add", "eax, 1", NULL },
	{ "fld", "st(0)", NULL },
	{ "fmsx", "xmm0", NULL },
	{ "v", "", NULL },
	{ "", "", NULL },
};

TEST(classes_of_instructions)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(instructions); i++) {
		int class =
			ep_floating_class_of(instructions[i].mnemonic, instructions[i].operands);

		if (instructions[i].event && class >= 0)
			CHECK_STR(ep_floating_events[class].name, instructions[i].event);
		else
			CHECK_INT(class, instructions[i].event ? 0 : -1);
	}
}

TEST(columns_have_the_names_of_their_classes)
{
	CHECK_STR(ep_floating_events[EP_FLOATING_CLASS(EP_FLOATING_SCALAR, false, ADD)].name,
		"fp-scalar-double-add");
	CHECK_STR(ep_floating_events[EP_FLOATING_CLASS(EP_FLOATING_128, true, DIV)].column,
		"F128sDiv");
	CHECK_STR(ep_floating_events[EP_FLOATING_CLASS(EP_FLOATING_256, true, FMA)].column,
		"F256sFma");
	CHECK_STR(ep_floating_events[EP_FLOATING_UNREAD].name, "instructions-unread");
}

/* Costs of instructions that are in no file go to the last column; calls have none. */
TEST(columns_of_a_file)
{
	static const char text[] = "positions: instr line\nevents: Ir Dr\nsummary: 12 1\n\n"
				   "ob=(1) /not/there\nfn=(1) f\n0x10 3 5 1\n+4 * 7\n"
				   "cob=(1)\ncfn=(1)\ncalls=1 0x10 3\n* * 12 1\n\ntotals: 12 1\n";
	struct ep_floating_code *code = ep_floating_code_create();
	EP_AUTOFREE char *out = NULL;
	size_t size;

	if (!code) {
		SKIP("libcapstone is not installed");
	}
	CHECK_INT(ep_floating_columns_add(code, "positions: line\nevents: Ir\n", &out, &size), 0);
	CHECK(!out);
	CHECK_INT(ep_floating_columns_add(code, text, &out, &size), 0);
	CHECK(out && strlen(out) == size);
	CHECK(strstr(out, "events: Ir Dr FsdAdd FsdMul ") != NULL);
	CHECK(strstr(out, "\nsummary: 12 1 0 0 ") && strstr(out, " 0 12\n\nob=(1) /not/there\n"));
	CHECK(strstr(out, "\n0x10 3 5 1 0 0 ") && strstr(out, " 0 5\n+4 * 7 0 0 "));
	CHECK(strstr(out, " 0 7\ncob=(1)\ncfn=(1)\ncalls=1 0x10 3\n* * 12 1\n\ntotals: 12 1 0 "));
	ep_floating_code_destroy(code);
}
