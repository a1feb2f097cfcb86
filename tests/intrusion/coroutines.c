/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * coroutines STACK_BYTES: in each of two threads, fifty makecontext coroutines run on small stacks in the program's
 * memory. They are switched thousands of times while they work. A pattern around each stack shows whether something was
 * written outside of the stack.
 */
#include "probe.h"

#include <ucontext.h>

enum { N_COROUTINES = 50, N_TURNS = 40, PATTERN_BYTES = 1024 };

struct coroutine {
	ucontext_t context;
	unsigned char *memory; /* pattern, stack, pattern */
	long sum;
};

struct scheduler {
	ucontext_t context;
	struct coroutine coroutines[N_COROUTINES];
};

static size_t stack_bytes;
static __thread struct scheduler *mine;

static void turn(int me)
{
	struct coroutine *c = &mine->coroutines[me];

	for (int i = 0; i < N_TURNS; i++) {
		burn_us(40);
		c->sum += i * me;
		swapcontext(&c->context, &mine->context);
	}
}

static void start(struct scheduler *s, int me)
{
	struct coroutine *c = &s->coroutines[me];

	c->memory = malloc(stack_bytes + 2 * PATTERN_BYTES);
	memset(c->memory, 0xA5, stack_bytes + 2 * PATTERN_BYTES);
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = c->memory + PATTERN_BYTES;
	c->context.uc_stack.ss_size = stack_bytes;
	c->context.uc_link = &s->context;
	makecontext(&c->context, (void (*)(void))turn, 1, me);
}

static void finish(struct coroutine *c, int me)
{
	EXPECT_INT(c->sum, (long)me * N_TURNS * (N_TURNS - 1) / 2);
	for (int i = 0; i < PATTERN_BYTES; i++) {
		EXPECT_MSG(c->memory[i] == 0xA5, "stack %d overran by %d", me, PATTERN_BYTES - i);
		EXPECT_INT(c->memory[PATTERN_BYTES + stack_bytes + i], 0xA5);
		if (probe_n_wrong)
			break;
	}
	free(c->memory);
}

static void *schedule(void *unused)
{
	mine = calloc(1, sizeof(*mine));
	for (int me = 0; me < N_COROUTINES; me++)
		start(mine, me);
	for (int i = 0; i <= N_TURNS; i++)
		for (int me = 0; me < N_COROUTINES; me++)
			if (i < N_TURNS || mine->coroutines[me].sum)
				swapcontext(&mine->context, &mine->coroutines[me].context);
	for (int me = 0; me < N_COROUTINES; me++)
		finish(&mine->coroutines[me], me);
	free(mine);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	stack_bytes = atoi(argv[1]);
	burn_us(1); /* the loader looks the functions up now, which takes kilobytes of stack */
	pthread_create(&thread, NULL, schedule, NULL);
	schedule(NULL);
	pthread_join(thread, NULL);
	return probe_end();
}
