/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program must get what an exec passes on (ignored signals, the mask, a pending signal, an alarm), and nothing else.
 * The program that is started prints what it found.
 */
#include "probe.h"

static int print_found(void)
{
	struct sigaction action;
	sigset_t blocked, pending;

	burn_ms(5);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	for (int s = 1; s <= 64; s++) {
		bool ignored = !sigaction(s, NULL, &action) && action.sa_handler == SIG_IGN;

		if (ignored || sigismember(&blocked, s) == 1 || sigismember(&pending, s) == 1)
			printf("signal %d:%s%s%s\n", s, ignored ? " ignored" : "",
				sigismember(&blocked, s) == 1 ? " blocked" : "",
				sigismember(&pending, s) == 1 ? " pending" : "");
	}
	printf("alarm: %s\n", alarm(0) ? "set" : "none");
	return probe_end();
}

static void hand_on(int how)
{
	sigset_t set;

	if (how & 1)
		signal(SIGPIPE, SIG_IGN);
	if (how & 2) {
		sigfillset(&set);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
		raise(SIGRTMIN + 3);
	}
	if (how & 4)
		alarm(100);
	if (how & 8)
		for (int s = 1; s <= 64; s++)
			signal(s, SIG_IGN);
	burn_ms(3);
	execl(probe_sibling("sig_inherit"), "sig_inherit", "print", NULL);
	_exit(99);
}

static const char *itself;

/* Starts the program without the preload: a preloaded library would correct in the new program what the old one left
 * wrong. */
static void exec_alone(int s)
{
	char *none[] = { NULL };

	burn_ms(30);
	execle(itself, "sig_inherit", "print", NULL, none);
	_exit(99);
}

static void hand_on_in_handler(void)
{
	static char memory[8192];
	stack_t small = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = { .sa_handler = exec_alone, .sa_flags = SA_ONSTACK };

	itself = probe_sibling("sig_inherit");
	sigaltstack(&small, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
}

enum { N_WAYS = 16 };

int main(int argc, char **argv)
{
	if (argc > 1)
		return print_found();
	for (int how = 0; how <= N_WAYS; how++) {
		pid_t pid;

		printf("how %d\n", how);
		pid = probe_fork();
		if (pid == 0 && how < N_WAYS)
			hand_on(how);
		if (pid == 0)
			hand_on_in_handler();
		EXPECT_INT(probe_wait(pid), 0);
	}
	return probe_end();
}
