/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every call that asks for a signal's action must return the default, or exactly what the program itself has set.
 */
#include "probe.h"

enum { SA_RESTORER_OF_LIBC = 0x04000000 };

static void own_handler(int signal_number)
{
}

static void own_action(int signal_number, siginfo_t *info, void *context)
{
}

static bool can_catch(int s)
{
	return s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN);
}

static void expect_default(int s)
{
	struct sigaction seen;

	memset(&seen, 0x55, sizeof(seen));
	EXPECT_INT(sigaction(s, NULL, &seen), 0);
	EXPECT_MSG(seen.sa_handler == SIG_DFL, "signal %d has a handler", s);
	EXPECT_MSG((seen.sa_flags & ~SA_RESTORER_OF_LIBC) == 0, "signal %d has flags 0x%x", s,
		seen.sa_flags);
	for (int other = 1; other <= 64; other++)
		EXPECT_MSG(sigismember(&seen.sa_mask, other) != 1, "signal %d masks %d", s, other);
}

static void set_and_read_back(int s)
{
	struct sigaction own = { .sa_sigaction = own_action,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | SA_ONSTACK },
			 seen;

	sigaddset(&own.sa_mask, SIGUSR1);
	EXPECT_INT(sigaction(s, &own, &seen), 0);
	EXPECT_MSG(seen.sa_handler == SIG_DFL, "signal %d had a handler", s);
	EXPECT_INT(sigaction(s, NULL, &seen), 0);
	EXPECT(seen.sa_sigaction == own_action);
	EXPECT_INT(seen.sa_flags & ~SA_RESTORER_OF_LIBC, own.sa_flags);
	EXPECT_INT(sigismember(&seen.sa_mask, SIGUSR1), 1);
	EXPECT_INT(sigismember(&seen.sa_mask, SIGUSR2), 0);
	EXPECT(signal(s, own_handler) == (sighandler_t)own_action);
	EXPECT_INT(sigaction(s, NULL, &seen), 0);
	EXPECT(seen.sa_handler == own_handler);
	EXPECT_INT(seen.sa_flags & ~SA_RESTORER_OF_LIBC, SA_RESTART);
	EXPECT(sysv_signal(s, SIG_IGN) == own_handler);
	EXPECT(sigset(s, SIG_DFL) == SIG_IGN);
	EXPECT(signal(s, SIG_DFL) == SIG_DFL);
	EXPECT_INT(sigaction(s, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL), 0);
}

static void check_refusals(void)
{
	struct sigaction own = { .sa_handler = own_handler };

	for (int s = 1; s <= 64; s++) {
		if (!can_catch(s))
			EXPECT_INT(sigaction(s, &own, NULL), -1);
	}
	EXPECT_INT(sigaction(0, NULL, &own), -1);
	EXPECT_INT(sigaction(65, NULL, &own), -1);
	EXPECT_INT(errno, EINVAL);
	printf("real-time signals %d to %d\n", SIGRTMIN, SIGRTMAX);
}

int main(void)
{
	for (int round = 0; round < 3; round++) {
		for (int s = 1; s <= 64; s++) {
			if (!can_catch(s))
				continue;
			expect_default(s);
			set_and_read_back(s);
			expect_default(s);
		}
		burn_ms(5);
	}
	check_refusals();
	return probe_end();
}
