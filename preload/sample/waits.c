// SPDX-License-Identifier: BSD-3-Clause
/* Notes waits, in the thread that waited. Only the time of a call in which the thread was off its CPU, by the kernel's
 * clocks, counts as a wait: a read that copies from the page cache computes. The thread must also have given up the CPU
 * itself: a thread that lost its CPU was ready to run, and did not wait.
 *
 * To note a wait costs about as much as a tick: two readings of kernel clocks, the walk of the stack, and two changes
 * of the signal mask. docs/preload.md has the numbers. */
#include "waits.h"

#include <errno.h>
#include <sys/resource.h>

#include "preload/thread/thread_write.h"
#include "slice.h"
#include "switch.h"
#include "wait_name.h"

#define SURELY_ON_CPU_NS 20000
#define MAX_LOCK_TRIES 10

/* The first waits, which are noted at any cost, are counted in parts. A wait that is noted takes WAIT_PARTS parts. A
 * call that was looked at but has not waited costs less, and takes one part. */
#define WAIT_PARTS 16

/* The parts that are left for the first waits of this process: [0] for short waits, which are typical of busy servers,
 * and [1] for long waits. */
static _Atomic int32_t n_first_parts[2];

static _Atomic int32_t *first_parts(uint64_t took_ns)
{
	return &n_first_parts[took_ns >= EP_WAIT_CHOICE_LONG_NS];
}

static uint64_t count_sleeps(void)
{
	struct rusage usage = { 0 };

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw;
}

void ep_waits_start(struct ep_thread *thread)
{
	if (!thread->idx) {
		n_first_parts[0] = EP_WAIT_CHOICE_FIRST_SHORT * WAIT_PARTS;
		n_first_parts[1] = EP_WAIT_CHOICE_FIRST * WAIT_PARTS;
	}
	ep_wait_choice_start(&thread->waits.choice, (uint64_t)thread->tid);
	thread->waits.mark_ns = thread->slice_start_ns;
	thread->waits.mark_cpu_ns = thread->slice_start_cpu_ns;
	thread->waits.mark_sleeps = count_sleeps();
	thread->wait_now = (struct ep_wait_now){ 0 };
	thread->waits.looked_cpu_ns = thread->slice_start_cpu_ns;
	ep_wait_rows_forget_last(&thread->waits);
	ep_wait_rows_clear(&thread->waits);
	thread->waits.n_lost = 0;
	ep_waits_rests_start(thread);
	ep_waits_end_open(thread);
}

/* ---- how long ---- */

/* Moves the marks (the clocks at the last look at a call) to the begin of the slice, if the slice began after the last
 * look and before this call. */
static void move_marks(struct ep_thread *thread, uint64_t start_ns)
{
	if (thread->slice_start_ns <= thread->waits.mark_ns || thread->slice_start_ns > start_ns)
		return;
	thread->waits.mark_ns = thread->slice_start_ns;
	thread->waits.mark_cpu_ns = thread->slice_start_cpu_ns;
	thread->wait_now.passed_marked = thread->wait_now.passed_slice;
}

/* Returns the time of the calls that were passed over (long calls that are not noted) since the last look. */
static uint64_t passed_ns_of(const struct ep_thread *thread)
{
	return ep_stamps_ns(thread->wait_now.passed_marked, thread->wait_now.passed);
}

/* Returns the time that the thread was off its CPU since the last look. */
static uint64_t off_ns_since(const struct ep_thread *thread, uint64_t end_ns, uint64_t cpu_ns)
{
	uint64_t base_ns = thread->waits.mark_ns, base_cpu_ns = thread->waits.mark_cpu_ns;

	if (end_ns <= base_ns || cpu_ns < base_cpu_ns || cpu_ns - base_cpu_ns > end_ns - base_ns)
		return 0;
	return end_ns - base_ns - (cpu_ns - base_cpu_ns);
}

/* Returns how long the thread was off its CPU in the call, by the thread's clock; time before the marks belongs to
 * earlier calls and is not counted again. Calls that were passed over since the marks take at most about one step of
 * the choice (wait_choice.h) together. Where the wait stands for itself alone, these calls are subtracted as if they
 * had waited throughout, which is an error of a few microseconds of CPU time. Where the wait was chosen to stand for
 * several, they are not subtracted, since they may be as long as the wait. */
