// SPDX-License-Identifier: BSD-3-Clause
/* Contains the function through which handlers return. It runs on the program's small alternate stack, and uses little
 * of that stack. */
#include "handled.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "preload/process/tick.h"
#include "preload/recording/recording.h"

#if defined(__x86_64__)
#define TICK (1ull << (EP_SLICE_SIGNAL - 1))
#define KERNEL_UCONTEXT_BYTES 304 /* of the kernel's struct ucontext; the siginfo follows it */

static void *_Atomic programs_restorer;
/* one bit for each signal whose frame has a siginfo only because evprof set SA_SIGINFO */
static atomic_uint_fast64_t informed;

void ep_restore_handled(void) __attribute__((visibility("hidden")));
void ep_handled_by(const uint8_t *frame) __attribute__((visibility("hidden"), used));

/* The unwind tables are those of glibc's own restorer: each register lies in the frame at the stack's top. */
__asm__("	.text\n"
	"	.cfi_startproc simple\n"
	"	.cfi_signal_frame\n"
	"	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06\n" /* CFA: the interrupted rsp */
	"	.cfi_escape 0x10, 0, 3, 0x77, 0x90, 0x01\n"    /* rax */
	"	.cfi_escape 0x10, 1, 3, 0x77, 0x88, 0x01\n"    /* rdx */
	"	.cfi_escape 0x10, 2, 3, 0x77, 0x98, 0x01\n"    /* rcx */
	"	.cfi_escape 0x10, 3, 3, 0x77, 0x80, 0x01\n"    /* rbx */
	"	.cfi_escape 0x10, 4, 3, 0x77, 0xf0, 0x00\n"    /* rsi */
	"	.cfi_escape 0x10, 5, 3, 0x77, 0xe8, 0x00\n"    /* rdi */
	"	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x00\n"    /* rbp */
	"	.cfi_escape 0x10, 7, 3, 0x77, 0xa0, 0x01\n"    /* rsp */
	"	.cfi_escape 0x10, 8, 3, 0x77, 0xa8, 0x00\n"    /* r8 */
	"	.cfi_escape 0x10, 9, 3, 0x77, 0xb0, 0x00\n"    /* r9 */
	"	.cfi_escape 0x10, 10, 3, 0x77, 0xb8, 0x00\n"   /* r10 */
	"	.cfi_escape 0x10, 11, 3, 0x77, 0xc0, 0x00\n"   /* r11 */
	"	.cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0x00\n"   /* r12 */
	"	.cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0x00\n"   /* r13 */
	"	.cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0x00\n"   /* r14 */
	"	.cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0x00\n"   /* r15 */
	"	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01\n"   /* rip */
	"	nop\n" /* unwinders look up the address before the return address */
	"	.globl ep_restore_handled\n"
	"	.type ep_restore_handled, @function\n"
	"ep_restore_handled:\n"
	"	mov %rsp, %rdi\n"
	"	call ep_handled_by\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size ep_restore_handled, .-ep_restore_handled\n");

static bool is_pending(void)
{
	uint64_t pending = 0;

	ep_sys(__NR_rt_sigpending, &pending, sizeof(pending));
	return pending & TICK;
}

/* Sets out to the registers at the handler's first instruction, where the stack's top is the return address. */
static bool begin_of_handler(const uint8_t *frame, ucontext_t *out)
{
	const siginfo_t *info = (const siginfo_t *)(frame + KERNEL_UCONTEXT_BYTES);
	struct ep_kernel_sigaction action;

	if (ep_sys_sigaction(info->si_signo, NULL, &action) || (uint64_t)action.handler < 4096)
		return false;
	memset(out, 0, sizeof(*out));
	out->uc_mcontext.gregs[REG_RIP] = (greg_t)action.handler;
	out->uc_mcontext.gregs[REG_RSP] = (greg_t)(frame - 8);
	return true;
}

/* Takes the pending ticks one by one, as the kernel would deliver them. glibc uses the same signal for itself
 * (SI_TKILL): if such a signal was pending, it is sent again and stays pending. */
static void take_all(struct ep_thread *thread)
{
	static const struct timespec at_once;
	siginfo_t *info = &thread->handled_info;
	uint64_t tick = TICK;
	bool is_glibcs = false;

	thread->is_handlers_end = true;
	while (ep_sys(__NR_rt_sigtimedwait, &tick, info, &at_once, sizeof(tick)) > 0)
		if (info->si_code == SI_TKILL)
			is_glibcs = true;
		else
			ep_tick_take(thread, info, &thread->handled);
	thread->is_handlers_end = false;
	if (is_glibcs)
		ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), EP_SLICE_SIGNAL);
}

/* Takes ticks that are pending when a handler returns. All signals are blocked meanwhile, as in the tick's own handler:
 * to end a slice, the thread leaves the alternate stack for a stack in its record. The kernel would then take the
 * alternate stack for free, and put the frame of another handler at its top, over the frame by which this handler
 * returns. */
void ep_handled_by(const uint8_t *frame)
{
	struct ep_thread *thread = ep_self;
	int saved_errno = errno;
	uint64_t mask;

	if (!thread || !ep_recording.is_on || !is_pending() || !ep_recording_is_mine())
		return;
	mask = ep_sys_block_signals();
	if (begin_of_handler(frame, &thread->handled))
		take_all(thread);
	ep_sys_restore_signals(mask);
	errno = saved_errno;
}

void ep_handled_return_by(int sig, struct ep_kernel_sigaction *action)
{
	uint64_t bit = 1ull << (sig - 1);

	if (action->restorer == (void *)ep_restore_handled)
		return;
	programs_restorer = action->restorer;
	action->restorer = (void *)ep_restore_handled;
	atomic_fetch_and(&informed, ~bit);
	if (action->flags & SA_SIGINFO)
		return;
	atomic_fetch_or(&informed, bit);
	action->flags |= SA_SIGINFO; /* the frame has the signal's number only with SA_SIGINFO */
}

/* Makes an action look as the program set it. The flag and the restorer are checked separately, since siginterrupt()
 * reads the action by glibc's own sigaction and sets it again with glibc's restorer, but with the flag that evprof
 * set. */
void ep_handled_show(int sig, struct sigaction *action)
{
	if (informed & 1ull << (sig - 1))
		action->sa_flags &= ~SA_SIGINFO;
	if ((void *)action->sa_restorer == (void *)ep_restore_handled)
		action->sa_restorer = (void (*)(void))programs_restorer;
}
#else
void ep_handled_return_by(int sig, struct ep_kernel_sigaction *action)
{
	(void)sig, (void)action;
}

void ep_handled_show(int sig, struct sigaction *action)
{
	(void)sig, (void)action;
}
#endif
