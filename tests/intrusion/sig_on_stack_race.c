/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread sets handlers while another thread sets its first alternate stack. The handler that was set last must
 * stay, with the flags that it was set with.
 */
#include "probe.h"

enum { N_CHILDREN = 150, N_SETS = 400, STACK_BYTES = 32768, SMALL_BYTES = 8192 };

static atomic_int n_sets;

static void first(int sig)
{
	(void)sig;
}

static void second(int sig)
{
	(void)sig;
}

static void *set_stack(void *bytes)
{
	static char memory[STACK_BYTES];
	stack_t stack = { .ss_sp = memory, .ss_size = *(const size_t *)bytes };

	while (n_sets < 20)
		;
	EXPECT_INT(sigaltstack(&stack, NULL), 0);
	n_sets = N_SETS;
	return NULL;
}

static void set_handlers(void)
{
	struct sigaction action = { .sa_flags = SA_ONSTACK }, seen;

	/* there are enough sets that some come after the other thread's, which may run late on one CPU */
	for (int i = 0; i < N_SETS; i++) {
		action.sa_handler = i % 2 ? first : second;
		EXPECT_INT(sigaction(SIGUSR1, &action, NULL), 0);
		EXPECT_INT(sigaction(SIGUSR1, NULL, &seen), 0);
		EXPECT_MSG(
			seen.sa_handler == action.sa_handler, "set %d of the handler is lost", i);
		EXPECT_INT(seen.sa_flags & SA_ONSTACK, SA_ONSTACK);
		if (n_sets < N_SETS)
			n_sets = n_sets + 1;
	}
}

static void race(size_t bytes)
{
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, NULL, set_stack, &bytes), 0);
	set_handlers();
	EXPECT_INT(pthread_join(thread, NULL), 0);
}

int main(void)
{
	for (int i = 0; i < N_CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			race(i % 2 ? STACK_BYTES : SMALL_BYTES);
			_exit(probe_end());
		}
		EXPECT_INT(probe_wait(pid), 0);
	}
	return probe_end();
}
