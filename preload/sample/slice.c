// SPDX-License-Identifier: BSD-3-Clause
/* This code runs in the signal handler, on a stack of evprof's own, and does not call malloc. Memory for the functions
 * of scripts is mapped once for each thread. */
#include "slice.h"

#include <string.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "common/os/system_time.h"
#include "own_frames.h"
#include "preload/interpreter/find.h"
#include "preload/recording/recording.h"
#include "preload/thread/slice_rows.h"
#include "preload/thread/thread_write.h"
#include "preload/unwind/unwinder.h"
#include "waits.h"

#define MAX_UNSENT_NODES 1500
#define SURELY_ON_CPU_NS 20000
#define LATE_NS 30000 /* on a virtual machine a signal comes about 10 us after its tick */
#define TRUSTED_SLICES 15
#define TRUSTED_NS 5000
#define ROWS_PAGE_BYTES 4096

EP_SLICE_CODE uint64_t ep_slice_cpu_ns(const struct ep_thread *thread)
{
	if (thread == ep_self)
		return ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* the kernel's clock of another thread: CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED */
	return ep_sys_clock_ns((clockid_t)((~(unsigned)thread->tid << 3) | 6));
}

static EP_SLICE_CODE void start_counters(struct ep_thread *thread)
{
	thread->counters.trigger_member = thread->trigger.member;
	thread->counters.trigger_count = thread->trigger.period;
	ep_recording.source->start(&thread->counters, thread->group);
}

static EP_SLICE_CODE void choose_trigger(struct ep_thread *thread)
{
	const struct ep_plan *plan = &ep_recording.plan;

	if (ep_recording.has_triggers)
		ep_trigger_choose(&thread->trigger, plan, thread->group,
			&thread->counts[plan->groups[thread->group].first_slot]);
}

void ep_slice_start(struct ep_thread *thread)
{
	thread->slice_start_cpu_ns = ep_slice_cpu_ns(thread);
	thread->slice_start_ns = ep_now_ns(CLOCK_MONOTONIC);
	thread->window_start_cpu_ns = thread->slice_start_cpu_ns;
	thread->counters.goes_on = false;
	choose_trigger(thread);
	start_counters(thread);
}

/* Adds a slice's counts and times to the sums of its group. The counts of a group that was on for longer (enabled_ns)
 * than it counted (running_ns) have to be scaled; other counts are exact. For a slice whose counters are gone the
 * source has no times, so the length of the slice (gone_ns) is added as time without counting. */
static void add_to_sums(
	struct ep_thread *thread, const struct ep_slice_counts *counts, uint64_t gone_ns)
{
	const struct ep_group *group = &ep_recording.plan.groups[thread->group];
	struct ep_group_sums *sums = &thread->sums[thread->group];

	sums->enabled_ns += counts->did_run || counts->enabled_ns ? counts->enabled_ns : gone_ns;
	if (!counts->did_run)
		return;
	sums->n_slices++;
	sums->running_ns += counts->running_ns;
	for (uint32_t i = 0; i < group->n_events; i++)
		thread->counts[group->first_slot + i] += counts->values[i];
}

static EP_SLICE_CODE void record_slice(struct ep_thread *thread, uint32_t node_idx, uint32_t flags,
	const struct ep_slice_counts *counts, uint64_t now_us, uint64_t cpu_ns)
{
	struct ep_slice_row row = {
		.cpu_us = (thread->cpu_ns + cpu_ns) / 1000 - thread->cpu_ns / 1000,
		.wall_us = now_us - thread->slice_start_us,
		.idle_us = (counts->enabled_ns - counts->running_ns) / 1000,
		.node_idx = node_idx,
		.group = thread->group,
		.flags = flags | (counts->did_run ? 0 : EP_SAMPLE_NOT_RUN) |
			 (flags & EP_SAMPLE_IN_CALL
					 ? ep_sample_more_looks_flags(thread->n_more_looks)
					 : ep_trigger_flags(&thread->trigger)),
		.n_values = counts->did_run ? ep_recording.plan.groups[thread->group].n_events : 0,
		.values = counts->values,
	};

	if (!thread->rows.n_rows) {
		thread->rows.start_us = thread->slice_start_us;
		thread->rows.first_slice = thread->slice_idx;
	}
	if (ep_slice_rows_add(&thread->rows, &row))
		thread->n_samples++;
	else
		thread->n_lost++;
	if (ep_region_has_changed(&thread->region))
		ep_region_rows_note(&thread->region, &thread->regions, thread->slice_idx);
	/* some sources read only the calling thread's counts, and another thread may cut a slice: without counts, a
	 * slice that was cut adds no time */
	add_to_sums(thread, counts, flags & EP_SAMPLE_CUT ? 0 : cpu_ns);
	atomic_store_explicit(&thread->has_news, true, memory_order_relaxed);
	thread->cpu_ns += cpu_ns;
	thread->slice_idx++;
	thread->counters.n_stops++;
	thread->slice_start_us = now_us;
	thread->last_node_idx = node_idx;
}

