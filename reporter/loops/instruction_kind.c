// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/loops/instruction_kind.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"

/* An instruction, split into its name and its operands. */
struct parts {
	char name[32];
	const char *operands;
};

static struct parts split(const char *text)
{
	size_t n = strcspn(text, " \t");
	struct parts parts = { .operands = text + n };

	memcpy(parts.name, text, n < sizeof(parts.name) - 1 ? n : sizeof(parts.name) - 1);
	return parts;
}

static bool begins_with(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

static bool begins_with_any(const char *name, const char *const *list)
{
	while (*list && !begins_with(name, *list))
		list++;
	return *list != NULL;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), n_end = strlen(end);

	return n >= n_end && !strcmp(name + n - n_end, end);
}

/* ---- x86: Intel's manual, volume 2, without the v that AVX puts before the names of SSE ---- */

static const char *const x86_arithmetic[] = { "add", "sub", "mul", "div", "sqrt", "min", "max",
	"rcp", "rsqrt", "hadd", "hsub", "dp", "round", "rndscale", "cmp", "comi", "ucomi", "cvt",
	"fmadd", "fmsub", "fnmadd", "fnmsub", "fmaddsub", "fmsubadd", "scalef", "reduce", NULL };
static const char *const x86_fma[] = { "fmadd", "fmsub", "fnmadd", "fnmsub", NULL };
static const char *const x86_x87[] = { "fadd", "fsub", "fmul", "fdiv", "fsqrt", "fiadd", "fisub",
	"fimul", "fidiv", "fcom", "fucom", "fabs", "fchs", "fsin", "fcos", "fptan", "fpatan",
	"fyl2x", "f2xm1", "fprem", "frndint", NULL };
/* Names that begin with p, but do not mean vector arithmetic. */
static const char *const x86_no_vector[] = { "push", "pop", "prefetch", "pause", "pdep", "pext",
	"pinsr", "pextr", "pmov", "pbroadcast", "pgather", "pscatter", "pshuf", "punpck", "pack",
	"perm", "palign", "pblend", NULL };
static const char *const x86_gather[] = { "gather", "pgather", "scatter", "pscatter", NULL };
static const char *const x86_divide[] = { "div", "idiv", "sqrt", NULL };

static uint32_t x86_bits(const char *operands)
{
	return strstr(operands, "%zmm")   ? 512
	       : strstr(operands, "%ymm") ? 256
	       : strstr(operands, "%xmm") ? 128
					  : 0;
}

/* Tells whether an instruction only sets a register to zero, as "pxor %xmm0, %xmm0" does. */
static bool is_zero(const struct parts *parts)
{
	const char *comma = strchr(parts->operands, ',');
	size_t n = comma ? (size_t)(comma - parts->operands) : 0;
	const char *first = parts->operands + strspn(parts->operands, " ");

	return comma && strstr(parts->name, "xor") &&
	       !strncmp(first, comma + strspn(comma, ", "), n - (size_t)(first - parts->operands));
}

static struct ep_instruction_kind kind_of_x86(const struct parts *parts)
{
	const char *name = parts->name + (parts->name[0] == 'v' && x86_bits(parts->operands));
	bool is_scalar = ends_with(name, "ss") || ends_with(name, "sd");
	bool is_packed = ends_with(name, "ps") || ends_with(name, "pd");
	bool has_vector = x86_bits(parts->operands) > 0;
	struct ep_instruction_kind kind = { .is_call = begins_with(name, "call") };

	if (has_vector && begins_with_any(name, x86_gather)) {
		kind.is_gather = true;
	} else if (has_vector && begins_with_any(name, x86_arithmetic)) {
		kind.is_floating = true;
		kind.is_vector = is_packed && !is_scalar;
		kind.is_fma = begins_with_any(name, x86_fma);
		kind.is_divide = begins_with_any(name, x86_divide);
	} else if (has_vector) {
		kind.is_vector =
			name[0] == 'p' && !begins_with_any(name, x86_no_vector) && !is_zero(parts);
	} else {
		kind.is_floating = begins_with_any(name, x86_x87);
		kind.is_divide = begins_with_any(name, x86_divide) || begins_with(name, "fdiv") ||
				 begins_with(name, "fsqrt") || begins_with(name, "fidiv");
	}
	kind.n_bits = kind.is_vector ? x86_bits(parts->operands) : 0;
	return kind;
}

/* ---- AArch64: Arm's manual, C7 and C8 ---- */

static const char *const arm_floating[] = { "fadd", "fsub", "fmul", "fdiv", "fsqrt", "fmadd",
	"fmsub", "fnmadd", "fnmsub", "fnmul", "fmla", "fmls", "fmad", "fnmla", "fmax", "fmin",
	"fabd", "fcmp", "fcm", "fcvt", "scvtf", "ucvtf", "frint", "frecp", "frsqrt", "fneg", "fabs",
	"fcmla", NULL };
static const char *const arm_fma[] = { "fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls", "fmad",
	"fnmla", "fcmla", NULL };
