/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter sources: where counts come from. One ops table each; a new source is a file and a row
 * in source.c.
 *
 * prepare runs once in the root of a process tree. The others run in the thread that is counted:
 * open and close when it begins and ends, start and stop in its signal handler.
 */
#ifndef EVPROF_COUNTERS_SOURCES_SOURCE_H
#define EVPROF_COUNTERS_SOURCES_SOURCE_H

#include "common/trace.h"
#include "counters/plan/plan.h"
#include "counters/settings.h"

#include <stdbool.h>
#include <stdint.h>

/* One thread's counters. Values are cumulative over the time a group was on. */
struct ep_counters {
	const struct ep_plan *plan;
	bool is_open;
	bool is_first;      /* no thread of the process was measured before this one */
	bool is_lost;       /* descriptors gone: the program closed them behind our back */
	bool is_begun;      /* rusage: the event of migrations is open, or cannot be opened */
	bool is_cut;        /* for stop, by who calls it: perhaps no slice comes after this one */
	uint8_t n_unread;   /* rusage: slices whose migrations a later one will tell */
	int cpu;            /* rusage: the thread's, when they were last asked for; -1: not yet */
	uint64_t n_stops;   /* slices so far (sim: the row) */
	uint64_t system_us; /* the thread's system time as the slice began, or before */
	uint64_t stopped_system_us; /* rusage: at the last stop */
	uint64_t n_switches;        /* rusage: of the thread, at the last stop */
	/* For start, by who calls it after stop: nothing that is counted has happened in between,
	 * and the counts may go on from where stop read them. */
	bool goes_on;
	/* For start, by who calls it: the group's member whose overflow shall end a slice, after this
	 * many occurrences from then on; -1: none. start says by which si_fd its signal is known
	 * (0: there is none), and whether the event stops itself there, so that it sends one at most. */
	int trigger_member;
	uint64_t trigger_count;
	int trigger_fd;
	bool trigger_stops;
	int paused_tid;       /* valgrind: the thread whose collecting is off; 0: none */
	int armed_slot;       /* perf: of the event whose period is not endless; -1: none */
	uint64_t armed_count; /* perf: that period */
	/* perf: of the group's event that stopped itself with its overflow; -1: none did */
	int spent_slots[EP_PLAN_MAX_GROUPS];
	uint32_t opening; /* perf: what is on, a group for a kind of cores */
	int fds[EP_PLAN_MAX_SLOTS];
	uint64_t ids[EP_PLAN_MAX_GROUPS]; /* perf's id of the leader, to know it again */
	uint64_t base[EP_PLAN_MAX_SLOTS]; /* values at the start of the slice */
	uint64_t base_enabled_ns[EP_PLAN_MAX_GROUPS];
	uint64_t base_running_ns[EP_PLAN_MAX_GROUPS];
};

/* The counts of one slice. */
struct ep_slice_counts {
	bool did_run; /* false: nothing is known, values are missing */
	uint64_t enabled_ns, running_ns;
	uint64_t cpu_ns;                      /* by a source that tells_cpu_time */
	bool stayed_on_cpu;                   /* the same: since the last stop, to its knowledge */
	uint64_t values[EP_GROUP_MAX_EVENTS]; /* in the group's order */
};

struct ep_source {
	const char *name;
	uint64_t period_ns; /* the default slice where the source is slow; 0: by calibration */
	/* stop also says what the thread's CPU clock was when the kernel last brought its accounts
	 * up to date, which it does at the scheduler's ticks: to 2 us; and whether the thread was
	 * switched off its CPU. */
	bool tells_cpu_time;
	/* A slice's end takes so long that ticks would queue up: each is set when the one before
	 * has been served. */
	bool counts_rows; /* a slice is a row of a table: nothing but time may end one */
	bool is_slow;
	/* Turns settings into events and groups. Notes in the plan what had to be left out.
	 * Negative: nothing can be counted, err says why. */
	int (*prepare)(
		struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err);
	/* In a process that found the plan in the trace: what prepare keeps besides the plan. May
	 * be NULL. */
	int (*resume)(
		struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err);
	int (*open)(struct ep_counters *counters, uint32_t first_group);
	/* Begins a slice of the group. */
	void (*start)(struct ep_counters *counters, uint32_t group);
	/* Ends it. is_remote: from another thread of the process, at the end of everything. */
	void (*stop)(struct ep_counters *counters, uint32_t group, bool is_remote,
		struct ep_slice_counts *out_counts);
	void (*close)(struct ep_counters *counters);
	/* A process begins to be measured, or fork's child, before its first thread is.
	 * May be NULL. */
	void (*begin_process)(struct ep_process_key key, const char *trace_path);
	/* An exec is about to be tried: what the source keeps outside of the slices would be lost.
	 * May be NULL. */
	void (*before_exec)(void);
	/* Identifier of the CPU whose counts these are, empty: this machine's. Valid after prepare
	 * or resume. May be NULL. */
	const char *(*cpuid)(void);
	/* Whether the groups are on in the plan's order throughout. May be NULL: they are not. */
	bool (*keeps_order)(void);
};

extern const struct ep_source ep_source_perf;
extern const struct ep_source ep_source_rusage;
extern const struct ep_source ep_source_sim;
extern const struct ep_source ep_source_valgrind;
extern const struct ep_source ep_source_papi;
extern const struct ep_source ep_source_program;

/* Whether this machine's PMU gives cycles to this user. */
bool ep_perf_has_hardware(void);

/* "auto", "perf", "sim:TABLE,...": NULL when there is no such source. */
const struct ep_source *ep_source_find(const char *setting);

/* Picks the source for auto and prepares it. */
int ep_source_choose(struct ep_plan *plan, const struct ep_settings *settings,
	const struct ep_source **out_source, struct ep_error *err);

#endif