static uint64_t take_off_ns(struct ep_thread *thread, const struct ep_waited *waited)
{
	uint64_t cpu_ns = ep_slice_cpu_ns(thread), off_ns, passed_ns, took_ns;

	move_marks(thread, waited->start_ns);
	took_ns = waited->end_ns - waited->start_ns;
	passed_ns = waited->stands_ns == took_ns ? passed_ns_of(thread) : 0;
	off_ns = off_ns_since(thread, waited->end_ns, cpu_ns);
	off_ns -= passed_ns < off_ns ? passed_ns : off_ns;
	thread->waits.mark_ns = waited->end_ns;
	thread->waits.mark_cpu_ns = cpu_ns;
	thread->wait_now.passed_marked = thread->wait_now.passed;
	return off_ns < took_ns ? off_ns : took_ns;
}

static uint64_t ns_of(const struct timeval *time)
{
	return ((uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec) * 1000;
}

/* Sets the marks after a wait that is not noted, where the next wait may be noted: then only the time of the next call
 * follows the marks. getrusage costs half as much as the thread's clock, and is as accurate in a thread that has just
 * been woken. */
static void take_marks(struct ep_thread *thread, uint64_t end_ns)
{
	struct rusage usage = { 0 };

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	thread->waits.mark_ns = end_ns;
	thread->wait_now.passed_marked = thread->wait_now.passed;
	thread->waits.mark_cpu_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime);
	thread->waits.mark_sleeps = (uint64_t)usage.ru_nvcsw;
}

static bool gave_cpu_up(struct ep_thread *thread)
{
	uint64_t n_sleeps = count_sleeps(), before = thread->waits.mark_sleeps;

	thread->waits.mark_sleeps = n_sleeps;
	return n_sleeps != before;
}

/* ---- noting ---- */

/* Returns the number of the name of a wait; 0: there is no name. Only the descriptor of the calling thread's wait is
 * looked up, since another thread's descriptor may be closed by now. */
static uint32_t name_of(struct ep_thread *thread, const struct ep_wait *wait)
{
	char text[EP_WAIT_NAME_BYTES];

	if (wait->fd < 0 || thread != ep_self)
		return 0;
	return ep_wait_rows_name(&thread->waits, text, ep_wait_find_name(wait->fd, text));
}

static void remember(struct ep_thread *thread, const struct ep_waited *waited, uint32_t node_idx)
{
	struct ep_wait_rows *rows = &thread->waits;
	uint32_t next = rows->next_last;

	rows->last[next % EP_WAIT_N_LAST] = (struct ep_wait_last){ node_idx,
		(uint8_t)waited->wait.kind, thread->wait_now.n_passed, waited->wait.object,
		waited->start_ns, waited->end_ns };
	rows->next_last = next + 1;
}

/* Sets the time and the number of the waits that a chosen wait stands for. */
static void weigh(struct ep_thread *thread, const struct ep_waited *waited, struct ep_wait_sum *sum)
{
	uint64_t took_ns = waited->end_ns - waited->start_ns;

	if (waited->stands_ns == took_ns)
		return;
	sum->n_waits = ep_wait_choice_round(&thread->waits.choice, waited->stands_ns, took_ns);
	sum->off_ns = waited->stands_ns - waited->stands_ns * (took_ns - sum->off_ns) / took_ns;
}

static void add(struct ep_thread *thread, const struct ep_waited *waited, uint64_t off_ns)
{
	const struct ep_wait *wait = &waited->wait;
	struct ep_wait_sum sum = {
		.kind = (uint8_t)wait->kind,
		.n_waits = 1,
		.off_ns = off_ns,
		.longest_ns = off_ns,
		.region = atomic_load_explicit(&thread->region.node, memory_order_acquire),
	};
	uint64_t now_us = ep_recording_us_of(waited->end_ns);
	ucontext_t context;

	ep_here_context(&waited->here, &context);
	sum.node_idx = ep_slice_find_path(thread, &context, now_us);
	ep_wait_sum_set_object(&sum, wait->object, now_us);
	sum.name = name_of(thread, wait);
	ep_waits_take_holder(thread, waited, &sum);
	weigh(thread, waited, &sum);
	ep_wait_rows_add(&thread->waits, &sum);
	remember(thread, waited, sum.node_idx);
	atomic_store_explicit(&thread->has_news, true, memory_order_relaxed);
}

