/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The finished report: every number and every sentence that a view shows. Views only lay them out. Shares are
 * parts of the sampled CPU time (sampled_ns), from 0 to 1.
 */
#ifndef EVPROF_REPORTER_FACTS_REPORT_H
#define EVPROF_REPORTER_FACTS_REPORT_H

#include "reporter/facts/activity.h"
#include "reporter/facts/marks.h"
#include "reporter/facts/quantity.h"
#include "reporter/facts/report_value.h"
#include "reporter/facts/report_waits.h"
#include "reporter/load/load.h"
#include "reporter/symbolize/symbolize.h"

#include <math.h>

struct ep_report_event {
	const char *name, *unit;
	bool always, software;
	struct ep_report_value total;
	uint64_t n_slices, n_slices_measured;
	double slice_share;       /* n_slices_measured / n_slices */
	bool is_scaled;           /* another user had the counters for a part of some slices */
	const char *estimator;    /* estimator of unmeasured slices; NULL: no such slice or data */
	struct ep_quantity error; /* standard error of total */
	struct ep_quantity holdout_error; /* mean relative error on slices hidden as a test */
	double *rate; /* (n_bins) counts per second; NULL: the counts over time are not known */
	/* (n_bins, EP_N_REPLICAS) changes of the bins' counts in replicas of the estimates; NULL: not asked
	 * for, or there are none */
	float *bin_changes;
	double rate_max;
};

/* How the event's own ticks, from its overflows, distribute its count over places (facts/placed.c). */
struct ep_report_placing {
	bool has_ticks;         /* threads with 98 % of the count or more have ticks */
	struct ep_tick_sum all; /* sum of the ticks of all places */
	double unmeasured;      /* the share of windows that did not measure the event */
	double slope;           /* weight of the windows' predictions (placed.c), 0 to 1 */
	double clusters;        /* factor of variances, as ticks of a window are alike; >= 1 */
	double not_again; /* factor of variances because windows are drawn without replacement */
	/* half the width of an error bar in standard errors; it is above 1.96, since the
	 * variances are known from few replicas */
	double student;
};

struct ep_report_caller {
	const char *name;
	uint64_t ns;
	double share; /* share of the callee's total */
};

/* A procedure, a source line, a module, a loop or a language. */
struct ep_report_row {
	const char *name; /* name with parameters */
	const char *short_name;
	uint32_t symbol_idx; /* for a procedure or a line */
	enum ep_symbol_kind kind;
	const char *module;      /* path of the module; "": there is none */
	const char *module_name; /* last part of the module's path */
	const char *file;        /* file of its declaration, or of the line; NULL: not known */
	uint32_t line;
	const char *nest;     /* nest of a loop, "fem.c:208 > 212"; NULL: the row is no loop */
	const char *around;   /* name of the loop around this one; NULL: there is none */
	uint32_t depth;       /* depth of a loop, 1: outermost; 0: the row is no loop */
	uint32_t loop_idx;    /* index of the loop: the row itself, or the one that "loop" names */
	const char *hot_file; /* file of the line with most self time; NULL: not known */
	uint32_t hot_line;
	/* Innermost loop with most of the self time of a procedure that has much time, as "fem.c:212", and
	 * the loop's share of that time. NULL: there is none, or it was not looked for */
	const char *loop;
	double loop_share;
	/* How the loop in "loop", or the row if it is a loop, accesses its data; set for loops with much time */
	enum ep_access access;
	bool is_known, is_inlined;
	bool is_script; /* the code is in a script, which an interpreter runs */
	uint64_t n_samples, self_ns, total_ns;
	uint64_t system_ns; /* part of self in system calls */
	double self_share, total_share;
	/* Shares of the time that passed while threads ran, where each moment is divided among the running
	 * threads; alone_share: the share of self while no other thread ran. */
	double self_latency_share, total_latency_share, alone_share;
	double self_error, total_error; /* standard errors of the shares */
	struct ep_report_value *values; /* (n_events) counts of self */
	double *totals;                 /* (n_events) counts with callees; NULL: not exact */
	float *changes;                 /* memory that the changes of values point to */
	struct ep_report_caller *callers;
	uint32_t n_callers;
};

