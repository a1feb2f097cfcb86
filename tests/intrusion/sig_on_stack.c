/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers with SA_ONSTACK. In a thread that has no alternate stack they run where they interrupt,
 * and nobody else's stack is seen; then threads set stacks of their own, and take them away.
 */
#include "probe.h"

#include <sys/mman.h>
#include <sys/types.h>

enum { OWN_BYTES = 32768, NEAR_BYTES = 200000, N_ROUNDS = 8 };

static const int signals[] = { SIGUSR1, SIGWINCH, SIGURG, SIGSEGV, SIGPROF };
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static __thread char *interrupted; /* near the stack that is to be met */
static __thread char *own;         /* the alternate stack, while there is one */
static atomic_int n_handled;

static void expect_stack(const stack_t *seen)
{
	if (own)
		EXPECT(seen->ss_sp == own && seen->ss_size == OWN_BYTES);
	else
		EXPECT(!seen->ss_sp && !seen->ss_size && seen->ss_flags == SS_DISABLE);
}

static void handle(int s, siginfo_t *info, void *context)
{
	char here;
	stack_t seen;

	n_handled++;
	EXPECT_INT(sigaltstack(NULL, &seen), 0);
	expect_stack(&seen);
	if (own)
		EXPECT(&here >= own && &here < own + OWN_BYTES && seen.ss_flags & SS_ONSTACK);
	else
		EXPECT_MSG(llabs(&here - interrupted) < NEAR_BYTES,
			"signal %d is handled on another stack", s);
	burn_us(300);
}

static void set_handlers(int flags)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | flags }, seen;

	for (int i = 0; i < N_SIGNALS; i++) {
		EXPECT_INT(sigaction(signals[i], &action, NULL), 0);
		EXPECT_INT(sigaction(signals[i], NULL, &seen), 0);
		EXPECT_INT(seen.sa_flags & SA_ONSTACK, flags);
		EXPECT_INT(sigaction(signals[i], &action, &seen), 0);
		EXPECT_INT(seen.sa_flags & SA_ONSTACK, flags);
	}
}

static void raise_all(void)
{
	char here;

	interrupted = &here;
	n_handled = 0;
	for (int i = 0; i < N_SIGNALS; i++) {
		burn_us(200);
		raise(signals[i]);
	}
	EXPECT_INT(n_handled, N_SIGNALS);
}

static void take_none_away(void)
{
	stack_t none = { .ss_flags = SS_DISABLE }, seen;

	EXPECT_INT(sigaltstack(&none, &seen), 0);
	expect_stack(&seen);
	EXPECT_INT(sigaltstack(&none, &seen), 0);
	expect_stack(&seen);
	burn_us(1500);
}

static void with_own(void)
{
	stack_t set = { .ss_size = OWN_BYTES }, seen;

	set.ss_sp =
		mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_INT(sigaltstack(&set, &seen), 0);
	expect_stack(&seen);
	own = set.ss_sp;
	for (int i = 0; i < 3; i++)
		raise_all();
	set.ss_flags = SS_DISABLE;
	EXPECT_INT(sigaltstack(&set, &seen), 0);
	expect_stack(&seen);
	own = NULL;
	munmap(set.ss_sp, OWN_BYTES);
	burn_us(1500);
}

static void *without(void *unused)
{
	raise_all();
	take_none_away();
	raise_all();
	return NULL;
}

static void *with(void *unused)
{
	without(NULL);
	with_own();
	return without(NULL);
}

static void in_threads(void *(*what)(void *))
{
	pthread_t threads[3];

	/* one after the other, since all count in one place */
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(pthread_create(&threads[i], NULL, what, NULL), 0);
		EXPECT_INT(pthread_join(threads[i], NULL), 0);
	}
}

static void child_without(void)
{
	without(NULL);
	in_threads(without);
}

static void child_with(void)
{
	with(NULL);
	in_threads(with);
}

int main(void)
{
	int wrong_before;

	set_handlers(0);
	without(NULL);
	set_handlers(SA_ONSTACK);
	for (int i = 0; i < N_ROUNDS; i++) {
		without(NULL);
		in_threads(without);
	}
	probe_in_child("without", child_without);
	probe_in_child("with", child_with);
	wrong_before = probe_end();
	set_handlers(SA_ONSTACK);
	for (int i = 0; i < N_ROUNDS; i++) {
		with(NULL);
		in_threads(with);
	}
	return wrong_before || probe_end();
}