/* Counts the time that noting took as evprof's own, and not as the program's. */
static void leave_out_own_time(struct ep_thread *thread, uint64_t end_ns)
{
	uint64_t taken_ns = ep_now_ns(CLOCK_MONOTONIC) - end_ns;

	ep_wait_choice_learn_cost(&thread->waits.choice, taken_ns);
	if (taken_ns > SURELY_ON_CPU_NS)
		return;
	thread->slice_start_ns += taken_ns;
	thread->slice_start_cpu_ns += taken_ns;
	thread->own_ns += taken_ns;
}

static void note(void *record, const void *what)
{
	struct ep_thread *thread = record;
	const struct ep_waited *waited = what;
	uint64_t cpu_ns = thread->waits.looked_cpu_ns;
	uint64_t off_ns = take_off_ns(thread, waited);
	int32_t n_parts = 1;

	thread->waits.looked_cpu_ns = thread->waits.mark_cpu_ns;
	ep_wait_choice_learn(&thread->waits.choice, waited->stands_ns,
		thread->waits.mark_cpu_ns - cpu_ns, waited->is_first);
	if (gave_cpu_up(thread) && off_ns >= ep_recording.waits_ns) {
		add(thread, waited, off_ns);
		n_parts = WAIT_PARTS;
	}
	if (waited->is_first)
		atomic_fetch_sub_explicit(first_parts(waited->end_ns - waited->start_ns), n_parts,
			memory_order_relaxed);
	ep_slice_flush_if_due(thread, ep_recording_us_of(waited->end_ns));
	leave_out_own_time(thread, waited->end_ns);
}

/* Tells whether the record is the calling thread's: a child of vfork has its parent's memory, and
 * is another thread. */
static bool is_mine(const struct ep_thread *thread)
{
	return thread == ep_self && ep_sys_gettid() == thread->tid;
}

/* Where a call is waiting, the marks are not changed, since the look at the call's end computes its time from them. */
struct ep_slept ep_waits_mark(struct ep_thread *thread, uint64_t cpu_ns)
{
	uint64_t now_ns, n_sleeps, off_ns, passed_ns;

	if (!is_mine(thread) || thread->wait_now.kind)
		return (struct ep_slept){ 0, 0 };
	now_ns = ep_now_ns(CLOCK_MONOTONIC);
	n_sleeps = count_sleeps();
	off_ns = off_ns_since(thread, now_ns, cpu_ns);
	passed_ns = passed_ns_of(thread);
	off_ns -= passed_ns < off_ns ? passed_ns : off_ns;
	n_sleeps -= thread->waits.mark_sleeps;
	thread->waits.mark_ns = now_ns;
	thread->waits.mark_cpu_ns = cpu_ns;
	thread->waits.mark_sleeps += n_sleeps;
	thread->wait_now.passed_marked = thread->wait_now.passed;
	return (struct ep_slept){ off_ns, n_sleeps };
}

/* Remembers a wait that is not noted: a thread that waited for this thread meanwhile looks for the reason among the
 * remembered waits. */
static void pass_over(struct ep_thread *thread, const struct ep_waited *waited)
{
	uint64_t took_ns = waited->end_ns - waited->start_ns;

	remember(thread, waited, 0);
	move_marks(thread, waited->start_ns);
	thread->wait_now.passed += waited->end - waited->start;
	if (ep_wait_choice_is_near(&thread->waits.choice, took_ns) && is_mine(thread))
		take_marks(thread, waited->end_ns);
}

/* Takes the record's lock in a few tries. Another thread holds the lock only while it copies a call path, or writes the
 * rows of idle threads. */
static bool lock_soon(struct ep_thread *thread)
{
	for (int i = 0; i < MAX_LOCK_TRIES; i++) {
		if (ep_thread_try_lock(thread))
			return true;
		ep_sys(__NR_sched_yield);
	}
	return false;
}

/* Counts a wait as lost. Needs no lock. */
static void lose(struct ep_thread *thread, const struct ep_waited *waited)
{
	uint64_t took_ns = waited->end_ns - waited->start_ns;

	atomic_fetch_add(&thread->waits.n_lost,
		ep_wait_choice_round(&thread->waits.choice, waited->stands_ns, took_ns));
	thread->wait_now.passed += waited->end - waited->start;
	atomic_store_explicit(&thread->has_news, true, memory_order_relaxed);
}

static void note_locked(struct ep_thread *thread, const struct ep_waited *waited)
{
	uint64_t mask = ep_sys_block_signals();

	if (lock_soon(thread)) {
		if (ep_recording.is_on && is_mine(thread))
			ep_switch_stack(note, thread, waited,
				thread->handler_stack + EP_HANDLER_STACK_BYTES);
		ep_thread_unlock(thread);
	} else if (is_mine(thread)) {
		lose(thread, waited);
	}
	ep_sys_restore_signals(mask);
}

