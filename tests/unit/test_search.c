// SPDX-License-Identifier: BSD-3-Clause
/* The callers of code that has no unwind table: found where they are, and only there. */
#include "tests/unit/test.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "common/cleanup.h"
#include "preload/unwind/unwind.h"
#include "tests/unit/frames_assembly.h"

static struct ep_stack_bounds bounds;
static struct ep_stack found;
static struct ep_unwind_memory memory;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ep_unwind(context, bounds, &memory, &found);
}

static void prepare(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	extern char **environ;

	bounds = (struct ep_stack_bounds){ (uint64_t)environ - (8 << 20), (uint64_t)environ };
	memset(&found, 0, sizeof(found));
	sigaction(SIGTRAP, &action, NULL);
}

static bool is_in(uint64_t address, const void *function)
{
	return address > (uint64_t)function && address < (uint64_t)function + 64;
}

/* The same walk from an ordinary function. */
__attribute__((noinline)) static struct ep_stack walk_from_here(void)
{
	prepare();
	__asm__ volatile("int3");
	return found;
}

/* callee: leaf, caller, the test and what called it; here: walk_from_here, the test and what called
 * it. */
static void check_callers(const struct ep_stack *callee, const struct ep_stack *here,
	const void *leaf, const void *caller)
{
	CHECK(!callee->broken && !here->broken);
	CHECK_INT(callee->n_frames, here->n_frames + 1);
	CHECK(here->n_frames > 3);
	CHECK(is_in(callee->addresses[0], leaf));
	CHECK(is_in(callee->addresses[1], caller));
	CHECK(!memcmp(&callee->addresses[3], &here->addresses[2],
		(here->n_frames - 2) * sizeof(here->addresses[0])));
}

TEST(a_leaf_that_moves_the_stack_far_away)
{
	struct ep_stack here = walk_from_here();

	prepare();
	frames_call_far();
	check_callers(&found, &here, frames_leaf_far, frames_call_far);
}

TEST(a_leaf_with_a_small_frame)
{
	struct ep_stack here = walk_from_here();

	prepare();
	frames_call_pushes();
	check_callers(&found, &here, frames_leaf_pushes, frames_call_pushes);
}

TEST(calls_through_a_pointer)
{
	struct ep_stack here = walk_from_here();

	prepare();
	frames_call_through(frames_leaf_far);
	check_callers(&found, &here, frames_leaf_far, frames_call_through);
	prepare();
	frames_call_through(frames_leaf_pushes);
	check_callers(&found, &here, frames_leaf_pushes, frames_call_through);
}

/* Below the stack pointer, where the leaf will move it. */
__attribute__((noinline)) static void leave_words(uint64_t word)
{
	volatile uint64_t words[5000];

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		words[i] = word;
}

TEST(the_outermost_frame_is_no_caller)
{
	struct ep_stack here = walk_from_here();

	prepare();
	leave_words(here.addresses[here.n_frames - 1]);
	frames_call_through(frames_leaf_far);
	check_callers(&found, &here, frames_leaf_far, frames_call_through);
}

/* Words that calls may return to, on a stack that leads nowhere. */
TEST(a_stack_without_a_caller_is_broken)
{
	static uint64_t words[256];
	ucontext_t uc = { 0 };
	struct ep_stack stack;

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		words[i] = i % 3 ? found.addresses[1] : i;
	uc.uc_mcontext.gregs[REG_RIP] = (uint64_t)frames_leaf_far + 1;
	uc.uc_mcontext.gregs[REG_RSP] = (uint64_t)words;
	ep_unwind(&uc, (struct ep_stack_bounds){ (uint64_t)words, (uint64_t)(words + 256) },
		&memory, &stack);
	CHECK(stack.broken);
	CHECK_INT(stack.n_frames, 1);
}
