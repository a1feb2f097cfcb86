/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_SAMPLE_BEHIND_CALL_H
#define EVPROF_PRELOAD_SAMPLE_BEHIND_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define EP_RESUME_FLAG (1 << 16) /* RF in %eflags */

/* Tells whether the kernel has just returned from a page fault (or another fault), so that the instruction that caused
 * it runs again. x86 sets RF in the flags that a fault saves, and no interrupt or system call does (Intel SDM 3A,
 * 17.3.1.1). Other architectures do not show this, so the answer is false there. */
static inline bool ep_is_behind_fault(const ucontext_t *uc)
{
#if defined(__x86_64__)
	return uc->uc_mcontext.gregs[REG_EFL] & EP_RESUME_FLAG;
#else
	(void)uc;
	return false;
#endif
}

/* Tells whether the kernel has just returned from a system call. On x86-64 a system call leaves its return address in
 * %rcx. */
#if defined(__x86_64__)
static inline bool ep_is_behind_call(const ucontext_t *uc)
{
	return uc->uc_mcontext.gregs[REG_RCX] == uc->uc_mcontext.gregs[REG_RIP];
}
#elif defined(__aarch64__)
static inline bool ep_is_behind_call(const ucontext_t *uc)
{
	const uint32_t *next = (const uint32_t *)uc->uc_mcontext.pc;

	/* the page before the instruction may not be mapped */
	return (uintptr_t)next & 4095 && next[-1] == 0xd4000001; /* the instruction svc #0 */
}
#else
static inline bool ep_is_behind_call(const ucontext_t *uc)
{
	(void)uc;
	return false;
}
#endif

#endif