static void begin_paths_anew(struct ep_thread *thread)
{
	ep_tree_reset(&thread->tree);
	if (ep_recording.waits_ns)
		ep_wait_rows_forget_last(&thread->waits);
}

/* Returns the node of thread->stack. When the tree is full, it is written and emptied. 0: it could not be written. */
static EP_SLICE_CODE uint32_t find_node(struct ep_thread *thread, uint64_t now_us)
{
	uint32_t node_idx = ep_tree_add(&thread->tree, &thread->stack, now_us);

	if (node_idx != EP_TREE_FULL)
		return node_idx;
	if (!ep_thread_flush(thread))
		return 0;
	begin_paths_anew(thread);
	node_idx = ep_tree_add(&thread->tree, &thread->stack, now_us);
	return node_idx == EP_TREE_FULL ? 0 : node_idx;
}

/* Puts the functions of a script into the stack, in place of the interpreter's frames that execute these functions. */
static EP_SLICE_CODE bool name_script_frames(struct ep_thread *thread)
{
	if (!thread->interpreted)
		thread->interpreted = ep_sys_map(sizeof(*thread->interpreted));
	if (!thread->interpreted)
		return false;
	thread->interpreted->python.peek.pid = ep_recording_known_pid();
	return ep_interpreted_merge(thread->interpreted, &thread->stack);
}

/* Returns the node of the stack, with a script's functions in place of the interpreter's frames. The first tick in an
 * interpreter finds the interpreter. Only the calling thread's functions can be read, so a thread that ends the process
 * notes the open waits of other threads without the functions of scripts. */
static EP_SLICE_CODE uint32_t find_script_node(struct ep_thread *thread, uint64_t now_us)
{
	uint32_t node_idx;

	if (thread != ep_self)
		return find_node(thread, now_us);
	if (ep_interpreters_are_there())
		name_script_frames(thread);
	node_idx = find_node(thread, now_us);
	if (!ep_recording.settings.interpreters || !ep_interpreters_are_due() ||
		!ep_interpreters_look() || !name_script_frames(thread))
		return node_idx;
	return find_node(thread, now_us);
}

static bool wants_flush(const struct ep_thread *thread, uint64_t now_us, uint64_t after_us)
{
	return ep_slice_rows_are_full(&thread->rows) ||
	       thread->tree.n_nodes - thread->tree.first_unsent > MAX_UNSENT_NODES ||
	       ep_region_rows_are_full(&thread->region, &thread->regions) ||
	       (thread->interpreted && ep_codes_want_flush(&thread->interpreted->codes)) ||
	       now_us - thread->last_flush_us > after_us;
}

static void reopen_counters(struct ep_thread *thread)
{
	ep_recording.source->close(&thread->counters);
	thread->counters.is_lost = false;
	ep_recording.source->open(&thread->counters, thread->group);
}

static uint32_t next_group(struct ep_thread *thread)
{
	uint32_t n_groups = ep_recording.plan.n_groups;

	if (ep_recording.source->keeps_order && ep_recording.source->keeps_order())
		return ep_turns_in_order(thread->group, n_groups);
	return ep_turns_next(&thread->turns, thread->sums, thread->group, n_groups);
}

/* Tells whether the window goes on after this tick: only a tick by time ends the window. */
static bool stays_in_window(const struct ep_thread *thread)
{
	return thread->is_triggers_tick || thread->is_calls_tick;
}

/* Tells whether a tick ends a slice. Where a tick costs more than a period (a tracer stops the program at every signal,
 * or a machine is emulated), ticks are pending all the time. A tick that comes just after another is ignored, or the
 * program would make no progress. */
