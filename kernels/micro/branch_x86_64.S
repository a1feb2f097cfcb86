/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch kernels for x86-64: void kernel(uint64_t n_iterations, uint64_t *random_state).
 *
 * rdi counts down; rax is the random number (xorshift64: Marsaglia 2003, shifts 13, 7, 17); rcx is
 * the number that the random branch tests, a chain of multiplications later than rax; r8, r9 carry
 * dependences only; rdx is half of n_iterations.
 *
 * What is executed speculatively after a mispredicted random branch is decided by data dependences,
 * not by how long the code is: "x & 0" is zero but must wait for x. The loop branch of the b4 kernels
 * waits for work that takes longer than the random branch, so it never runs on a wrong path; that of
 * the b5 kernels is ready before the random branch, so it runs once on each wrong path. The nested
 * branch always waits. The next random number waits for this one's branch, so no path gets further
 * than one iteration.
 */
	.text

	.macro BEGIN name
	.globl	ep_branch_\name
	.type	ep_branch_\name, @function
	.p2align 6
ep_branch_\name:
	movq	(%rsi), %rax
	movq	%rdi, %rdx
	shrq	$1, %rdx
	movabsq	$0x9E3779B97F4A7C15, %r10
	.p2align 5
1:
	.endm

	/* The loop branch: the only one that every kernel has. */
	.macro END name
	decq	%rdi
	jnz	1b
	movq	%rax, (%rsi)
	ret
	.globl	ep_branch_\name\()_end
ep_branch_\name\()_end:
	.size	ep_branch_\name, . - ep_branch_\name
	.endm

	.macro NEXT_RANDOM
	movq	%rax, %r8
	shlq	$13, %r8
	xorq	%r8, %rax
	movq	%rax, %r8
	shrq	$7, %r8
	xorq	%r8, %rax
	movq	%rax, %r8
	shlq	$17, %r8
	xorq	%r8, %rax
	.endm

	/* \to += 0, but not before \from is known */
	.macro WAIT from, to
	movq	\from, %r9
	andq	$0, %r9
	addq	%r9, \to
	.endm

	/* The number to test: ready some 12 cycles after the random number. */
	.macro DELAY
	movq	%rax, %rcx
	imulq	%r10, %rcx
	imulq	%r10, %rcx
	imulq	%r10, %rcx
	imulq	%r10, %rcx
	.endm

	/* Some 60 cycles of work that the loop branch has to wait for. */
	.macro WORK
	movq	%rcx, %r8
	.rept	20
	imulq	%r10, %r8
	.endr
	WAIT	%r8, %rdi
	.endm

	/* Taken half of the time; falls through into the body of the `if`. With early_loop the loop
	   branch is ready some 10 cycles before this one. */
	.macro RANDOM_IF early_loop=0
	NEXT_RANDOM
	.if \early_loop
	WAIT	%rax, %rdi
	.endif
	DELAY
	WAIT	%rcx, %rax
	btq	$40, %rcx
	jc	3f
	.endm

	/* A condition that is known long after the random branch: r11 = 0 */
	.macro LATE_ZERO
	movq	%rcx, %r11
	.rept	10
	imulq	%r10, %r11
	.endr
	andq	$0, %r11
	.endm

	BEGIN	b1
	cmpq	%rdx, %rdi
	jbe	3f
	nop
3:
	END	b1

	BEGIN	b2
	testq	%rdi, %rdi
	jz	3f
	nop
3:
	END	b2

	BEGIN	b3
	testq	%rdi, %rdi
	jnz	3f
	nop
3:
	END	b3

	BEGIN	b4
	RANDOM_IF
	nop
3:
	WORK
	END	b4

	BEGIN	b4a
	RANDOM_IF
	LATE_ZERO
	testq	%r11, %r11
	jnz	3f
	nop
3:
	WORK
	END	b4a

	BEGIN	b4b
	RANDOM_IF
	LATE_ZERO
	testq	%r11, %r11
	jz	3f
	nop
3:
	WORK
	END	b4b

	/* As b4 without work after: the loop branch waits for the random number, not for the test. */
	BEGIN	b5
	RANDOM_IF early_loop=1
	nop
3:
	END	b5

	BEGIN	b5a
	RANDOM_IF early_loop=1
	LATE_ZERO
	testq	%r11, %r11
	jnz	3f
	nop
3:
	END	b5a

	BEGIN	b5b
	RANDOM_IF early_loop=1
	LATE_ZERO
	testq	%r11, %r11
	jz	3f
	nop
3:
	END	b5b

	BEGIN	b6
	testq	%rdi, %rdi
	jz	3f
	jmp	4f
3:
	nop
4:
	END	b6

	BEGIN	b7
	nop
	END	b7

	.section .note.GNU-stack, "", @progbits
