// SPDX-License-Identifier: BSD-3-Clause
/*
 * The profiled process image and how it begins: as the root of a tree, by fork or by exec. Runs in the constructor,
 * before the program's first instruction.
 */
#include "process.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include "calibrate.h"
#include "common/os/cpu.h"
#include "common/os/fds.h"
#include "common/os/go.h"
#include "common/os/plain_text.h"
#include "common/os/thread_sanitizer.h"
#include "common/os/trace_path.h"
#include "join.h"
#include "meta.h"
#include "model_events.h"
#include "preload/process/signals.h"
#include "preload/recording/machine_times.h"
#include "preload/recording/stamp.h"
#include "preload/sample/thread_life.h"
#include "preload/unwind/modules.h"
#include "preload/unwind/unwinder.h"

struct ep_process ep_process;

/* ---- settings ---- */

static bool read_settings(char **envp)
{
	struct ep_error err;

	ep_settings_init(&ep_recording.settings);
	for (const struct ep_setting *s = ep_settings_table; s->variable; s++) {
		const char *value = ep_plain_variable(envp, s->variable);

		if (!value || !s->read(&ep_recording.settings, value, &err))
			continue;
		ep_recording_say(
			"a setting is wrong; the program runs without being measured", err.message);
		return false;
	}
	return true;
}

static bool is_wanted(void)
{
	const struct ep_settings *settings = &ep_recording.settings;
	char path[4096];
	long size = ep_sys_readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[size > 0 ? size : 0] = '\0';
	ep_recording_debug("evprof " EP_VERSION " is loaded into %s", path);
	/* In this case the process is valgrind's own launcher and not the program. */
	if (!strcmp(settings->source, "valgrind") && getenv("EVPROF_VALGRIND_DIR") &&
		!RUNNING_ON_VALGRIND)
		return false;
	if (ep_settings_take(settings, path))
		return true;
	ep_recording_debug(
		"not measured: EVPROF_INCLUDE or EVPROF_EXCLUDE leaves this program out");
	return false;
}

/* ---- beginning ---- */

static void set_key(void)
{
	int parent;

	ep_recording.key.pid = ep_sys_getpid();
	/* must follow the assignment of pid: see ep_recording_known_pid */
	ep_recording_own_memory();
	ep_recording.key.birth_ns = ep_now_ns(CLOCK_MONOTONIC);
	if (ep_meta_process_stat(0, &parent, &ep_process.start_ticks))
		ep_process.start_ticks = 0;
	ep_process.birth_children_us = ep_process_children_us();
}

/* Creates the trace. A trace that another run is writing is not overwritten. Of two runs that start at once, neither
 * sees the other's trace at first; the second one to create the file gets -EEXIST and takes another path. */
static int create_trace(struct ep_error *err)
{
	char path[4096], beside[4096], id[16];
	int rc = ep_trace_path_of_rank(
		ep_recording.settings.output, ep_recording.key.pid, path, sizeof(path), err);

	if (rc)
		return rc;
	ep_recording.out.is_live = ep_join_is_live;
	rc = ep_out_create(&ep_recording.out, path, err);
	if (rc != -EEXIST)
		return rc;
	snprintf(id, sizeof(id), "%d", (int)ep_recording.key.pid);
	rc = ep_trace_path_beside(path, id, beside, sizeof(beside), err);
	if (rc)
		return rc;
	return ep_out_create(&ep_recording.out, beside, err);
}

/* The shortest period with --kernel. A tick in the kernel takes 30 to 75 us on virtual machines. If the next tick is
 * due by then, the program gets no CPU time between ticks, and the user's queue of signals fills. */
#define SHORTEST_IN_KERNEL_NS 100000

static void bound_period(void)
{
	if (!ep_recording.settings.kernel || ep_recording.period_ns >= SHORTEST_IN_KERNEL_NS)
		return;
	ep_recording.period_ns = SHORTEST_IN_KERNEL_NS;
	ep_plan_note(&ep_recording.plan,
		"with --kernel ticks are 100 us apart at least: shorter periods leave the program no time between them");
}