/* Reports to the choice of waits (wait_choice.h) the time of the calls that were passed over. */
static void settle(struct ep_thread *thread)
{
	struct ep_wait_rows *rows = &thread->waits;

	ep_wait_choice_pass(
		&rows->choice, ep_stamps_ns(rows->passed_told, thread->wait_now.passed));
	rows->passed_told = thread->wait_now.passed;
	thread->wait_now.passed_most = 0;
}

/* Asks the choice of waits how much time of calls may pass before the next look. While long waits are noted at any
 * cost, the time is so short that ep_waits_pass_over, which compares three times a call's length with it, passes over
 * no long wait. */
static void make_room(struct ep_thread *thread)
{
	uint64_t room_ns = ep_wait_choice_room(&thread->waits.choice);

	if (*first_parts(EP_WAIT_CHOICE_LONG_NS) > 0 && room_ns > 2 * EP_WAIT_CHOICE_LONG_NS)
		room_ns = 2 * EP_WAIT_CHOICE_LONG_NS;
	thread->waits.passed_told = thread->wait_now.passed;
	thread->wait_now.passed_most = thread->wait_now.passed + ep_stamps_in(room_ns);
}

static void look(struct ep_thread *thread, const struct ep_wait *wait, uint64_t start, uint64_t end)
{
	uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC), took_ns = ep_stamps_ns(start, end);
	struct ep_waited waited = { .wait = *wait,
		.start_ns = now_ns - took_ns,
		.end_ns = now_ns,
		.start = start,
		.end = end };

	if (took_ns < ep_recording.waits_ns) {
		ep_hot.waits_stamps = ep_stamps_in(ep_recording.waits_ns);
		return;
	}
	ep_here_take(&waited.here);
	settle(thread);
	waited.is_first = *first_parts(took_ns) > 0;
	waited.stands_ns =
		waited.is_first ? took_ns : ep_wait_choice_take(&thread->waits.choice, took_ns);
	if (waited.stands_ns)
		note_locked(thread, &waited);
	else
		pass_over(thread, &waited);
	make_room(thread);
}

__attribute__((noinline, cold)) void ep_waits_note(
	struct ep_thread *thread, const struct ep_wait *wait, uint64_t start, uint64_t end)
{
	bool was_looking = ep_waits_look_begin(thread);
	int saved_errno = errno;

	if (ep_recording.is_on)
		look(thread, wait, start, end);
	errno = saved_errno;
	ep_waits_look_end(thread, was_looking);
}

/* Copies the open wait of a thread. Returns false if no wait is open, or if the thread has begun another call
 * meanwhile, so that the copy may have parts of two calls. */
static bool copy_open(const struct ep_thread *thread, struct ep_waited *out, uint64_t *out_start)
{
	const struct ep_wait_now *now = &thread->wait_now;

	out->wait.kind = atomic_load_explicit(&now->kind, memory_order_acquire);
	*out_start = now->start;
	out->wait.object = now->object;
	out->wait.owner = now->owner;
	out->wait.fd = now->fd;
	out->here = now->here;
	atomic_thread_fence(memory_order_acquire);
	return out->wait.kind && atomic_load(&now->kind) == out->wait.kind &&
	       *(const volatile uint64_t *)&now->start == *out_start;
}

/* Another thread's stack may change, or be unmapped, while it is walked. So its bounds are set to 0 meanwhile: then the
 * unwinder reads the whole stack through the kernel. */
void ep_waits_note_open(struct ep_thread *thread)
{
	uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC), start, took_ns, off_ns;
	struct ep_stack_bounds bounds = thread->bounds;
	struct ep_waited waited;

	if (!copy_open(thread, &waited, &start))
		return;
	waited.start = start;
	waited.end = ep_stamp_take();
	took_ns = ep_stamps_ns(start, waited.end);
	waited.start_ns = now_ns - took_ns;
	waited.end_ns = now_ns;
	waited.stands_ns = took_ns;
	waited.is_first = true;
	off_ns = took_ns < ep_recording.waits_ns ? 0 : take_off_ns(thread, &waited);
	if (off_ns < ep_recording.waits_ns)
		return;
	if (thread != ep_self)
		thread->bounds = (struct ep_stack_bounds){ 0 };
	add(thread, &waited, off_ns);
	thread->bounds = bounds;
}
