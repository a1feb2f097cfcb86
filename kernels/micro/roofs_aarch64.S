/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops for the roofs of AArch64.
 *
 * Peaks: a round is 96 instructions on twelve registers of zeros. v8 to v15 are not used, since parts of them
 * belong to the caller.
 * Streams: one loop only loads memory into registers, the other is the triad a = b + s * c of the STREAM benchmark.
 * The length of SVE's vectors depends on the CPU. roofs.c asks for it, and names the kernels by it.
 *
 * The preprocessor writes the names of registers, because macros of the assembler (gas) cannot: there the name of
 * an argument does not end before a '.'.
 */
#define EVEN(X) X(0) X(2) X(4) X(6) X(16) X(18)
#define ODD(X) X(1) X(3) X(5) X(7) X(17) X(19)
#define ZERO(i) movi v##i##.2d, 0;
#define MUL_D(i) fmul v##i##.2d, v##i##.2d, v##i##.2d;
#define ADD_D(i) fadd v##i##.2d, v##i##.2d, v##i##.2d;
#define FMA_D(i) fmla v##i##.2d, v##i##.2d, v##i##.2d;
#define MUL_S(i) fmul v##i##.4s, v##i##.4s, v##i##.4s;
#define ADD_S(i) fadd v##i##.4s, v##i##.4s, v##i##.4s;
#define FMA_S(i) fmla v##i##.4s, v##i##.4s, v##i##.4s;
#define MUL_SCALAR_D(i) fmul d##i, d##i, d##i;
#define ADD_SCALAR_D(i) fadd d##i, d##i, d##i;
#define FMA_SCALAR_D(i) fmadd d##i, d##i, d##i, d##i;
#define MUL_SCALAR_S(i) fmul s##i, s##i, s##i;
#define ADD_SCALAR_S(i) fadd s##i, s##i, s##i;
#define FMA_SCALAR_S(i) fmadd s##i, s##i, s##i, s##i;

#define ZERO_SVE(i) dup z##i##.d, 0;
#define MUL_SVE_D(i) fmul z##i##.d, z##i##.d, z##i##.d;
#define ADD_SVE_D(i) fadd z##i##.d, z##i##.d, z##i##.d;
#define FMA_SVE_D(i) fmla z##i##.d, p0/m, z##i##.d, z##i##.d;
#define MUL_SVE_S(i) fmul z##i##.s, z##i##.s, z##i##.s;
#define ADD_SVE_S(i) fadd z##i##.s, z##i##.s, z##i##.s;
#define FMA_SVE_S(i) fmla z##i##.s, p0/m, z##i##.s, z##i##.s;

#define PEAK(name, even, odd)                                                                      \
	BEGIN ep_peak_##name; EVEN(ZERO) ODD(ZERO)                                                 \
1:	.rept 8; EVEN(even) ODD(odd) .endr;                                                        \
	subs x0, x0, 1; b.ne 1b; END ep_peak_##name

#define PEAK_SVE(name, even, odd)                                                                  \
	BEGIN ep_peak_##name; EVEN(ZERO_SVE) ODD(ZERO_SVE) ptrue p0.b;                             \
1:	.rept 8; EVEN(even) ODD(odd) .endr;                                                        \
	subs x0, x0, 1; b.ne 1b; END ep_peak_##name

	.text

	.macro BEGIN name
	.globl	\name
	.type	\name, %function
	.p2align 6
\name:
	.endm

	.macro END name
	ret
	.size	\name, . - \name
	.endm

	PEAK(DP_SCALAR, MUL_SCALAR_D, ADD_SCALAR_D)
	PEAK(SP_SCALAR, MUL_SCALAR_S, ADD_SCALAR_S)
	PEAK(DP_128, MUL_D, ADD_D)
	PEAK(SP_128, MUL_S, ADD_S)
	PEAK(DP_SCALAR_FMA, FMA_SCALAR_D, FMA_SCALAR_D)
	PEAK(SP_SCALAR_FMA, FMA_SCALAR_S, FMA_SCALAR_S)
	PEAK(DP_128_FMA, FMA_D, FMA_D)
	PEAK(SP_128_FMA, FMA_S, FMA_S)

	/* The streams get the addresses of the arrays at x0, and size_bytes in x1. */
	BEGIN	ep_load_128
	ldr	x2, [x0]
1:
	.irp	offset, 0, 32, 64, 96
	ldp	q0, q1, [x2, #\offset]
	.endr
	add	x2, x2, 128
	subs	x1, x1, 128
	b.ne	1b
	END	ep_load_128

	BEGIN	ep_triad_128
	ldp	x2, x3, [x0]
	ldr	x4, [x0, 16]
	movi	v16.2d, 0
1:
	.irp	offset, 0, 32
	ldp	q0, q1, [x3, #\offset]
	ldp	q2, q3, [x4, #\offset]
	fmla	v0.2d, v2.2d, v16.2d
	fmla	v1.2d, v3.2d, v16.2d
	stp	q0, q1, [x2, #\offset]
	.endr
	add	x2, x2, 64
	add	x3, x3, 64
	add	x4, x4, 64
	subs	x1, x1, 64
	b.ne	1b
	END	ep_triad_128

	.arch	armv8-a+sve

	PEAK_SVE(DP_SVE, MUL_SVE_D, ADD_SVE_D)
	PEAK_SVE(SP_SVE, MUL_SVE_S, ADD_SVE_S)
	PEAK_SVE(DP_SVE_FMA, FMA_SVE_D, FMA_SVE_D)
	PEAK_SVE(SP_SVE_FMA, FMA_SVE_S, FMA_SVE_S)

	/* An iteration loads four vectors. These divide EP_STREAM_STEP_BYTES, so that no rest remains: roofs.c uses
	   these loops with vectors of 256 or 512 bits only. */
	BEGIN	ep_load_sve
	ldr	x2, [x0]
	ptrue	p0.b
	cntb	x5, all, mul 4
1:
	.irp	i, 0, 1, 2, 3
	ld1d	{z\i\().d}, p0/z, [x2, #\i, mul vl]
	.endr
	add	x2, x2, x5
	subs	x1, x1, x5
	b.ne	1b
	END	ep_load_sve

	BEGIN	ep_triad_sve
	ldp	x2, x3, [x0]
	ldr	x4, [x0, 16]
	ptrue	p0.b
	cntb	x5, all, mul 4
	dup	z16.d, 0
1:
	.irp	i, 0, 1, 2, 3
	ld1d	{z0.d}, p0/z, [x3, #\i, mul vl]
	ld1d	{z1.d}, p0/z, [x4, #\i, mul vl]
	fmla	z0.d, p0/m, z1.d, z16.d
	st1d	{z0.d}, p0, [x2, #\i, mul vl]
	.endr
	add	x2, x2, x5
	add	x3, x3, x5
	add	x4, x4, x5
	subs	x1, x1, x5
	b.ne	1b
	END	ep_triad_sve

	.section .note.GNU-stack, "", %progbits