static void choose_clock(void)
{
	bool is_slow = ep_recording.source->is_slow;
	enum ep_clock_kind kind =
		is_slow ? EP_CLOCK_PATIENT : ep_clock_probe(ep_recording.settings.kernel);
	uint64_t mixed_from_ns = ep_clock_mixed_from_ns(kind);
	uint64_t period_ns = ep_recording.settings.period_ns;

	ep_recording.clock_kind = kind;
	ep_recording.period_ns = period_ns ? period_ns : ep_recording.source->period_ns;
	if (!ep_recording.period_ns)
		ep_recording.period_ns = ep_calibrate_period(kind, mixed_from_ns);
	bound_period();
	/* A source with a period of its own needs ticks that are never closer together than this period. */
	if (ep_recording.period_ns >= mixed_from_ns && !ep_recording.source->period_ns)
		ep_recording.clock_kind = EP_CLOCK_MIXED;
}

/* Chooses the events. Models that cannot be counted are named in a note; everything else is measured all the same. */
static int choose_events(struct ep_error *err)
{
	struct ep_settings *settings = &ep_recording.settings;
	struct ep_error why = { .message = "" };
	int lacking, rc;

	ep_process.asks_for_events = settings->events[0] || settings->models[0];
	lacking = ep_model_events_set(settings, &why);
	rc = ep_source_choose(&ep_recording.plan, settings, &ep_recording.source, err);
	if (!rc && lacking)
		ep_plan_note(&ep_recording.plan,
			"of the models '%.200s' only those that this machine can count are counted: %s",
			settings->models, why.message);
	return rc;
}

static int begin_root(struct ep_error *err)
{
	int rc;

	ep_process.born = EP_BORN_ROOT;
	ep_process.root_pid = ep_recording.key.pid;
	ep_process.root_start_ticks = ep_process.start_ticks;
	rc = choose_events(err);
	if (rc)
		return rc;
	rc = create_trace(err);
	if (rc)
		return rc;
	choose_clock();
	return 0;
}

/* Takes the root's clock, unless this process needs another one: its source is slow, or descriptors are scarce. */
static void choose_joined_clock(void)
{
	enum ep_clock_kind kind = ep_recording.clock_kind;

	if (ep_recording.source->is_slow)
		ep_recording.clock_kind = EP_CLOCK_PATIENT;
	else if (ep_fds_are_scarce())
		ep_recording.clock_kind = EP_CLOCK_TIMER;
	if (ep_recording.clock_kind != kind)
		ep_recording.calls_ns = 0;
}

static int begin_joined(int trace_fd, struct ep_error *err)
{
	struct ep_meta_root root;
	int rc = ep_meta_read_root(trace_fd, true, &root);

	ep_process.born = EP_BORN_EXEC;
	if (rc)
		return ep_fail(err, rc, "the trace of the parent process cannot be read");
	choose_joined_clock();
	if (ep_recording.source->resume)
		return ep_recording.source->resume(&ep_recording.plan, &ep_recording.settings, err);
	return 0;
}

/* Called if the process runs as a user who may not write the tree's trace. Begins a tree of its own, whose trace lies
 * beside the old one. */
static int begin_own(struct ep_error *err)
{
	int rc = begin_root(err);

	if (rc != -EACCES)
		return rc;
	ep_process.is_said = ep_join_parent_is_alike();
	return ep_fail(err, rc,
		"the run's trace belongs to another user, who began it, and its folder is not writable for this one; let EVPROF_OUTPUT name a folder where both may write");
}

static int find_trace(struct ep_error *err)
{
	struct ep_join_point point;
	int rc = ep_out_init(&ep_recording.out, err);

	if (rc)
		return rc;
	ep_recording.out.max_bytes = ep_recording.settings.max_bytes;
	if (!ep_join_find(&point))
		return begin_root(err);
	if (ep_out_was_stopped(point.fd, ep_recording.settings.max_bytes)) {
		ep_process.is_said = true;
		ep_sys_close(point.fd);
		return -ECANCELED;
	}
	rc = ep_out_join(&ep_recording.out, point.path, err);
	if (!rc)
		rc = begin_joined(point.fd, err);
	ep_sys_close(point.fd);
	return rc == -EACCES ? begin_own(err) : rc;
}

#define WAITS_NS 100000

static int begin_trace(struct ep_error *err)
{
	int rc = find_trace(err);

	/* Waits are not noted under valgrind (a slow source), since the time of a call is the simulator's there. */
	if (!rc && ep_recording.settings.waits && ep_recording_has_wait_hooks &&
		!ep_recording.source->is_slow) {
		ep_self_find();
		ep_stamps_begin();
		ep_hot.stamps_are_of_counter = ep_stamps.are_of_counter;
		ep_hot.waits_stamps = ep_stamps_in(WAITS_NS);
		ep_recording.waits_ns = WAITS_NS;
	}
	if (!rc && ep_process.born == EP_BORN_ROOT && !ep_recording.source->counts_rows)
		ep_recording.calls_ns =
			ep_clock_calls_ns(ep_recording.clock_kind, ep_recording.period_ns);
	return rc;
}

