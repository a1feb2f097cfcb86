/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point kernels for AArch64, on scalars and on 128-bit vectors. Those of half precision need the CPU's
 * FEAT_FP16, which flops.c asks for at run time.
 *
 * The preprocessor writes the vector instructions, because macros of the assembler (gas) cannot: there the name
 * of an argument does not end before a '.'. For the preprocessor "0.4s" is one token, which ## appends to "v".
 */
#define ZERO(v_) movi v##v_, 0;
#define MUL(v_) fmul v##v_, v##v_, v##v_;
#define ADD(v_) fadd v##v_, v##v_, v##v_;
#define MUL_ADD(v_) MUL(v_) ADD(v_)
#define FMLA(v_) fmla v##v_, v##v_, v##v_;
#define FOR_6(X, lanes)                                                                            \
	X(0.##lanes) X(2.##lanes) X(4.##lanes) X(6.##lanes) X(8.##lanes) X(10.##lanes)
#define FOR_12(X, lanes)                                                                           \
	FOR_6(X, lanes)                                                                            \
	X(1.##lanes) X(3.##lanes) X(5.##lanes) X(7.##lanes) X(9.##lanes) X(11.##lanes)

	.arch	armv8.2-a+fp16
	.text

	.macro BEGIN name
	.globl	ep_flops_\name
	.type	ep_flops_\name, %function
	.p2align 6
ep_flops_\name:
	/* d8 to d11, the lower halves of v8 to v11, belong to the caller, so they are saved here. */
	stp	d8, d9, [sp, #-32]!
	stp	d10, d11, [sp, #16]
	FOR_12(ZERO, 2d)
	.endm

	.macro END name
	ldp	d10, d11, [sp, #16]
	ldp	d8, d9, [sp], #32
	ret
	.globl	ep_flops_\name\()_end
ep_flops_\name\()_end:
	.size	ep_flops_\name, . - ep_flops_\name
	.endm

	.macro SCALAR name, r
	.irp	n, 24, 48, 96
	BEGIN	\name\()_SCAL_\n
	.rept	\n / 12
	.irp	i, 0, 2, 4, 6, 8, 10
	fmul	\r\i, \r\i, \r\i
	fadd	\r\i, \r\i, \r\i
	.endr
	.endr
	END	\name\()_SCAL_\n
	.endr
	.irp	n, 12, 24, 48
	BEGIN	\name\()_FMA_SCAL_\n
	.rept	\n / 12
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	fmadd	\r\i, \r\i, \r\i, \r\i
	.endr
	.endr
	END	\name\()_FMA_SCAL_\n
	.endr
	.endm

#define VECTOR(name, lanes)                                                                        \
	.irp n, 24, 48, 96;                                                                        \
	BEGIN name##_128_\n;                                                                      \
	.rept \n / 12;                                                                            \
	FOR_6(MUL_ADD, lanes)                                                                      \
	.endr;                                                                                     \
	END name##_128_\n;                                                                        \
	.endr;                                                                                     \
	.irp n, 12, 24, 48;                                                                        \
	BEGIN name##_FMA_128_\n;                                                                  \
	.rept \n / 12;                                                                            \
	FOR_12(FMLA, lanes)                                                                        \
	.endr;                                                                                     \
	END name##_FMA_128_\n;                                                                    \
	.endr

	SCALAR	S, s
	SCALAR	D, d
	SCALAR	H, h
	VECTOR(S, 4s)
	VECTOR(D, 2d)
	VECTOR(H, 8h)

	.section .note.GNU-stack, "", %progbits