/* Tells whether a reader can look at the row's code: it is a procedure, and neither the kernel nor the time
 * after a thread's last sample. */
static inline bool ep_report_row_is_place(const struct ep_report_row *row)
{
	return row->kind == EP_SYMBOL_PROCEDURE || row->kind == EP_SYMBOL_NAMELESS;
}

struct ep_report_table {
	struct ep_report_row *rows; /* sorted by self, the largest first */
	uint32_t n_rows;
	uint32_t n_shown;    /* rows that are shown; --top hides the others */
	double hidden_share; /* self share of the hidden rows */
};

/* A row of the call tree, in the order to be shown. Calls that pass nearly all their time on to one callee share a row
 * with it: name is the last of them, through the first, and n_through their number without the last. */
struct ep_report_call {
	uint32_t depth;
	const char *name, *through;
	const char *short_name; /* short name of a row in an exact report; else NULL */
	uint32_t n_through;
	bool is_loop;     /* a loop of the procedure above: "loop at fem.c:212 in solve" */
	uint64_t n_calls; /* number of calls by the procedure above, in an exact report */
	uint64_t self_ns, total_ns;
	double self_share, total_share;
};

/* A procedure through which an activity was entered, such as MPI_Send; ns is its time. caller is the
 * procedure whose calls took most of it (caller_ns); NULL: not known, or in the C library. */
struct ep_report_entry {
	const char *name, *caller;
	uint64_t ns, caller_ns;
};

struct ep_report_activity {
	enum ep_activity activity;
	uint64_t ns;
	double share, error;               /* share of sampled_ns, and its standard error */
	struct ep_report_entry entries[3]; /* the entries with the most time, largest first */
	uint32_t n_entries;
};

/* An amount (energy, memory traffic) that the whole machine used while the run lasted. */
struct ep_report_amount {
	bool is_known;
	double total, error; /* total and its error, in the unit of ep_machine_amounts */
	double span_s;       /* time that the readings cover, which may be less than the run */
	double *bins;        /* (n_bins) the amount in each bin */
};

struct ep_report_process {
	uint32_t pid;
	const char *program, *command, *rank;
	const char *file;     /* name of the executable's file, not of a link; NULL: not known */
	const char *host;     /* NULL: not known */
	uint32_t process_idx; /* index in the trace's processes */
	struct ep_quantity mpi_share; /* share of MPI in the sampled time of the process */
	double told_s, mpi_s;         /* for a rank: sampled time, and the part of it in MPI */
	double own_s;                 /* for a rank: time outside of MPI of its longest thread */
	const char *label;            /* command without the program's folder, with rank and host */
	uint32_t ppid;
	enum ep_born born;
	bool has_end; /* false: the trace does not say how it ended */
	enum ep_end_how end_how;
	uint32_t end_status;        /* exit status, or the signal's number */
	double start_s, duration_s; /* start_s: since the run's start */
	uint32_t n_threads;
	/* number of CPUs that it might use when it began, by its affinity and its container's limit; 0: not known */
	uint32_t n_cpus_allowed;
	const char *cpus_allowed; /* the CPUs of its affinity, "0-3,8"; NULL: not known */
	uint64_t n_samples, n_lost;
	uint64_t cpu_ns, hidden_ns, own_ns;
	double share; /* share of all CPU time */
	/* kernel's account of CPU time; both are known or none */
	struct ep_quantity user_s, system_s;
	struct ep_quantity children_s; /* CPU time of its children; known if user_s is */
	double unseen_s; /* CPU time that no thread of the trace has; 0: little, or not known */
	struct ep_report_waits waits; /* sum over its threads */
	uint64_t peak_rss_kib;        /* known if user_s is */
};

/* All processes of a program, by its name. */
struct ep_report_program {
	const char *name;
	uint32_t n_processes, n_threads;
	uint64_t cpu_ns;
	double share;     /* share of all CPU time */
	const char *file; /* the executable's file name, of the first process */
};

