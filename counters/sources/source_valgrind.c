// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts of callgrind's simulated machine: instructions, caches and branches, on any host. callgrind knows the exact
 * costs of the program's procedures, lines and calls, and writes them when the process ends; evprof run adds them to
 * the trace. At the end of a slice, evprof asks callgrind for the thread's totals by a monitor command, which callgrind
 * answers in its log. Dumps are not used, since they split the costs of calls.
 *
 * The launcher names the folder of callgrind's files by EVPROF_VALGRIND_DIR. There each process writes a file
 * key.PID.BIRTH with the trace's path, by which the launcher knows to which process the costs of PID belong.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <valgrind/callgrind.h>

#include "common/callgrind.h"
#include "common/os/large.h"
#include "common/os/sys.h"
#include "counters/events/suggest.h"
#include "counters/plan/plan.h"
#include "source.h"

#define N_COLUMNS EP_N_CALLGRIND_EVENTS
#define PIECE_BYTES 8192
#define MANY_TRIES 1000 /* a try takes 1 ms; the thread that asks may get no CPU for long */

static const char *folder;
static struct ep_process_key own_key;
/* the process in which valgrind started: in the child of a fork its log gets no answers */
static int log_pid;

static void add_column(struct ep_plan *plan, uint32_t column)
{
	struct ep_event event = { .flags = EP_EVENT_ALWAYS, .unit = "count", .column = column };

	/* an event has two names, so it may be wanted twice */
	if (ep_plan_has_column(plan, column))
		return;
	snprintf(event.name, sizeof(event.name), "%s", ep_callgrind_events[column].name);
	ep_plan_add_event(plan, &event);
}

static int want_column(const char *name, int group, void *argument)
{
	struct ep_plan *plan = argument;

	(void)group;
	for (uint32_t i = 0; i < N_COLUMNS; i++) {
		if (!ep_name_equal(name, ep_callgrind_events[i].name) &&
			!ep_name_equal(name, ep_callgrind_events[i].column))
			continue;
		add_column(plan, i);
		return 0;
	}
	if (!ep_is_floating_event(
		    name)) /* evprof run counts floating-point events from the executions of instructions */
		ep_plan_note(plan,
			"event '%s' is not counted: callgrind simulates Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw, Bc, Bcm, Bi and Bim only",
			name);
	return 0;
}

static _Atomic int asking; /* 1: a thread is reading callgrind's answer in the log */

static int resume(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	(void)plan, (void)settings;
	folder = getenv("EVPROF_VALGRIND_DIR");
	if (!RUNNING_ON_VALGRIND || !folder)
		return ep_fail(err, -ENOTSUP,
			"the source valgrind counts inside valgrind only: evprof run --source valgrind -- PROGRAM");
	log_pid = ep_sys_getpid();
	atomic_store(&asking, 0); /* a fork may have come while another thread asked */
	return 0;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	uint8_t events[N_COLUMNS];
	int rc = resume(plan, settings, err);

	if (rc)
		return rc;
	if (settings->events[0])
		ep_plan_split(settings->events, want_column, plan);
	for (uint32_t i = 0; i < N_COLUMNS && !settings->events[0]; i++)
		add_column(plan, i);
	if (!plan->n_events)
		return ep_fail(err, -ENOENT, "none of the events is simulated by callgrind");
	for (uint32_t i = 0; i < plan->n_events; i++)
		events[i] = i;
	ep_plan_note(plan,
		"counts and times are those of valgrind's simulated machine, not of this CPU");
	return ep_plan_add_group(plan, events, plan->n_events);
}

/* ---- callgrind's answers in its log ---- */

/* The state of reading an answer from pieces of the log. The answer's numbers are in the lines "current-tid: " and
 * "events-TID: ". */
struct answer {
	char line[512]; /* the rest of a longer line is not needed */
	size_t n_line;
	long tid;
	bool has_totals;
	uint64_t *totals;
};

static void read_line(struct answer *answer)
{
	char *at = answer->line;

	if (answer->has_totals)
		return;
	if (!strncmp(at, "current-tid: ", 13)) {
		answer->tid = strtol(at + 13, NULL, 10);
	} else if (answer->tid && !strncmp(at, "events-", 7) &&
		   strtol(at + 7, &at, 10) == answer->tid && *at == ':') {
		at++;
		for (int i = 0; i < N_COLUMNS; i++) /* callgrind leaves out zeros at the end */
			answer->totals[i] = strtoull(at, &at, 10);
		answer->has_totals = true;
	}
}

/* Reads a piece of the log. The log has zero bytes where another thread's answer was cut off. */
static void read_piece(struct answer *answer, const char *piece, size_t size)
{
	for (size_t i = 0; i < size && !answer->has_totals; i++) {
		if (piece[i] == '\n') {
			answer->line[answer->n_line] = '\0';
			read_line(answer);
			answer->n_line = 0;
		} else if (piece[i] && answer->n_line < sizeof(answer->line) - 1) {
			answer->line[answer->n_line++] = piece[i];
		}
	}
}

/* Gets the calling thread's totals so far. The answer is then cut off the log, which would otherwise grow at every
 * tick. */
