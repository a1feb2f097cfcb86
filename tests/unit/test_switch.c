// SPDX-License-Identifier: BSD-3-Clause
/* A function on another stack: it runs there, gets its arguments, and all is as before after it. */
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdint.h>
#include <unwind.h>

#include "preload/sample/switch.h"

enum { STACK_BYTES = 64 << 10 };

static char stacks[3][STACK_BYTES] __attribute__((aligned(64)));

static bool is_on(const char *stack, const void *address)
{
	return (const char *)address >= stack && (const char *)address < stack + STACK_BYTES;
}

struct visit {
	const void *frame, *context;
	int n;
	uint64_t misalignment;
};

/* Not inlined, and with a local of its own: where that lies tells the stack. */
static __attribute__((noinline)) void note(void *argument, const void *context)
{
	struct visit *visit = argument;
	__attribute__((aligned(16))) char local[32];

	__asm__ volatile("" : : "r"(local) : "memory");
	visit->frame = local;
	visit->misalignment = (uint64_t)(uintptr_t)__builtin_frame_address(0) % 16;
	visit->context = context;
	visit->n++;
}

/* POWER keeps the program's stack. */
#if defined(__x86_64__) || defined(__aarch64__)
#define SWITCHES true
#else
#define SWITCHES false
#endif

TEST(runs_on_the_stack_it_is_given)
{
	struct visit visit = { 0 };
	int context = 0;

	ep_switch_stack(note, &visit, &context, stacks[0] + STACK_BYTES);
	CHECK_INT(visit.n, 1);
	CHECK(visit.context == &context);
	CHECK(is_on(stacks[0], visit.frame) == SWITCHES);
	CHECK_INT(visit.misalignment, 0);
}

/* Values that live in registers across the call, of which the callee uses all it can. */
static __attribute__((noinline)) void use_registers(void *argument, const void *context)
{
	uint64_t *sum = argument;
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

	for (int i = 0; i < 100; i++) {
		a += b ^ c;
		b += c ^ d;
		c += d ^ e;
		d += e ^ f;
		e += f ^ g;
		f += g ^ h;
		g += h ^ a;
		h += a ^ b;
		__asm__ volatile(""
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g));
	}
	*sum = a + b + c + d + e + f + g + h;
}

TEST(registers_and_stack_are_as_before)
{
	volatile uint64_t seed = 11;
	uint64_t kept[6], sum = 0;
	const void *before = __builtin_frame_address(0);

	for (int i = 0; i < 6; i++)
		kept[i] = seed * (i + 1);
	for (int round = 0; round < 1000; round++) {
		uint64_t a = kept[0] + round, b = kept[1] + round, c = kept[2] + round,
			 d = kept[3] + round, e = kept[4] + round;

		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
		ep_switch_stack(use_registers, &sum, NULL, stacks[0] + STACK_BYTES);
		CHECK_INT(a + b + c + d + e, 11 * 15 + 5 * round);
	}
	CHECK(__builtin_frame_address(0) == before);
	CHECK(sum != 0);
}

static void go_deeper(void *argument, const void *context)
{
	struct visit *visits = argument;

	note(&visits[0], context);
	ep_switch_stack(note, &visits[1], context, stacks[1] + STACK_BYTES);
	note(&visits[2], context);
}

TEST(one_stack_after_the_other_and_back)
{
	struct visit visits[4] = { 0 };

	ep_switch_stack(go_deeper, visits, NULL, stacks[0] + STACK_BYTES);
	note(&visits[3], NULL);
	CHECK(is_on(stacks[0], visits[0].frame) == SWITCHES);
	CHECK(is_on(stacks[1], visits[1].frame) == SWITCHES);
	CHECK(is_on(stacks[0], visits[2].frame) == SWITCHES);
	CHECK(!is_on(stacks[0], visits[3].frame) && !is_on(stacks[1], visits[3].frame));
}

static _Unwind_Reason_Code find_frame(struct _Unwind_Context *context, void *argument)
{
	uint64_t *wanted = argument;

	if (_Unwind_FindEnclosingFunction((void *)(uintptr_t)(_Unwind_GetIP(context) - 1)) ==
		(void *)(uintptr_t)wanted[0])
		wanted[1]++;
	return _URC_NO_REASON;
}

static void walk(void *argument, const void *context)
{
	_Unwind_Backtrace(find_frame, argument);
}

static __attribute__((noinline)) void outermost(uint64_t *wanted)
{
	wanted[0] = (uint64_t)(uintptr_t)outermost;
	ep_switch_stack(walk, wanted, NULL, stacks[0] + STACK_BYTES);
	__asm__ volatile("" : : "r"(wanted) : "memory");
}

TEST(unwinding_leads_back_to_the_other_stack)
{
	uint64_t wanted[2] = { 0 };

	outermost(wanted);
	CHECK_INT(wanted[1], 1);
}

/* Threads switch at the same time, each to a stack of its own and back, over and over. */
static void *switch_often(void *argument)
{
	char *stack = argument;
	static __thread struct visit visit;
	uint64_t n_wrong = 0;

	for (int i = 0; i < 20000; i++) {
		ep_switch_stack(note, &visit, stack, stack + STACK_BYTES);
		n_wrong += is_on(stack, visit.frame) != SWITCHES || visit.context != stack;
		n_wrong += visit.n != i + 1;
	}
	return (void *)n_wrong;
}

TEST(threads_do_not_meet)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, switch_often, stacks[i]), 0);
	for (int i = 0; i < 3; i++) {
		void *n_wrong = NULL;

		CHECK_INT(pthread_join(threads[i], &n_wrong), 0);
		CHECK(!n_wrong);
	}
}
