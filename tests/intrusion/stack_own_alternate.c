/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stack_own_alternate WHAT: a thread has its own alternate stack and its own handler for overflows of its stack.
 *   near      computes with so little stack left that a signal's frame has no room there: no fault may come
 *   overflow  overflows its stack again and again: each fault must be in the guard page
 *   foreign   reads an invalid address (fault of SI_KERNEL, si_addr 0): the handler must get it, also with little stack
 *   default   computes as with near, but without a handler
 */
#include "probe.h"

#include <alloca.h>
#include <setjmp.h>
#include <sys/mman.h>

enum {
	STACK_BYTES = 65536,
	GUARD_BYTES = 4096,
	OWN_BYTES = 16384,
	LEFT_BYTES = 1500,
	N_THREADS = 4
};

static unsigned char *memory;
static sigjmp_buf outside;
static volatile int n_odd, n_in_guard;
static const char *what;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const unsigned char *at = info->si_addr;

	(void)sig, (void)context;
	if (at >= memory && at < memory + GUARD_BYTES)
		n_in_guard++;
	else
		n_odd++;
	siglongjmp(outside, 1);
}

static size_t left(void)
{
	char here;

	return (size_t)((unsigned char *)&here - memory) - GUARD_BYTES;
}

static __attribute__((noinline)) void burn_at_the_end(void)
{
	volatile char *used = alloca(left() - LEFT_BYTES);

	used[0] = 1;
	for (int i = 0; i < 100; i++)
		burn_us(500);
	EXPECT_INT(used[0], 1);
}

static __attribute__((noinline)) int fall(int depth)
{
	volatile char frame[48];

	frame[0] = (char)depth;
	for (volatile int i = 0; i < 40; i++)
		;
	return fall(depth + 1) + frame[0];
}

static __attribute__((noinline)) void touch_nowhere(size_t left_bytes)
{
	volatile char *used = left_bytes ? alloca(left() - left_bytes) : alloca(16);

	used[0] = 1;
	*(volatile char *)0x8000000000000000;
}

static void overflow(void)
{
	volatile int i = 0;

	for (; i < 200; i++)
		if (!sigsetjmp(outside, 1))
			fall(0);
	EXPECT_INT(n_in_guard, i);
}

static void foreign(void)
{
	volatile int i = 0;

	for (; i < 200; i++)
		if (!sigsetjmp(outside, 1))
			touch_nowhere(i % 2 ? 0 : LEFT_BYTES);
	EXPECT_INT(n_odd, i);
	n_odd = 0;
}

static void set_handler(void)
{
	stack_t own = { .ss_sp = malloc(OWN_BYTES), .ss_size = OWN_BYTES };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK },
			 seen;

	EXPECT_INT(sigaltstack(&own, NULL), 0);
	if (!strcmp(what, "default"))
		return;
	EXPECT_INT(sigaction(SIGSEGV, &action, NULL), 0);
	EXPECT_INT(sigaction(SIGSEGV, NULL, &seen), 0);
	EXPECT(seen.sa_sigaction == on_fault);
	EXPECT_INT(seen.sa_flags & ~0x04000000, SA_SIGINFO | SA_ONSTACK);
}

static void *work(void *unused)
{
	burn_us(1); /* the loader looks the functions up now, which takes kilobytes of stack */
	set_handler();
	if (!strcmp(what, "overflow"))
		overflow();
	else if (!strcmp(what, "foreign"))
		foreign();
	else if (!sigsetjmp(outside, 1))
		burn_at_the_end();
	EXPECT_INT(n_odd, 0);
	n_in_guard = 0;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;

	what = argv[1];
	memory = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_INT(mprotect(memory, GUARD_BYTES, PROT_NONE), 0);
	pthread_attr_init(&attributes);
	EXPECT_INT(pthread_attr_setstack(&attributes, memory + GUARD_BYTES, STACK_BYTES), 0);
	for (int i = 0; i < N_THREADS; i++) {
		EXPECT_INT(pthread_create(&thread, &attributes, work, NULL), 0);
		EXPECT_INT(pthread_join(thread, NULL), 0);
	}
	pthread_attr_destroy(&attributes);
	return probe_end();
}
