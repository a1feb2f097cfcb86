/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch kernels for x86-64: void kernel(uint64_t n_iterations, uint64_t *random_state).
 *
 * Registers: rdi counts the remaining iterations down. rax holds the random number (xorshift64: Marsaglia 2003,
 * shifts 13, 7, 17). rcx holds the number that the random branch tests, which a chain of multiplications makes
 * of rax. r8 and r9 hold steps of a calculation, or values that only make later instructions wait; r11 holds the
 * condition of the nested branch. rdx is half of n_iterations, and r10 is the multiplier.
 *
 * After a mispredicted random branch the CPU runs on along the wrong path until the random branch is resolved.
 * The kernels must determine which branches it executes there. Dependences between data do so, since the
 * length of the code would not: "x & 0" is always zero, but the CPU must wait for x. The loop branch of the b4
 * kernels waits for work that takes longer than the random branch, so a wrong path never executes the loop
 * branch. The loop branch of the b5 kernels is ready before the random branch, so each wrong path executes it
 * once. The nested branch of b4a, b4b, b5a and b5b always waits longer than the random branch. The next random
 * number waits until the random branch of this iteration can be resolved, so no wrong path gets further than
 * one iteration.
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

	/* This is the loop branch, the only branch that every kernel has. */
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

	/* Adds 0 to \to, but not before \from is known. */
	.macro WAIT from, to
	movq	\from, %r9
	andq	$0, %r9
	addq	%r9, \to
	.endm

	/* Makes the number that the random branch tests: four multiplications take about 12 cycles. */
	.macro DELAY
	movq	%rax, %rcx
	imulq	%r10, %rcx
	imulq	%r10, %rcx
	imulq	%r10, %rcx
	imulq	%r10, %rcx
	.endm

	/* Makes the loop branch wait for 20 multiplications, which take about 60 cycles. */
	.macro WORK
	movq	%rcx, %r8
	.rept	20
	imulq	%r10, %r8
	.endr
	WAIT	%r8, %rdi
	.endm

	/* This random branch is taken half of the time. Otherwise execution falls through into the body of the `if`.
	   With early_loop the loop branch is ready about 10 cycles before the random branch. */
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

	/* Sets r11 to 0, in such a way that its value is known long after the random branch is resolved. */
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

	/* b5 is b4 without the work: the loop branch waits for the random number only, not for the tested number. */
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