struct ep_report_thread {
	uint32_t thread_idx;               /* index in the trace's threads */
	uint32_t process_idx, pid, tid;    /* exec changes process_idx, but not pid */
	const char *program, *name, *rank; /* rank: the MPI rank of its process; NULL: none */
	double start_s, duration_s;
	uint64_t n_samples, n_lost;
	uint64_t cpu_ns, hidden_ns;
	struct ep_report_waits waits;
	uint64_t own_ns; /* evprof's own time, not in cpu_ns */
	double share;
	bool has_usage; /* false: the counts below are unknown, as the thread outlived main */
	uint64_t n_minor_faults, n_major_faults, n_voluntary, n_involuntary;
	struct ep_report_value *values; /* (n_events) the thread's counts */
	double *busy;                   /* (n_bins) CPU time over wall time, 0 to 1 */
};

/* A level-1 metric for the whole run. */
struct ep_report_metric {
	const char *model, *title; /* name and title of the model: "topdown", "Top-Down on ..." */
	const char *name;
	const char *base, *unit;  /* NULL: there is none */
	struct ep_quantity value; /* shares 0 to 1; shown with ep_quantity_bar */
	double coverage;          /* share of the time in which it was measured */
	bool is_share;            /* the value is a share of base */
	bool is_invalid;          /* the value is negative, or a share above 1 */
	bool is_contradicted;     /* a calibration contradicts it or its parts */
};

#define EP_N_RATIOS 6 /* kinds of ratios */

/* A ratio of a procedure's counts. */
struct ep_report_ratio {
	/* A share is from 0 to 1. The error comes from the estimates of the counts and from their places. */
	struct ep_quantity value;
	bool is_mixed; /* a count that the ratio needs is mixed */
};

struct ep_report_ratio_kind {
	const char *title; /* NULL: no procedure has this ratio */
	bool is_share;
};

/* The processes of one MPI rank, or of one host. */
struct ep_report_group {
	const char *name; /* the rank or host: "12", "node3" */
	const char *host; /* for a rank its host; NULL: not known */
	uint32_t n_ranks, n_processes, n_threads;
	uint64_t cpu_ns;
	uint64_t ready_ns; /* time ready to run without a CPU, summed over threads */
	double mpi_share;  /* share of MPI in the sampled time; NaN: there is no sample */
	/* own_s is time outside of MPI: for a rank that of its longest thread, for a host the mean over its
	 * ranks. most_s is the longest time of a host's ranks, and slowest_rank the rank that has it. */
	double own_s, most_s;
	const char *slowest_rank;
	double *busy; /* (n_bins) CPUs that were busy on average */
	double told_s, mpi_s;
	double cycles, counted_us; /* cycles, and the CPU time in which they were counted */
	double system_s;           /* time in the kernel; NaN: not known for a process */
	double lacking_s;          /* time ready without a CPU, of each process's worst thread */
	double stolen_share;   /* share of busy CPU time that a VM's host took; NaN: not known */
	double machine_busy_s; /* busy CPU time less stolen time; NaN: not known */
	uint64_t n_minor_faults, n_major_faults;
	uint64_t n_faults_most; /* both kinds of page faults, of the thread that has most */
};

/* Returns the average clock frequency of the group's CPUs in GHz, from cycles; NaN: no cycles were counted. */
double ep_group_ghz(const struct ep_report_group *group);

enum ep_slow_reason {
	EP_SLOW_NONE, /* there is no slow rank, or no reason is known */
	/* the rank computes longer, and clock and page faults do not explain it */
	EP_SLOW_WORK,
	EP_SLOW_CLOCK,  /* a slow clock; values in GHz */
	EP_SLOW_FAULTS, /* page faults, whose cost is kernel time; values are numbers of them */
	EP_SLOW_CPUS,   /* lack of CPUs; values are seconds ready to run without one */
	EP_SLOW_STOLEN, /* CPU time that a VM's host took; values are shares of CPU time */
};

/* The rank for which the others wait, and the reason. */
struct ep_report_slow_rank {
	const struct ep_report_group *rank; /* NULL: there is none */
	enum ep_slow_reason reason;
	double its, others; /* value of the rank, and mean of the others, in the reason's unit */
	double cost_s;      /* seconds that the reason costs the rank */
};

