/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits: calls that block, from the hooks that stand before them (preload/hooks/hooks_waits.c). A call
 * that returns soon pays for two stamps; one that took longer than a threshold is noted,
 * under the record's lock, with all signals blocked (a handler that left by longjmp would leave the lock
 * taken) and on the stack that ticks use (the program's may be small).
 */
#ifndef EVPROF_PRELOAD_SAMPLE_WAITS_H
#define EVPROF_PRELOAD_SAMPLE_WAITS_H

#include "common/os/sys.h"

#include "preload/recording/recording.h"
#include "preload/recording/stamp.h"
#include "preload/thread/thread.h"

#define EP_WAITS_SEEN_CALLS 256 /* that come back soon, before their kind may rest */

struct ep_wait {
	uint32_t kind;   /* enum ep_wait_kind */
	int fd;          /* -1: there is none */
	int owner;       /* tid of the lock's holder when the wait began; 0: not known */
	uint64_t object; /* address of the lock; 0: there is none */
	bool asks; /* fd's flags may make it return at once, which is worth asking the kernel */
};

/* A call that has returned and took long. */
struct ep_waited {
	struct ep_wait wait;
	struct ep_here here; /* in a frame above the call's */
	uint64_t start_ns, end_ns;
	uint64_t start, end; /* the same as stamps */
	uint64_t stands_ns;  /* the time for which it stands, alike ones and itself */
	bool is_first;       /* of the process's first, which are noted whatever they cost */
};

/* A look makes system calls without the record's lock, which a signal handler that leaves by
 * longjmp would leave taken: a thread that closes a sandbox waits for looks that are under way.
 * Returns whether the thread was in one already, which it interrupted: ep_waits_look_end takes
 * that. The look is made only as long as ep_recording.is_on. */
static inline bool ep_waits_look_begin(struct ep_thread *thread)
{
	return atomic_exchange(&thread->wait_now.is_looking, true);
}

static inline void ep_waits_look_end(struct ep_thread *thread, bool was_looking)
{
	atomic_store_explicit(&thread->wait_now.is_looking, was_looking, memory_order_release);
}

/* Waits until no other thread makes system calls of ours, for a tenth of a second at most: one that
 * left a look by longjmp seems to be in it until its next. The recording is off. */
void ep_waits_wait_for_looks(void);

/* How many calls of a kind are not looked at after EP_WAITS_SEEN_CALLS of them, in so much CPU
 * time, were. */
uint32_t ep_waits_rest_calls(uint64_t cpu_ns);

/* Calls of this kind have cost what the thread's CPU time pays for, or it pays again: returns the
 * thread, or NULL where this call is not looked at. errno stays. */
struct ep_thread *ep_waits_rest(struct ep_thread *thread, uint32_t kind);

/* Returns the calling thread's record where its calls of this kind are looked at; else NULL. */
static inline __attribute__((always_inline)) struct ep_thread *ep_waits_thread(uint32_t kind)
{
	struct ep_thread *thread = ep_hot.notes_waits ? ep_self_by_hot() : NULL;

	if (!thread || __builtin_expect(thread->wait_now.left[kind] > 0, 1))
		return thread;
	return ep_waits_rest(thread, kind);
}

/* All that the end of a call needs, kept in registers: a thread that wakes up finds its caches
 * cold, and each page of ours that it touches costs it up to half a microsecond in a virtual
 * machine. */
struct ep_wait_begun {
	uint64_t start; /* a stamp */
	uint64_t most;  /* stamps of a call that need no look */
	bool are_of_counter;
};

/* Before the call, in the hook itself, which must not return before ep_waits_end. What waits are
 * made of goes by value, so that it stays in registers. */
static inline __attribute__((always_inline)) struct ep_wait_begun ep_waits_begin(
	struct ep_thread *thread, const struct ep_wait wait)
{
	struct ep_wait_now *now = &thread->wait_now;
	struct ep_wait_begun begun = { .most = ep_hot.waits_stamps,
		.are_of_counter = ep_hot.stamps_are_of_counter };

	ep_here_take(&now->here);
	now->object = wait.object;
	now->owner = wait.owner;
	now->fd = wait.fd;
	now->start = begun.start = ep_stamp_take_by(begun.are_of_counter);
	atomic_store_explicit(&now->kind, wait.kind, memory_order_release);
	return begun;
}

/* Tells whether a long call is surely not noted. Three times its length is in the time that may
 * pass: a call as long as it would not be chosen next either. */
static inline bool ep_waits_pass_over(struct ep_wait_now *now, uint64_t start, uint64_t end)
{
	if (now->passed + 3 * (end - start) > now->passed_most)
		return false;
	now->passed += end - start;
	now->last_start = start;
	now->last_end = end;
	now->last_object = now->object;
	now->n_passed++;
	return true;
}

/* Asks the kernel whether a descriptor makes a thread wait. errno stays. */
void ep_waits_learn(struct ep_thread *thread, int fd);

/* Looks at a call that took long, before the hook returns. errno stays. */
void ep_waits_note(
	struct ep_thread *thread, const struct ep_wait *wait, uint64_t start, uint64_t end);

/* Tells whether calls of a kind are made in order to wait. For these the code that handles a long
 * call lies right behind the call, on the line of code that the thread comes back to. */
static inline __attribute__((always_inline)) bool ep_waits_mostly_sleeps(uint32_t kind)
{
	return kind == EP_WAIT_POLL || kind == EP_WAIT_CONDITION || kind == EP_WAIT_SLEEP ||
	       kind == EP_WAIT_ACCEPT || kind == EP_WAIT_SEMAPHORE;
}

static inline __attribute__((always_inline)) void ep_waits_end(
	struct ep_thread *thread, const struct ep_wait wait, const struct ep_wait_begun begun)
{
	uint64_t start = begun.start, end = ep_stamp_take_by(begun.are_of_counter);
	bool is_long = end - start >= begun.most;

	atomic_store_explicit(&thread->wait_now.kind, 0, memory_order_relaxed);
	if (ep_waits_mostly_sleeps(wait.kind)
			? __builtin_expect_with_probability(is_long, 1, 0.99)
			: __builtin_expect_with_probability(is_long, 1, 0.01)) {
		if (__builtin_expect(ep_waits_pass_over(&thread->wait_now, start, end), 1))
			return;
		/* it is made here, so that calls which are not noted read no constant of it */
		const struct ep_wait noted = { wait.kind, wait.fd, wait.owner, wait.object, false };

		ep_waits_note(thread, &noted, start, end);
		return;
	}
	thread->wait_now.left[wait.kind]--;
	if (wait.asks && ep_nonblocking_is_due(&thread->wait_now.turn))
		ep_waits_learn(thread, wait.fd);
}

/* Puts the thread that held the lock, and its call path, into the sum of a wait. Under the record's
 * lock. */
void ep_waits_take_holder(
	struct ep_thread *thread, const struct ep_waited *waited, struct ep_wait_sum *sum);

/* Ends all rests, with the slice: later calls may wait for long, and take little CPU time each. */
void ep_waits_rests_end(struct ep_thread *thread);

/* Runs in the handler, where a slice begins. It does not touch the page where no waits are noted. */
static inline void ep_waits_slice_begins(struct ep_thread *thread)
{
	if (!ep_recording.waits_ns)
		return;
	thread->wait_now.passed_slice = thread->wait_now.passed;
	if (thread->wait_now.rests)
		ep_waits_rests_end(thread);
}

/* Runs as the thread begins, after its first slice has begun. */
void ep_waits_start(struct ep_thread *thread);
void ep_waits_rests_start(struct ep_thread *thread);

/* For how long a thread was off its CPU, and how often it gave the CPU up. */
struct ep_slept {
	uint64_t off_ns, n_sleeps;
};

/* In the thread, around calls that are not looked at: the time that it was off its CPU until now is
 * no wait's. Returns that since the last look. Where a call waits now it does nothing. */
struct ep_slept ep_waits_mark(struct ep_thread *thread, uint64_t cpu_ns);

/* Notes the call that the thread is in, when its record is written for the last time or before an exec. Any
 * thread may call this that holds the record's lock and blocks signals. */
void ep_waits_note_open(struct ep_thread *thread);

/* In the thread as it ends: it was cancelled in a wait, perhaps, whose stack is gone. */
static inline void ep_waits_end_open(struct ep_thread *thread)
{
	atomic_store_explicit(&thread->wait_now.kind, 0, memory_order_relaxed);
}

#endif