/* Prints notes before the program starts, for example which events that were asked for by name cannot be counted. */
static void say_notes(void)
{
	const struct ep_settings *settings = &ep_recording.settings;

	if (ep_process.born != EP_BORN_ROOT)
		return;
	if (settings->waits && !ep_recording_has_wait_hooks)
		ep_recording_say(
			"EVPROF_WAITS=on takes libevprof-waits.so in LD_PRELOAD, as 'evprof run --waits on' sets it: waits are not noted",
			"");
	if (ep_process.asks_for_events && ep_recording.plan.notes[0])
		ep_recording_say(ep_recording.plan.notes, "");
}

static void begin_source(void)
{
	if (ep_recording.source->begin_process)
		ep_recording.source->begin_process(ep_recording.key, ep_recording.out.path);
}

static void write_meta(void)
{
	if (!ep_out_wait_lock(&ep_recording.out))
		return;
	ep_meta_append(&ep_recording.out.raw);
	if (ep_process.born == EP_BORN_ROOT)
		ep_out_flush_stored(&ep_recording.out);
	else
		ep_out_flush(&ep_recording.out);
	ep_out_unlock(&ep_recording.out);
}

/* Begins the main thread. The upper end of its stack is the environment, which the kernel put above all frames. The
 * lower end follows from the limit of the stack's size; 8 MiB are assumed if the limit is 64 MiB or more. */
static void begin_main_thread(void)
{
	struct ep_thread *thread = ep_thread_acquire();
	uint64_t high = (uint64_t)__builtin_frame_address(0);
	struct rlimit limit;
	uint64_t size = 8 << 20;

	if (!thread)
		return;
	if (!ep_sys_prlimit(RLIMIT_STACK, NULL, &limit) && limit.rlim_cur < 64 << 20)
		size = limit.rlim_cur;
	if (environ && (uint64_t)environ > high)
		high = (uint64_t)environ;
	thread->start_routine = NULL;
	ep_thread_begin(thread, high - size, high);
}

/* Begins the counts of the whole machine, such as its energy. The tree's first process takes them when it begins and
 * when it ends. By its end it may run a later program, after exec, which therefore begins them, too. */
static void begin_machine_times(void)
{
	bool is_root = ep_process.born == EP_BORN_ROOT;

	if (ep_recording.key.pid != (uint32_t)ep_process.root_pid)
		return;
	if (!is_root)
		ep_cpu_count_allowed(); /* a root has done so for its META block */
	ep_machine_times_begin();
	if ((!is_root && !ep_machine_times_has_amounts()) || !ep_out_wait_lock(&ep_recording.out))
		return;
	ep_machine_times_append(&ep_recording.out.raw);
	ep_out_unlock(&ep_recording.out);
}

static void say_unprofiled(const struct ep_error *err)
{
	char text[sizeof(err->where) + sizeof(err->message) + 2];

	snprintf(text, sizeof(text), "%s%s%s", err->where, err->where[0] ? ": " : "", err->message);
	ep_recording_debug("not measured: %s", text);
	ep_recording_say("the program runs without being measured", text);
}

/* ---- EVPROF_DEBUG ---- */

static void debug_events(void)
{
	const struct ep_plan *plan = &ep_recording.plan;

	for (uint32_t g = 0; g < plan->n_groups; g++)
		for (uint32_t i = 0; i < plan->groups[g].n_events; i++)
			ep_recording_debug("group %u counts %s", g,
				plan->events[plan->groups[g].events[i]].name);
	for (const char *note = plan->notes; *note; note += strcspn(note, "\n")) {
		note += *note == '\n';
		ep_recording_debug("note: %.*s", (int)strcspn(note, "\n"), note);
	}
}

