/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers with SA_ONSTACK. In a thread that has no alternate stack, they must run on the interrupted stack, and
 * sigaltstack must show no stack that the program did not set. Then threads set alternate stacks, and remove them.
 */
#include "probe.h"

#include <sys/mman.h>
#include <sys/types.h>

enum { OWN_BYTES = 32768, NEAR_BYTES = 200000, N_ROUNDS = 8 };

static const int signals[] = { SIGUSR1, SIGWINCH, SIGURG, SIGSEGV, SIGPROF };
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static __thread char *interrupted; /* an address on the interrupted stack */
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

	/* one after the other, since all of them use n_handled */
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(pthread_create(&threads[i], NULL, what, NULL), 0);
		EXPECT_INT(pthread_join(threads[i], NULL), 0);
	}
}

/* ---- a stack that is set without a function of libc ---- */

static int number_altstack(stack_t *stack)
{
	return (int)syscall(SYS_sigaltstack, stack, NULL);
}

/* Sets an alternate stack by the system call. After the next tick, by which a profiler can notice the stack, handlers
 * with SA_ONSTACK must run on it. */
static void *bare(void *unused)
{
	static __thread char memory[OWN_BYTES];
	stack_t set = { .ss_sp = memory, .ss_size = OWN_BYTES };

	raise_all();
	EXPECT_INT(number_altstack(&set), 0);
	burn_us(50000);
	own = memory;
	for (int i = 0; i < 3; i++)
		raise_all();
	set.ss_flags = SS_DISABLE;
	EXPECT_INT(number_altstack(&set), 0);
	own = NULL;
	burn_us(1500);
	return NULL;
}

/* ---- a child of vfork, which shares the memory but has its own signal handlers ---- */

static void expect_handlers(int flags)
{
	struct sigaction seen;

	for (int i = 0; i < N_SIGNALS; i++) {
		EXPECT_INT(sigaction(signals[i], NULL, &seen), 0);
		EXPECT(seen.sa_sigaction == handle);
		EXPECT_INT(seen.sa_flags & SA_ONSTACK, flags);
	}
	EXPECT_INT(sigaction(SIGINT, NULL, &seen), 0);
	EXPECT(seen.sa_handler == SIG_DFL && !sigismember(&seen.sa_mask, SIGHUP));
}

static void set_defaults(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };

	sigaddset(&plain.sa_mask, SIGHUP);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &plain, NULL);
	sigaction(SIGINT, &plain, NULL);
}

static void handle_on_own(void)
{
	static char memory[OWN_BYTES];
	stack_t set = { .ss_sp = memory, .ss_size = OWN_BYTES };

	sigaltstack(&set, NULL);
	own = memory;
	raise_all();
	own = NULL;
}

static void set_small_stack(void)
{
	static char memory[8192];
	stack_t set = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&set, NULL);
}

static void vfork_and(void (*what)(void))
{
	pid_t pid = vfork();

	if (pid == 0) {
		what();
		_exit(0);
	}
	EXPECT_INT(probe_wait(pid), 0);
}

static int beside_vfork(void)
{
	void (*const all[])(void) = { set_defaults, handle_on_own, set_small_stack };

	set_handlers(SA_ONSTACK);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		vfork_and(all[i]);
		expect_handlers(SA_ONSTACK);
		without(NULL);
	}
	in_threads(with);
	return probe_end();
}

static int with_bare(void)
{
	set_handlers(SA_ONSTACK);
	bare(NULL);
	in_threads(bare);
	return probe_end();
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

static int in_all_ways(void)
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

int main(int argc, char **argv)
{
	if (argc > 1)
		return !strcmp(argv[1], "bare") ? with_bare() : beside_vfork();
	return in_all_ways();
}
