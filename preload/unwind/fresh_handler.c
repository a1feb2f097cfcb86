// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the code that the program's signal handler interrupted, for a tick that comes together with a signal of the
 * program. The kernel makes the frame of the program's handler and then the tick's frame on top. So the tick finds the
 * program at the first instruction of its handler, although the handler took no time yet. This is frequent with Go's
 * preemption signals and a period of 10 ms. Runs in the slice's signal handler.
 */
#include "unwind.h"

#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "common/os/sys.h"

#if defined(__x86_64__)
#define MAX_FRAME_BYTES 1024 /* the largest distance from a frame's ucontext to its siginfo */

static bool read_bytes(uint64_t address, void *out, size_t size)
{
	struct iovec to = { out, size }, from = { (void *)address, size };

	return ep_sys(__NR_process_vm_readv, ep_sys_getpid(), &to, 1, &from, 1, 0) == (long)size;
}

/* Tells whether the code at an address is "mov $15, %rax; syscall", the signal trampoline of libc and of Go. */
static bool is_trampoline(uint64_t address)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	uint8_t bytes[sizeof(code)];

	return read_bytes(address, bytes, sizeof(bytes)) && !memcmp(bytes, code, sizeof(code));
}

/* Returns the ucontext of the code that a handler interrupted, if context is at the handler's first instruction; else
 * context itself. At the first instruction the registers are as the kernel has set them (the signal's number, siginfo,
 * ucontext), and sp points to the return address (Linux arch/x86/kernel/signal_64.c, x64_setup_rt_frame). */
const void *ep_context_below_handler(const void *context)
{
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t sp = (uint64_t)registers[REG_RSP], below = sp + 8, trampoline;

	if ((uint64_t)registers[REG_RDX] != below || registers[REG_RAX] ||
		(uint64_t)registers[REG_RDI] - 1 >= 64 ||
		(uint64_t)registers[REG_RSI] - below >= MAX_FRAME_BYTES || registers[REG_RIP] % 16)
		return context;
	if (!read_bytes(sp, &trampoline, sizeof(trampoline)) || !is_trampoline(trampoline))
		return context;
	return (const void *)below;
}
#else
const void *ep_context_below_handler(const void *context)
{
	return context;
}
#endif