static bool is_due(struct ep_thread *thread, uint64_t cpu_ns)
{
	uint64_t gone_ns = cpu_ns - thread->window_start_cpu_ns;

	if (stays_in_window(thread))
		return cpu_ns > thread->slice_start_cpu_ns;
	/* A flush of all threads may have begun a new window since the tick: a tick in the first eighth
	 * of a window is ignored. The first tick may come after any part of a window. */
	return cpu_ns > thread->slice_start_cpu_ns &&
	       (thread->clock.n_ticks ? gone_ns >= ep_recording_window_ns() / 8
				      : ep_clock_first_tick(&thread->clock, gone_ns));
}

/* Tells whether a long slice is long for another reason than a system call of the program. The kernel is asked for the
 * time in system calls only after a slice that is far too long, since each question is a system call itself. */
static bool is_not_system(struct ep_thread *thread, uint64_t slice_ns)
{
	uint64_t before_us = thread->counters.system_us;

	if (!ep_system_time_is_short(slice_ns, ep_recording.period_ns, 0))
		return false;
	thread->counters.system_us = ep_system_time_us();
	return ep_system_time_is_short(
		slice_ns, ep_recording.period_ns, thread->counters.system_us - before_us);
}

static uint32_t flags_of(struct ep_thread *thread, uint64_t slice_ns)
{
	bool is_late =
		thread->is_schedulers_tick || (thread->is_handlers_end && !stays_in_window(thread));

	return (thread->stack.cut ? EP_SAMPLE_DEEP : 0) |
	       (thread->stack.broken ? EP_SAMPLE_BROKEN : 0) |
	       (is_late ? EP_SAMPLE_AT_SCHEDULERS_TICK : 0) |
	       (stays_in_window(thread) ? EP_SAMPLE_AT_EVENT : 0) |
	       (thread->is_calls_tick ? EP_SAMPLE_IN_CALL : 0) |
	       (thread->is_calls_tick && thread->is_faults_tick ? EP_SAMPLE_IN_FAULT : 0) |
	       (thread->clock.is_slowed ? EP_SAMPLE_UNTICKED : 0) |
	       (is_not_system(thread, slice_ns) ? EP_SAMPLE_NOT_SYSTEM : 0);
}

/* The end of a slice, by two clocks, and its counts. */
struct end {
	uint64_t now_ns; /* the end by CLOCK_MONOTONIC */
	uint64_t cpu_ns; /* the end by the thread's CPU time */
	struct ep_slice_counts counts;
};

static bool is_near(uint64_t a_ns, uint64_t b_ns, uint64_t reach_ns)
{
	return a_ns - b_ns + reach_ns <= 2 * reach_ns;
}

/* Asks the kernel for the thread's CPU time, and subtracts the time since the slice's end. Nothing is subtracted if so
 * much time passed that the thread may have left its CPU. */
static EP_SLICE_CODE uint64_t ask_cpu_ns(const struct ep_thread *thread, uint64_t end_ns)
{
	uint64_t cpu_ns = ep_slice_cpu_ns(thread), since_ns = ep_now_ns(CLOCK_MONOTONIC) - end_ns;

	return since_ns < SURELY_ON_CPU_NS ? cpu_ns - since_ns : cpu_ns;
}

/* Returns the CPU time at the slice's end for a thread that never left its CPU. Such a thread used all of the time that
 * passed, except the time that a hypervisor took and, where the kernel accounts for them, the time of interrupts. So
 * its CPU time is computed from CLOCK_MONOTONIC, which needs no system call, and is compared with the kernel's value
 * after every TRUSTED_SLICES slices. */
static EP_SLICE_CODE uint64_t cpu_ns_if_stayed(
	struct ep_thread *thread, uint64_t end_ns, uint64_t expected_ns)
{
	uint64_t cpu_ns;

	if (thread->n_trusted &&
		expected_ns - thread->slice_start_cpu_ns < ep_recording_window_ns() / 2 * 3) {
		thread->n_trusted--;
		return expected_ns;
	}
	cpu_ns = ask_cpu_ns(thread, end_ns);
	thread->n_trusted = is_near(cpu_ns, expected_ns, TRUSTED_NS) ? TRUSTED_SLICES : 0;
	return cpu_ns;
}

/* Returns the CPU time at the slice's end. At a tick of the scheduler the kernel has just updated the thread's account,
 * and the source, which reads the account anyway, has the CPU time. The source's value is used if it agrees with
 * CLOCK_MONOTONIC, which needs no system call. If they differ, the source's value includes a system call that went on
 * for long after the tick. At other ticks CLOCK_MONOTONIC alone is used for a thread that stayed on its CPU. */
