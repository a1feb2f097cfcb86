// SPDX-License-Identifier: BSD-3-Clause
/* Writes a thread's measurements to the trace. Runs in the thread's signal handler; nothing allocates. */
#include "thread_write.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "common/os/sys.h"
#include "common/os/system_time.h"
#include "preload/recording/machine_times.h"
#include "preload/recording/recording.h"
#include "preload/thread/slice_rows.h"
#include "preload/unwind/modules.h"

#define UNSEEN_FLUSH_US 100000
#define FIRST_FLUSH_US 200000
/* rows are then written within a second, even with a period of 10 ms and where a lock is taken at some ticks */
#define LAST_FLUSH_US 900000
#define STALE_US 800000

static void append_totals(struct ep_thread *thread, struct ep_wire *wire)
{
	size_t at = ep_block_start(wire, EP_BLOCK_TOTALS, ep_recording.key);
	const struct ep_plan *plan = &ep_recording.plan;
	struct rusage usage = { 0 };
	bool is_me = thread == ep_self;

	if (is_me) {
		/* another thread may have named this one */
		ep_sys(__NR_prctl, PR_GET_NAME, thread->name, 0, 0, 0);
		ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
		thread->counters.system_us = ep_system_time_of(&usage);
	}
	thread->n_switches =
		is_me ? (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw) : EP_READY_UNKNOWN;
	ep_wire_u(wire, thread->idx);
	ep_wire_u(wire, thread->tid);
	ep_wire_string(wire, thread->name, strnlen(thread->name, sizeof(thread->name)));
	ep_wire_u(wire, thread->is_final);
	ep_wire_u(wire, thread->start_us);
	ep_wire_u(wire, thread->slice_start_us);
	ep_wire_u(wire, thread->cpu_ns);
	ep_wire_u(wire, thread->n_samples);
	ep_wire_u(wire, thread->n_lost);
	ep_wire_u(wire, thread->own_ns);
	ep_wire_u(wire, usage.ru_minflt);
	ep_wire_u(wire, usage.ru_majflt);
	ep_wire_u(wire, usage.ru_nvcsw);
	ep_wire_u(wire, usage.ru_nivcsw);
	ep_wire_u(wire, plan->n_groups);
	for (uint32_t g = 0; g < plan->n_groups; g++) {
		const struct ep_group *group = &plan->groups[g];

		ep_wire_u(wire, thread->sums[g].n_slices);
		ep_wire_u(wire, thread->sums[g].enabled_ns);
		ep_wire_u(wire, thread->sums[g].running_ns);
		ep_wire_u(wire, group->n_events);
		for (uint32_t i = 0; i < group->n_events; i++)
			ep_wire_u(wire, thread->counts[group->first_slot + i]);
	}
	ep_block_finish(wire, at);
}

/* Appends the thread's account of run queues, or nothing where it is not known. */
static void append_ready(struct ep_thread *thread, struct ep_wire *wire)
{
	size_t at;

	if (!thread->ready.is_known)
		return;
	at = ep_block_start(wire, EP_BLOCK_READY, ep_recording.key);
	ep_wire_u(wire, thread->idx);
	ep_wire_u(wire, thread->ready.ready_ns);
	ep_wire_u(wire, thread->ready.n_turns);
	ep_block_finish(wire, at);
}

/* Appends one block by append(). When the block does not fit, the blocks before it are written first. */
typedef void (*append_fn)(struct ep_thread *thread, struct ep_wire *wire);

static void append_or_flush(append_fn append, struct ep_thread *thread)
{
	struct ep_wire *wire = &ep_recording.out.raw;

	append(thread, wire);
	if (!wire->overflow)
		return;
	ep_out_flush(&ep_recording.out);
	append(thread, wire);
}

static void append_modules(struct ep_thread *thread, struct ep_wire *wire)
{
	(void)thread;
	ep_modules_append(wire, ep_recording.key);
}

static void append_codes(struct ep_thread *thread, struct ep_wire *wire)
{
	if (thread->interpreted)
		ep_codes_append(&thread->interpreted->codes, thread->idx, ep_recording.key, wire);
}