static bool ask_locked(uint64_t *totals)
{
	static EP_LARGE char path[4096], piece[PIECE_BYTES];
	struct answer answer = { .totals = totals };
	long before, size;
	int fd;

	snprintf(path, sizeof(path), "%s/log.%d", folder, log_pid);
	fd = ep_sys_open(path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	before = ep_sys(__NR_lseek, fd, 0, 2);
	VALGRIND_MONITOR_COMMAND("status internal");
	for (long at = before; !answer.has_totals; at += size) {
		size = ep_sys(__NR_pread64, fd, piece, sizeof(piece), at);
		if (size <= 0)
			break;
		read_piece(&answer, piece, (size_t)size);
	}
	ep_sys(__NR_ftruncate, fd, before);
	ep_sys_close(fd);
	return answer.has_totals;
}

/* Gets the totals. Only one thread asks at a time, since answers to two threads in one log could not be distinguished.
 * Returns 0, -EAGAIN where another thread asks for long, or -EIO where there is no answer. */
static int ask(uint64_t *totals)
{
	static const struct timespec a_while = { 0, 1000000 };
	bool is_known;

	if (ep_sys_getpid() != log_pid)
		return -EIO;
	for (int n = 0; atomic_exchange(&asking, 1); n++) {
		if (n == MANY_TRIES)
			return -EAGAIN;
		ep_sys(__NR_nanosleep, &a_while, NULL);
	}
	is_known = ask_locked(totals);
	atomic_store(&asking, 0);
	return is_known ? 0 : -EIO;
}

/* ---- the thread ---- */

/* Keeps the process's key for later, and writes the key file. */
static void begin_process(struct ep_process_key key, const char *trace_path)
{
	char path[4096];
	int fd;

	own_key = key;
	snprintf(path, sizeof(path), "%s/key.%u.%llu", folder, key.pid,
		(unsigned long long)key.birth_ns);
	fd = ep_sys_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	ep_sys_write(fd, trace_path, strlen(trace_path));
	ep_sys_close(fd);
}

static void pause_collecting(struct ep_counters *counters)
{
	CALLGRIND_TOGGLE_COLLECT;
	counters->paused_tid = ep_sys_gettid();
}

static void go_on_collecting(struct ep_counters *counters)
{
	counters->paused_tid = 0;
	CALLGRIND_TOGGLE_COLLECT;
}

/* Begins to count. Callgrind remembers, for each of valgrind's thread numbers, whether collecting is on, and a new
 * thread may get the number of one that has ended: so a thread leaves collecting on at its end. Before a process's
 * first thread, all costs are set to zero, since the costs of the loader and of evprof's own start are not the
 * program's, nor are a parent's costs its child's. */
static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	(void)first_group;
	counters->is_open = true;
	if (counters->is_first)
		CALLGRIND_ZERO_STATS;
	pause_collecting(counters);
	memset(counters->base, 0, N_COLUMNS * sizeof(counters->base[0]));
	if (!counters->is_first) /* valgrind may have given this thread's number to an earlier thread */
		ask(counters->base);
	return 0;
}

/* Continues collecting. Collecting is off from open or stop until start, so that evprof's own work is not collected. */
static void start(struct ep_counters *counters, uint32_t group)
{
	(void)group;
	go_on_collecting(counters);
}

static void stop(struct ep_counters *counters, uint32_t group_idx, bool is_remote,
	struct ep_slice_counts *out)
{
	const struct ep_group *group = &counters->plan->groups[group_idx];
	uint64_t totals[N_COLUMNS];
	int rc;

	out->enabled_ns = out->running_ns = 0;
	out->did_run = false;
	if (is_remote) /* the request would stop collecting for the calling thread */
		return;
	pause_collecting(counters);
	rc = ask(totals);
	if (rc == -EAGAIN) { /* the next slice's counts will include those of this one */
		memset(out->values, 0, group->n_events * sizeof(out->values[0]));
		out->did_run = true;
	}
	if (rc)
		return;
	/* totals are smaller than base if the counts began anew at an exec that failed */
	out->did_run = totals[0] >= counters->base[0];
	for (uint32_t i = 0; i < group->n_events; i++) {
		uint32_t column = counters->plan->events[group->events[i]].column;

		out->values[i] = totals[column] - counters->base[column];
	}
	memcpy(counters->base, totals, sizeof(totals));
}

/* Makes callgrind write its costs before an exec. It writes them at the end of a process, but not when the process
 * becomes another program. The next program numbers its dumps from 1 again, so the file is renamed. */
static void before_exec(void)
{
	static unsigned n_dumps;
	static int dumping_pid;
	const struct ep_process_key *key = &own_key;
	char from[4096], to[4096];

	if (dumping_pid != (int)key->pid)
		n_dumps = 0;
	dumping_pid = (int)key->pid;
	snprintf(from, sizeof(from), "%s/%u.%u", folder, key->pid, ++n_dumps);
	snprintf(to, sizeof(to), "%s/exec.%u.%llu.%u", folder, key->pid,
		(unsigned long long)key->birth_ns, n_dumps);
	CALLGRIND_DUMP_STATS;
	if (ep_sys(__NR_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0))
		n_dumps--; /* nothing was counted, so that no file was written */
}

static void close_counters(struct ep_counters *counters)
{
	if (counters->paused_tid == ep_sys_gettid())
		go_on_collecting(counters);
	counters->is_open = false;
}

const struct ep_source ep_source_valgrind = {
	.name = "valgrind",
	.period_ns = 20000000,
	.is_slow = true,
	.prepare = prepare,
	.resume = resume,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
	.begin_process = begin_process,
	.before_exec = before_exec,
};
