/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits: calls that block, from the hooks that stand before them (preload/hooks/hooks_waits.c). A call
 * that returns soon pays for two looks at the clock; one that took longer than a threshold is noted,
 * under the record's lock, with all signals blocked (a handler that left by longjmp would leave the lock
 * taken) and on the stack that ticks use (the program's may be small).
 */
#ifndef EVPROF_PRELOAD_SAMPLE_WAITS_H
#define EVPROF_PRELOAD_SAMPLE_WAITS_H

#include "common/os/sys.h"

#include "preload/recording/recording.h"
#include "preload/thread/thread.h"

struct ep_wait {
	uint32_t kind;   /* enum ep_wait_kind */
	int fd;          /* -1: there is none */
	int owner;       /* tid of the lock's holder when the wait began; 0: not known */
	uint64_t object; /* address of the lock; 0: there is none */
	uint64_t start_ns;
	struct ep_here here;
};

/* The calling thread's record, where waits are noted; else NULL. */
static inline struct ep_thread *ep_waits_thread(void)
{
	return ep_recording.waits_ns && ep_recording.is_on ? ep_self : NULL;
}

/* Before the call, in the hook itself, which must not return before ep_waits_end. */
static inline __attribute__((always_inline)) void ep_waits_begin(
	struct ep_thread *thread, struct ep_wait *wait)
{
	struct ep_wait_now *now = &thread->wait_now;

	ep_here_take(&wait->here);
	wait->start_ns = ep_now_ns(CLOCK_MONOTONIC);
	now->start_ns = wait->start_ns;
	now->object = wait->object;
	now->owner = wait->owner;
	now->fd = wait->fd;
	now->here = wait->here;
	atomic_store_explicit(&now->kind, wait->kind, memory_order_release);
}

/* Notes a call that took long. errno stays. */
void ep_waits_note(struct ep_thread *thread, const struct ep_wait *wait, uint64_t end_ns);

static inline void ep_waits_end(struct ep_thread *thread, const struct ep_wait *wait)
{
	uint64_t end_ns = ep_now_ns(CLOCK_MONOTONIC);

	atomic_store_explicit(&thread->wait_now.kind, 0, memory_order_relaxed);
	if (__builtin_expect(end_ns - wait->start_ns >= ep_recording.waits_ns, 0))
		ep_waits_note(thread, wait, end_ns);
}

/* At the beginning of the thread, behind its first slice's. */
void ep_waits_start(struct ep_thread *thread);

/* Under the record's lock, with signals blocked, by any thread: notes the call that the thread is in,
 * while what it has is written for the last time or before an exec. */
void ep_waits_note_open(struct ep_thread *thread);

/* In the thread as it ends: it was cancelled in a wait, perhaps, whose stack is gone. */
static inline void ep_waits_end_open(struct ep_thread *thread)
{
	atomic_store_explicit(&thread->wait_now.kind, 0, memory_order_relaxed);
}

#endif
