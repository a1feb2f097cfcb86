/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter sources. Each has a table of functions. CONTRIBUTING.md says what a new source needs.
 *
 * prepare runs once in the root of a process tree. The other functions run in the thread that is counted: open and
 * close when it begins and ends, start and stop in its signal handler.
 */
#ifndef EVPROF_COUNTERS_SOURCES_SOURCE_H
#define EVPROF_COUNTERS_SOURCES_SOURCE_H

#include "common/trace.h"
#include "counters/plan/plan.h"
#include "counters/settings.h"
#include "counters/source_list.h"

#include <stdbool.h>
#include <stdint.h>

/* One thread's counters. Values are cumulative over the time in which a group was on. */
struct ep_counters {
	const struct ep_plan *plan;
	bool is_open;
	bool is_first;      /* no thread of the process was measured before this one */
	bool is_forked;     /* the thread runs since before a fork, whose child is this process */
	bool is_lost;       /* the program has closed the descriptors without a hook */
	bool is_begun;      /* rusage: opening the event of migrations was tried */
	bool is_cut;        /* set by the caller of stop: perhaps no slice follows */
	uint8_t n_unread;   /* rusage: slices whose migrations are read in a later one */
	int cpu;            /* rusage: the thread's CPU when migrations were last read; -1: never */
	uint64_t n_stops;   /* slices so far (sim: the row of the table) */
	uint64_t system_us; /* the thread's system time at the slice's start, or before */
	uint64_t stopped_system_us; /* rusage: system time at the last stop */
	uint64_t n_switches;        /* rusage: the thread's context switches at the last stop */
	/* Set by the caller of start: nothing was counted since stop, so that the counts may continue from the values
	 * that stop read. */
	bool goes_on;
	/* The group's member whose overflow shall end a slice, after this many occurrences; -1: none. The caller of
	 * start sets both. start sets trigger_fd, the si_fd of its signal (0: there is none), and trigger_stops: the
	 * event stops itself then, so that it sends at most one signal. */
	int trigger_member;
	uint64_t trigger_count;
	int trigger_fd;
	bool trigger_stops;
	int paused_tid;       /* valgrind: the thread for which collecting is off; 0: none */
	int armed_slot;       /* perf: slot of the event that has a finite period; -1: none */
	uint64_t armed_count; /* perf: the finite period of armed_slot's event */
	/* perf: slot of each group's event that stopped itself with its overflow; -1: none did */
	int spent_slots[EP_PLAN_MAX_GROUPS];
	uint32_t opening; /* perf: which group is on, for which kind of cores */
	int fds[EP_PLAN_MAX_SLOTS];
	/* perf's ids of the leaders, by which they are recognised */
	uint64_t ids[EP_PLAN_MAX_GROUPS];
	uint64_t base[EP_PLAN_MAX_SLOTS]; /* values at the start of the slice */
	uint64_t base_enabled_ns[EP_PLAN_MAX_GROUPS];
	uint64_t base_running_ns[EP_PLAN_MAX_GROUPS];
};

/* The counts of one slice. */
struct ep_slice_counts {
	bool did_run; /* false: there are no counts for this slice */
	/* How long the group was on, and how long of that it counted; the counts are scaled where it counted for less.
	 * A source without such times sets both to 0. */
	uint64_t enabled_ns, running_ns;
	uint64_t cpu_ns; /* set by a source with tells_cpu_time */
	/* set by such a source: as far as it knows, since the last stop */
	bool stayed_on_cpu;
	uint64_t values[EP_GROUP_MAX_EVENTS]; /* the counts, in the group's order */
};

struct ep_source {
	const char *name;
	uint64_t period_ns; /* the default period of a slow source; 0: it is calibrated */
	/* stop also sets the thread's CPU time when the kernel last updated its accounts, as it does at the scheduler's
	 * ticks (accurate to 2 us), and whether the thread left its CPU. */
	bool tells_cpu_time;
	bool counts_rows; /* a slice is a row of a table: only time may end one */
	/* Ending a slice takes long, since a simulator must answer: with ticks at fixed times the next tick could be
	 * pending whenever one ends. So each tick sets the timer for the next tick (EP_CLOCK_PATIENT). Waits are not
	 * noted, since a call that waits takes the simulator's time. */
	bool is_slow;
	/* Makes events and groups from the settings. Notes in the plan tell what was left out. Returns a negative errno
	 * where nothing can be counted; err says why. */
	int (*prepare)(
		struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err);
	/* Prepares a process that has read the plan from the trace, as far as it needs more than the plan. May be NULL. */
	int (*resume)(
		struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err);
	int (*open)(struct ep_counters *counters, uint32_t first_group);
	/* Begins a slice of the group. */
	void (*start)(struct ep_counters *counters, uint32_t group);
	/* Ends the slice, and sets all of *out_counts that the source has, since the caller clears none of it. is_remote:
	 * called by another thread of the process, at the end of everything. */
	void (*stop)(struct ep_counters *counters, uint32_t group, bool is_remote,
		struct ep_slice_counts *out_counts);
	void (*close)(struct ep_counters *counters);
	/* Called when measuring begins in a process, or in the child of a fork, before its first thread. May be NULL. */
	void (*begin_process)(struct ep_process_key key, const char *trace_path);
	/* Called before an exec is tried, which loses what the source keeps outside of slices. May be NULL. */
	void (*before_exec)(void);
	/* Returns the identifier of the CPU that the counts are from; empty: this machine's. Valid after prepare or
	 * resume. May be NULL. */
	const char *(*cpuid)(void);
	/* Tells whether the groups are always on in the plan's order. NULL: they are not. */
	bool (*keeps_order)(void);
};

#define EP_DECLARE_SOURCE(name, argument) extern const struct ep_source ep_source_##name;
EP_SOURCES(EP_DECLARE_SOURCE)
#undef EP_DECLARE_SOURCE

/* Tells whether this user can count cycles with this machine's PMU. */
bool ep_perf_has_hardware(void);

/* Returns the source of a setting such as "auto", "perf" or "sim:TABLE,..."; NULL: there is no such source. */
const struct ep_source *ep_source_find(const char *setting);

/* Chooses the source, also for auto, and prepares it. */
int ep_source_choose(struct ep_plan *plan, const struct ep_settings *settings,
	const struct ep_source **out_source, struct ep_error *err);

#endif
