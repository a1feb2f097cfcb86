/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point kernels for x86-64. Scalar and 128-bit kernels without FMA, in single and double precision, use
 * SSE2, which every x86-64 CPU has. flops.c tests at run time whether the CPU can run the others. Registers 0 to
 * 11 are cleared first, since calculations with zeros never yield denormal numbers, which are slow. Clearing is
 * not counted as a floating-point operation.
 */
	.text

	.macro BEGIN name
	.globl	ep_flops_\name
	.type	ep_flops_\name, @function
	.p2align 6
ep_flops_\name:
	.endm

	.macro END name
	ret
	.globl	ep_flops_\name\()_end
ep_flops_\name\()_end:
	.size	ep_flops_\name, . - ep_flops_\name
	.endm

	.macro CLEAR_SSE
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	xorps	%xmm\i, %xmm\i
	.endr
	.endm

	/* Writes n instructions, by turns a multiplication and an addition, on the six registers with even numbers.
	   n must be a multiple of 12. */
	.macro BODY_SSE mul, add, n
	.rept	\n / 12
	.irp	i, 0, 2, 4, 6, 8, 10
	\mul	%xmm\i, %xmm\i
	\add	%xmm\i, %xmm\i
	.endr
	.endr
	.endm

	.macro BODY_VEX mul, add, reg, n
	.rept	\n / 12
	.irp	i, 0, 2, 4, 6, 8, 10
	\mul	%\reg\i, %\reg\i, %\reg\i
	\add	%\reg\i, %\reg\i, %\reg\i
	.endr
	.endr
	.endm

	.macro BODY_FMA fma, reg, n
	.rept	\n / 12
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\fma	%\reg\i, %\reg\i, %\reg\i
	.endr
	.endr
	.endm

	.macro SSE name, mul, add
	.irp	n, 24, 48, 96
	BEGIN	\name\()_\n
	CLEAR_SSE
	BODY_SSE \mul, \add, \n
	END	\name\()_\n
	.endr
	.endm

	.macro VEX name, mul, add, reg
	.irp	n, 24, 48, 96
	BEGIN	\name\()_\n
	vzeroall
	BODY_VEX \mul, \add, \reg, \n
	vzeroupper
	END	\name\()_\n
	.endr
	.endm

	.macro FMA name, fma, reg
	.irp	n, 12, 24, 48
	BEGIN	\name\()_\n
	vzeroall
	BODY_FMA \fma, \reg, \n
	vzeroupper
	END	\name\()_\n
	.endr
	.endm

	SSE	S_SCAL, mulss, addss
	SSE	S_128, mulps, addps
	SSE	D_SCAL, mulsd, addsd
	SSE	D_128, mulpd, addpd

	VEX	S_256, vmulps, vaddps, ymm
	VEX	D_256, vmulpd, vaddpd, ymm
	VEX	S_512, vmulps, vaddps, zmm
	VEX	D_512, vmulpd, vaddpd, zmm

	FMA	S_FMA_SCAL, vfmadd231ss, xmm
	FMA	S_FMA_128, vfmadd231ps, xmm
	FMA	S_FMA_256, vfmadd231ps, ymm
	FMA	S_FMA_512, vfmadd231ps, zmm
	FMA	D_FMA_SCAL, vfmadd231sd, xmm
	FMA	D_FMA_128, vfmadd231pd, xmm
	FMA	D_FMA_256, vfmadd231pd, ymm
	FMA	D_FMA_512, vfmadd231pd, zmm

	VEX	H_SCAL, vmulsh, vaddsh, xmm
	VEX	H_128, vmulph, vaddph, xmm
	VEX	H_256, vmulph, vaddph, ymm
	VEX	H_512, vmulph, vaddph, zmm
	FMA	H_FMA_SCAL, vfmadd231sh, xmm
	FMA	H_FMA_128, vfmadd231ph, xmm
	FMA	H_FMA_256, vfmadd231ph, ymm
	FMA	H_FMA_512, vfmadd231ph, zmm

	.section .note.GNU-stack, "", @progbits
