// SPDX-License-Identifier: BSD-3-Clause
/*
 * The signal handlers. They call ep_slice_tick, ep_process_end and functions below these, which use only system calls,
 * clock_gettime, sched_getcpu, getauxval and _dl_find_object.
 */
#include "signals.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "common/os/go.h"
#include "common/os/large.h"
#include "common/os/own_status.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "preload/process/calibrate.h"
#include "preload/process/held_tick.h"
#include "preload/process/lost_tick.h"
#include "preload/process/on_stack.h"
#include "preload/process/process.h"
#include "preload/process/restart_call.h"
#include "preload/process/tick.h"
#include "preload/process/unqueued_tick.h"
#include "preload/recording/clock.h"
#include "preload/sample/alternate.h"
#include "preload/sample/switch.h"
#include "preload/thread/thread.h"
#include "preload/thread/thread_write.h"

#define KERNEL_SA_RESTORER 0x04000000
#define N_SIGNALS 65

/* the action of EP_SLICE_SIGNAL that glibc had set; signals that are no ticks are passed on to it */
static struct ep_kernel_sigaction glibc_handler;
static EP_LARGE struct sigaction program_default[N_SIGNALS];
static atomic_bool program_has_handlers, program_has_small_stacks, has_go;

#if defined(__x86_64__)
/* The function by which a handler returns; the kernel requires one. Unwinders and debuggers recognise it by exactly
 * these bytes, if they find no unwind table for the byte before them. That byte is therefore a nop which belongs to no
 * function. */
void ep_restore_frame(void) __attribute__((visibility("hidden")));
__asm__(".section .text.hot, \"ax\"\n"
	"	.balign 16\n"
	"	nop\n"
	".hidden ep_restore_frame\n"
	".globl ep_restore_frame\n"
	".type ep_restore_frame, @function\n"
	"ep_restore_frame:\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	".size ep_restore_frame, .-ep_restore_frame\n"
	"	.text\n");
#endif

static void replace(
	int sig, void *handler, unsigned long flags, struct ep_kernel_sigaction *out_old)
{
	struct ep_kernel_sigaction action = { .handler = handler, .flags = flags | SA_SIGINFO };

#if defined(__x86_64__)
	action.flags |= KERNEL_SA_RESTORER;
	action.restorer = ep_restore_frame;
#endif
	*ep_sigaction_mask(&action) = ~0ull;
	ep_sys_sigaction(sig, &action, out_old);
}

static void install(int sig, void *handler, unsigned long flags)
{
	replace(sig, handler, flags, NULL);
}

/* ---- the tick ---- */

static void hand_on(int sig, siginfo_t *info, void *context)
{
	void (*handler)(int, siginfo_t *, void *) = glibc_handler.handler;

	if ((void *)handler != SIG_DFL && (void *)handler != SIG_IGN)
		handler(sig, info, context);
}

static EP_SLICE_CODE void on_tick(int sig, siginfo_t *info, void *context)
{
	struct ep_thread *thread = ep_self;
	int saved_errno = errno;

	if (info->si_code == SI_TKILL) {
		hand_on(sig, info, context);
		return;
	}
	if (!program_has_handlers)
		ep_restart_system_call(context);
	if (!thread) {
		ep_calibrate_note_tick();
		return;
	}
	if (ep_alternate_look(thread, &((ucontext_t *)context)->uc_stack)) {
		ep_on_stack_restore();
		ep_signals_keep_tick();
		ep_lost_tick_watch();
	}
	ep_tick_take(thread, info, context);
	errno = saved_errno;
}

void ep_signals_take_tick(int sig, siginfo_t *info, void *context)
{
	on_tick(sig, info, context);
}

/* Sets the tick's handler. An alternate stack of the program may be too small for a signal frame, or may have been
 * freed. So the tick runs on alternate stacks only if they are evprof's, or if other signals that can come at any time
 * use the program's, too: Go, for example, makes them of 32 KiB. */
void ep_signals_keep_tick(void)
{
	bool is_alternate = ep_alternate_is_used() || program_has_small_stacks || has_go;
	unsigned long flags = SA_RESTART | (is_alternate ? SA_ONSTACK : 0);
	struct ep_kernel_sigaction old;

	ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &old);
	if (old.handler == (void *)on_tick && (old.flags & SA_ONSTACK) == (flags & SA_ONSTACK))
		return;
	if (old.handler != (void *)on_tick)
		glibc_handler = old;
	install(EP_SLICE_SIGNAL, on_tick, flags);
}