/* The spread of a procedure's own time over ranks. */
struct ep_report_spread {
	const char *name, *short_name;
	double share; /* share of the time of all ranks */
	double least_s, median_s, most_s;
	const char *least_rank, *most_rank;
};

enum ep_finding_kind {
	EP_FINDING_NOTE,    /* a fact that is good to know */
	EP_FINDING_WARNING, /* some numbers are less sure than they look */
};

struct ep_report_finding {
	enum ep_finding_kind kind;
	const char *text;
};

/* Sentences about the report, which words/ and advise/ make from the facts. */
struct ep_report_said {
	const char *in_short[10];
	uint32_t n_in_short;
	const char **missing; /* (n_missing) texts that say why an event could not be measured */
	uint32_t n_missing;
	struct ep_report_finding *findings;
	uint32_t n_findings, finding_capacity;
	struct ep_strings texts; /* storage of all these texts */
};

#define EP_MAX_SERIAL_PARTS 5

/* A time in which one thread ran and no other did, but for moments. */
struct ep_report_serial_part {
	double from_s, to_s; /* since the run's start */
	double alone_s;      /* time of the part in which exactly one thread ran */
	double share;        /* alone_s as a share of the time in which any thread ran */
	/* the calls in which more than half of that time passed, "main > read_mesh"; NULL: there is none, or
	 * it is not known */
	const char *calls;
	double calls_share,
		calls_error; /* the innermost call's share of the part, its standard error; NAN: not known */
};

/* How many threads ran at the same time, in the time in which any thread ran. */
struct ep_report_parallel {
	double busy_s;      /* the time in which any thread ran; 0: not known */
	double alone_share; /* share of busy_s in which exactly one thread ran */
	double mean;        /* mean number of running threads */
	uint32_t n_most;    /* the most threads that ran at a time */
	double *times_s;    /* (n_most) times with one running thread, with two, ... */
	bool is_telling;    /* latency shares differ from CPU shares; no thread lacked a CPU */
	/* the longest serial parts, the longest first; none where a thread lacked a CPU */
	struct ep_report_serial_part serial_parts[EP_MAX_SERIAL_PARTS];
	uint32_t n_serial_parts;
};