static void debug_decisions(void)
{
	static const char *const how[EP_N_BORN] = { [EP_BORN_ROOT] = "begins",
		[EP_BORN_EXEC] = "goes on with",
		[EP_BORN_FORK] = "goes on with" };
	const struct ep_settings *settings = &ep_recording.settings;
	const char *why = settings->period_ns               ? "as asked for"
			  : ep_process.born != EP_BORN_ROOT ? "as in the process before"
			  : ep_recording.source->period_ns  ? "as this source needs"
							    : "by what a tick costs here";

	ep_recording_debug("%s the trace %s", how[ep_process.born], ep_recording.out.path);
	ep_recording_debug("source %s (asked for: %s), %u events in %u groups",
		ep_recording.source->name, settings->source, ep_recording.plan.n_events,
		ep_recording.plan.n_groups);
	debug_events();
	ep_recording_debug("a slice takes %llu us of CPU time, %s; clock %s%s",
		(unsigned long long)ep_recording_window_ns() / 1000, why,
		ep_clock_name(ep_recording.clock_kind),
		ep_recording.has_triggers ? "; overflows of events end slices, too" : "");
}

/* Chooses the unwinder. If the one that the user asked for is missing, a message says so, and evprof's own unwinder is
 * used. */
static void choose_unwinder(void)
{
	struct ep_error err = { .message = "" };

	if (ep_unwinder_choose(ep_recording.settings.unwind, &err))
		ep_recording_say(err.message, "");
}

/* Prepares for Go programs. Go's runtime exits and executes programs by bare system calls, which no hook sees. So
 * little is held back in buffers (ends_unseen). Ticks come in user mode only, since a tick that is pending when Go
 * executes another program would kill that program. */
static void prepare_for_go(void)
{
	ep_recording.ends_unseen = true;
	if (ep_recording.clock_kind == EP_CLOCK_TASK)
		ep_recording.clock_kind = EP_CLOCK_TASK_USER;
}

/* Ends the measurement of this process at once. The trace names the process without measurements; the programs that it
 * starts are measured. */
static void leave_alone(void)
{
	ep_process_end(EP_END_FAILED, 0,
		"a Go program without the C library, whose threads no preloaded library sees: not measured");
	ep_signals_end();
}

void ep_process_begin(int argc, char **argv, char **envp)
{
	struct ep_error err = { .where = "", .message = "" };

	ep_recording.begun_cpu_ns = ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (argv)
		ep_meta_keep_arguments(argc, argv);
	else
		ep_meta_read_arguments();
	ep_sys_find_clock();
	ep_recording_find_stderr();
	if (!read_settings(envp) || !is_wanted())
		return;
	if (ep_thread_sanitizer_is_here()) {
		ep_recording_say("the program runs without being measured",
			"it is built with ThreadSanitizer");
		return;
	}
	set_key();
	ep_fds_init();
	ep_hot.lowest_fd = ep_fds_lowest();
	choose_unwinder();
	ep_modules_refresh();
	ep_signals_begin();
	if (begin_trace(&err)) {
		ep_signals_end();
		ep_fds_close_all_but(NULL);
		if (!ep_process.is_said)
			say_unprofiled(&err);
		return;
	}
	ep_recording.has_triggers = ep_plan_has_triggers(&ep_recording.plan);
	write_meta();
	if (ep_recording.out.failure) {
		ep_signals_end();
		ep_recording_say(
			"the program runs without being measured: the trace cannot be written",
			strerrordesc_np(-ep_recording.out.failure));
		return;
	}
	debug_decisions();
	begin_source();
	begin_machine_times();
	say_notes();
	ep_recording_keep_to_filter();
	ep_recording.is_on = true;
	ep_hot.notes_waits = ep_recording.waits_ns != 0;
	if (ep_go_is_loaded())
		prepare_for_go();
	if (ep_recording.ends_unseen && ep_go_runs_alone())
		leave_alone();
	else
		begin_main_thread();
}

/* ---- the child of a fork ---- */

void ep_process_after_fork(void)
{
	struct ep_process_key parent = ep_recording.key;

	ep_recording.begun_cpu_ns = ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ep_fds_close_all_but(&ep_recording.out.fd);
	ep_process.parent = parent;
	ep_process.born = EP_BORN_FORK;
	ep_recording.n_threads = 0;
	ep_process.is_ending = false;
	ep_recording.is_short = ep_recording.has_put_off = false;
	ep_recording.has_no_ticks = ep_recording.has_late_ticks = false;
	ep_recording.out.raw.size_bytes = 0;
	ep_modules_reset();
	ep_machine_times_after_fork();
	set_key();
	ep_recording_debug("forked by process %u, and measured as its parent is", parent.pid);
	ep_signals_after_fork(parent.pid);
	write_meta();
	begin_source();
	ep_thread_after_fork();
}