bool ep_signals_has_tick(void)
{
	struct ep_kernel_sigaction now = { .handler = (void *)on_tick };

	ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &now);
	return now.handler == (void *)on_tick;
}

static void look_for_go(void)
{
	has_go = ep_go_is_loaded();
	if (has_go && ep_alternate_is_used())
		ep_alternate_leave_to_go();
}

void ep_signals_around_thread_create(void)
{
	look_for_go();
	ep_signals_keep_tick();
}

static uint64_t bit_of(int sig)
{
	return 1ull << (sig - 1);
}

/* ---- deadly signals ---- */

/* Tells whether the kernel protects this process from a signal. Process 1, for example of a container, never gets a
 * signal whose default action would kill it, except faults. evprof leaves such signals alone: if it had a handler for
 * them, they would arrive, end the measurement and interrupt waits. */
static bool is_kept_off(int sig)
{
	return ep_recording.key.pid == 1 && sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE &&
	       sig != SIGILL && sig != SIGSYS;
}

bool ep_signals_is_deadly(int sig)
{
	if (is_kept_off(sig))
		return false;
	switch (sig) {
	case SIGKILL:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGCONT:
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
	case SIGTRAP:
	case 32:
	case 33:
		return false;
	default:
		return sig > 0 && sig < N_SIGNALS;
	}
}

static void end_by_signal(void *argument, const void *unused)
{
	(void)unused;
	ep_process_end(EP_END_SIGNAL, *(int *)argument, "");
}

/* Lets the signal come again after the handler, with its default action. A fault comes again by itself, since its
 * instruction is repeated. */
static void die_as_before(int sig, const siginfo_t *info)
{
	struct ep_kernel_sigaction action = { .handler = SIG_DFL };

	ep_sys_sigaction(sig, &action, NULL);
	if (info->si_code <= 0 || sig == SIGPIPE || sig == SIGALRM || sig == SIGVTALRM ||
		sig == SIGPROF || sig == SIGXCPU || sig == SIGXFSZ || sig == SIGIO ||
		sig == SIGSYS || info->si_code == SI_KERNEL)
		ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), sig);
}

static void on_deadly(int sig, siginfo_t *info, void *context)
{
	struct ep_thread *thread = ep_self;
	int saved_errno = errno;

	if (ep_unqueued_tick_take(sig, info, context))
		return;
	if (sig == SIGSEGV && ep_lost_tick_is(info, context))
		return;
	if (thread)
		ep_switch_stack(
			end_by_signal, &sig, NULL, thread->handler_stack + EP_HANDLER_STACK_BYTES);
	else
		end_by_signal(&sig, NULL);
	errno = saved_errno;
	die_as_before(sig, info);
}

bool ep_signals_is_ours(const void *handler)
{
	return handler == (void *)on_deadly;
}

void ep_signals_take(int sig, const struct sigaction *as_program_sees_it)
{
	ep_on_stack_note(sig, 0);
	program_default[sig] = *as_program_sees_it;
	program_default[sig].sa_handler = SIG_DFL;
	install(sig, on_deadly, SA_ONSTACK);
	ep_held_tick_see_action(sig);
}

void ep_signals_show_default(int sig, struct sigaction *out_action)
{
	*out_action = program_default[sig];
	out_action->sa_handler = SIG_DFL;
}

bool ep_signals_is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE ||
	       sig == SIGTRAP || sig == SIGABRT || sig == SIGSYS;
}

/* ---- what the program sets ---- */

void ep_signals_program_sets_alternate(void)
{
	bool was_used = ep_alternate_is_used();

	if (ep_recording_is_vfork_child()) {
		ep_on_stack_restore_in_vfork();
		return;
	}
	ep_alternate_leave();
	if (!was_used)
		return;
	ep_on_stack_restore();
	if (!ep_recording.is_on)
		return;
	ep_signals_keep_tick();
	ep_lost_tick_watch();
}

void ep_signals_program_handles(int sig, int flags)
{
	program_has_handlers = true;
	ep_held_tick_see_action(sig);
	if (ep_recording.is_on && sig == SIGSEGV)
		ep_lost_tick_watch();
	if (ep_recording.is_on && sig == SIGIO)
		ep_unqueued_tick_watch();
	if (!(flags & SA_ONSTACK) || ep_signals_is_fault(sig) || program_has_small_stacks)
		return;
	program_has_small_stacks = true;
	if (ep_recording.is_on)
		ep_signals_keep_tick();
}