struct ep_report {
	const char *trace_path, *hosts; /* hosts: "node1, node2 and 2 more" */
	const char *selection; /* text of --process and --thread; NULL: everything is shown */
	uint32_t n_hosts;
	const char *command, *host, *cpu, *kernel, *source, *clock, *version;
	uint32_t n_cpus;         /* number of CPUs of all hosts */
	struct ep_quantity load; /* mean of threads that ran or were ready before the run began */
	uint64_t started_ns;     /* start of the run on CLOCK_REALTIME; 0: not known */
	double from_s;           /* begin of the shown part, since the run's start */
	double duration_s;
	bool is_of_region; /* only a region is shown; region_s: its time, NAN: not known */
	double region_s;
	uint32_t n_processes, n_threads, n_ranks;
	bool is_simulated; /* valgrind ran the program: times are the simulator's */
	/* Procedures, lines, calls and counts are callgrind's own, and their time is callgrind's estimate of
	 * cycles, each shown as a ns. Processes whose costs callgrind could not write are an exception. Rows
	 * of calls then are procedures, each followed by its callees. What a callee calls is in the callee's
	 * time, but not listed below it, since callgrind has it only as a sum over all callers. */
	bool is_exact;
	uint32_t n_not_exact; /* processes whose costs callgrind could not write */
	uint64_t n_samples, n_lost;
	uint64_t n_slices;       /* slices ended by time, or by a thread's end without a sample */
	uint64_t n_call_samples; /* samples of ticks that look for system calls */
	bool has_faults;         /* some ticks that look for system calls found page faults */
	uint64_t n_event_ticks;  /* ticks by events, which are not in n_samples */
	double lost_share;
	double schedulers_share; /* share of samples at the scheduler's ticks */
	double period_ms;
	uint64_t cpu_ns;              /* CPU time of all threads */
	uint64_t busiest_ns;          /* CPU time of the thread that has most */
	uint64_t sampled_ns;          /* CPU time with a sample, which all shares refer to */
	uint64_t hidden_ns;           /* CPU time in kernel mode that the clock did not see */
	uint64_t stolen_ns;           /* part of cpu_ns that a VM's host took; in no share */
	struct ep_report_waits waits; /* sum over all threads */
	bool lacked_cpus; /* some thread was ready without a CPU for long enough to be shown */
	uint64_t own_ns;
	bool has_noted_waits;               /* waits were recorded, and are known for the region */
	bool waits_lack_regions;            /* the region's part of recorded waits is not known */
	struct ep_report_wait *noted_waits; /* sorted by time, the largest first */
	uint32_t n_noted_waits, n_noted_waits_shown, noted_wait_capacity;
	uint64_t noted_ns, n_noted_lost, n_unseen_calls;
	uint64_t lock_ns,
		end_ns; /* parts of noted_ns: for locks; for ends of threads or processes */
	struct ep_report_lock *locks; /* sorted by time, the largest first */
	uint32_t n_locks, n_locks_shown, lock_capacity;
	/* sorted: first the thread with most time; within a thread, first the row with most time */
	struct ep_report_thread_wait *thread_waits;
	uint32_t n_thread_waits, thread_wait_capacity;
	uint32_t n_waiting_threads, n_waiting_threads_shown;
	struct ep_quantity others_cpus;  /* CPUs that other programs kept busy, on average */
	struct ep_quantity stolen_share; /* share of busy CPU time that a host took */
	struct ep_quantity
		limited_share;        /* share of periods in which a CPU limit stopped the run */
	struct ep_quantity limited_s; /* CPU time that this limit took, summed over CPUs */
	struct ep_report_amount amounts[EP_N_MACHINE_TIMES]; /* amounts by enum ep_machine_time */
	double unseen_s;    /* CPU time that the kernel knows of, but no thread of the trace has */
	double untold_s;    /* CPU time of measured processes before and after measuring */
	double outside_s;   /* CPU time of children that are not in the trace; 0: none is known */
	double charged_s;   /* all known CPU time of the run, in the tables or not */
	double cpus_used;   /* CPUs used; NAN: the shown duration is not known */
	const char *filler; /* name of the estimator for slices that did not measure an event */
	bool has_estimates, has_partial_events;

	struct ep_report_event *events;
	uint32_t n_events;
	struct ep_report_placing *placing; /* (n_events) NULL: no event ended slices */
	struct ep_report_table procedures, lines, modules;
	struct ep_report_table loops;     /* loops, and code outside of loops; only if asked for */
	struct ep_report_table languages; /* languages are only built if asked for */
	struct ep_report_parallel parallel;
	struct ep_report_call *calls;
	uint32_t n_calls, call_capacity;
	double least_call_share;                               /* smaller calls are left out */
	struct ep_report_activity activities[EP_N_ACTIVITIES]; /* most time first */
	uint32_t n_activities;
	struct ep_report_process *processes; /* sorted by CPU time, the largest first */
	uint32_t n_processes_shown;
	double processes_hidden_share;
	/* Time outside of MPI of a rank's longest thread: the largest of all ranks, and their mean; 0: there
	 * are fewer than two ranks */
	double rank_own_most_s, rank_own_mean_s;
	const struct ep_report_process *slowest_rank;
	struct ep_report_group *rank_rows, *host_rows; /* ranks sorted by number, hosts by name */
	uint32_t n_rank_rows, n_host_rows;
	struct ep_report_slow_rank slow_rank;
	double group_busy_max;            /* the largest value in all bins of ranks */
	struct ep_report_spread *spreads; /* of shown procedures, most time in all ranks first */
	uint32_t n_spreads;
	struct ep_report_program *programs; /* sorted by CPU time, the largest first */
	uint32_t n_programs, n_programs_shown;
	struct ep_report_thread *threads; /* sorted by CPU time, the largest first */
	uint32_t n_threads_shown;
	double threads_hidden_share;
	struct ep_report_region *regions;
	uint32_t n_regions;
	struct ep_report_phase *phases;   /* phases of a whole run; added after everything else */
	uint32_t n_phases, n_phase_kinds; /* 0: they were not looked for, or nothing changed */
	uint32_t n_bins;
	double bin_s;
	double *cpus_busy; /* (n_bins) CPUs that were busy in each bin */
	double cpus_busy_max;
	struct ep_report_metric *metrics; /* metrics in the models' order; added last */
	uint32_t n_metrics, metric_capacity;
	uint32_t n_metrics_hidden; /* metrics without a value, of lower levels, or too many */
	struct ep_report_ratio_kind ratio_kinds[EP_N_RATIOS];
	struct ep_report_ratio *ratios; /* (n_ratio_rows, EP_N_RATIOS) of the first procedures */
	uint32_t n_ratio_rows;
	struct ep_strings own_texts;
	struct ep_report_said said; /* sentences made from the complete facts above */
};

