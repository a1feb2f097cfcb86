// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks of calls that begin a sandbox. In a sandbox evprof may kill the program: with a seccomp filter by a system
 * call, with a forbidden time stamp counter by reading the clock, and by any system call if a thread's calls are
 * dispatched to a handler of the program. So evprof writes what it has measured before the sandbox begins, and stops
 * measuring. Programs begin a sandbox by prctl, or by libc's syscall() with the number of the call. The hook of
 * syscall() also serves close, exec, exit and other calls by number for which evprof has a hook.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/os/sys.h"
#include "hooks.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"
#include "preload/sample/thread_life.h"
#include "preload/sample/waits.h"

atomic_bool ep_hooks_in_sandbox;

EP_REAL(prctl)
EP_REAL(syscall)

/* Ends the measurement. A child of a fork that no hook saw (a copy) is not measured, but is_on is cleared in it:
 * otherwise its hooks would make system calls to find out that it is not measured. A child of vfork changes nothing,
 * since its memory is its parent's. */
static void enter_sandbox(void)
{
	bool is_copy = ep_recording_is_copy();

	if (!is_copy && !ep_recording_is_mine())
		return;
	if (is_copy)
		ep_recording.is_on = ep_hot.notes_waits = false;
	else
		ep_process_leave_off();
	ep_process_end(EP_END_SANDBOX, 0,
		"the program closed itself into a sandbox (seccomp, or no time stamp counter), where a profiler's system calls could kill it: measured up to here");
	if (ep_recording.waits_ns && !is_copy) /* a copy by fork has no other threads */
		ep_waits_wait_for_looks();
	ep_signals_end();
	ep_signals_leave_stacks();
	ep_hooks_in_sandbox = true;
	if (!is_copy) /* waits for threads that are just ending */
		ep_thread_wait_for_edges();
}

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

/* Tells whether evprof may still act in this process. Clocks may tick while another thread ends the measurement, and
 * after measuring has failed. After measuring was stopped, a tick may still be pending in a thread that blocks
 * signals. */
static bool is_at_work(void)
{
	return ep_recording.is_on || ep_process.is_ending || ep_process_has_failed() ||
	       (ep_recording.out.is_stopped && !ep_hooks_in_sandbox);
}

static bool closes_door(int option, unsigned long argument)
{
	return option == PR_SET_SECCOMP || (option == PR_SET_TSC && argument == PR_TSC_SIGSEGV) ||
	       (option == PR_SET_SYSCALL_USER_DISPATCH && argument == PR_SYS_DISPATCH_ON);
}

EP_HOOK int prctl(int option, ...)
{
	unsigned long arguments[4];
	va_list args;
	int result;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		arguments[i] = va_arg(args, unsigned long);
	va_end(args);
	if (closes_door(option, arguments[0]) && is_at_work())
		enter_sandbox();
	result = find_prctl()(option, arguments[0], arguments[1], arguments[2], arguments[3]);
	if (option == PR_SET_NAME && !result && ep_recording.is_on)
		ep_thread_note_name();
	return result;
}

/* ---- syscall() ---- */

static long to_libc(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = -result;
	return -1;
}

/* Repeats a futex call that was interrupted. A tick ends a wait with a timeout early, and a program without signal
 * handlers does not expect that. */
static long wait_on_futex(long a, long b, long c, long d, long e, long f)
{
	long result;

	do
		result = ep_sys(__NR_futex, a, b, c, d, e, f);
	while (result == -EINTR && ep_recording.is_on && !ep_signals_program_has_handlers());
	return to_libc(result);
}

static long special(long number, long a, long b, long c, long d, long e, long f)
{
	switch (number) {
	case __NR_close:
		return close(a);
	case __NR_close_range:
		return close_range(a, b, c);
#ifdef __NR_dup2
	case __NR_dup2:
		return dup2(a, b);
#endif
	case __NR_dup3:
		return dup3(a, b, c);
	case __NR_execve:
		return execve((const char *)a, (char **)b, (char **)c);
	case __NR_execveat:
		return execveat(a, (const char *)b, (char **)c, (char **)d, e);
	case __NR_exit_group:
		_exit(a);
	case __NR_prctl:
		return prctl(a, b, c, d, e);
	case __NR_futex: /* the tick's handler cannot restart it: the number is no constant */
		return wait_on_futex(a, b, c, d, e, f);
	case __NR_seccomp:
		if ((a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER) && is_at_work())
			enter_sandbox();
		break;
	}
	return to_libc(ep_sys(number, a, b, c, d, e, f));
}

#if defined(__x86_64__)
/*
 * Calls with other numbers than those above are passed to libc unchanged, with the caller's return address on the
 * stack. This is needed for clone by number, which gives the child another stack: the child cannot return to a frame of
 * this function.
 */
__attribute__((used)) static long (*pass_on)(long, ...);
__attribute__((used)) static uint64_t is_special[8];

__attribute__((constructor(102))) static void prepare_syscall(void)
{
	static const int numbers[] = { __NR_close, __NR_close_range, __NR_dup2, __NR_dup3,
		__NR_execve, __NR_execveat, __NR_exit_group, __NR_futex, __NR_prctl, __NR_seccomp };

	pass_on = find_syscall();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		is_special[numbers[i] / 64] |= 1ull << (numbers[i] % 64);
}

__attribute__((used)) static long special_entry(
	long number, long a, long b, long c, long d, long e, long f)
{
	return special(number, a, b, c, d, e, f);
}

EP_HOOK __attribute__((naked)) long syscall(long number, ...)
{
	__asm__("cmp $512, %rdi\n\tjae 1f\n\tbt %rdi, is_special(%rip)\n\tjc 2f\n"
		"1:\n\tmov pass_on(%rip), %rax\n\ttest %rax, %rax\n\tjz 2f\n\tjmp *%rax\n"
		"2:\n\tjmp special_entry\n");
}
#else
EP_HOOK long syscall(long number, ...)
{
	long arguments[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(args, long);
	va_end(args);
	(void)find_syscall;
	return special(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		arguments[5]);
}
#endif
