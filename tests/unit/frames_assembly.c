// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/frames_assembly.h"

__asm__(".text\n"
	".globl frames_leaf_far\n"
	".type frames_leaf_far, @function\n"
	"frames_leaf_far:\n"
	"	sub $0x60, %rsp\n"
	"	mov %rbx, (%rsp)\n"
	"	mov %rbp, 8(%rsp)\n"
	"	mov %rsp, %rbx\n"
	"	sub $0x7080, %rsp\n"
	"	and $-4096, %rsp\n"
	"	mov $0x1234, %ebp\n"
	"	int3\n"
	"	mov %rbx, %rsp\n"
	"	mov (%rsp), %rbx\n"
	"	mov 8(%rsp), %rbp\n"
	"	add $0x60, %rsp\n"
	"	ret\n"
	".size frames_leaf_far, . - frames_leaf_far\n"
	".globl frames_leaf_pushes\n"
	".type frames_leaf_pushes, @function\n"
	"frames_leaf_pushes:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	sub $0x20, %rsp\n"
	"	movq $0, (%rsp)\n"
	"	movq $1, 8(%rsp)\n"
	"	mov %rsp, 16(%rsp)\n"
	"	mov %rsp, 24(%rsp)\n"
	"	mov $7, %ebp\n"
	"	int3\n"
	"	add $0x20, %rsp\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size frames_leaf_pushes, . - frames_leaf_pushes\n");

static volatile int sink = 3;

int frames_call_far(void)
{
	frames_leaf_far();
	return sink;
}

int frames_call_pushes(void)
{
	frames_leaf_pushes();
	return sink;
}

int frames_call_through(void (*leaf)(void))
{
	leaf();
	return sink;
}
