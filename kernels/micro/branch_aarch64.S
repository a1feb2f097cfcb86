/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch kernels for AArch64: void kernel(uint64_t n_iterations, uint64_t *random_state).
 * branch_x86_64.S explains what the macros are for, and how dependences between data decide which branches the
 * CPU executes after a misprediction.
 *
 * Registers: x0 counts the remaining iterations down. x2 holds the random number, and x3 the number that the
 * random branch tests. x4, x5 and x8 hold values that only make later instructions wait. x6 is half of
 * n_iterations, x7 is 0, and x10 is the multiplier.
 */
	.text

	.macro BEGIN name
	.globl	ep_branch_\name
	.type	ep_branch_\name, %function
	.p2align 6
ep_branch_\name:
	ldr	x2, [x1]
	lsr	x6, x0, #1
	mov	x7, #0
	movz	x10, #0x7C15
	movk	x10, #0x7F4A, lsl #16
	movk	x10, #0x79B9, lsl #32
	movk	x10, #0x9E37, lsl #48
	.p2align 5
1:
	.endm

	.macro END name
	subs	x0, x0, #1
	b.ne	1b
	str	x2, [x1]
	ret
	.globl	ep_branch_\name\()_end
ep_branch_\name\()_end:
	.size	ep_branch_\name, . - ep_branch_\name
	.endm

	.macro NEXT_RANDOM
	eor	x2, x2, x2, lsl #13
	eor	x2, x2, x2, lsr #7
	eor	x2, x2, x2, lsl #17
	.endm

	/* Adds 0 to \to, but not before \from is known. The 0 comes from x7 and not from the zero register: a CPU
	   may know that a result with the zero register is 0, and not wait for \from. */
	.macro WAIT from, to
	and	x5, \from, x7
	add	\to, \to, x5
	.endm

	.macro DELAY
	mul	x3, x2, x10
	mul	x3, x3, x10
	mul	x3, x3, x10
	mul	x3, x3, x10
	.endm

	.macro WORK
	mov	x4, x3
	.rept	20
	mul	x4, x4, x10
	.endr
	WAIT	x4, x0
	.endm

	.macro RANDOM_IF early_loop=0
	NEXT_RANDOM
	.if \early_loop
	WAIT	x2, x0
	.endif
	DELAY
	WAIT	x3, x2
	tst	x3, #0x10000000000
	b.ne	3f
	.endm

	.macro LATE_ZERO
	mov	x8, x3
	.rept	10
	mul	x8, x8, x10
	.endr
	and	x8, x8, x7
	.endm

	BEGIN	b1
	cmp	x0, x6
	b.ls	3f
	nop
3:
	END	b1

	BEGIN	b2
	cmp	x0, #0
	b.eq	3f
	nop
3:
	END	b2

	BEGIN	b3
	cmp	x0, #0
	b.ne	3f
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
	cmp	x8, #0
	b.ne	3f
	nop
3:
	WORK
	END	b4a

	BEGIN	b4b
	RANDOM_IF
	LATE_ZERO
	cmp	x8, #0
	b.eq	3f
	nop
3:
	WORK
	END	b4b

	BEGIN	b5
	RANDOM_IF early_loop=1
	nop
3:
	END	b5

	BEGIN	b5a
	RANDOM_IF early_loop=1
	LATE_ZERO
	cmp	x8, #0
	b.ne	3f
	nop
3:
	END	b5a

	BEGIN	b5b
	RANDOM_IF early_loop=1
	LATE_ZERO
	cmp	x8, #0
	b.eq	3f
	nop
3:
	END	b5b

	BEGIN	b6
	cmp	x0, #0
	b.eq	3f
	b	4f
3:
	nop
4:
	END	b6

	BEGIN	b7
	nop
	END	b7

	.section .note.GNU-stack, "", %progbits
