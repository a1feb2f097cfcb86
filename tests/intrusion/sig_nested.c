/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses handlers as programs do: long ones with all signals masked, recursive ones (SA_NODEFER), one-shot ones
 * (SA_RESETHAND), and handlers that are left by siglongjmp, hundreds of times.
 */
#include "probe.h"

#include <setjmp.h>

static atomic_int depth, deepest, n_calls;
static sigjmp_buf back;

static void install(int s, sighandler_t handler, int flags, bool mask_all)
{
	struct sigaction own = { .sa_handler = handler, .sa_flags = flags };

	if (mask_all)
		sigfillset(&own.sa_mask);
	EXPECT_INT(sigaction(s, &own, NULL), 0);
}

static void recurse(int s)
{
	if (++depth > deepest)
		deepest = depth;
	n_calls++;
	burn_us(500);
	if (depth < 20)
		raise(s);
	depth--;
}

static void work_long(int s)
{
	n_calls++;
	burn_ms(20);
}

static void jump_out(int s)
{
	burn_us(200);
	siglongjmp(back, 1);
}

static void check_mask_empty(void)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	for (int s = 1; s <= 64; s++)
		EXPECT_MSG(sigismember(&set, s) != 1, "signal %d stays blocked", s);
}

static void jump_often(void)
{
	volatile int n_jumps = 0;

	install(SIGUSR2, jump_out, 0, true);
	while (n_jumps < 400) {
		if (sigsetjmp(back, 1)) {
			n_jumps++;
			check_mask_empty();
		}
		burn_us(100);
		if (n_jumps < 400)
			raise(SIGUSR2);
	}
	printf("%d jumps\n", n_jumps);
}

static void crash_and_recover(void)
{
	volatile int n_crashes = 0;

	install(SIGSEGV, jump_out, 0, false);
	while (n_crashes < 200) {
		if (sigsetjmp(back, 1))
			n_crashes++;
		else
			*(volatile int *)8 = 1;
	}
	printf("%d crashes\n", n_crashes);
}

int main(void)
{
	struct sigaction seen;

	install(SIGUSR1, recurse, SA_NODEFER, false);
	raise(SIGUSR1);
	printf("recursive: %d calls, %d deep\n", n_calls, deepest);
	install(SIGTERM, work_long, SA_RESETHAND, true);
	raise(SIGTERM);
	sigaction(SIGTERM, NULL, &seen);
	EXPECT(seen.sa_handler == SIG_DFL);
	install(SIGRTMIN + 1, work_long, 0, true);
	for (int i = 0; i < 5; i++)
		raise(SIGRTMIN + 1);
	printf("%d calls\n", n_calls);
	jump_often();
	crash_and_recover();
	burn_ms(20);
	return probe_end();
}
