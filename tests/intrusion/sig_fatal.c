/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sig_fatal [SIGNAL HOW]: dies of the signal in the way HOW, an index of ways. Without arguments: lets a child die of
 * every signal in every way, and prints what the parent sees, including the core flag.
 */
#include "probe.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void *raise_in_thread(void *s)
{
	burn_us(300);
	raise((intptr_t)s);
	return NULL;
}

static void by_raise(int s)
{
	raise(s);
}

static void by_kill(int s)
{
	kill(getpid(), s);
}

static void by_thread(int s)
{
	pthread_t thread;

	pthread_create(&thread, NULL, raise_in_thread, (void *)(intptr_t)s);
	pthread_join(thread, NULL);
}

static void by_deed(int s)
{
	volatile int zero = 0, seven = 7;

	if (s == SIGSEGV)
		*(volatile int *)16 = 1;
	else if (s == SIGFPE)
		zero = seven / zero;
	else if (s == SIGILL)
		__asm__ volatile("ud2");
	else if (s == SIGTRAP)
		__asm__ volatile("int3");
	else if (s == SIGABRT)
		abort();
	else
		raise(s);
}

/* A handler that sets the default action again and raises the signal once more. */
static void reset_and_raise(int s)
{
	signal(s, SIG_DFL);
	raise(s);
}

static void by_handler(int s)
{
	signal(s, reset_and_raise);
	raise(s);
	burn_us(300);
}

static void while_blocked(int s)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	raise(s);
	burn_us(300);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

static const struct {
	const char *name;
	void (*run)(int s);
} ways[] = {
	{ "raise", by_raise },
	{ "kill", by_kill },
	{ "thread", by_thread },
	{ "deed", by_deed },
	{ "handler", by_handler },
	{ "blocked", while_blocked },
};
enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

static void die(int way, int s, rlim_t core_bytes)
{
	struct rlimit core = { core_bytes, core_bytes };

	setrlimit(RLIMIT_CORE, &core);
	mkdir("dump", 0700);
	if (chdir("dump"))
		_exit(97);
	burn_us(1500);
	ways[way].run(s);
	burn_us(500);
	_exit(5);
}

static void watch(int way, int s, rlim_t core_bytes)
{
	char name[64];
	pid_t pid = probe_fork();
	int status = -1;

	if (pid == 0)
		die(way, s, core_bytes);
	waitpid(pid, &status, 0);
	snprintf(name, sizeof(name), "signal %d by %s", s, ways[way].name);
	probe_print_status(name, status);
	remove("dump/core");
	rmdir("dump");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		die(atoi(argv[2]), atoi(argv[1]), 0);
	for (int way = 0; way < N_WAYS; way++)
		for (int s = 1; s <= 64; s++)
			if (s != SIGSTOP && s != SIGTSTP && s != SIGTTIN && s != SIGTTOU &&
				(s < 32 || s >= SIGRTMIN) && (s < 36 || s > 62))
				watch(way, s, 0);
	for (int s = SIGQUIT; s <= SIGSEGV; s++)
		watch(3, s, RLIM_INFINITY);
	return probe_end();
}