/* Returns the wall time of the shown part; NAN: not known. */
static inline double ep_shown_s(const struct ep_report *report)
{
	return report->is_of_region ? report->region_s : report->duration_s;
}

/* Returns how many CPUs were used on average, including CPU time that is in no table; NAN where cpus_used is. */
static inline double ep_all_cpus_used(const struct ep_report *report)
{
	return report->cpus_used +
	       (report->duration_s > 0 ? report->untold_s / report->duration_s : 0);
}

/* Tells whether the file at a path is the executable of the program with most of the time. */
bool ep_report_is_programs(const struct ep_report *report, const char *path);

struct ep_report_options {
	uint32_t top;    /* rows per table, 0: all */
	uint32_t n_bins; /* bins of the timeline */
	bool callers;
	bool loops;                     /* builds the table of loops; the namer must name loops */
	bool loops_are_optional;        /* no error where loops cannot be found */
	bool instructions;              /* the trace has callgrind's costs by instruction */
	bool languages;                 /* builds the table of languages */
	bool all_calls;                 /* each call has a row of its own */
	bool calls_have_loops;          /* the call tree has a row for each loop of a procedure */
	bool brief;                     /* tables leave out rows with too small self shares */
	const char *const *trace_paths; /* NULL after the last */
	const char *selection;
	uint64_t from_ns, to_ns; /* these two and region are as in struct ep_load_options */
	const char *region;
	const struct ep_filler_ops *filler;
	bool filler_is_default;                            /* the user named no filler */
	void (*progress)(uint32_t n_done, uint32_t n_all); /* while paths are named; may be NULL */
	/* Adds facts that higher folders know about the run (metrics, advice, phases). It is the last step
	 * that changes the report. 0 or -ENOMEM; NULL: nothing is added. */
	int (*add)(struct ep_report *report, const struct ep_trace *trace,
		struct ep_symbols *symbols, void *context);
	void *add_context;
};

/* Returns the activity's title in tables: without MPI in the run, the title for starting a program does not
 * mention MPI. */
const char *ep_report_activity_title(const struct ep_report *report, enum ep_activity activity);

/* Tells whether a thread was ready without a CPU for so long that lists show it. Needs only the trace. */
bool ep_trace_lacked_cpus(const struct ep_trace *trace);

/* Frees a report. It takes a const pointer, since a finished report is not changed any more. */
void ep_report_destroy(const struct ep_report *report);
/* Frees all sentences and leaves none. */
void ep_said_finish(struct ep_report_said *said);

/* Functions for ep_report_options.add, which is called before the report is finished; texts are copied. 0 or
 * -ENOMEM. */
int ep_report_add_metric(
	struct ep_report *report, const struct ep_report_metric *metric) EP_MUST_CHECK;
int ep_report_add_in_short(struct ep_report *report, const char *format, ...)
	EP_PRINTF(2, 3) EP_MUST_CHECK;
/* As ep_report_add_in_short, but before all other sentences. */
int ep_report_lead_in_short(struct ep_report *report, const char *sentence) EP_MUST_CHECK;
int ep_report_add_finding(struct ep_report *report, enum ep_finding_kind kind, const char *format,
	...) EP_PRINTF(3, 4) EP_MUST_CHECK;

#endif
