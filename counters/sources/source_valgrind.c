// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts of callgrind's simulated machine: instructions, caches, branches, on any host. Inside
 * valgrind the library asks callgrind by client request to write out what it counted since the last
 * time, and reads the totals back. Valgrind runs one thread at a time; a slice takes what all
 * threads did since the slice before.
 * The launcher names the folder of callgrind's files (their name is the pid) by EVPROF_VALGRIND_DIR.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "common/os/sys.h"
#include "counters/events/suggest.h"
#include "counters/plan/plan.h"
#include "source.h"

#define N_COLUMNS 13
#define TAIL_BYTES 4096

/* Callgrind's columns in their order (valgrind manual, 6.2.3), with our names. */
static const struct {
	const char *name;
	const char *column;
} columns[N_COLUMNS] = {
	{ "instructions", "Ir" },
	{ "L1-dcache-loads", "Dr" },
	{ "L1-dcache-stores", "Dw" },
	{ "L1-icache-load-misses", "I1mr" },
	{ "L1-dcache-load-misses", "D1mr" },
	{ "L1-dcache-store-misses", "D1mw" },
	{ "LLC-icache-misses", "ILmr" },
	{ "LLC-load-misses", "DLmr" },
	{ "LLC-store-misses", "DLmw" },
	{ "conditional-branches", "Bc" },
	{ "conditional-branch-misses", "Bcm" },
	{ "indirect-branches", "Bi" },
	{ "indirect-branch-misses", "Bim" },
};

static const char *folder;
static unsigned n_dumps;
static int dumping_pid;

static void add_column(struct ep_plan *plan, uint32_t column)
{
	struct ep_event event = { .flags = EP_EVENT_ALWAYS, .unit = "count", .column = column };

	if (ep_plan_has_column(plan, column)) /* each has two names */
		return;
	snprintf(event.name, sizeof(event.name), "%s", columns[column].name);
	ep_plan_add_event(plan, &event);
}

static int want_column(const char *name, int group, void *argument)
{
	struct ep_plan *plan = argument;

	(void)group;
	for (uint32_t i = 0; i < N_COLUMNS; i++) {
		if (!ep_name_equal(name, columns[i].name) &&
			!ep_name_equal(name, columns[i].column))
			continue;
		add_column(plan, i);
		return 0;
	}
	ep_plan_note(plan,
		"event '%s' is not counted: callgrind simulates Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw, Bc, Bcm, Bi and Bim only",
		name);
	return 0;
}

static int resume(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	(void)plan, (void)settings;
	folder = getenv("EVPROF_VALGRIND_DIR");
	if (!RUNNING_ON_VALGRIND || !folder)
		return ep_fail(err, -ENOTSUP,
			"the source valgrind counts inside valgrind only: evprof run --source valgrind -- PROGRAM");
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

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	(void)first_group;
	counters->is_open = true;
	if (counters->is_first)
		CALLGRIND_ZERO_STATS; /* the loader and our own start */
	CALLGRIND_TOGGLE_COLLECT;
	return 0;
}

/* The file's last lines hold "totals: a b c ..."; zeros at the end are left out. */
static bool read_totals(const char *path, uint64_t *totals)
{
	static char tail[TAIL_BYTES + 1];
	int fd = ep_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	long size, end;
	char *at;

	if (fd < 0)
		return false;
	end = ep_sys(__NR_lseek, fd, 0, 2);
	size = ep_sys(__NR_pread64, fd, tail, TAIL_BYTES, end > TAIL_BYTES ? end - TAIL_BYTES : 0);
	ep_sys_close(fd);
	tail[size > 0 ? size : 0] = '\0';
	at = strstr(tail, "\ntotals:");
	if (!at)
		return false;
	at += strlen("\ntotals:");
	for (int i = 0; i < N_COLUMNS; i++)
		totals[i] = strtoull(at, &at, 10);
	return true;
}

/* Callgrind numbers its dumps from 1 in every process. */
static bool dump(uint64_t *totals)
{
	char path[4096];

	if (dumping_pid != (int)ep_sys_getpid()) {
		dumping_pid = ep_sys_getpid();
		n_dumps = 0;
	}
	snprintf(path, sizeof(path), "%s/%d.%u", folder, dumping_pid, ++n_dumps);
	CALLGRIND_DUMP_STATS;
	if (!read_totals(path, totals)) {
		n_dumps--; /* nothing was counted, nothing was written */
		return false;
	}
	ep_sys(__NR_unlinkat, AT_FDCWD, path, 0);
	return true;
}

/* Our own work is not collected between stop, or open, and start. */
static void start(struct ep_counters *counters, uint32_t group)
{
	(void)counters;
	(void)group;
	CALLGRIND_TOGGLE_COLLECT;
}

static void stop(struct ep_counters *counters, uint32_t group_idx, bool is_remote,
	struct ep_slice_counts *out)
{
	const struct ep_group *group = &counters->plan->groups[group_idx];
	uint64_t totals[N_COLUMNS];

	CALLGRIND_TOGGLE_COLLECT;
	out->enabled_ns = out->running_ns = 0;
	out->did_run = !is_remote && dump(totals);
	for (uint32_t i = 0; i < group->n_events && out->did_run; i++)
		out->values[i] = totals[counters->plan->events[group->events[i]].column];
}

static void close_counters(struct ep_counters *counters)
{
	counters->is_open = false;
}

const struct ep_source ep_source_valgrind = {
	.name = "valgrind",
	.period_ns = 20000000, /* a dump takes a millisecond */
	.prepare = prepare,
	.resume = resume,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
