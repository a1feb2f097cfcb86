/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers that work for a while on an alternate stack of 8 KiB. Checks what they are given, how they return, that
 * backtrace finds their caller, and that no handler's frame overwrites another's.
 */
#include "probe.h"

#include <execinfo.h>
#include <setjmp.h>
#include <ucontext.h>

enum { OWN_BYTES = 8192, N_ROUNDS = 40, STORM_NS = 50000 };

static char own[OWN_BYTES];
static sigjmp_buf outside;
static bool leaves, walks;
static int n_plain, n_informed, n_walked;

__attribute__((noinline)) static void raise_here(int s)
{
	raise(s);
	burn_rounds(10);
}

/* Walks the stack through the kernel's signal frame, up to the function that sent the signal. */
static void look_for_caller(void)
{
	void *frames[32];
	int n = backtrace(frames, 32);

	for (int i = 0; i < n; i++)
		n_walked += (char *)frames[i] > (char *)raise_here &&
			    (char *)frames[i] < (char *)raise_here + 60;
}

static void handle(int s)
{
	char here;

	n_plain++;
	EXPECT(s == SIGALRM && &here > own && &here < own + OWN_BYTES);
	burn_us(3000);
	errno = 5;
	if (leaves)
		siglongjmp(outside, 1);
}

static void handle_informed(int s, siginfo_t *info, void *context)
{
	n_informed++;
	EXPECT(s == SIGUSR1 && info->si_signo == SIGUSR1 && info->si_pid == getpid() && context);
	burn_us(3000);
	if (walks)
		look_for_caller();
}

static void expect_action(int s, const void *handler, int flags, void (*restorer)(void))
{
	struct sigaction seen;

	EXPECT_INT(sigaction(s, NULL, &seen), 0);
	EXPECT(seen.sa_handler == handler && seen.sa_restorer == restorer);
	EXPECT_INT(seen.sa_flags & ~0x04000000, flags);
	for (int other = 1; other <= 64; other++)
		EXPECT_INT(sigismember(&seen.sa_mask, other) == 1, 0);
}

static void set_all(void (**out_restorer)(void))
{
	struct sigaction plain = { .sa_handler = handle, .sa_flags = SA_ONSTACK }, seen;
	struct sigaction informed = { .sa_sigaction = handle_informed,
		.sa_flags = SA_ONSTACK | SA_SIGINFO };

	EXPECT_INT(sigaction(SIGALRM, &plain, NULL), 0);
	EXPECT_INT(sigaction(SIGUSR1, &informed, NULL), 0);
	/* a signal whose handler the library does not replace */
	EXPECT_INT(sigaction(SIGWINCH, &plain, NULL), 0);
	EXPECT_INT(sigaction(SIGWINCH, NULL, &seen), 0);
	*out_restorer = seen.sa_restorer;
}

static void use_all(void)
{
	void (*restorer)(void);

	set_all(&restorer);
	/* siginterrupt sets the action again, without the preloaded sigaction */
	EXPECT_INT(siginterrupt(SIGALRM, 1), 0);
	expect_action(SIGALRM, handle, SA_ONSTACK, restorer);
	set_all(&restorer);
	for (int i = 0; i < N_ROUNDS; i++) {
		expect_action(SIGALRM, handle, SA_ONSTACK, restorer);
		expect_action(SIGUSR1, handle_informed, SA_ONSTACK | SA_SIGINFO, restorer);
		raise_here(SIGALRM);
		raise_here(SIGUSR1);
		burn_us(200);
	}
	leaves = true;
	for (volatile int i = 0; i < N_ROUNDS; i++)
		if (!sigsetjmp(outside, 1))
			raise_here(SIGALRM);
	leaves = false;
}

/* ---- one handler interrupts the other ---- */

/* Room for the frames of two handlers, and still small. */
static char for_two[16384];
static char *main_stack;

static bool is_within(const char *at, const char *start, size_t size)
{
	return at >= start && at < start + size;
}

/* The kernel puts a handler's frame at the top of the alternate stack, unless the thread already runs on that stack. If
 * the thread ran on a third stack, this handler's frame would overwrite the frame of the handler that was
 * interrupted. */
static void storm(int s, siginfo_t *info, void *context)
{
#if defined(__x86_64__)
	char *sp = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];

	if (is_within(sp, for_two, sizeof(for_two)) || is_within(sp, main_stack - 65536, 131072))
		return;
	EXPECT_MSG(false, "a handler interrupts code on a stack that the program does not know");
	_exit(1);
#endif
	(void)s, (void)info, (void)context;
}

/* Uses a signal whose handler the library does not replace. With another signal, a tick that waits for the end of the
 * first handler would be taken when the second handler returns, and thus too early. */
static timer_t start_storm(void)
{
	struct sigaction action = { .sa_sigaction = storm, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGWINCH };
	struct timespec interval = { 0, STORM_NS };
	timer_t timer;

	EXPECT_INT(sigaction(SIGWINCH, &action, NULL), 0);
	EXPECT_INT(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	EXPECT_INT(timer_settime(timer, 0, &(struct itimerspec){ interval, interval }, NULL), 0);
	return timer;
}

static void use_storm(void)
{
	timer_t timer = start_storm();

	for (int i = 0; i < N_ROUNDS; i++)
		raise_here(SIGUSR1);
	EXPECT_INT(timer_delete(timer), 0);
}

int main(void)
{
	stack_t two = { .ss_sp = for_two, .ss_size = sizeof(for_two) };
	stack_t set = { .ss_sp = own, .ss_size = OWN_BYTES };
	stack_t large = { .ss_sp = malloc(1 << 18), .ss_size = 1 << 18 };

	EXPECT_INT(sigaltstack(&set, NULL), 0);
	use_all();
	EXPECT_INT(n_plain, 2 * N_ROUNDS);
	EXPECT_INT(n_informed, N_ROUNDS);
	main_stack = (char *)&set;
	EXPECT_INT(sigaltstack(&two, NULL), 0);
	use_storm();
	/* backtrace needs more room than 8 KiB */
	EXPECT_INT(sigaltstack(&large, NULL), 0);
	walks = true;
	for (int i = 0; i < N_ROUNDS; i++)
		raise_here(SIGUSR1);
	EXPECT_INT(n_walked, N_ROUNDS);
	return probe_end();
}
