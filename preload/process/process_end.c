// SPDX-License-Identifier: BSD-3-Clause
/* Ends a process image, in any thread and also in signal handlers. Writes all that was measured, and the kernel's
 * account of the process (CPU time, memory). */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "common/os/sys.h"
#include "common/os/system_time.h"
#include "common/trace.h"
#include "preload/process/jit_dump.h"
#include "preload/process/perf_map.h"
#include "preload/process/signals.h"
#include "preload/recording/machine_times.h"
#include "preload/sample/thread_life.h"
#include "preload/thread/thread_write.h"
#include "process.h"

uint64_t ep_process_children_us(void)
{
	struct rusage usage = { 0 };

	ep_sys(__NR_getrusage, RUSAGE_CHILDREN, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void append_end(enum ep_end_how how, int status, const char *note)
{
	struct ep_wire *wire = &ep_recording.out.raw;
	size_t at = ep_block_start(wire, EP_BLOCK_END, ep_recording.key);
	struct rusage usage = { 0 };

	ep_sys(__NR_getrusage, RUSAGE_SELF, &usage);
	ep_wire_u(wire, ep_recording_now_us());
	ep_wire_u(wire, how);
	ep_wire_u(wire, (uint32_t)status);
	ep_wire_u(wire, (uint64_t)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec);
	ep_wire_u(wire, ep_system_time_of(&usage));
	ep_wire_u(wire, usage.ru_maxrss);
	ep_wire_string(wire, note, strlen(note));
	ep_block_finish(wire, at);
}

/* Tells whether this process closes the trace file. The last process of the tree cannot be known, so the root does it,
 * and each process that outlives the root. A program that the root became by exec counts as the root. */
static bool closes_file(void)
{
	return ep_recording.key.pid == (uint32_t)ep_process.root_pid ||
	       ep_sys(__NR_kill, ep_process.root_pid, 0) == -ESRCH;
}

static void append_children(void)
{
	struct ep_wire *wire = &ep_recording.out.raw;
	size_t at = ep_block_start(wire, EP_BLOCK_CHILDREN, ep_recording.key);

	ep_wire_u(wire, ep_process_children_us() - ep_process.birth_children_us);
	ep_block_finish(wire, at);
}

/* Returns the given note, or else a sentence on what the trace lacks. */
static const char *note_of(const char *note, const char *of_made_code)
{
	if (note[0])
		return note;
	if (ep_recording.has_no_ticks)
		return "Some threads have no samples: the user's queue of pending signals was full (ulimit -i, or another program of the user that leaves many pending). Run it when that program is gone, or with a higher limit.";
	if (ep_recording.has_late_ticks)
		return "Some samples stand for several periods: for a while the user's queue of pending signals was full (ulimit -i, or another program of the user that leaves many pending), and ticks came late. Times are right; which procedure they belong to is less sure. Run it when that program is gone, or with a higher limit.";
	if (!ep_signals_has_tick())
		return "Sampling ended before the program did: a thread was started by a function that evprof could not replace (of a C library in another namespace, or looked up there); since then evprof's signal is handled by that library. Such threads are not in the trace.";
	if (ep_recording.has_put_off)
		return "Some samples were lost: for a while the program had as many files open as it may (ulimit -n), so that the trace could not be opened to write them. Run it with a higher hard limit of open files (ulimit -Hn).";
	if (ep_recording.is_short)
		return "Some threads found no file descriptor left for their counters; what they would have counted is estimated. The hard limit of open files (ulimit -Hn) holds fewer than threads times events.";
	return of_made_code;
}

/* Returns when this image began, by the clock of files (CLOCK_REALTIME), in seconds. */
static int64_t birth_s(void)
{
	uint64_t age_ns = ep_now_ns(CLOCK_MONOTONIC) - ep_recording.key.birth_ns;

	return (int64_t)((ep_now_ns(CLOCK_REALTIME) - age_ns) / 1000000000u);
}

static const char map_is_cut[] =
	"Some code made at run time may have no name: the map of such code that the program wrote (/tmp/perf-PID.map) is longer than evprof reads (its last 32 MiB), or more than 4 MiB of its lines describe code that was sampled.";

/* Keeps the names of code made at run time. Returns a sentence for the user if some may be missing, else "". */
static const char *keep_names(void)
{
	int64_t start_s = birth_s();
	bool is_cut = ep_perf_map_keep(&ep_recording.out, ep_recording.key, start_s);
	const char *of_dump = ep_jit_dump_keep(&ep_recording.out, ep_recording.key, start_s);

	return of_dump ? of_dump : is_cut ? map_is_cut : "";
}

static const char too_large[] =
	"Measuring ended early: the trace reached the limit on the size of files (ulimit -f) that the program runs with. What came later is missing. Run it with a higher limit, or with a longer --period.";

/* Appends an END block that names the reason, if the trace has reached the limit on file sizes; the caller holds the
 * trace's lock. */
static void append_reason(enum ep_end_how how, int status)
{
	struct ep_out *out = &ep_recording.out;

	if (out->failure != -EFBIG)
		return;
	out->failure = 0;
	out->is_last_word = true;
	append_end(how, status, too_large);
	ep_out_flush(out);
	out->is_last_word = false;
	out->failure = -EFBIG;
}

void ep_process_say_failure(void)
{
	static atomic_bool is_said;

	if (atomic_load(&is_said) || !ep_out_try_lock(&ep_recording.out))
		return;
	if (!atomic_exchange(&is_said, true))
		append_reason(EP_END_STOPPED, 0);
	ep_out_unlock(&ep_recording.out);
}

static atomic_bool is_left_off;

bool ep_process_has_failed(void)
{
	return ep_recording.out.failure && !ep_recording.is_on && !atomic_load(&is_left_off);
}

/* Removes clocks and handlers that are still there, since they would affect the program: the ticks of a clock make
 * system calls, for which a sandbox may kill the process, and a tick would kill the next program that the process
 * executes. */
void ep_process_leave_off(void)
{
	if (!ep_process_has_failed() || atomic_exchange(&is_left_off, true))
		return;
	ep_process_say_failure();
	ep_thread_wait_for_edges();
	ep_thread_stop_all();
	ep_signals_end();
}

static void write_end(enum ep_end_how how, int status, const char *note)
{
	bool is_last = how == EP_END_STOPPED || (how != EP_END_EXEC && closes_file());
	const char *of_made_code;

	if (!ep_out_wait_lock(&ep_recording.out))
		return;
	append_children();
	of_made_code = keep_names();
	/* If the process becomes another program, the machine's counts of this image end here. */
	if (is_last || ep_machine_times_has_amounts())
		ep_machine_times_append(&ep_recording.out.raw);
	append_end(how, status, note_of(note, of_made_code));
	ep_out_flush(&ep_recording.out);
	append_reason(how, status);
	if (is_last)
		ep_out_write(&ep_recording.out, ep_bgzf_eof, sizeof(ep_bgzf_eof));
	ep_out_unlock(&ep_recording.out);
}

/* Waits, at most for a second, while another thread ends the process. If this thread exited meanwhile, the other thread
 * could not finish writing the trace. */
static void wait_for_end(void)
{
	uint64_t deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + 1000000000u;

	while (ep_process.is_ending && ep_now_ns(CLOCK_MONOTONIC) < deadline_ns)
		ep_sys(__NR_sched_yield);
}

/* Prints debug messages on an end. Ends in a signal handler or a sandbox are left out, since this function formats text
 * and opens a file. */
static void debug_end(enum ep_end_how how, int status)
{
	if (how != EP_END_EXIT && how != EP_END_QUICK_EXIT && how != EP_END_EXIT_NOW)
		return;
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next) {
		if (t->state != EP_THREAD_LIVE || !ep_thread_try_lock(t))
			continue;
		ep_thread_debug_end(t);
		ep_thread_unlock(t);
	}
	ep_recording_debug("the process ends with status %d; %u threads were measured", status,
		ep_recording.n_threads);
}

/* Tells a user at a terminal that the trace is incomplete or lost, since that user will look for the trace after the
 * program has ended. */
static void say_lost(const struct ep_out *out)
{
	if (out->failure)
		ep_recording_say_late("the trace could not be written to its end",
			strerrordesc_np(-out->failure));
	else if (out->is_removed)
		ep_recording_say_late(
			"the trace was removed while the program ran, and what was measured is lost with it; run it again, and leave the file until the program has ended",
			out->path);
}

/* Makes room for the trace's file descriptor, since blocks that cannot be written now are lost with the process. */
static void make_room(enum ep_end_how how)
{
	if (how == EP_END_EXEC || how == EP_END_STOPPED || how == EP_END_SANDBOX ||
		how == EP_END_FAILED || !ep_out_wait_lock(&ep_recording.out))
		return;
	if (how == EP_END_EXIT)
		ep_out_make_room_before_stdio(&ep_recording.out);
	else
		ep_out_make_room(&ep_recording.out);
	ep_out_unlock(&ep_recording.out);
}

static void end_image(enum ep_end_how how, int status, const char *note)
{
	bool goes_on = how == EP_END_EXEC;

	/* comes first, so that evprof's own work of writing is not counted */
	if (goes_on && ep_recording.source->before_exec)
		ep_recording.source->before_exec();
	make_room(how);
	/* the program goes on: waits until no thread is just beginning or ending */
	if (how == EP_END_SANDBOX || how == EP_END_STOPPED)
		ep_thread_wait_for_edges();
	ep_thread_flush_all(!goes_on);
	write_end(how, status, note);
	debug_end(how, status);
	say_lost(&ep_recording.out);
	if (!goes_on)
		ep_thread_stop_all();
}

void ep_process_end(enum ep_end_how how, int status, const char *note)
{
	uint64_t mask;

	/* is checked without a system call, since a sandbox may forbid all of them */
	if ((!ep_recording.is_on && !ep_process.is_ending) || !ep_recording_is_mine())
		return;
	mask = ep_sys_block_signals();
	if (how == EP_END_EXEC ? !ep_recording.is_on
			       : !atomic_exchange(&ep_recording.is_on, false)) {
		ep_sys_restore_signals(mask);
		wait_for_end();
		return;
	}
	ep_process.is_ending = true;
	/* writes only if needed: in the child of a fork, the first write to the page would copy it */
	if (how != EP_END_EXEC && ep_hot.notes_waits)
		ep_hot.notes_waits = false;
	end_image(how, status, note);
	ep_process.is_ending = false;
	ep_sys_restore_signals(mask);
}

void ep_process_stop(void)
{
	ep_process_end(EP_END_STOPPED, 0,
		"measuring was stopped (evprof stop, or --max-size) while the program went on");
	ep_signals_end();
}