static const char *const arm_divide[] = { "fdiv", "fsqrt", "sdiv", "udiv", NULL };
static const char *const arm_no_arithmetic[] = { "ld", "st", "mov", "dup", "ins", "umov", "smov",
	"ext", "zip", "uzp", "trn", "tbl", "rev", "prf", "xtn", NULL };

/* Tells whether an operand is a vector such as "v0.4s" or "z0.d". */
static bool has_arm_vector(const char *operands, char letter)
{
	for (const char *at = operands; (at = strchr(at, letter)); at++) {
		size_t n = strspn(at + 1, "0123456789");

		if (n && at[1 + n] == '.' && (at == operands || strchr(" ,{[", at[-1])))
			return true;
	}
	return false;
}

static struct ep_instruction_kind kind_of_arm(const struct parts *parts)
{
	const char *bracket = strchr(parts->operands, '[');
	bool is_neon = has_arm_vector(parts->operands, 'v');
	bool is_vector = is_neon || has_arm_vector(parts->operands, 'z');
	struct ep_instruction_kind kind = { .is_call = !strcmp(parts->name, "bl") ||
						       !strcmp(parts->name, "blr"),
		.is_floating = begins_with_any(parts->name, arm_floating),
		.is_fma = begins_with_any(parts->name, arm_fma),
		.is_divide = begins_with_any(parts->name, arm_divide),
		.is_gather = bracket && has_arm_vector(bracket, 'z') };

	kind.is_vector =
		is_vector && !kind.is_gather && !begins_with_any(parts->name, arm_no_arithmetic);
	kind.n_bits = !kind.is_vector || !is_neon                                        ? 0
		      : strstr(parts->operands, ".2s") || strstr(parts->operands, ".8b") ? 64
											 : 128;
	return kind;
}

/* ---- POWER: Power ISA 3.0, chapters 4, 6 and 7 ---- */

static const char *const power_scalar[] = { "fadd", "fsub", "fmul", "fdiv", "fsqrt", "fmadd",
	"fmsub", "fnmadd", "fnmsub", "fcmp", "fcf", "fct", "fri", "fre", "frsq", "xsadd", "xssub",
	"xsmul", "xsdiv", "xssqrt", "xsmadd", "xsmsub", "xsnm", "xscmp", "xscv", "xsmax", "xsmin",
	"xsr", NULL };
static const char *const power_vector[] = { "xvadd", "xvsub", "xvmul", "xvdiv", "xvsqrt", "xvmadd",
	"xvmsub", "xvnm", "xvcmp", "xvcv", "xvmax", "xvmin", "xvr", NULL };
static const char *const power_fma[] = { "fmadd", "fmsub", "fnmadd", "fnmsub", "xsmadd", "xsmsub",
	"xsnmadd", "xsnmsub", "xvmadd", "xvmsub", "xvnmadd", "xvnmsub", NULL };
static const char *const power_divide[] = { "fdiv", "fsqrt", "xsdiv", "xssqrt", "xvdiv", "xvsqrt",
	"divd", "divw", NULL };
static const char *const power_integer[] = { "vadd", "vsub", "vmul", "vmax", "vmin", "vavg", "vsum",
	"vmsum", "vcmp", "vsl", "vsr", "vrl", "vabsd", NULL };

static struct ep_instruction_kind kind_of_power(const struct parts *parts)
{
	const char *name = parts->name;
	bool is_vector = begins_with_any(name, power_vector);
	struct ep_instruction_kind kind = { .is_call =
						    !strcmp(name, "bl") || !strcmp(name, "bctrl"),
		.is_floating = is_vector || begins_with_any(name, power_scalar),
		.is_vector = is_vector || begins_with_any(name, power_integer),
		.is_fma = begins_with_any(name, power_fma),
		.is_divide = begins_with_any(name, power_divide) };

	kind.n_bits = kind.is_vector ? 128 : 0;
	return kind;
}

/* ---- all ---- */

static const struct {
	uint16_t machine;
	struct ep_instruction_kind (*kind_of)(const struct parts *parts);
} machines[] = {
	{ EM_X86_64, kind_of_x86 },
	{ EM_386, kind_of_x86 },
	{ EM_AARCH64, kind_of_arm },
	{ EM_PPC64, kind_of_power },
};

struct ep_instruction_kind ep_instruction_kind_of(const char *text, uint16_t machine)
{
	struct parts parts = split(text);

	for (size_t i = 0; i < EP_ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return machines[i].kind_of(&parts);
	return (struct ep_instruction_kind){ 0 };
}

void ep_instruction_mix_add(struct ep_instruction_mix *mix, const char *text, uint16_t machine)
{
	struct ep_instruction_kind kind = ep_instruction_kind_of(text, machine);

	mix->n++;
	mix->n_scalar_floating += kind.is_floating && !kind.is_vector;
	mix->n_vector_floating += kind.is_floating && kind.is_vector;
	mix->n_vector_integer += !kind.is_floating && kind.is_vector;
	mix->n_fma += kind.is_fma;
	mix->n_divide += kind.is_divide;
	mix->n_gather += kind.is_gather;
	mix->n_calls += kind.is_call;
	mix->n_bits = kind.n_bits > mix->n_bits ? kind.n_bits : mix->n_bits;
}
