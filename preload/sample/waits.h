/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits: calls that block. Hooks of these libc functions report the calls here (preload/hooks/hooks_waits.h). A call
 * that returns soon costs two time stamps. A call that took longer than a threshold is noted under the record's lock,
 * with all signals blocked, since a handler that leaves by longjmp would leave the lock taken. It is noted on the stack
 * that ticks use, since the program's stack may be small.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_WAITS_H
#define EVPROF_PRELOAD_SAMPLE_WAITS_H

#include "common/os/sys.h"

#include "preload/recording/recording.h"
#include "preload/recording/stamp.h"
#include "preload/thread/thread.h"

#define EP_WAITS_SEEN_CALLS 256 /* calls that return soon, before their kind may rest */

struct ep_wait {
	uint32_t kind;   /* enum ep_wait_kind */
	int fd;          /* the descriptor that the call waits for; -1: there is none */
	int owner;       /* tid of the lock's holder when the wait began; 0: not known */
	uint64_t object; /* address of the lock; 0: there is none */
	bool asks; /* the kernel may be asked whether calls like this on fd return at once, by fd's flags */
};

/* A call that has returned and took long. */
struct ep_waited {
	struct ep_wait wait;
	struct ep_here here; /* registers of a frame that is further out than the call's */
	uint64_t start_ns, end_ns;
	uint64_t start, end; /* start_ns and end_ns as stamps */
	/* the time that the call represents: its own, and that of similar calls that are not noted */
	uint64_t stands_ns;
	bool is_first; /* one of the process's first waits, which are noted at any cost */
};

/* Begins to make system calls without the record's lock (a "look"): a signal handler that leaves by longjmp would leave
 * the lock taken. A thread that enters a sandbox waits until no look is under way. Returns whether the thread was in a
 * look already, as where a signal handler interrupts a look; ep_waits_look_end takes this value. System calls are
 * allowed only while ep_recording.is_on. */
static inline bool ep_waits_look_begin(struct ep_thread *thread)
{
	return atomic_exchange(&thread->wait_now.is_looking, true);
}

static inline void ep_waits_look_end(struct ep_thread *thread, bool was_looking)
{
	atomic_store_explicit(&thread->wait_now.is_looking, was_looking, memory_order_release);
}

/* Waits until no other thread is in a look, for a tenth of a second at most: a thread that left a look by longjmp seems
 * to be in it until the end of its next look. Called when the recording is off, so that no look makes system calls. */
void ep_waits_wait_for_looks(void);

/* Returns how many calls of a kind are not looked at, after EP_WAITS_SEEN_CALLS calls of the kind were made and looked
 * at within cpu_ns of CPU time. */
uint32_t ep_waits_rest_calls(uint64_t cpu_ns);

/* Decides whether a call is looked at, when the kind's budget of looks is used up, or when the kind rests. Returns the
 * thread, or NULL where this call is not looked at. errno is kept. */
struct ep_thread *ep_waits_rest(struct ep_thread *thread, uint32_t kind);

/* Returns the calling thread's record where its calls of this kind are looked at; else NULL. */
static inline __attribute__((always_inline)) struct ep_thread *ep_waits_thread(uint32_t kind)
{
	struct ep_thread *thread = ep_hot.notes_waits ? ep_self_by_hot() : NULL;

	if (!thread || __builtin_expect(thread->wait_now.left[kind] > 0, 1))
		return thread;
	return ep_waits_rest(thread, kind);
}

/* All that the end of a call needs, kept in registers: a thread that wakes up finds its caches cold, and each page of
 * evprof that it touches costs up to half a microsecond in a virtual machine. */
struct ep_wait_begun {
	uint64_t start; /* the beginning of the call, as a stamp */
	uint64_t most;  /* a call of fewer stamps is not looked at */
	bool are_of_counter;
};

/* Begins a wait. Called before the real function, in the hook itself, which must not return before ep_waits_end. The
 * wait is passed by value, so that it stays in registers. */
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

/* Tells whether a long call is surely not noted, and counts it as passed over then: three times its length is no more
 * than the time that may still pass without a look. So another call of the same length would not be chosen next
 * either. */
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

/* Asks the kernel whether a descriptor makes a thread wait. errno is kept. */
void ep_waits_learn(struct ep_thread *thread, int fd);

/* Looks at a call that took long, before the hook returns. errno is kept. */
void ep_waits_note(
	struct ep_thread *thread, const struct ep_wait *wait, uint64_t start, uint64_t end);

/* Tells whether calls of a kind are made in order to wait. For such kinds the compiler puts the code for a long call
 * right after the call, in the cache line to which the thread returns. */
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
		/* noted is built here, so that calls which are not noted read none of its constants */
		const struct ep_wait noted = { wait.kind, wait.fd, wait.owner, wait.object, false };

		ep_waits_note(thread, &noted, start, end);
		return;
	}
	thread->wait_now.left[wait.kind]--;
	if (wait.asks && ep_nonblocking_is_due(&thread->wait_now.turn))
		ep_waits_learn(thread, wait.fd);
}

/* Puts the thread that held the lock, and its call path, into the sum of a wait. Called under the record's lock. */
void ep_waits_take_holder(
	struct ep_thread *thread, const struct ep_waited *waited, struct ep_wait_sum *sum);

/* Ends all rests when the slice ends: later calls may wait for long and take little CPU time each. */
void ep_waits_rests_end(struct ep_thread *thread);

/* Called when a slice begins. If no waits are noted, the record's page of waits is not touched. */
static inline void ep_waits_slice_begins(struct ep_thread *thread)
{
	if (!ep_recording.waits_ns)
		return;
	thread->wait_now.passed_slice = thread->wait_now.passed;
	if (thread->wait_now.rests)
		ep_waits_rests_end(thread);
}

/* Called as the thread begins, after its first slice has begun. */
void ep_waits_start(struct ep_thread *thread);
void ep_waits_rests_start(struct ep_thread *thread);

/* How long a thread was off its CPU since the last look, and how often it gave up the CPU itself. */
struct ep_slept {
	uint64_t off_ns, n_sleeps;
};

/* Returns the time that the thread was off its CPU since the last look, and the number of its sleeps. Later waits do
 * not count this time again. Called in the thread before and after a rest. Does nothing while a call waits. */
struct ep_slept ep_waits_mark(struct ep_thread *thread, uint64_t cpu_ns);

/* Notes the call that the thread is in, when its record is written for the last time or before an exec. Any thread may
 * call this function; the caller holds the record's lock and blocks signals. */
void ep_waits_note_open(struct ep_thread *thread);

/* Ends the open wait of a thread that ends. A thread that was cancelled during a call that blocks never returned from
 * the call, and wait_now.here describes a stack frame that is gone. */
static inline void ep_waits_end_open(struct ep_thread *thread)
{
	atomic_store_explicit(&thread->wait_now.kind, 0, memory_order_relaxed);
}

#endif
