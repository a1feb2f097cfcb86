// SPDX-License-Identifier: BSD-3-Clause
/* Begins and ends measuring in each thread. Nothing here allocates. */
#include "thread_life.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "alternate.h"
#include "common/os/sys.h"
#include "preload/interpreter/find.h"
#include "preload/recording/recording.h"
#include "preload/thread/slice_rows.h"
#include "preload/thread/thread_write.h"
#include "preload/unwind/unwinder.h"
#include "slice.h"
#include "waits.h"

#define TOUCHED_STACK_BYTES 4096
#define TOUCHED_ALTERNATE_BYTES 8192
#define TOUCHED_ROWS_BYTES 64
#define MAX_WAIT_NS 100000000

static void read_name(struct ep_thread *thread)
{
	ep_sys(__NR_prctl, PR_GET_NAME, thread->name, 0, 0, 0);
}

/* Gives the new thread the name of its creator, as the kernel does. The kernel is asked for the name when the thread's
 * totals are written. */
void ep_thread_inherit_name(struct ep_thread *thread)
{
	if (ep_self)
		memcpy(thread->name, ep_self->name, sizeof(thread->name));
	else
		thread->name[0] = '\0';
}

/* Notes the thread's name. A child of vfork has a name of its own and runs on its parent's record, so it
 * notes nothing. */
void ep_thread_note_name(void)
{
	struct ep_thread *thread = ep_self;

	if (thread && thread->tid == ep_sys_gettid())
		read_name(thread);
}

static void reset_record(struct ep_thread *thread)
{
	thread->idx = atomic_fetch_add(&ep_recording.n_threads, 1);
	thread->tid = ep_sys_gettid();
	thread->n_destructor_rounds = 0;
	thread->is_final = false;
	thread->slice_idx = 0;
	thread->last_node_idx = 0;
	thread->cpu_ns = thread->own_ns = 0;
	thread->n_samples = thread->n_lost = 0;
	memset(thread->sums, 0, sizeof(thread->sums[0]) * ep_recording.plan.n_groups);
	memset(thread->counts, 0, sizeof(thread->counts[0]) * ep_recording.plan.n_slots);
	thread->flush_after_us = ep_thread_flush_after(0);
	thread->has_news = true;
	ep_slice_rows_clear(&thread->rows);
	ep_tree_reset(&thread->tree);
	if (thread->interpreted)
		ep_interpreted_reset(thread->interpreted);
	thread->counters.plan = &ep_recording.plan;
	thread->counters.is_first = thread->idx == 0;
	thread->counters.is_forked = false;
	thread->counters.is_lost = false;
	thread->counters.n_stops = 0;
	thread->counters.system_us = 0;
	ep_trigger_init(&thread->trigger, (uint64_t)thread->tid);
	if (!thread->name[0])
		read_name(thread);
}

static void touch(const void *from, size_t size)
{
	uint64_t page_bytes = getauxval(AT_PAGESZ), start = (uint64_t)from & ~(page_bytes - 1);

	ep_sys(__NR_madvise, start, (uint64_t)from + size - start, MADV_POPULATE_WRITE);
}

/* Touches the pages that the handler writes before it has read the counts, so that no page fault of evprof falls into a
 * slice. Where the handler writes to new pages later, the counts are read again (take_slice). To touch a page takes 4
 * us on a virtual machine, and a fault 12 to 30 us; to touch more pages would take a third of the time in which a short
 * process starts. The pages of a record that another thread had before are touched already, but a fork may have made
 * them shared. */
static void touch_pages(struct ep_thread *thread)
{
	uint32_t n_forks = ep_recording.n_forks;

	if (thread->is_touched && thread->n_forks_touched == n_forks)
		return;
	thread->is_touched = true;
	thread->n_forks_touched = n_forks;
	touch(thread->handler_stack + EP_HANDLER_STACK_BYTES - TOUCHED_STACK_BYTES,
		TOUCHED_STACK_BYTES);
	if (ep_alternate_is_used())
		touch(thread->alternate_stack + EP_ALTERNATE_STACK_BYTES - TOUCHED_ALTERNATE_BYTES,
			TOUCHED_ALTERNATE_BYTES);
	touch(thread, offsetof(struct ep_thread, rows.data) + TOUCHED_ROWS_BYTES);
	if (ep_recording.waits_ns)
		touch(&thread->wait_now, sizeof(thread->wait_now) + sizeof(thread->waits));
}

