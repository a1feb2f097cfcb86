/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores the registers with which a stack walk begins: the program counter and the callee-saved registers. The function
 * that stores them must not return before its stack is walked. To store them takes a few moves and no system call.
 */
#ifndef EVPROF_PRELOAD_UNWIND_HERE_H
#define EVPROF_PRELOAD_UNWIND_HERE_H

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)
struct ep_here {
	uint64_t pc, sp, fp, bx, r12, r13, r14, r15;
};

static inline __attribute__((always_inline)) void ep_here_take(struct ep_here *out)
{
	__asm__ volatile("lea 0(%%rip), %%rax\n\t"
			 "mov %%rax, 0(%0)\n\tmov %%rsp, 8(%0)\n\tmov %%rbp, 16(%0)\n\t"
			 "mov %%rbx, 24(%0)\n\tmov %%r12, 32(%0)\n\tmov %%r13, 40(%0)\n\t"
			 "mov %%r14, 48(%0)\n\tmov %%r15, 56(%0)"
			 :
			 : "r"(out)
			 : "rax", "memory");
}

static inline void ep_here_context(const struct ep_here *here, ucontext_t *out)
{
	greg_t *gregs = out->uc_mcontext.gregs;

	memset(gregs, 0, sizeof(out->uc_mcontext.gregs));
	gregs[REG_RIP] = (greg_t)here->pc;
	gregs[REG_RSP] = (greg_t)here->sp;
	gregs[REG_RBP] = (greg_t)here->fp;
	gregs[REG_RBX] = (greg_t)here->bx;
	gregs[REG_R12] = (greg_t)here->r12;
	gregs[REG_R13] = (greg_t)here->r13;
	gregs[REG_R14] = (greg_t)here->r14;
	gregs[REG_R15] = (greg_t)here->r15;
}
#elif defined(__aarch64__)
struct ep_here {
	uint64_t pc, sp, kept[12]; /* x19 to x30 */
};

static inline __attribute__((always_inline)) void ep_here_take(struct ep_here *out)
{
	__asm__ volatile("adr x9, .\n\tmov x10, sp\n\tstp x9, x10, [%0]\n\t"
			 "stp x19, x20, [%0, 16]\n\tstp x21, x22, [%0, 32]\n\t"
			 "stp x23, x24, [%0, 48]\n\tstp x25, x26, [%0, 64]\n\t"
			 "stp x27, x28, [%0, 80]\n\tstp x29, x30, [%0, 96]"
			 :
			 : "r"(out)
			 : "x9", "x10", "memory");
}

static inline void ep_here_context(const struct ep_here *here, ucontext_t *out)
{
	memset(out->uc_mcontext.regs, 0, sizeof(out->uc_mcontext.regs));
	memcpy(&out->uc_mcontext.regs[19], here->kept, sizeof(here->kept));
	out->uc_mcontext.pc = here->pc;
	out->uc_mcontext.sp = here->sp;
}
#elif defined(__powerpc64__)
/* In ELFv2 every frame has the address of its caller's frame, so no other registers are needed. */
struct ep_here {
	uint64_t pc, sp, fp, link;
};

static inline __attribute__((always_inline)) void ep_here_take(struct ep_here *out)
{
	__asm__ volatile("mflr 10\n\tstd 10, 24(%0)\n\tbcl 20, 31, $+4\n\tmflr 9\n\t"
			 "std 9, 0(%0)\n\tmtlr 10\n\tstd 1, 8(%0)\n\tstd 31, 16(%0)"
			 :
			 : "b"(out)
			 : "r9", "r10", "lr", "memory");
}

static inline void ep_here_context(const struct ep_here *here, ucontext_t *out)
{
	memset(out->uc_mcontext.gp_regs, 0, sizeof(out->uc_mcontext.gp_regs));
	out->uc_mcontext.gp_regs[32] = here->pc;
	out->uc_mcontext.gp_regs[1] = here->sp;
	out->uc_mcontext.gp_regs[31] = here->fp;
	out->uc_mcontext.gp_regs[36] = here->link;
}
#endif

#endif
