/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter sources. Each has a table of functions. CONTRIBUTING.md says what a new source needs.
 *
 * prepare runs once, in the root of a process tree. open, close, start and stop run in the thread that is counted: open
 * and close when the thread begins and ends, start and stop in its signal handler.
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
	bool is_first;    /* no thread of the process was measured before this one */
	bool is_forked;   /* the process is a fork's child, and this is the thread that forked */
	bool is_lost;     /* perf: the program has closed descriptors unnoticed by evprof */
	bool is_begun;    /* rusage: opening the event of migrations was tried */
	bool is_cut;      /* set by the caller of stop: perhaps no slice follows */
	uint8_t n_unread; /* rusage: slices since migrations were read; a later reading has theirs */
	int cpu;          /* rusage: the thread's CPU when migrations were last read; -1: never */
	uint64_t n_stops;           /* slices so far (sim: the row of the table) */
	uint64_t system_us;         /* the thread's system time at the slice's start, or before */
	uint64_t stopped_system_us; /* rusage: system time at the last stop */
	uint64_t n_switches;        /* rusage: the thread's context switches at the last stop */
	/* Set by the caller of start: nothing was counted since stop, so that the counts may continue from the values
	 * that stop read. */
	bool goes_on;
	/* trigger_member: the group's member whose overflow shall end the slice; -1: none. trigger_count: occurrences
	 * until the overflow. The caller of start sets these two. start sets trigger_fd, the si_fd of the overflow's
	 * signal (0: no signal), and trigger_stops: the event stops counting at its overflow, and so sends at most one
	 * signal. */
	int trigger_member;
	uint64_t trigger_count;
	int trigger_fd;
	bool trigger_stops;
	int paused_tid;       /* valgrind: the thread for which collecting is off; 0: none */
	int armed_slot;       /* perf: slot of the event that has a finite period; -1: none */
	uint64_t armed_count; /* perf: the finite period of armed_slot's event */
	/* perf: for each opening, the slot of the event that stopped itself at its overflow; -1: none did */
	int spent_slots[EP_PLAN_MAX_GROUPS];
	uint32_t opening; /* perf: index of a group's opening for a kind of cores, which is on */
	int fds[EP_PLAN_MAX_SLOTS];
	/* perf's ids of the leaders, which show whether a descriptor is still evprof's */
	uint64_t ids[EP_PLAN_MAX_GROUPS];
	uint64_t base[EP_PLAN_MAX_SLOTS]; /* values at the start of the slice */
	uint64_t base_enabled_ns[EP_PLAN_MAX_GROUPS];
	uint64_t base_running_ns[EP_PLAN_MAX_GROUPS];
};

/* The counts of one slice. */
struct ep_slice_counts {
	bool did_run; /* false: there are no counts for this slice */
	/* ns for which the group was on, and ns of these in which it counted. If it did not count all the time, the
	 * counts are scaled up. A source without such times sets both to 0. */
	uint64_t enabled_ns, running_ns;
	uint64_t cpu_ns; /* the thread's CPU time; set by a source with tells_cpu_time */
	/* since the last stop, as far as the source knows; set by a source with tells_cpu_time */
	bool stayed_on_cpu;
	uint64_t values[EP_GROUP_MAX_EVENTS]; /* the counts, in the group's order */
};

struct ep_source {
	const char *name;
	uint64_t period_ns; /* the default period of a slow source; 0: the period is calibrated */
	/* stop also sets stayed_on_cpu and cpu_ns. The latter is the thread's CPU time, accurate to 2 us, at the
	 * kernel's last update of its accounts, which it makes at the scheduler's ticks. */
	bool tells_cpu_time;
	bool counts_rows; /* a slice is a row of a table: only time may end one */
	/* The end of a slice takes long, since a simulator must answer. If ticks came at fixed times, the next one
	 * could be pending each time that a tick's work ends. Therefore each tick sets the timer for the next tick
	 * (EP_CLOCK_PATIENT). Waits are not noted, since the time of a call that waits is the simulator's. */
	bool is_slow;
	/* Makes events and groups from the settings. Notes in the plan tell what was left out. Returns a negative errno
	 * where nothing can be counted; err says why. */
	int (*prepare)(
		struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err);
	/* Called in a process that has read the plan from the trace, to prepare what the source needs beside the plan.
	 * May be NULL. */
	int (*resume)(
		struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err);
	int (*open)(struct ep_counters *counters, uint32_t first_group);
	/* Begins a slice of the group. */
	void (*start)(struct ep_counters *counters, uint32_t group);
	/* Ends the slice. Sets all fields of *out_counts that the source provides, since the caller clears none of
	 * them. is_remote: another thread of the process calls stop, when measuring ends. */
	void (*stop)(struct ep_counters *counters, uint32_t group, bool is_remote,
		struct ep_slice_counts *out_counts);
	void (*close)(struct ep_counters *counters);
	/* Called when measuring begins in a process or in the child of a fork, before its first thread is measured. May
	 * be NULL. */
	void (*begin_process)(struct ep_process_key key, const char *trace_path);
	/* Called before an exec is tried: the exec loses what the source keeps outside of slices. May be NULL. */
	void (*before_exec)(void);
	/* Returns the identifier of the CPU that the counts are from; empty: this machine's. Valid after prepare or
	 * resume. May be NULL. */
	const char *(*cpuid)(void);
	/* Tells whether the groups always take turns in the plan's order. NULL: they do not. */
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
