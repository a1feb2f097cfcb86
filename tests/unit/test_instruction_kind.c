// SPDX-License-Identifier: BSD-3-Clause
/* Kinds of instructions, as the manuals of Intel, Arm and IBM have them. */
#include "tests/unit/test.h"

#include <elf.h>

#include "common/cleanup.h"
#include "reporter/loops/instruction_kind.h"

enum {
	FLOAT = 1,
	VECTOR = 2,
	FMA = 4,
	DIVIDE = 8,
	GATHER = 16,
	CALL = 32,
};

static const struct {
	uint16_t machine;
	const char *text;
	unsigned int traits;
	uint32_t n_bits;
} cases[] = {
	{ EM_X86_64, "addsd %xmm0, %xmm1", FLOAT, 0 },
	{ EM_X86_64, "vaddsd %xmm0, %xmm1, %xmm2", FLOAT, 0 },
	{ EM_X86_64, "mulps (%rax), %xmm1", FLOAT | VECTOR, 128 },
	{ EM_X86_64, "vmulpd %ymm0, %ymm1, %ymm2", FLOAT | VECTOR, 256 },
	{ EM_X86_64, "vfmadd213ps (%rcx, %rax), %zmm3, %zmm0", FLOAT | VECTOR | FMA, 512 },
	{ EM_X86_64, "vfnmsub231sd %xmm3, %xmm2, %xmm0", FLOAT | FMA, 0 },
	{ EM_X86_64, "divsd %xmm0, %xmm1", FLOAT | DIVIDE, 0 },
	{ EM_X86_64, "vsqrtpd %ymm0, %ymm1", FLOAT | VECTOR | DIVIDE, 256 },
	{ EM_X86_64, "idivl %ecx", DIVIDE, 0 },
	{ EM_X86_64, "divq %r8", DIVIDE, 0 },
	{ EM_X86_64, "cvtsi2sdl %eax, %xmm0", FLOAT, 0 },
	{ EM_X86_64, "vgatherdpd %ymm1, (%rax, %xmm2, 8), %ymm0", GATHER, 0 },
	{ EM_X86_64, "vpgatherdd %ymm1, (%rax, %ymm2, 4), %ymm0", GATHER, 0 },
	{ EM_X86_64, "paddd %xmm0, %xmm1", VECTOR, 128 },
	{ EM_X86_64, "vpmulld %ymm0, %ymm1, %ymm2", VECTOR, 256 },
	{ EM_X86_64, "pxor %xmm0, %xmm0", 0, 0 },
	{ EM_X86_64, "pxor %xmm0, %xmm1", VECTOR, 128 },
	{ EM_X86_64, "movsd (%rax), %xmm0", 0, 0 },
	{ EM_X86_64, "movaps %xmm0, (%rax)", 0, 0 },
	{ EM_X86_64, "addq $8, %rax", 0, 0 },
	{ EM_X86_64, "pushq %rbx", 0, 0 },
	{ EM_X86_64, "popcntq %rax, %rbx", 0, 0 },
	{ EM_X86_64, "callq 0x1770", CALL, 0 },
	{ EM_X86_64, "fmulp %st(1)", FLOAT, 0 },
	{ EM_X86_64, "verr %ax", 0, 0 },
	{ EM_AARCH64, "fmadd d0, d1, d2, d3", FLOAT | FMA, 0 },
	{ EM_AARCH64, "fmla v0.2d, v1.2d, v2.2d", FLOAT | VECTOR | FMA, 128 },
	{ EM_AARCH64, "fadd v0.2s, v1.2s, v2.2s", FLOAT | VECTOR, 64 },
	{ EM_AARCH64, "add v0.4s, v1.4s, v2.4s", VECTOR, 128 },
	{ EM_AARCH64, "fdiv s0, s1, s2", FLOAT | DIVIDE, 0 },
	{ EM_AARCH64, "udiv x0, x1, x2", DIVIDE, 0 },
	{ EM_AARCH64, "fadd z0.d, p0/m, z0.d, z1.d", FLOAT | VECTOR, 0 },
	{ EM_AARCH64, "ld1d {z0.d}, p0/z, [x0, z1.d, lsl #3]", GATHER, 0 },
	{ EM_AARCH64, "ld1d {z0.d}, p0/z, [x0, x1, lsl #3]", 0, 0 },
	{ EM_AARCH64, "ld1 {v0.4s}, [x0]", 0, 0 },
	{ EM_AARCH64, "add x0, x1, x2", 0, 0 },
	{ EM_AARCH64, "bl #0x1000", CALL, 0 },
	{ EM_AARCH64, "ldr d0, [x0]", 0, 0 },
	{ EM_PPC64, "fmadd f1, f2, f3, f4", FLOAT | FMA, 0 },
	{ EM_PPC64, "xvmaddadp vs0, vs1, vs2", FLOAT | VECTOR | FMA, 128 },
	{ EM_PPC64, "xsdivdp vs0, vs1, vs2", FLOAT | DIVIDE, 0 },
	{ EM_PPC64, "divd r3, r4, r5", DIVIDE, 0 },
	{ EM_PPC64, "vadduwm v0, v1, v2", VECTOR, 128 },
	{ EM_PPC64, "lfd f1, 0(r3)", 0, 0 },
	{ EM_PPC64, "bctrl", CALL, 0 },
	{ EM_RISCV, "fadd.d fa0, fa1, fa2", 0, 0 },
};

TEST(kinds)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_instruction_kind kind =
			ep_instruction_kind_of(cases[i].text, cases[i].machine);
		unsigned int traits = (kind.is_floating ? FLOAT : 0) |
				      (kind.is_vector ? VECTOR : 0) | (kind.is_fma ? FMA : 0) |
				      (kind.is_divide ? DIVIDE : 0) |
				      (kind.is_gather ? GATHER : 0) | (kind.is_call ? CALL : 0);

		CHECK_MSG(traits == cases[i].traits, "%s: %u, expected %u", cases[i].text, traits,
			cases[i].traits);
		CHECK_MSG(
			kind.n_bits == cases[i].n_bits, "%s: %u bits", cases[i].text, kind.n_bits);
	}
}

TEST(a_mix_has_an_instruction_in_all_its_kinds)
{
	struct ep_instruction_mix mix = { 0 };

	ep_instruction_mix_add(&mix, "vfmadd213pd %ymm0, %ymm1, %ymm2", EM_X86_64);
	ep_instruction_mix_add(&mix, "vdivsd %xmm0, %xmm1, %xmm2", EM_X86_64);
	ep_instruction_mix_add(&mix, "vpaddd %xmm0, %xmm1, %xmm2", EM_X86_64);
	ep_instruction_mix_add(&mix, "jne 0x1000", EM_X86_64);
	CHECK_INT(mix.n, 4);
	CHECK_INT(mix.n_vector_floating, 1);
	CHECK_INT(mix.n_scalar_floating, 1);
	CHECK_INT(mix.n_vector_integer, 1);
	CHECK_INT(mix.n_fma, 1);
	CHECK_INT(mix.n_divide, 1);
	CHECK_INT(mix.n_gather + mix.n_calls, 0);
	CHECK_INT(mix.n_bits, 256);
}