/* Begins measuring. The record's lock is held, so that another thread which ends the process in the meantime sees a
 * complete record, or still the record of the previous thread. The first slice begins last. The CPU time from
 * begun_cpu_ns to its start is evprof's own time. */
static void begin_measuring(struct ep_thread *thread, uint64_t begun_cpu_ns)
{
	bool is_locked = ep_thread_wait_lock(thread);
	uint64_t now_us, own_us;
	int rc, clock_rc;

	thread->group = thread->idx % ep_recording.plan.n_groups;
	ep_turns_start(&thread->turns, ep_recording.plan.n_groups, thread->idx);
	rc = ep_recording.source->open(&thread->counters, thread->group);
	if (rc == -EMFILE || rc == -ENFILE)
		ep_recording.is_short = true;
	atomic_store(&thread->state, EP_THREAD_LIVE);
	ep_self = thread;
	clock_rc = ep_clock_open(&thread->clock, ep_recording.clock_kind, ep_recording_window_ns(),
		ep_recording.calls_ns);
	if (clock_rc)
		thread->clock.kind = EP_CLOCK_NONE;
	thread->is_unticked = clock_rc == -EAGAIN;
	if (thread->is_unticked)
		ep_recording.has_no_ticks = true;
	ep_recording_debug("thread %d begins: counters %s, clock %s", thread->tid,
		rc ? strerrordesc_np(-rc) : "open", clock_rc ? strerrordesc_np(-clock_rc) : "set");
	ep_slice_start(thread);
	now_us = ep_recording_us_of(thread->slice_start_ns);
	thread->slice_start_us = now_us;
	thread->last_flush_us = now_us;
	if (ep_recording.waits_ns)
		ep_waits_start(thread);
	if (thread->slice_start_cpu_ns > begun_cpu_ns)
		thread->own_ns = thread->slice_start_cpu_ns - begun_cpu_ns;
	own_us = thread->own_ns / 1000;
	/* the thread's life includes evprof's own time before the first slice */
	thread->start_us = now_us - (own_us < now_us ? own_us : now_us);
	if (is_locked)
		ep_thread_unlock(thread);
}

void ep_thread_begin(struct ep_thread *thread, uint64_t low, uint64_t high)
{
	uint64_t own_signal = 1ull << (EP_SLICE_SIGNAL - 1);
	uint64_t begun_cpu_ns = ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	thread->bounds = (struct ep_stack_bounds){ low, high };
	touch_pages(thread);
	reset_record(thread);
	ep_region_rows_clear(&thread->region, &thread->regions);
	ep_alternate_set(thread);
	if (thread->tid == (int)ep_recording.key.pid)
		ep_ready_open(&thread->ready);
	else
		ep_ready_begin(&thread->ready, thread->tid);
	begin_measuring(thread, thread->idx ? begun_cpu_ns : ep_recording.begun_cpu_ns);
	ep_sys_sigmask(SIG_UNBLOCK, &own_signal, NULL);
}

/* Writes the thread's last rows. The caller holds the record's lock. The last slice ends first, since all later work is
 * evprof's. Where another thread that ends the process has written the rows before (is_final), nothing is written. */
static void write_last(struct ep_thread *thread)
{
	if (!thread->is_final)
		ep_slice_cut(thread);
	ep_clock_close(&thread->clock);
	if (thread->is_final || !ep_out_wait_lock(&ep_recording.out))
		return;
	thread->is_final = true;
	ep_thread_write(thread);
	ep_out_unlock(&ep_recording.out);
}

void ep_thread_debug_end(const struct ep_thread *thread)
{
	uint64_t window_us = ep_recording_window_ns() / 1000;

	ep_recording_debug("thread %d ends: %llu us of CPU time, %llu slices, %llu lost%s",
		thread->tid, (unsigned long long)thread->cpu_ns / 1000,
		(unsigned long long)thread->n_samples, (unsigned long long)thread->n_lost,
		thread->n_samples <= 1 && thread->cpu_ns / 1000 < window_us
			? "; at most one slice, since the thread used less CPU time than one takes"
			: "");
}

