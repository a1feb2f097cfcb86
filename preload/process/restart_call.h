/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a system call again that our tick has interrupted. */
#ifndef EVPROF_PRELOAD_PROCESS_RESTART_CALL_H
#define EVPROF_PRELOAD_PROCESS_RESTART_CALL_H

#include <errno.h>
#include <stdint.h>
#include <ucontext.h>

#include "common/os/slice_code.h"
#include "preload/sample/restart.h"

/*
 * A tick that comes while a thread is about to sleep in poll, nanosleep and the like makes them
 * return EINTR, whatever SA_RESTART says (signal(7)). A program without handlers of its own cannot
 * expect that: the call is made again. The clock is CPU time, so none of its timeout has passed.
 */
#if defined(__x86_64__)
static inline EP_SLICE_CODE void ep_restart_system_call(ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	uint32_t number;

	/* the page before may not be there */
	if (regs[REG_RAX] != -EINTR ||
		!ep_restart_number((const uint8_t *)regs[REG_RIP], regs[REG_RIP] & 4095, &number))
		return;
	regs[REG_RAX] = number;
	regs[REG_RIP] -= 2;
}
#elif defined(__powerpc64__)
/* The kernel keeps the first argument for itself to do the same (asm/ptrace.h). */
static inline EP_SLICE_CODE void ep_restart_system_call(ucontext_t *uc)
{
	enum { R3 = 3, NIP = 32, ORIG_R3 = 34, CCR = 38, TRAP = 40 };
	unsigned long *regs = uc->uc_mcontext.gp_regs;

	if ((regs[TRAP] & ~0xful) != 0xc00 || regs[R3] != EINTR || !(regs[CCR] & 0x10000000))
		return;
	regs[R3] = regs[ORIG_R3];
	regs[CCR] &= ~0x10000000ul;
	regs[NIP] -= 4;
}
#else
/* Arm keeps the first argument nowhere: such a wait ends with EINTR there. */
static inline EP_SLICE_CODE void ep_restart_system_call(ucontext_t *uc)
{
	(void)uc;
}
#endif

#endif
