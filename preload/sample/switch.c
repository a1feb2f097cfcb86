// SPDX-License-Identifier: BSD-3-Clause
/* x86-64 and aarch64 have one small assembler routine each. */
#include "switch.h"

#if defined(__x86_64__)
__asm__(".section .text.hot, \"ax\"\n"
	".hidden ep_switch_stack\n"
	".globl ep_switch_stack\n"
	".type ep_switch_stack, @function\n"
	"ep_switch_stack:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	mov %rcx, %rsp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	call *%rax\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size ep_switch_stack, .-ep_switch_stack\n"
	"	.text\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".hidden ep_switch_stack\n"
	".globl ep_switch_stack\n"
	".type ep_switch_stack, %function\n"
	"ep_switch_stack:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, -16]!\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 29, -16\n"
	"	.cfi_offset 30, -8\n"
	"	mov x29, sp\n"
	"	.cfi_def_cfa_register 29\n"
	"	mov sp, x3\n"
	"	mov x9, x0\n"
	"	mov x0, x1\n"
	"	mov x1, x2\n"
	"	blr x9\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], 16\n"
	"	.cfi_def_cfa 31, 0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size ep_switch_stack, .-ep_switch_stack\n");
#else
/* On POWER (ELFv2) pages have 64 KiB and frames are large, so that every stack has enough room: the function runs on
 * the program's stack. */
void ep_switch_stack(void (*run)(void *argument, const void *context), void *argument,
	const void *context, void *top)
{
	(void)top;
	run(argument, context);
}
#endif