void ep_signals_program_is_interrupted(void)
{
	program_has_handlers = true;
}

bool ep_signals_program_has_handlers(void)
{
	return program_has_handlers;
}

/* ---- begin, exec, end ---- */

static bool is_default(int sig)
{
	struct ep_kernel_sigaction action;

	return !ep_sys_sigaction(sig, NULL, &action) && action.handler == SIG_DFL;
}

/* Catches a signal. A thread that a library's constructor started may have set a handler in the meantime: that handler
 * is set again. */
static void take_from_default(int sig)
{
	struct ep_kernel_sigaction old = { .handler = SIG_DFL };

	replace(sig, on_deadly, SA_ONSTACK, &old);
	if (old.handler != SIG_DFL)
		ep_sys_sigaction(sig, &old, NULL);
}

/* Catches the deadly signals that have the default action. The program is shown the action as it was before, with all
 * fields zero. */
static void take_deadly(const struct ep_own_status *status)
{
	uint64_t others = status->ignored | status->handled;

	for (int sig = 1; sig < N_SIGNALS; sig++)
		if (ep_signals_is_deadly(sig) &&
			(status->has_signals ? !(others & bit_of(sig)) : is_default(sig)))
			take_from_default(sig);
}

void ep_signals_begin(void)
{
	const struct ep_own_status *status = ep_own_status_at_start();

	look_for_go();
	ep_alternate_begin_process();
	if (ep_alternate_is_used())
		ep_on_stack_hide_all(status->has_signals ? status->handled : ~0ull);
	ep_signals_keep_tick();
	take_deadly(status);
	ep_held_tick_begin();
	ep_lost_tick_watch();
	ep_unqueued_tick_watch();
}

void ep_signals_after_fork(uint32_t parent_pid)
{
	static const struct ep_own_status unknown;
	struct ep_kernel_sigaction plain = { .handler = SIG_DFL }, old;

	if ((parent_pid == 1) == (ep_recording.key.pid == 1))
		return;
	take_deadly(&unknown);
	for (int sig = 1; sig < N_SIGNALS; sig++)
		if (is_kept_off(sig) && !ep_sys_sigaction(sig, NULL, &old) &&
			old.handler == (void *)on_deadly)
			ep_sys_sigaction(sig, &plain, NULL);
}

/* Stops the ticks of the calling thread. The handler stays: other threads have ticks until the kernel ends them, and a
 * tick without a handler kills the process. Closing the clock waits for a tick that is on its way, which is delivered
 * here. */
void ep_signals_before_exec(void)
{
	struct ep_thread *thread = ep_self;

	if (ep_recording.is_on && thread && ep_recording_is_mine())
		ep_clock_close(&thread->clock);
	else if (ep_process_has_failed() && ep_recording_is_mine())
		ep_process_leave_off();
	ep_held_tick_let_go();
}

void ep_signals_exec_failed(void)
{
	struct ep_thread *thread = ep_self;

	if (ep_recording.is_on && thread && ep_recording_is_mine())
		ep_clock_open(&thread->clock, ep_recording.clock_kind, ep_recording_window_ns(),
			ep_recording.calls_ns);
}

/* Sets a signal's default action again. Another thread may set a handler between the check and the change; that handler
 * is then set again. A turn would prevent this, but there are no turns once measuring has ended. */
static void give_back(int sig)
{
	struct ep_kernel_sigaction plain = { .handler = SIG_DFL }, old = { .handler = SIG_DFL };

	if (ep_sys_sigaction(sig, NULL, &old) || old.handler != (void *)on_deadly)
		return;
	if (!ep_sys_sigaction(sig, &plain, &old) && old.handler != (void *)on_deadly)
		ep_sys_sigaction(sig, &old, NULL);
}

void ep_signals_leave_stacks(void)
{
	ep_unqueued_tick_shut();
	if (!ep_self || !ep_alternate_is_used() || !ep_threads_is_alone())
		return;
	ep_alternate_leave();
	ep_alternate_unset(ep_self);
	ep_on_stack_restore();
}

/* Ends the catching of deadly signals. SIGIO keeps evprof's handler: in a thread that blocks signals, a last tick may
 * still be pending as SIGIO. */
void ep_signals_end(void)
{
	ep_unqueued_tick_end();
	for (int sig = 1; sig < N_SIGNALS; sig++)
		if (ep_signals_is_deadly(sig) && sig != SIGIO)
			give_back(sig);
}
