/* SPDX-License-Identifier: BSD-3-Clause */
/* A handler of the signal that ends slices, which is libc's own: libc gives no handler to it. */
#ifndef EVPROF_TESTS_UNIT_SLICE_HANDLER_H
#define EVPROF_TESTS_UNIT_SLICE_HANDLER_H

#include <signal.h>
#include <stdint.h>

#include "common/os/sys.h"
#include "preload/recording/clock.h"

#if defined(__x86_64__)
__attribute__((naked)) static void restore_frame(void)
{
	__asm__("mov $15, %rax\n\tsyscall");
}
#endif

static inline void handle_slice_signal(void (*handler)(int sig))
{
	struct ep_kernel_sigaction action = { .handler = (void *)handler, .flags = SA_RESTART };
	uint64_t own = 1ull << (EP_SLICE_SIGNAL - 1);

#if defined(__x86_64__)
	action.flags |= 0x04000000; /* SA_RESTORER */
	action.restorer = restore_frame;
#endif
	ep_sys_sigaction(EP_SLICE_SIGNAL, &action, NULL);
	ep_sys_sigmask(SIG_UNBLOCK, &own, NULL);
}

#endif
