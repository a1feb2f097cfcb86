// SPDX-License-Identifier: BSD-3-Clause
/*
 * Noting waits, in the thread that waited. What the kernel's clocks do not bear out is none: of a call's
 * wall time counts what the thread was off its CPU, and only where it gave the CPU up itself (a read
 * that copies from the page cache computes, and one that lost its CPU meanwhile was ready to run).
 *
 * Costs about as much as a tick: two looks at clocks of the kernel, the walk, two changes of the signal
 * mask: docs/preload.md has the numbers.
 */
#include "waits.h"

#include <errno.h>
#include <sys/resource.h>

#include "preload/thread/thread_write.h"
#include "slice.h"
#include "switch.h"
#include "wait_name.h"

#define SURELY_ON_CPU_NS 20000

static uint64_t count_sleeps(void)
{
	struct rusage usage = { 0 };

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw;
}

void ep_waits_start(struct ep_thread *thread)
{
	thread->waits.mark_ns = thread->slice_start_ns;
	thread->waits.mark_cpu_ns = thread->slice_start_cpu_ns;
	thread->waits.mark_sleeps = count_sleeps();
	ep_wait_rows_forget_last(&thread->waits);
	ep_wait_rows_clear(&thread->waits);
	ep_waits_end_open(thread);
}

/* ---- how long ---- */

/* Returns the time that the thread was off its CPU since the last look: since the last wait, or
 * since the slice at hand began, if that was before this wait. */
static uint64_t off_ns_since(
	const struct ep_thread *thread, uint64_t start_ns, uint64_t end_ns, uint64_t cpu_ns)
{
	uint64_t base_ns = thread->waits.mark_ns, base_cpu_ns = thread->waits.mark_cpu_ns;

	if (thread->slice_start_ns > base_ns && thread->slice_start_ns <= start_ns) {
		base_ns = thread->slice_start_ns;
		base_cpu_ns = thread->slice_start_cpu_ns;
	}
	if (end_ns <= base_ns || cpu_ns < base_cpu_ns || cpu_ns - base_cpu_ns > end_ns - base_ns)
		return 0;
	return end_ns - base_ns - (cpu_ns - base_cpu_ns);
}

/* Returns the off-CPU time of the call by the thread's clock. Time that was looked at is not
 * counted again. */
static uint64_t take_off_ns(struct ep_thread *thread, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t cpu_ns = ep_slice_cpu_ns(thread);
	uint64_t off_ns = off_ns_since(thread, start_ns, end_ns, cpu_ns);

	thread->waits.mark_ns = end_ns;
	thread->waits.mark_cpu_ns = cpu_ns;
	return off_ns < end_ns - start_ns ? off_ns : end_ns - start_ns;
}

static bool gave_cpu_up(struct ep_thread *thread)
{
	uint64_t n_sleeps = count_sleeps(), before = thread->waits.mark_sleeps;

	thread->waits.mark_sleeps = n_sleeps;
	return n_sleeps != before;
}

/* ---- for whom ---- */

static struct ep_thread *find_thread(int tid)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next)
		if (t->state == EP_THREAD_LIVE && t->tid == tid)
			return t;
	return NULL;
}

/* Did the holder begin to wait, for something else, so early that this kept us waiting? Later it may have
 * given the lock up, and others have had it since. */
static bool kept_us(const struct ep_wait_last *last, const struct ep_wait *wait, uint64_t end_ns)
{
	return last->node_idx && last->object != wait->object && last->end_ns > wait->start_ns &&
	       last->start_ns < wait->start_ns + (end_ns - wait->start_ns) / 2;
}

/* Returns the first wait of the holder in ours; NULL: there is none, or waits at the beginning of ours are
 * forgotten. */
static const struct ep_wait_last *find_wait(
	const struct ep_thread *holder, const struct ep_wait *wait, uint64_t end_ns)
{
	const struct ep_wait_rows *rows = &holder->waits;
	const struct ep_wait_last *oldest = &rows->last[rows->next_last % EP_WAIT_N_LAST];

	if (oldest->node_idx && oldest->end_ns > wait->start_ns)
		return NULL;
	for (uint32_t i = 0; i < EP_WAIT_N_LAST; i++) {
		const struct ep_wait_last *last =
			&rows->last[(rows->next_last + i) % EP_WAIT_N_LAST];

		if (kept_us(last, wait, end_ns))
			return last;
	}
	return NULL;
}

/* Where the holder was while it kept us waiting: in a wait of its own, or at its last tick. 0: not known.
 * Under the holder's lock. */
static uint32_t find_place(const struct ep_thread *holder, const struct ep_wait *wait,
	uint64_t end_ns, uint8_t *out_kind)
{
	const struct ep_wait_last *last = find_wait(holder, wait, end_ns);
	uint64_t start_us = ep_recording_us_of(wait->start_ns);

	*out_kind = last ? last->kind : 0;
	if (last)
		return last->node_idx;
	return holder->slice_start_us >= start_us &&
			       holder->slice_start_us <= ep_recording_us_of(end_ns)
		       ? holder->last_node_idx
		       : 0;
}

/* The holder's call path becomes one of ours: its own may be written later than this, or never. */
static void take_holder(struct ep_thread *thread, const struct ep_wait *wait, uint64_t end_ns,
	struct ep_wait_sum *sum)
{
	struct ep_thread *holder = wait->owner ? find_thread(wait->owner) : NULL;
	uint32_t node_idx;

