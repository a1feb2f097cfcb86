/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with alternate signal stacks. It must read back what it has set, and see no other stack. Its stack
 * overflows must be handled on an alternate stack of 8 KiB, with work inside the handler. With queue-full, the user's
 * queue of signals is full from the start.
 */
#include "probe.h"

#include <alloca.h>
#include <setjmp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { ALTSTACK_BYTES = 8192, GUARD_BYTES = 4096, LEFT_BYTES = 1500 };

static sigjmp_buf back;
static unsigned char *memory;
static atomic_int n_on_stack;

static void overflow(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = above[0] + 1;
	overflow(frame);
	frame[1] = frame[0];
}

/* Works while the stack has no room for a signal's frame, as when the loader looks a function up. */
__attribute__((noinline)) static void burn_at_the_end(const char *here)
{
	size_t n_bytes = (size_t)(here - (char *)memory) - GUARD_BYTES;
	volatile char *used = n_bytes > LEFT_BYTES ? alloca(n_bytes - LEFT_BYTES) : alloca(1);

	used[0] = 1;
	burn_us(2500);
}

static void recover(int s, siginfo_t *info, void *context)
{
	stack_t seen;
	char here;

	n_on_stack += &here > (char *)memory && &here < (char *)memory + 2 * ALTSTACK_BYTES;
	sigaltstack(NULL, &seen);
	EXPECT(seen.ss_flags & SS_ONSTACK);
	burn_at_the_end(&here);
	siglongjmp(back, 1);
}

static void expect_disabled(void)
{
	stack_t seen;

	memset(&seen, 0x55, sizeof(seen));
	EXPECT_INT(sigaltstack(NULL, &seen), 0);
	EXPECT_INT(seen.ss_flags, SS_DISABLE);
	EXPECT_MSG(!seen.ss_sp && !seen.ss_size, "a stack of %zu bytes is set", seen.ss_size);
}

/* Sets an alternate stack above a guard page, which causes a fault if more than the stack is used. */
static void set_own(void)
{
	stack_t own = { .ss_size = ALTSTACK_BYTES }, seen;

	memory = mmap(NULL, GUARD_BYTES + ALTSTACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(memory, GUARD_BYTES, PROT_NONE);
	own.ss_sp = memory + GUARD_BYTES;
	EXPECT_INT(sigaltstack(&own, NULL), 0);
	EXPECT_INT(sigaltstack(NULL, &seen), 0);
	EXPECT(seen.ss_sp == own.ss_sp && seen.ss_size == own.ss_size && seen.ss_flags == 0);
}

static void *overflow_often(void *unused)
{
	struct sigaction own = { .sa_sigaction = recover, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	static bool is_first = true;
	struct sigaction seen;
	stack_t off = { .ss_flags = SS_DISABLE };
	volatile int n_recovered = 0;
	char top = 0;

	expect_disabled();
	if (is_first) /* sigaction and sigaltstack are tried in both orders */
		sigaction(SIGSEGV, &own, NULL);
	set_own();
	if (!is_first)
		sigaction(SIGSEGV, &own, NULL);
	is_first = false;
	EXPECT_INT(sigaction(SIGSEGV, NULL, &seen), 0);
	for (int s = 1; s < 65; s++)
		EXPECT(!sigismember(&seen.sa_mask, s));
	while (n_recovered < 40) {
		burn_us(500);
		if (sigsetjmp(back, 1))
			n_recovered++;
		else
			overflow(&top);
	}
	EXPECT_INT(n_on_stack, n_recovered);
	EXPECT_INT(sigaltstack(&off, NULL), 0);
	expect_disabled();
	burn_ms(20);
	n_on_stack = 0;
	munmap(memory, GUARD_BYTES + ALTSTACK_BYTES);
	burn_ms(10);
	return NULL;
}

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "queue-full")) {
		EXPECT_INT(setrlimit(RLIMIT_SIGPENDING, &none), 0);
		burn_ms(20);
	}
	overflow_often(NULL);
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, overflow_often, NULL);
		pthread_join(thread, NULL);
	}
	return probe_end();
}