static EP_SLICE_CODE uint64_t told_cpu_ns(
	struct ep_thread *thread, const struct end *end, uint64_t expected_ns)
{
	if (thread->is_schedulers_tick && is_near(expected_ns, end->counts.cpu_ns, LATE_NS))
		return end->counts.cpu_ns;
	return end->counts.stayed_on_cpu ? cpu_ns_if_stayed(thread, end->now_ns, expected_ns)
					 : ask_cpu_ns(thread, end->now_ns);
}

static EP_SLICE_CODE bool stop_slice_by_source(struct ep_thread *thread, struct end *end)
{
	uint64_t expected_ns;

	end->now_ns = ep_now_ns(CLOCK_MONOTONIC);
	expected_ns = thread->slice_start_cpu_ns + (end->now_ns - thread->slice_start_ns);
	if (!is_due(thread, expected_ns))
		return false;
	ep_recording.source->stop(&thread->counters, thread->group, false, &end->counts);
	end->cpu_ns = told_cpu_ns(thread, end, expected_ns);
	if (end->cpu_ns < thread->slice_start_cpu_ns)
		end->cpu_ns = thread->slice_start_cpu_ns;
	return true;
}

/* Returns false where the slice is not due yet. */
static EP_SLICE_CODE bool stop_slice(struct ep_thread *thread, struct end *end)
{
	if (ep_recording.source->tells_cpu_time)
		return stop_slice_by_source(thread, end);
	end->cpu_ns = ep_slice_cpu_ns(thread);
	if (!is_due(thread, end->cpu_ns))
		return false;
	end->now_ns = ep_now_ns(CLOCK_MONOTONIC);
	ep_recording.source->stop(&thread->counters, thread->group, false, &end->counts);
	return true;
}

/* Returns the number of the page that holds the last byte of the thread's rows. */
static uintptr_t rows_page(const struct ep_thread *thread)
{
	return (uintptr_t)(thread->rows.data + thread->rows.size_bytes - 1) / ROWS_PAGE_BYTES;
}

static EP_SLICE_CODE void walk(struct ep_thread *thread, const void *context)
{
	ep_unwinder_chosen->walk(ep_context_below_handler(context), thread->bounds,
		&thread->unwind_memory, &thread->stack);
	ep_leave_out_own_frames(&thread->stack);
	if (ep_recording.waits_ns)
		ep_leave_out_hooks(&thread->stack);
	if (thread->forgets_paths && ep_thread_flush(thread)) {
		thread->forgets_paths = false;
		begin_paths_anew(thread);
	}
}

uint32_t ep_slice_find_path(struct ep_thread *thread, const void *context, uint64_t now_us)
{
	walk(thread, context);
	return find_script_node(thread, now_us);
}

void ep_slice_flush_if_due(struct ep_thread *thread, uint64_t now_us)
{
	uint64_t after_us =
		thread->rows.n_rows ? thread->flush_after_us : ep_thread_flush_after_most();

	if (wants_flush(thread, now_us, after_us) || ep_wait_rows_are_full(&thread->waits))
		ep_thread_flush(thread);
}

/* Takes a slice. Returns true if it wrote only to pages that earlier slices had written to. If not, the counters may
 * have counted a page fault of evprof, which is not the program's. */
static EP_SLICE_CODE bool take_slice(
	struct ep_thread *thread, const void *context, const struct end *end)
{
	uint64_t slice_ns = end->cpu_ns - thread->slice_start_cpu_ns;
	uint64_t now_us = ep_recording_us_of(end->now_ns);
	bool is_forked = ep_recording.n_forks != thread->n_forks;
	uintptr_t page = rows_page(thread);
	uint32_t flags, node_idx, n_nodes;

	if (is_forked)
		thread->n_forks = ep_recording.n_forks;
	walk(thread, context);
	n_nodes = thread->tree.n_nodes;
	flags = flags_of(thread, slice_ns);
	node_idx = find_script_node(thread, now_us);
	record_slice(thread, node_idx, flags, &end->counts, now_us, slice_ns);
	if (!wants_flush(thread, now_us, thread->flush_after_us))
		return !is_forked && ep_recording.n_forks == thread->n_forks &&
		       !thread->unwind_memory.is_new &&
		       !(thread->interpreted && thread->interpreted->is_new) &&
		       thread->tree.n_nodes == n_nodes && rows_page(thread) == page;
	ep_thread_flush(thread);
	return false;
}