void ep_thread_end(struct ep_thread *thread)
{
	uint64_t mask = ep_sys_block_signals();
	bool is_written = false;

	if (ep_recording.waits_ns)
		ep_waits_end_open(thread);
	if (ep_thread_wait_lock(thread)) {
		write_last(thread);
		ep_thread_debug_end(thread);
		ep_recording.source->close(&thread->counters);
		ep_ready_close(&thread->ready);
		ep_alternate_unset(thread);
		ep_self = NULL;
		is_written = thread->is_final;
		ep_thread_unlock(thread);
	}
	ep_sys_restore_signals(mask);
	atomic_store(&thread->is_at_edge, false);
	/* a record that was not written is kept: the thread that ends the process writes the rest */
	if (is_written)
		ep_thread_release(thread);
}

/* Writes one thread's rows. The caller holds the locks of the record and of the trace. */
static void flush_one(struct ep_thread *thread, bool final)
{
	if (ep_recording.waits_ns)
		ep_waits_note_open(thread);
	ep_slice_cut(thread);
	thread->is_final = final;
	ep_thread_write(thread);
	if (thread == ep_self && !final)
		ep_slice_start(thread);
}

/* Writes the rows of all threads. A record's lock is taken before the trace's lock, as at a thread's end. So a thread
 * that is just ending writes its last slices before this function goes on, whether it saw the process end or not. */
void ep_thread_flush_all(bool final)
{
	uint64_t mask = ep_sys_block_signals();
	bool can_write = true;

	for (struct ep_thread *t = ep_threads_first(); t && can_write; t = t->next) {
		if (t->state != EP_THREAD_LIVE || !ep_thread_wait_lock(t))
			continue;
		can_write = ep_out_wait_lock(&ep_recording.out);
		if (can_write && t->state == EP_THREAD_LIVE && !t->is_final)
			flush_one(t, final);
		if (can_write)
			ep_out_unlock(&ep_recording.out);
		ep_thread_unlock(t);
	}
	ep_sys_restore_signals(mask);
}

void ep_thread_forget_paths(void)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next)
		t->forgets_paths = true;
}

void ep_thread_wait_while(bool (*is_so)(void))
{
	uint64_t deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + MAX_WAIT_NS;
	struct timespec nap = { .tv_nsec = 50000 };

	/* The thread sleeps, since a real-time thread that only yields lets no other thread run on the same CPU. */
	while (is_so() && ep_now_ns(CLOCK_MONOTONIC) < deadline_ns)
		ep_sys(__NR_nanosleep, &nap, NULL);
}

static bool is_edge_beside(void)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next)
		if (t != ep_self && t->is_at_edge)
			return true;
	return false;
}

void ep_thread_wait_for_edges(void)
{
	ep_thread_wait_while(is_edge_beside);
}

void ep_thread_stop_all(void)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next) {
		if (t->state != EP_THREAD_LIVE)
			continue;
		if (ep_thread_wait_lock(t)) {
			ep_clock_close(&t->clock);
			ep_recording.source->close(&t->counters);
			ep_ready_close(&t->ready);
			ep_thread_unlock(t);
		}
	}
}

void ep_thread_after_fork(void)
{
	struct ep_thread *self = ep_self;

	ep_unwind_after_fork();
	ep_unwinder_after_fork();
	ep_interpreters_after_fork();
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next) {
		atomic_store(&t->lock, 0);
		atomic_store(&t->is_at_edge, false);
		ep_clock_forget(&t->clock);
		t->counters.is_open = false;
		if (t != self)
			atomic_store(&t->state, EP_THREAD_FREE);
	}
	if (!self)
		return;
	reset_record(self);
	self->counters.is_forked = true;
	ep_region_rows_after_fork(&self->region, &self->regions, ep_now_ns(CLOCK_MONOTONIC));
	ep_ready_begin(&self->ready, self->tid);
	begin_measuring(self, ep_recording.begun_cpu_ns);
}
