// SPDX-License-Identifier: BSD-3-Clause
/* Runs within the program's calls and its handler of SIGSEGV, and uses system calls alone. On other architectures than
 * x86-64 the functions do nothing: the kernel reports a lost tick there as an ordinary fault of the stack. */
#include "lost_tick.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "common/os/sys.h"
#include "preload/process/front_handler.h"
#include "preload/process/on_stack.h"
#include "preload/recording/recording.h"
#include "preload/sample/alternate.h"
#include "preload/thread/thread.h"

#if defined(__x86_64__)
#define RED_ZONE_BYTES 128
/* Limits by which a fault of the program itself is recognised. It comes again at once each time that its instruction is
 * tried. Lost ticks come again at once a few times at most (MOST_AT_ONCE), since only a few may have been pending. If a
 * period is as short as the handling of a fault, the time between faults tells nothing, and only their number does
 * (MOST_IN_A_ROW). */
#define AT_ONCE_NS 20000
#define MOST_AT_ONCE 16
#define MOST_IN_A_ROW 1000

void ep_lost_tick_entry(void) __attribute__((visibility("hidden")));
struct ep_front_handler ep_lost_tick_front __attribute__((
	visibility("hidden"))) = { .ours = (void *)ep_lost_tick_entry, .sig = SIGSEGV };
_Static_assert(offsetof(struct ep_front_handler, programs) == 0, "the entry jumps by it");

/* The entry may jump to the program's handler, so it keeps stack and argument registers as the kernel made them for
 * that handler. */
__asm__("	.text\n"
	".globl ep_lost_tick_entry\n"
	".type ep_lost_tick_entry, @function\n"
	"ep_lost_tick_entry:\n"
	"	.cfi_startproc\n"
	"	sub $24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov %rdi, (%rsp)\n"
	"	mov %rsi, 8(%rsp)\n"
	"	mov %rdx, 16(%rsp)\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	call ep_lost_tick_is\n"
	"	mov (%rsp), %rdi\n"
	"	mov 8(%rsp), %rsi\n"
	"	mov 16(%rsp), %rdx\n"
	"	add $24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	test %al, %al\n"
	"	jne 1f\n"
	"	xor %eax, %eax\n"
	"	jmp *ep_lost_tick_front(%rip)\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	".size ep_lost_tick_entry, .-ep_lost_tick_entry\n");

#define NO_WAY (-1)
/* A signal's frame has 3.4 KiB with AVX-512; kernels before 5.14 do not report its size. */
#define USUAL_FRAME_BYTES 4096

static uint64_t frame_bytes;

/* Finds the size of a signal's frame before the first fault. The handler of a fault does not call getauxval, which sets
 * errno if the kernel does not report the size. */
static void learn_frame_bytes(void)
{
	int saved_errno = errno;

	if (!frame_bytes)
		frame_bytes = getauxval(AT_MINSIGSTKSZ);
	if (!frame_bytes)
		frame_bytes = USUAL_FRAME_BYTES;
	errno = saved_errno;
}

/* Tells whether there is memory where the end of a signal's frame would lie. It asks by rt_sigprocmask with an invalid
 * operation: the kernel first reads the mask at this address, and returns EFAULT if there is no memory. No seccomp
 * filter forbids this call. */
static bool has_room(uint64_t sp)
{
	uint64_t end = sp - RED_ZONE_BYTES - frame_bytes;

	return ep_sys(__NR_rt_sigprocmask, NO_WAY, end, NULL, sizeof(uint64_t)) != -EFAULT;
}

/* Tells whether the same instruction faults again and again: then the cause is not a tick. */
static bool comes_again(struct ep_thread *thread, uint64_t ip)
{
	uint64_t now_ns = ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t quarter_ns = ep_recording.period_ns / 4;
	uint64_t soon_ns = quarter_ns > AT_ONCE_NS ? quarter_ns : AT_ONCE_NS;
	bool is_there = thread->lost_tick_ip == ip;

	thread->n_lost_in_a_row = is_there ? thread->n_lost_in_a_row + 1 : 0;
	thread->n_lost_at_once = is_there && now_ns - thread->lost_tick_ns < soon_ns
					 ? thread->n_lost_at_once + 1
					 : 0;
	thread->lost_tick_ip = ip;
	thread->lost_tick_ns = now_ns;
	return thread->n_lost_at_once >= MOST_AT_ONCE || thread->n_lost_in_a_row >= MOST_IN_A_ROW;
}

bool ep_lost_tick_is(const siginfo_t *info, const void *context)
{
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	struct ep_thread *thread = ep_self;

	if (info->si_code != SI_KERNEL || info->si_addr || !thread || !ep_recording.is_on ||
		!ep_recording_is_mine() || has_room((uint64_t)registers[REG_RSP]) ||
		comes_again(thread, (uint64_t)registers[REG_RIP]))
		return false;
	ep_clock_lose_tick(&thread->clock);
	return true;
}

void ep_lost_tick_watch(void)
{
	struct ep_on_stack_turn turn = ep_on_stack_begin();

	learn_frame_bytes();
	if (!ep_alternate_is_used())
		ep_front_handler_put(&ep_lost_tick_front, SA_ONSTACK);
	ep_on_stack_end(turn);
}

void *ep_lost_tick_shown(void *handler)
{
	return ep_front_handler_shown(&ep_lost_tick_front, handler);
}

void ep_lost_tick_show(int sig, struct sigaction *action)
{
	ep_front_handler_show(&ep_lost_tick_front, sig, action);
}
#else
void ep_lost_tick_watch(void)
{
}

void *ep_lost_tick_shown(void *handler)
{
	return handler;
}

void ep_lost_tick_show(int sig, struct sigaction *action)
{
	(void)sig, (void)action;
}

bool ep_lost_tick_is(const siginfo_t *info, const void *context)
{
	(void)info, (void)context;
	return false;
}
#endif
