// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rests: times in which a thread's calls of one kind are not looked at. To look at a call that returns soon takes two
 * time stamps, 60 ns where caches are not warm (dd with blocks of 512 bytes, by perf). A server works much longer than
 * that between two calls, but a read of a few bytes is not much longer. So looks at a kind of calls may take 1 /
 * PARTS_OF_CPU of the thread's CPU time. When they have taken more, the kind rests: its next calls are not looked at
 * until the CPU time is enough again, or until the next slice begins.
 *
 * A call may wait for long during a rest, as the reader of a pipe does after it got much data at once. Where the
 * thread's clocks show such a wait, it is counted as lost, and the kinds that rested do not rest for a million calls.
 */
#include "waits.h"

#include "slice.h"
#include "thread_life.h"

#define CALL_NS 60ull
#define PARTS_OF_CPU 250ull /* looks at calls of a kind may take one such part of the CPU time */
#define PAID_NS (EP_WAITS_SEEN_CALLS * CALL_NS * PARTS_OF_CPU)
#define MAX_REST_CALLS 16384ull
/* calls of each kind in a thread before the first rest, since programs begin with many short calls */
#define FIRST_CALLS 2048
/* periods of EP_WAITS_SEEN_CALLS calls without a rest, after a rest in which the thread slept */
#define WATCHED_LOOKS 4096

uint32_t ep_waits_rest_calls(uint64_t cpu_ns)
{
	uint64_t call_ns = cpu_ns / EP_WAITS_SEEN_CALLS + 1;
	uint64_t n_calls = cpu_ns < PAID_NS ? (PAID_NS - cpu_ns) / call_ns : 0;

	return (uint32_t)(n_calls < MAX_REST_CALLS ? n_calls : MAX_REST_CALLS);
}

static void see(struct ep_thread *thread, uint32_t kind, uint64_t cpu_ns)
{
	thread->waits.paid_cpu_ns[kind] = cpu_ns;
	thread->wait_now.left[kind] = EP_WAITS_SEEN_CALLS;
}

void ep_waits_rests_start(struct ep_thread *thread)
{
	for (uint32_t kind = 0; kind < EP_N_WAIT_KINDS; kind++) {
		see(thread, kind, thread->slice_start_cpu_ns);
		thread->wait_now.left[kind] = FIRST_CALLS;
		thread->waits.n_unseen[kind] = 0;
		thread->waits.rest_calls[kind] = 0;
		thread->waits.watched_looks[kind] = 0;
	}
}

/* Ends a rest, and counts the calls that were made in it. They are not counted before, so that blocks which are written
 * during the rest never have more calls than were made. */
static void end_rest(struct ep_thread *thread, uint32_t kind, uint64_t cpu_ns)
{
	int n_calls = thread->waits.rest_calls[kind] + thread->wait_now.left[kind] + 1;

	thread->waits.rest_calls[kind] = 0;
	if (n_calls > 0)
		atomic_fetch_add_explicit(
			&thread->waits.n_unseen[kind], (uint64_t)n_calls, memory_order_relaxed);
	see(thread, kind, cpu_ns);
	atomic_store_explicit(&thread->has_news, true, memory_order_relaxed);
}

/* Finds out whether the thread slept during rests. If it slept for as long as a wait that is noted, the kinds that rest
 * are watched: they do not rest again soon. Many short sleeps may add up to that time, so a wait counts as lost only if
 * the sleeps are that long on average. */
static void look_at_sleeps(struct ep_thread *thread, uint64_t cpu_ns)
{
	struct ep_slept slept = ep_waits_mark(thread, cpu_ns);
	bool rests = false;

	if (!slept.n_sleeps || slept.off_ns < ep_recording.waits_ns)
		return;
	for (uint32_t kind = 0; kind < EP_N_WAIT_KINDS; kind++)
		if (thread->wait_now.left[kind] < 0) {
			thread->waits.watched_looks[kind] = WATCHED_LOOKS;
			rests = true;
		}
	if (rests && slept.off_ns / slept.n_sleeps >= ep_recording.waits_ns)
		atomic_fetch_add(&thread->waits.n_lost, 1);
}

void ep_waits_rests_end(struct ep_thread *thread)
{
	uint64_t cpu_ns = thread->slice_start_cpu_ns;

	look_at_sleeps(thread, cpu_ns);
	thread->wait_now.rests = false;
	for (uint32_t kind = 0; kind < EP_N_WAIT_KINDS; kind++)
		if (thread->wait_now.left[kind] < 0)
			end_rest(thread, kind, cpu_ns);
}

/* Begins a rest and returns true, unless the kind is watched or the CPU time allows more looks. A CPU time below
 * paid_cpu_ns comes from a child of vfork, which has a clock of its own: then no rest begins. */
static bool begin_rest(struct ep_thread *thread, uint32_t kind, uint64_t cpu_ns)
{
	uint64_t paid_ns = thread->waits.paid_cpu_ns[kind];
	uint32_t n_calls = cpu_ns < paid_ns ? 0 : ep_waits_rest_calls(cpu_ns - paid_ns);

	if (thread->waits.watched_looks[kind]) {
		thread->waits.watched_looks[kind]--;
		return false;
	}
	if (!n_calls)
		return false;
	look_at_sleeps(thread, cpu_ns);
	thread->waits.rest_calls[kind] = (int16_t)n_calls;
	thread->wait_now.left[kind] = (int16_t) - (int)n_calls;
	thread->wait_now.rests = true;
	return true;
}

/* Compares the cost of looks at calls with the CPU time. Returns NULL where the kind rests, so that this call is not
 * looked at. */
static struct ep_thread *pay(struct ep_thread *thread, uint32_t kind)
{
	int16_t *left = &thread->wait_now.left[kind];
	uint64_t cpu_ns = ep_slice_cpu_ns(thread);

	if (!*left && begin_rest(thread, kind, cpu_ns))
		return NULL;
	if (*left < 0) {
		look_at_sleeps(thread, cpu_ns);
		end_rest(thread, kind, cpu_ns);
	} else {
		see(thread, kind, cpu_ns);
	}
	return thread;
}

__attribute__((noinline, cold)) struct ep_thread *ep_waits_rest(
	struct ep_thread *thread, uint32_t kind)
{
	int16_t *left = &thread->wait_now.left[kind];
	struct ep_thread *looked_at = NULL;
	bool was_looking;

	if (*left < -1) {
		++*left;
		return NULL;
	}
	was_looking = ep_waits_look_begin(thread);
	if (ep_recording.is_on)
		looked_at = pay(thread, kind);
	ep_waits_look_end(thread, was_looking);
	return looked_at;
}

/* ---- system calls of hooks, and sandboxes ---- */

__attribute__((noinline, cold)) void ep_waits_learn(struct ep_thread *thread, int fd)
{
	bool was_looking = ep_waits_look_begin(thread);

	if (ep_recording.is_on)
		ep_nonblocking_learn(&thread->wait_now.turn, fd);
	ep_waits_look_end(thread, was_looking);
}

static bool is_looked_beside(void)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next)
		if (t != ep_self && t->state == EP_THREAD_LIVE && t->wait_now.is_looking)
			return true;
	return false;
}

void ep_waits_wait_for_looks(void)
{
	ep_thread_wait_while(is_looked_beside);
}
