// SPDX-License-Identifier: BSD-3-Clause
/* The ways to follow a stack, on one stack: functions with frame pointers that call each other. */
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/sys.h"
#include "preload/unwind/modules.h"
#include "preload/unwind/unwinder.h"

#define N_CALLS 8

static struct ep_unwind_memory memory;
static struct ep_stack found;
static const struct ep_unwinder *walker;
static uint64_t stack_top;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct ep_stack_bounds bounds = { (uint64_t)__builtin_frame_address(0) - (1 << 16),
		stack_top };

	(void)signal, (void)info;
	walker->walk(context, bounds, &memory, &found);
}

static __attribute__((noinline)) void keep_a_frame(void)
{
	__asm__ volatile("");
}

/* Not in libc, whose functions have no frame pointers: the signal comes when the call returns here. */
static __attribute__((noinline)) int call(int n_left)
{
	if (n_left)
		n_left = call(n_left - 1) + 1; /* no tail call */
	else
		ep_sys(__NR_tgkill, ep_sys_getpid(), ep_sys_gettid(), SIGUSR1);
	keep_a_frame();
	__asm__ volatile("" : "+r"(n_left));
	return n_left;
}

static void walk_by(const struct ep_unwinder *unwinder)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	walker = unwinder;
	found.n_frames = 0;
	stack_top = (uint64_t)__builtin_frame_address(0) + 4096;
	ep_modules_refresh();
	sigaction(SIGUSR1, &action, NULL);
	CHECK_INT(call(N_CALLS), N_CALLS);
}

/* Those above belong to libc, which has no frame pointers. */
#define N_COMPARED (N_CALLS + 1)

TEST(frame_pointers_lead_through_code_that_has_them)
{
	struct ep_stack own;

	walk_by(&ep_unwinder_own);
	own = found;
	CHECK_MSG(own.n_frames > N_COMPARED && !own.broken, "%u frames", own.n_frames);
	walk_by(&ep_unwinder_frame_pointers);
	CHECK_MSG(found.n_frames > N_COMPARED, "%u frames", found.n_frames);
	for (unsigned i = 0; i < N_COMPARED && i < found.n_frames; i++)
		CHECK_MSG(found.addresses[i] == own.addresses[i], "frame %u: %#lx and %#lx", i,
			(long)found.addresses[i], (long)own.addresses[i]);
}

TEST(libunwind_follows_the_same_stack)
{
	static const struct ep_unwinder *const both[] = { &ep_unwinder_own,
		&ep_unwinder_libunwind };
	struct ep_error err = { .message = "" };
	struct ep_stack own = { .n_frames = 0 };
	int rc = ep_unwinder_choose("libunwind", &err);

	if (rc == -ENOSYS)
		SKIP("libunwind is not here");
	CHECK_MSG(!rc, "%s", err.message);
	CHECK(ep_unwinder_chosen == &ep_unwinder_libunwind);
	for (int i = 0; i < 2; i++) {
		own = found;
		walk_by(both[i]);
	}
	/* the call above may stand there twice, with two return addresses */
	own.addresses[N_COMPARED + 1] = found.addresses[N_COMPARED + 1];
	CHECK_INT(found.n_frames, own.n_frames);
	CHECK(!found.broken && !found.cut);
	for (unsigned i = 0; i < own.n_frames && i < found.n_frames; i++)
		CHECK_MSG(found.addresses[i] == own.addresses[i], "frame %u: %#lx and %#lx", i,
			(long)found.addresses[i], (long)own.addresses[i]);
}

TEST(unknown_ways_leave_the_choice_as_it_was)
{
	struct ep_error err = { .message = "" };

	CHECK_INT(ep_unwinder_choose("", &err), 0);
	CHECK_INT(ep_unwinder_choose("magic", &err), -EINVAL);
	CHECK_STR(err.message, "unwind 'magic' is none of own, frame-pointers, libunwind");
	CHECK(ep_unwinder_chosen == &ep_unwinder_own);
	CHECK_INT(ep_unwinder_choose("frame-pointers", &err), 0);
	CHECK(ep_unwinder_chosen == &ep_unwinder_frame_pointers);
}