	if (!holder || holder == thread)
		return;
	sum->holder = holder->idx + 1;
	if (!ep_thread_try_lock(holder))
		return;
	node_idx = find_place(holder, wait, end_ns, &sum->holder_kind);
	if (node_idx)
		ep_tree_path(&holder->tree, node_idx, &thread->stack);
	ep_thread_unlock(holder);
	if (node_idx)
		sum->holder_node =
			ep_tree_add(&thread->tree, &thread->stack, ep_recording_us_of(end_ns));
	if (sum->holder_node == EP_TREE_FULL)
		sum->holder_node = 0;
}

/* ---- noting ---- */

/* Only the thread's own descriptors are looked at: another's may be closed by now. */
static uint32_t name_of(struct ep_thread *thread, const struct ep_wait *wait)
{
	char text[EP_WAIT_NAME_BYTES];

	if (wait->fd < 0 || thread != ep_self)
		return 0;
	return ep_wait_rows_name(&thread->waits, text, ep_wait_find_name(wait->fd, text));
}

static void add(
	struct ep_thread *thread, const struct ep_wait *wait, uint64_t end_ns, uint64_t off_ns)
{
	struct ep_wait_sum sum = {
		.kind = (uint8_t)wait->kind,
		.n_waits = 1,
		.off_ns = off_ns,
		.longest_ns = off_ns,
	};
	uint64_t now_us = ep_recording_us_of(end_ns);
	ucontext_t context;

	ep_here_context(&wait->here, &context);
	sum.node_idx = ep_slice_find_path(thread, &context, now_us);
	ep_wait_sum_set_object(&sum, wait->object, now_us);
	sum.name = name_of(thread, wait);
	take_holder(thread, wait, end_ns, &sum);
	ep_wait_rows_add(&thread->waits, &sum);
	thread->waits.last[thread->waits.next_last++ % EP_WAIT_N_LAST] =
		(struct ep_wait_last){ sum.node_idx, sum.kind, wait->object, wait->start_ns,
			end_ns };
	atomic_store_explicit(&thread->has_news, true, memory_order_relaxed);
}

/* The time that noting took is not the program's. */
static void leave_out_own_time(struct ep_thread *thread, uint64_t end_ns)
{
	uint64_t taken_ns = ep_now_ns(CLOCK_MONOTONIC) - end_ns;

	if (taken_ns > SURELY_ON_CPU_NS)
		return;
	thread->slice_start_ns += taken_ns;
	thread->slice_start_cpu_ns += taken_ns;
	thread->own_ns += taken_ns;
}

struct noted {
	struct ep_thread *thread;
	const struct ep_wait *wait;
	uint64_t end_ns;
};

static void note(void *argument, const void *unused)
{
	const struct noted *noted = argument;
	struct ep_thread *thread = noted->thread;
	uint64_t off_ns = take_off_ns(thread, noted->wait->start_ns, noted->end_ns);

	(void)unused;
	if (gave_cpu_up(thread) && off_ns >= ep_recording.waits_ns)
		add(thread, noted->wait, noted->end_ns, off_ns);
	ep_slice_flush_if_due(thread, ep_recording_us_of(noted->end_ns));
	leave_out_own_time(thread, noted->end_ns);
}

/* A child of vfork has the parent's memory, and is another thread. */
static bool is_mine(const struct ep_thread *thread)
{
	return thread == ep_self && ep_sys_gettid() == thread->tid;
}

__attribute__((noinline, cold)) void ep_waits_note(
	struct ep_thread *thread, const struct ep_wait *wait, uint64_t end_ns)
{
	struct noted noted = { thread, wait, end_ns };
	int saved_errno = errno;
	uint64_t mask;

	if (!ep_recording.is_on)
		return;
	mask = ep_sys_block_signals();
	if (ep_thread_try_lock(thread)) {
		if (ep_recording.is_on && is_mine(thread))
			ep_switch_stack(
				note, &noted, NULL, thread->handler_stack + EP_HANDLER_STACK_BYTES);
		ep_thread_unlock(thread);
	}
	ep_sys_restore_signals(mask);
	errno = saved_errno;
}

/* Another thread may write two calls meanwhile, so that the copy has parts of both: then neither is
 * taken. */
static bool copy_open(const struct ep_thread *thread, struct ep_wait *out)
{
	const struct ep_wait_now *now = &thread->wait_now;

	out->kind = atomic_load_explicit(&now->kind, memory_order_acquire);
	out->start_ns = now->start_ns;
	out->object = now->object;
	out->owner = now->owner;
	out->fd = now->fd;
	out->here = now->here;
	atomic_thread_fence(memory_order_acquire);
	return out->kind && atomic_load(&now->kind) == out->kind &&
	       *(const volatile uint64_t *)&now->start_ns == out->start_ns;
}

/* Another thread's stack may change, or go, while it is walked: then the kernel reads it. */
void ep_waits_note_open(struct ep_thread *thread)
{
	uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC), off_ns;
	struct ep_stack_bounds bounds = thread->bounds;
	struct ep_wait wait;

	if (!copy_open(thread, &wait) || now_ns < wait.start_ns + ep_recording.waits_ns)
		return;
	off_ns = take_off_ns(thread, wait.start_ns, now_ns);
	if (off_ns < ep_recording.waits_ns)
		return;
	if (thread != ep_self)
		thread->bounds = (struct ep_stack_bounds){ 0 };
	add(thread, &wait, now_ns, off_ns);
	thread->bounds = bounds;
}