/* Goes on with the same group and the same event. Returns false, as next_window does at a usual tick. */
static EP_SLICE_CODE bool stay_in_window(struct ep_thread *thread)
{
	if (thread->is_calls_tick)
		ep_trigger_go_on(&thread->trigger);
	else
		ep_trigger_again(&thread->trigger);
	return false;
}

/* Returns true where the clock did more than at a usual tick. */
static EP_SLICE_CODE bool next_window(struct ep_thread *thread, uint64_t cpu_ns)
{
	ep_trigger_end_window(&thread->trigger, thread->group);
	thread->group = next_group(thread);
	choose_trigger(thread);
	return ep_clock_tick(&thread->clock, cpu_ns);
}

/* Begins the next slice. The time since the end of the last one is evprof's own time. */
static EP_SLICE_CODE void go_on(
	struct ep_thread *thread, const struct end *end, bool touched_nothing_new)
{
	uint64_t taken_ns;
	bool is_other_tick;

	if (thread->counters.is_lost)
		reopen_counters(thread);
	if (end->counts.did_run && !thread->counters.trigger_stops)
		ep_trigger_note_counts(&thread->trigger, end->counts.values);
	is_other_tick =
		stays_in_window(thread) ? stay_in_window(thread) : next_window(thread, end->cpu_ns);
	thread->slice_start_ns = ep_now_ns(CLOCK_MONOTONIC);
	taken_ns = thread->slice_start_ns - end->now_ns;
	/* the kernel is asked for the CPU time only after so much time that the thread may have left its CPU */
	thread->counters.goes_on =
		touched_nothing_new && !is_other_tick && taken_ns < SURELY_ON_CPU_NS;
	thread->slice_start_cpu_ns =
		taken_ns < SURELY_ON_CPU_NS ? end->cpu_ns + taken_ns : ep_slice_cpu_ns(thread);
	ep_waits_slice_begins(thread);
	if (!stays_in_window(thread))
		thread->window_start_cpu_ns = thread->slice_start_cpu_ns;
	start_counters(thread);
	/* an end that was computed from CLOCK_MONOTONIC may be later than the CPU time that the kernel reports */
	if (thread->slice_start_cpu_ns > end->cpu_ns)
		thread->own_ns += thread->slice_start_cpu_ns - end->cpu_ns;
}

EP_SLICE_CODE void ep_slice_tick(struct ep_thread *thread, const void *context)
{
	struct end end;

	/* Without the lock no system call is allowed: a thread that enters a sandbox takes the lock first. */
	if (!ep_thread_try_lock(thread))
		return;
	if (!ep_recording.is_on)
		ep_clock_close(&thread->clock);
	else if (stop_slice(thread, &end))
		go_on(thread, &end, take_slice(thread, context, &end));
	ep_thread_unlock(thread);
}

/* Returns the node for a slice that is cut: the node of the last tick. A thread that ended before its first tick has no
 * call path, so its start routine is used in place of one. */
static uint32_t end_node(struct ep_thread *thread)
{
	if (thread->last_node_idx || !thread->start_routine)
		return thread->last_node_idx;
	thread->stack.n_frames = 1;
	thread->stack.addresses[0] = (uint64_t)thread->start_routine;
	return find_node(thread, thread->slice_start_us);
}

void ep_slice_cut(struct ep_thread *thread)
{
	uint64_t cpu_ns = ep_slice_cpu_ns(thread), start_ns = thread->slice_start_cpu_ns;
	uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC);
	struct ep_slice_counts counts;
	uint32_t node_idx = thread->is_unticked ? 0 : end_node(thread);
	bool lacks_ticks = thread->is_unticked || thread->clock.is_slowed;
	uint32_t flags = EP_SAMPLE_CUT | (lacks_ticks ? EP_SAMPLE_UNTICKED : 0);

	thread->counters.is_cut = true;
	ep_recording.source->stop(&thread->counters, thread->group, thread != ep_self, &counts);
	thread->counters.is_cut = false;
	record_slice(thread, node_idx, flags, &counts, ep_recording_us_of(now_ns),
		cpu_ns > start_ns ? cpu_ns - start_ns : 0);
	thread->slice_start_cpu_ns = cpu_ns;
	thread->slice_start_ns = now_ns;
	ep_waits_slice_begins(thread);
}
