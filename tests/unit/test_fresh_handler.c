// SPDX-License-Identifier: BSD-3-Clause
/* A handler that has not begun is none: what it interrupted is where the program is. */
#include "tests/unit/test.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "preload/unwind/unwind.h"

#if defined(__x86_64__)
#define PC(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RIP])

static volatile sig_atomic_t n_first;
static uint64_t interrupted, below, inside_interrupted, inside_below;

/* The kernel delivers SIGUSR1 first, whose number is lower, and then SIGUSR2, whose handler runs first. */
static __attribute__((aligned(16))) void on_first(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	n_first++;
	if (n_first == 2) /* it has begun now */
		raise(SIGUSR2);
}

static void on_second(int number, siginfo_t *info, void *context)
{
	const ucontext_t *found = ep_context_below_handler(context);

	(void)number, (void)info;
	*(n_first ? &inside_interrupted : &interrupted) = PC((const ucontext_t *)context);
	*(n_first ? &inside_below : &below) = PC(found);
}

static void send_both(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_kill(pthread_self(), SIGUSR2);
	pthread_kill(pthread_self(), SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void install(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };

	action.sa_sigaction = handler;
	sigaction(number, &action, NULL);
}

TEST(two_signals_at_once)
{
	install(SIGUSR1, on_first);
	install(SIGUSR2, on_second);
	send_both();
	CHECK_INT(n_first, 1);
	CHECK(interrupted == (uintptr_t)on_first);
	CHECK(below && below != interrupted);
	CHECK(below - (uintptr_t)send_both > 4096); /* in libc, which made the system call */
}

/* One that has begun takes time. */
TEST(a_handler_that_runs)
{
	n_first = 1;
	raise(SIGUSR1);
	CHECK_INT(n_first, 2);
	CHECK(inside_interrupted && inside_below == inside_interrupted);
}

/* Such registers by chance, without a frame. */
TEST(registers_alone_are_no_handler)
{
	uint64_t words[64] = { 0 };
	ucontext_t context = { 0 };
	greg_t *registers = context.uc_mcontext.gregs;

	registers[REG_RSP] = (greg_t)words;
	registers[REG_RDX] = (greg_t)(words + 1);
	registers[REG_RSI] = (greg_t)(words + 40);
	registers[REG_RDI] = 10;
	CHECK(ep_context_below_handler(&context) == &context);
	words[0] = (uintptr_t)words; /* not the trampoline's instructions */
	CHECK(ep_context_below_handler(&context) == &context);
	registers[REG_RSP] = 8; /* no memory */
	registers[REG_RDX] = 16;
	registers[REG_RSI] = 24;
	CHECK(ep_context_below_handler(&context) == &context);
}
#else
TEST(the_context_itself)
{
	char context;

	CHECK(ep_context_below_handler(&context) == &context);
}
#endif
