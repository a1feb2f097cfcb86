/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a system call again that a tick has interrupted. */
#ifndef EVPROF_PRELOAD_PROCESS_RESTART_CALL_H
#define EVPROF_PRELOAD_PROCESS_RESTART_CALL_H

#include <errno.h>
#include <stdint.h>
#include <ucontext.h>

#include "common/os/slice_code.h"
#include "preload/sample/restart.h"

/*
 * A tick that comes while a thread is about to sleep in poll, nanosleep or the like makes the call return EINTR,
 * whatever SA_RESTART says (signal(7)). A program without signal handlers does not expect that, so the call is made
 * again. The clock counts CPU time, so none of the call's timeout has passed.
 */
#if defined(__x86_64__)
static inline EP_SLICE_CODE void ep_restart_system_call(ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	uint32_t number;

	/* the page before the instruction may not be mapped */
	if (regs[REG_RAX] != -EINTR ||
		!ep_restart_number((const uint8_t *)regs[REG_RIP], regs[REG_RIP] & 4095, &number))
		return;
	regs[REG_RAX] = number;
	regs[REG_RIP] -= 2;
}
#elif defined(__powerpc64__)
/* The kernel keeps the first argument in ORIG_R3 for its own restarts (asm/ptrace.h). */
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
/* Does nothing on Arm: no register keeps the first argument there, so an interrupted wait ends with EINTR. */
static inline EP_SLICE_CODE void ep_restart_system_call(ucontext_t *uc)
{
	(void)uc;
}
#endif

#endif
