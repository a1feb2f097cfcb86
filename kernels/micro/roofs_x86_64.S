/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops for the roofs of x86-64.
 *
 * Peaks: a round is 96 instructions on twelve registers of zeros. Calculations with zeros never yield denormal
 * numbers, which are slow.
 * Streams: one loop only loads memory into registers, the other is the triad a = b + s * c of the STREAM benchmark.
 */
	.text

	.macro BEGIN name
	.globl	\name
	.type	\name, @function
	.p2align 6
\name:
	.endm

	.macro END name
	ret
	.size	\name, . - \name
	.endm

	.macro PEAK_SSE name, mul, add
	BEGIN	ep_peak_\name
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	xorps	%xmm\i, %xmm\i
	.endr
	.p2align 5
1:
	.rept	8
	.irp	i, 0, 2, 4, 6, 8, 10
	\mul	%xmm\i, %xmm\i
	.endr
	.irp	i, 1, 3, 5, 7, 9, 11
	\add	%xmm\i, %xmm\i
	.endr
	.endr
	dec	%rdi
	jnz	1b
	END	ep_peak_\name
	.endm

	.macro PEAK_VEX name, mul, add, reg
	BEGIN	ep_peak_\name
	vzeroall
	.p2align 5
1:
	.rept	8
	.irp	i, 0, 2, 4, 6, 8, 10
	\mul	%\reg\i, %\reg\i, %\reg\i
	.endr
	.irp	i, 1, 3, 5, 7, 9, 11
	\add	%\reg\i, %\reg\i, %\reg\i
	.endr
	.endr
	dec	%rdi
	jnz	1b
	vzeroupper
	END	ep_peak_\name
	.endm

	.macro PEAK_FMA name, fma, reg
	BEGIN	ep_peak_\name
	vzeroall
	.p2align 5
1:
	.rept	8
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\fma	%\reg\i, %\reg\i, %\reg\i
	.endr
	.endr
	dec	%rdi
	jnz	1b
	vzeroupper
	END	ep_peak_\name
	.endm

	PEAK_SSE SP_SCALAR, mulss, addss
	PEAK_SSE SP_128, mulps, addps
	PEAK_SSE DP_SCALAR, mulsd, addsd
	PEAK_SSE DP_128, mulpd, addpd
	PEAK_VEX SP_256, vmulps, vaddps, ymm
	PEAK_VEX DP_256, vmulpd, vaddpd, ymm
	PEAK_VEX SP_512, vmulps, vaddps, zmm
	PEAK_VEX DP_512, vmulpd, vaddpd, zmm
	PEAK_FMA SP_SCALAR_FMA, vfmadd231ss, xmm
	PEAK_FMA SP_128_FMA, vfmadd231ps, xmm
	PEAK_FMA SP_256_FMA, vfmadd231ps, ymm
	PEAK_FMA SP_512_FMA, vfmadd231ps, zmm
	PEAK_FMA DP_SCALAR_FMA, vfmadd231sd, xmm
	PEAK_FMA DP_128_FMA, vfmadd231pd, xmm
	PEAK_FMA DP_256_FMA, vfmadd231pd, ymm
	PEAK_FMA DP_512_FMA, vfmadd231pd, zmm

	/* The streams get the addresses of the arrays at rdi, and size_bytes in rsi. An iteration of this loop is
	   long: even a small array needs few iterations, so that the CPU predicts the end of the loop. */
	.macro LOAD width, mov, reg, bytes
	BEGIN	ep_load_\width
	mov	(%rdi), %rdx
	.p2align 5
1:
	.set	offset, 0
	.rept	2048 / \bytes / 16
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\mov	offset+\i*\bytes(%rdx), %\reg\i
	.endr
	.set	offset, offset + 16 * \bytes
	.endr
	add	$2048, %rdx
	sub	$2048, %rsi
	jnz	1b
	.ifnc	\reg, xmm
	vzeroupper
	.endif
	END	ep_load_\width
	.endm

	LOAD	128, movaps, xmm, 16
	LOAD	256, vmovaps, ymm, 32
	LOAD	512, vmovaps, zmm, 64

	/* Moves the addresses to the ends of the three arrays. So one index is enough for all of them: it counts from
	   -size_bytes up to 0. */
	.macro TRIAD_BEGIN
	mov	16(%rdi), %rcx
	mov	8(%rdi), %rdx
	mov	(%rdi), %rdi
	add	%rsi, %rcx
	add	%rsi, %rdx
	add	%rsi, %rdi
	neg	%rsi
	.endm

	BEGIN	ep_triad_128
	TRIAD_BEGIN
	xorps	%xmm15, %xmm15
	.p2align 5
1:
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	\i*16(%rcx,%rsi), %xmm\i
	mulpd	%xmm15, %xmm\i
	addpd	\i*16(%rdx,%rsi), %xmm\i
	movaps	%xmm\i, \i*16(%rdi,%rsi)
	.endr
	add	$128, %rsi
	jnz	1b
	END	ep_triad_128

	.macro TRIAD_VEX width, reg, bytes
	BEGIN	ep_triad_\width
	TRIAD_BEGIN
	vzeroall
	.p2align 5
1:
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	vmulpd	\i*\bytes(%rcx,%rsi), %\reg\()15, %\reg\i
	vaddpd	\i*\bytes(%rdx,%rsi), %\reg\i, %\reg\i
	vmovapd	%\reg\i, \i*\bytes(%rdi,%rsi)
	.endr
	add	$8*\bytes, %rsi
	jnz	1b
	vzeroupper
	END	ep_triad_\width
	.endm

	TRIAD_VEX 256, ymm, 32
	TRIAD_VEX 512, zmm, 64

	.section .note.GNU-stack, "", @progbits