static void append_paths(struct ep_thread *thread, struct ep_wire *wire)
{
	ep_tree_append(&thread->tree, thread->idx, ep_recording.key, wire);
}

static void append_rows(struct ep_thread *thread, struct ep_wire *wire)
{
	ep_slice_rows_append(thread, wire);
}

static void append_regions(struct ep_thread *thread, struct ep_wire *wire)
{
	ep_region_rows_append(
		&thread->region, &thread->regions, thread->idx, ep_recording.key, wire);
}

static void append_waits(struct ep_thread *thread, struct ep_wire *wire)
{
	thread->waits.has_regions =
		atomic_load_explicit(&thread->region.is_used, memory_order_relaxed);
	ep_wait_rows_append(
		&thread->waits, thread->idx, thread->tree.epoch, ep_recording.key, wire);
}

/* Returns the age for the next write. Where evprof does not notice the end of threads (ends_unseen), slices are written
 * early, so that few of them are lost. */
uint64_t ep_thread_flush_after(uint64_t last_us)
{
	if (ep_recording.ends_unseen)
		return UNSEEN_FLUSH_US;
	if (!last_us)
		return FIRST_FLUSH_US;
	return last_us * 2 < LAST_FLUSH_US ? last_us * 2 : LAST_FLUSH_US;
}

uint64_t ep_thread_flush_after_most(void)
{
	return ep_recording.ends_unseen ? UNSEEN_FLUSH_US : LAST_FLUSH_US;
}

static void write_by(struct ep_thread *thread, int (*flush)(struct ep_out *out))
{
	append_or_flush(append_modules, thread);
	append_or_flush(append_codes, thread);
	append_or_flush(append_paths, thread);
	append_or_flush(append_regions, thread);
	append_or_flush(append_rows, thread);
	if (ep_recording.waits_ns)
		append_or_flush(append_waits, thread);
	append_or_flush(append_totals, thread);
	ep_ready_read(&thread->ready, thread->n_switches);
	append_or_flush(append_ready, thread);
	if (!flush(&ep_recording.out))
		ep_modules_written();
	ep_tree_sent(&thread->tree);
	if (thread->interpreted)
		ep_codes_sent(&thread->interpreted->codes);
	ep_region_rows_sent(&thread->region, &thread->regions);
	ep_slice_rows_clear(&thread->rows);
	if (ep_recording.waits_ns) {
		ep_wait_rows_clear(&thread->waits);
		ep_nonblocking_forget_all();
	}
	atomic_store_explicit(&thread->has_news, false, memory_order_relaxed);
	thread->last_flush_us = ep_recording_now_us();
	thread->flush_after_us = ep_thread_flush_after(thread->flush_after_us);
}

void ep_thread_write(struct ep_thread *thread)
{
	write_by(thread, ep_out_flush);
}

static void write_stale(const struct ep_thread *but)
{
	uint64_t now_us = ep_recording_now_us();

	for (struct ep_thread *t = ep_threads_first(); t; t = t->next) {
		if (t == but || t->state != EP_THREAD_LIVE || !t->has_news ||
			now_us - t->last_flush_us < STALE_US || !ep_thread_try_lock(t))
			continue;
		if (t->state == EP_THREAD_LIVE && t->has_news)
			write_by(t, ep_out_flush_running);
		ep_thread_unlock(t);
	}
}

bool ep_thread_flush(struct ep_thread *thread)
{
	if (!ep_out_try_lock(&ep_recording.out))
		return false;
	if (!ep_out_is_ready(&ep_recording.out)) {
		ep_recording.has_put_off |= thread->n_lost != 0;
		ep_out_unlock(&ep_recording.out);
		return false;
	}
	ep_machine_times_append_due(&ep_recording.out.raw);
	write_by(thread, ep_out_flush_running);
	write_stale(thread);
	ep_out_unlock(&ep_recording.out);
	if (ep_recording.out.failure)
		ep_recording_give_up("the trace cannot be written any more, measuring stops here",
			ep_recording.out.failure);
	return true;
}
