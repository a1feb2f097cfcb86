/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_PRELOAD_SAMPLE_BEHIND_CALL_H
#define EVPROF_PRELOAD_SAMPLE_BEHIND_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Tells whether the kernel has just returned from a system call. On x86-64 the call leaves the address at which it
 * returns in %rcx. */
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
