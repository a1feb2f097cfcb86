// SPDX-License-Identifier: BSD-3-Clause
/* Reads registers as the kernel saves them for a signal, by architecture. Runs in the slice's signal handler. */
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "common/os/slice_code.h"
#include "preload/unwind/walk.h"

#if defined(__x86_64__)
EP_SLICE_CODE void ep_walk_take_context(const void *context, struct ep_registers *regs)
{
	const greg_t *gregs = ((const ucontext_t *)context)->uc_mcontext.gregs;

	regs->pc = gregs[REG_RIP];
	regs->sp = gregs[REG_RSP];
	regs->fp = gregs[REG_RBP];
	regs->bx = gregs[REG_RBX];
	regs->ra = 0;
	regs->context = (uint64_t)gregs;
	regs->is_exact = true;
}

/* Leaves a signal's frame. The walk has come from the handler to the trampoline, where sp points to the ucontext of the
 * frame. */
EP_UNUSUAL bool ep_walk_leave_signal_frame(struct ep_walk *walk)
{
	uint64_t uc = walk->regs.sp, gregs = uc + offsetof(ucontext_t, uc_mcontext.gregs);
	struct ep_registers regs = { .is_exact = true, .context = gregs };

	if (!ep_walk_read_word(walk, gregs + 8 * REG_RIP, &regs.pc) ||
		!ep_walk_read_word(walk, gregs + 8 * REG_RSP, &regs.sp) ||
		!ep_walk_read_word(walk, gregs + 8 * REG_RBP, &regs.fp) ||
		!ep_walk_read_word(walk, gregs + 8 * REG_RBX, &regs.bx))
		return false;
	walk->regs = regs;
	return true;
}

/* Reads a register of the interrupted code; reg: DWARF's number of the register. */
bool ep_walk_read_context(struct ep_walk *walk, unsigned reg, uint64_t *out_value)
{
	static const uint8_t places[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
		REG_R15 };

	return reg < sizeof(places) &&
	       ep_walk_read_word(walk, walk->regs.context + 8 * places[reg], out_value);
}
#elif defined(__aarch64__)
EP_SLICE_CODE void ep_walk_take_context(const void *context, struct ep_registers *regs)
{
	const ucontext_t *uc = context;

	regs->pc = uc->uc_mcontext.pc;
	regs->sp = uc->uc_mcontext.sp;
	regs->fp = uc->uc_mcontext.regs[29];
	regs->ra = uc->uc_mcontext.regs[30];
	regs->context = (uint64_t)uc->uc_mcontext.regs;
	regs->is_exact = true;
}

EP_UNUSUAL bool ep_walk_leave_signal_frame(struct ep_walk *walk)
{
	uint64_t uc = walk->regs.sp + sizeof(siginfo_t);
	struct ep_registers regs = { .is_exact = true };

	regs.context = uc + offsetof(ucontext_t, uc_mcontext.regs);
	if (!ep_walk_read_word(walk, uc + offsetof(ucontext_t, uc_mcontext.pc), &regs.pc) ||
		!ep_walk_read_word(walk, uc + offsetof(ucontext_t, uc_mcontext.sp), &regs.sp) ||
		!ep_walk_read_word(walk, regs.context + 8 * 29, &regs.fp) ||
		!ep_walk_read_word(walk, regs.context + 8 * 30, &regs.ra))
		return false;
	walk->regs = regs;
	return true;
}

bool ep_walk_read_context(struct ep_walk *walk, unsigned reg, uint64_t *out_value)
{
	return ep_walk_read_word(walk, walk->regs.context + 8 * reg, out_value);
}
#elif defined(__powerpc64__)
EP_SLICE_CODE void ep_walk_take_context(const void *context, struct ep_registers *regs)
{
	const ucontext_t *uc = context;

	regs->pc = uc->uc_mcontext.gp_regs[32]; /* nip */
	regs->sp = uc->uc_mcontext.gp_regs[1];
	regs->fp = uc->uc_mcontext.gp_regs[31];
	regs->ra = uc->uc_mcontext.gp_regs[36]; /* link */
	regs->context = (uint64_t)uc->uc_mcontext.gp_regs;
	regs->is_exact = true;
}

/* Leaves a signal's frame. The kernel makes a frame of 128 bytes for the caller of the handler, and the ucontext begins
 * above this frame (Linux arch/powerpc/kernel/signal_64.c, rt_sigframe). */
EP_UNUSUAL bool ep_walk_leave_signal_frame(struct ep_walk *walk)
{
	uint64_t gp_regs = walk->regs.sp + 128 + offsetof(ucontext_t, uc_mcontext.gp_regs);
	struct ep_registers regs = { .is_exact = true, .context = gp_regs };

	if (!ep_walk_read_word(walk, gp_regs + 8 * 32, &regs.pc) ||
		!ep_walk_read_word(walk, gp_regs + 8 * 1, &regs.sp) ||
		!ep_walk_read_word(walk, gp_regs + 8 * 31, &regs.fp) ||
		!ep_walk_read_word(walk, gp_regs + 8 * 36, &regs.ra))
		return false;
	walk->regs = regs;
	return true;
}

bool ep_walk_read_context(struct ep_walk *walk, unsigned reg, uint64_t *out_value)
{
	return ep_walk_read_word(walk, walk->regs.context + 8 * reg, out_value);
}
#endif
