// SPDX-License-Identifier: BSD-3-Clause
/* ep_alternate_look runs in the tick's handler, and calls nothing of libc. */
#include "alternate.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <valgrind/valgrind.h>

#include "common/os/go.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"

static atomic_bool is_used, is_left, is_gos;

void ep_alternate_begin_process(void)
{
	bool has_room = getauxval(AT_MINSIGSTKSZ) <= EP_ALTERNATE_STACK_BYTES / 2;
	stack_t now;

	/* under valgrind, signal frames are written by valgrind and not by the kernel */
	is_used = has_room && !is_left && !ep_go_is_loaded() && !RUNNING_ON_VALGRIND &&
		  !ep_sys(__NR_sigaltstack, NULL, &now) && now.ss_flags & SS_DISABLE;
}

bool ep_alternate_is_used(void)
{
	return is_used;
}

void ep_alternate_leave(void)
{
	is_left = true;
	is_used = false;
}

void ep_alternate_leave_to_go(void)
{
	is_gos = true;
	is_used = false;
}

EP_SLICE_CODE bool ep_alternate_is_ours(const struct ep_thread *thread, const stack_t *stack)
{
	return thread && stack->ss_sp == thread->alternate_stack && !(stack->ss_flags & SS_DISABLE);
}

void ep_alternate_set(struct ep_thread *thread)
{
	stack_t ours = { .ss_sp = thread->alternate_stack,
		.ss_size = sizeof(thread->alternate_stack) };
	stack_t before;

	if (is_used && !ep_sys(__NR_sigaltstack, &ours, &before) && !(before.ss_flags & SS_DISABLE))
		ep_sys(__NR_sigaltstack, &before, NULL);
}

void ep_alternate_unset(struct ep_thread *thread)
{
	stack_t none = { .ss_flags = SS_DISABLE }, before;

	if (!ep_sys(__NR_sigaltstack, &none, &before) && !(before.ss_flags & SS_DISABLE) &&
		!ep_alternate_is_ours(thread, &before))
		ep_sys(__NR_sigaltstack, &before, NULL);
}

EP_SLICE_CODE bool ep_alternate_look(struct ep_thread *thread, stack_t *interrupted)
{
	bool is_ours = ep_alternate_is_ours(thread, interrupted);

	if (is_used) {
		if (is_ours || interrupted->ss_flags & SS_DISABLE)
			return false;
		ep_alternate_leave();
		return true;
	}
	if (is_ours && !is_gos)
		*interrupted = (stack_t){ .ss_flags = SS_DISABLE };
	return false;
}
