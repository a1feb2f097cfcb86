/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The finished report: every number and every sentence that a view shows. Views only lay out.
 * Shares are of the sampled CPU time (cpu_ns), 0 to 1.
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
	double slice_share; /* measured of all */
	bool is_scaled;     /* another user had the counters for a part of some slices */
	/* of the other slices; NULL: there are none, or none could be estimated */
	const char *estimator;
	struct ep_quantity error;         /* standard error of total */
	struct ep_quantity holdout_error; /* mean relative error of hidden slices */
	double *rate; /* (n_bins) per second; NULL: the counts over time are not known */
	/* (n_bins, EP_N_REPLICAS) how replicas of the estimates change the counts of bins; NULL: that was
	 * not asked for, or there are none */
	float *bin_changes;
	double rate_max;
};

/* How the event's own ticks place its counts (facts/placed.c). */
struct ep_report_placing {
	bool has_ticks;         /* they are of all that the event counted */
	struct ep_tick_sum all; /* of all places */
	double unmeasured;      /* the share of windows that did not measure the event */
	double slope;           /* how much of what windows foretell is believed, 0 to 1 */
	double clusters;  /* the factor of variances that ticks of one window add, 1 or more */
	double not_again; /* the factor of variances for windows drawn without replacement */
	double student; /* standard errors of half a bar: what is known of the variances is little */
};

struct ep_report_caller {
	const char *name;
	uint64_t ns;
	double share; /* of the callee's total */
};

/* A procedure, a source line or a module. */
struct ep_report_row {
	const char *name; /* with parameters */
	const char *short_name;
	uint32_t symbol_idx; /* of a procedure or a line */
	enum ep_symbol_kind kind;
	const char *module;      /* path; "" when there is none */
	const char *module_name; /* its last part */
	const char *file;        /* procedure: declaration; line: the line. NULL: not known */
	uint32_t line;
	/* The nest of a loop, outermost first, "fem.c:208 > 212"; NULL outside of loops */
	const char *nest;
	const char *around; /* the loop around it, as it is called; NULL: there is none */
	uint32_t depth;     /* of a loop, 1: outermost; 0: no loop */
	uint32_t loop_idx; /* of a loop, or of the procedure's loop below, as symbols number them */
	const char *hot_file; /* where most of self was spent; NULL: not known */
	uint32_t hot_line;
	/* The innermost loop that has most of the self time of a procedure with much time, as
	 * "fem.c:212", and that loop's share of it. NULL: there is none, or none was looked for */
	const char *loop;
	double loop_share;
	/* How that loop, or the loop that the row is, gets at its data; of those with much time */
	enum ep_access access;
	bool is_known, is_inlined;
	bool is_script; /* of a file that an interpreter carries out: the user's own code */
	uint64_t n_samples, self_ns, total_ns;
	uint64_t system_ns; /* of self, the kernel's in system calls that were seen */
	double self_share, total_share;
	/* Shares of the time that passed while threads ran, each moment divided among those that did;
	 * and of self, while no other ran. */
	double self_latency_share, total_latency_share, alone_share;
	double self_error, total_error; /* standard errors of the shares: samples are a draw */
	struct ep_report_value *values; /* (n_events), of self */
	double *totals; /* (n_events), with everything it calls; NULL where the report is not exact
			 */
	float *changes; /* the memory that the values' changes point into */
	struct ep_report_caller *callers;
	uint32_t n_callers;
};

/* Can a reader look at it: is it none of the kernel, code without a name, the rest of a thread? */
static inline bool ep_report_row_is_place(const struct ep_report_row *row)
{
	return row->kind == EP_SYMBOL_PROCEDURE || row->kind == EP_SYMBOL_NAMELESS;
}

struct ep_report_table {
	struct ep_report_row *rows; /* most self first */
	uint32_t n_rows;
	uint32_t n_shown;    /* the rest is hidden by --top */
	double hidden_share; /* self of the rest */
};

/* A row of the call tree, in the order to be shown. Calls that pass all their time on share the row
 * of the last: through is the first of them, n_through their number. */
struct ep_report_call {
	uint32_t depth;
	const char *name, *through;
	const char *short_name; /* of a row that is_exact: name without parameters; else NULL */
	uint32_t n_through;
	bool is_loop;     /* of the procedure above it: "loop at fem.c:212 in solve" */
	uint64_t n_calls; /* of a row that is_exact below a procedure: how often it called this one
			   */
	uint64_t self_ns, total_ns;
	double self_share, total_share;
};

/* A procedure that time of an activity came in by: MPI_Send. caller: who called it most, and how
 * much of ns through that; NULL: not known, or the C library. */
struct ep_report_entry {
	const char *name, *caller;
	uint64_t ns, caller_ns;
};

struct ep_report_activity {
	enum ep_activity activity;
	uint64_t ns;
	double share, error;               /* of sampled_ns; its standard error */
	struct ep_report_entry entries[3]; /* the largest, most first */
	uint32_t n_entries;
};

/* An amount that the whole machine used while the run lasted. */
struct ep_report_amount {
	bool is_known;
	double total, error; /* in the unit of ep_machine_amounts */
	double span_s;       /* between the readings that tell it, which may begin after the run */
	double *bins;        /* (n_bins) */
};

struct ep_report_process {
	uint32_t pid;
	const char *program, *command, *rank;
	const char *file;     /* last part of its path, which a link may hide; NULL: not known */
	const char *host;     /* NULL: not known */
	uint32_t process_idx; /* in the trace */
	struct ep_quantity mpi_share; /* of its sampled time */
	double told_s, mpi_s;         /* of a rank: sampled time, and that in MPI */
	double own_s;                 /* of a rank: of its longest thread, outside of MPI */
	const char *label;            /* command without the folder of its program */
	uint32_t ppid;
	enum ep_born born;
	bool has_end; /* else the trace does not say how it ended */
	enum ep_end_how end_how;
	uint32_t end_status;        /* exit status, or the signal */
	double start_s, duration_s; /* since the run's start */
	uint32_t n_threads;
	uint32_t n_cpus_allowed;  /* by its affinity when it began; 0: not known */
	const char *cpus_allowed; /* "0-3,8"; NULL: not known */
	uint64_t n_samples, n_lost;
	uint64_t cpu_ns, hidden_ns, own_ns;
	double share;                        /* of all CPU time */
	struct ep_quantity user_s, system_s; /* by the kernel's own account, both or none */
	struct ep_quantity children_s; /* of those that it waited for, with theirs; the same */
	double unseen_s;              /* that no thread of the trace has; 0: little, or not known */
	struct ep_report_waits waits; /* of its threads */
	uint64_t peak_rss_kib;        /* where user_s is known */
};

/* All processes of one name. */
struct ep_report_program {
	const char *name;
	uint32_t n_processes, n_threads;
	uint64_t cpu_ns;
	double share;     /* of all CPU time */
	const char *file; /* the first process's */
};

struct ep_report_thread {
	uint32_t thread_idx;            /* in the trace */
	uint32_t process_idx, pid, tid; /* a pid that executes another program is two processes */
	const char *program, *name, *rank; /* rank: its process' in MPI; NULL: none */
	double start_s, duration_s;
	uint64_t n_samples, n_lost;
	uint64_t cpu_ns, hidden_ns;
	struct ep_report_waits waits;
	uint64_t own_ns; /* evprof's, not in cpu_ns */
	double share;
	bool has_usage; /* the kernel's account, which a thread that outlived main has none of */
	uint64_t n_minor_faults, n_major_faults, n_voluntary, n_involuntary;
	struct ep_report_value *values; /* (n_events) */
	double *busy;                   /* (n_bins) CPU time over wall time, 0 to 1 */
};

/* A level-1 metric of the whole run. */
struct ep_report_metric {
	const char *model, *title; /* "topdown", "Top-Down on ..." */
	const char *name;
	const char *base, *unit;  /* NULL: none */
	struct ep_quantity value; /* shares 0 to 1; ep_quantity_bar is shown with it */
	double coverage;          /* share of the time in which it was measured */
	bool is_share;            /* of base */
	bool is_invalid;          /* negative, or a share above 1 */
	bool is_contradicted;     /* by a calibration, or computed from one that is */
};

#define EP_N_RATIOS 6 /* kinds */

/* A ratio of a procedure's counts. */
struct ep_report_ratio {
	/* A share is from 0 to 1. The error is that of the counts' estimates and places. */
	struct ep_quantity value;
	bool is_mixed; /* a count that it needs is */
};

struct ep_report_ratio_kind {
	const char *title; /* NULL: no procedure has it */
	bool is_share;
};

/* A rank of MPI, or a host: the processes that belong together. */
struct ep_report_group {
	const char *name; /* "12", "node3" */
	const char *host; /* of a rank; NULL: not known */
	uint32_t n_ranks, n_processes, n_threads;
	uint64_t cpu_ns;
	uint64_t ready_ns; /* ready to run, without a CPU */
	double mpi_share;  /* of its sampled time; NaN: not sampled */
	/* Outside of MPI, of the longest thread of a rank; of a host the mean over its ranks, and the one
	 * that has most. */
	double own_s, most_s;
	const char *slowest_rank;
	double *busy; /* (n_bins) CPUs on average */
	double told_s, mpi_s;
	double cycles, counted_us; /* of slices in which cycles were counted, and their CPU time */
	double system_s;           /* by the kernel's account; NaN: a process has none */
	double lacking_s;    /* ready to run without a CPU, of the thread that was so longest */
	double stolen_share; /* a host's, of the time that the machine's CPUs worked; NaN: not told */
	double machine_busy_s; /* that time without what was stolen; NaN: not known */
	uint64_t n_minor_faults, n_major_faults;
	uint64_t n_faults_most; /* of both, of the thread that has most */
};

/* The clock of its CPUs, by cycles; NaN: none were counted. */
double ep_group_ghz(const struct ep_report_group *group);

enum ep_slow_reason {
	EP_SLOW_NONE, /* no rank is, or it is not known why */
	EP_SLOW_WORK, /* it computes longer, and neither its clock nor page faults are known to explain that */
	EP_SLOW_CLOCK,  /* GHz */
	EP_SLOW_FAULTS, /* page faults, which the kernel's time of the rank shows */
	EP_SLOW_CPUS,   /* seconds ready to run without a CPU */
	EP_SLOW_STOLEN, /* share of its machine's CPU time that a host took */
};

/* The rank that others wait for. */
struct ep_report_slow_rank {
	const struct ep_report_group *rank; /* NULL: none */
	enum ep_slow_reason reason;
	double its, others; /* of the reason's kind: its own, the other ranks' on average */
	double cost_s;      /* that it costs the rank */
};

/* A procedure's own time, over ranks. */
struct ep_report_spread {
	const char *name, *short_name;
	double share; /* of all time of ranks */
	double least_s, median_s, most_s;
	const char *least_rank, *most_rank;
};

enum ep_finding_kind {
	EP_FINDING_NOTE,    /* good to know */
	EP_FINDING_WARNING, /* numbers are less sure than they look */
};

struct ep_report_finding {
	enum ep_finding_kind kind;
	const char *text;
};

/* Sentences about the report, which words/ and advise/ make from its facts. */
struct ep_report_said {
	const char *in_short[10];
	uint32_t n_in_short;
	const char **missing; /* (n_missing) why an event could not be measured */
	uint32_t n_missing;
	struct ep_report_finding *findings;
	uint32_t n_findings, finding_capacity;
	struct ep_strings texts; /* of all of them */
};

/* How many threads ran at a time, of the time in which any did. */
struct ep_report_parallel {
	double busy_s;      /* that time; 0: not known */
	double alone_share; /* of it, in which one ran */
	double mean;        /* threads */
	uint32_t n_most;    /* at a time */
	double *times_s;    /* (n_most) with one thread, with two */
	/* Shares of the time that passes differ from those of CPU time, and no thread lacked a CPU. */
	bool is_telling;
};

struct ep_report {
	const char *trace_path;
	const char *selection; /* the part that --process and --thread chose; NULL: everything */
	const char *hosts;     /* "node1, node2 and 2 more" */
	uint32_t n_hosts;
	const char *command, *host, *cpu, *kernel, *source, *clock, *version;
	uint32_t n_cpus;         /* of all hosts */
	struct ep_quantity load; /* threads that ran or were ready before the run */
	uint64_t started_ns;     /* CLOCK_REALTIME, 0: not known */
	double from_s;           /* the shown part begins, since the run did */
	double duration_s;
	bool is_of_region; /* what is shown: then it lasted region_s, NAN where that is not known */
	double region_s;
	uint32_t n_processes, n_threads, n_ranks;
	bool is_simulated; /* by valgrind: times are the simulator's */
	/* Procedures, lines, calls and the counts of events are callgrind's own, and their time its
	 * estimate of cycles, each shown as a ns; but for processes whose costs it could not write.
	 * Calls then are procedures, each with those that it called; what these called further is
	 * with them, whoever called them. */
	bool is_exact;
	uint32_t n_not_exact; /* processes */
	uint64_t n_samples, n_lost;
	uint64_t
		n_slices; /* that ticks by time ended, or the ends of threads: those are no samples */
	uint64_t n_call_samples; /* of n_samples: from looks for system calls, not from the clock */
	uint64_t n_event_ticks;  /* besides n_samples: where a counted event occurred */
	double lost_share;
	double schedulers_share; /* of the samples, those at the scheduler's ticks */
	double period_ms;
	uint64_t cpu_ns;              /* of all threads */
	uint64_t busiest_ns;          /* of it, of the thread that has most */
	uint64_t sampled_ns;          /* with a sample: what shares are of */
	uint64_t hidden_ns;           /* in kernel mode, unseen by the clock */
	uint64_t stolen_ns;           /* of cpu_ns: charged while a host had the CPU; in no share */
	struct ep_report_waits waits; /* of all threads */
	bool lacked_cpus; /* some thread was ready without one for long enough to be shown */
	uint64_t own_ns;
	bool has_noted_waits;               /* they were asked for, and of a region told */
	bool waits_lack_regions;            /* those that were noted, of a region that is shown */
	struct ep_report_wait *noted_waits; /* most time first */
	uint32_t n_noted_waits, n_noted_waits_shown, noted_wait_capacity;
	uint64_t noted_ns, n_noted_lost, n_unseen_calls;
	uint64_t lock_ns, end_ns; /* of noted_ns: for locks; for the end of a thread or a process */
	struct ep_report_lock *locks; /* most time first */
	uint32_t n_locks, n_locks_shown, lock_capacity;
	struct ep_report_thread_wait *thread_waits; /* by thread, most time first, as in each */
	uint32_t n_thread_waits, thread_wait_capacity;
	uint32_t n_waiting_threads, n_waiting_threads_shown;
	struct ep_quantity others_cpus;   /* kept busy by other programs, on average */
	struct ep_quantity stolen_share;  /* a host's, of the time that the CPUs worked */
	struct ep_quantity limited_share; /* of its periods, those in which a limit stopped it */
	struct ep_quantity limited_s;     /* for so long, times the CPUs */
	struct ep_report_amount amounts[EP_N_MACHINE_TIMES]; /* of enum ep_machine_time */
	double unseen_s;  /* CPU time that the kernel knows of and no thread of the trace has */
	double untold_s;  /* the same of the measured processes' beginnings and ends */
	double outside_s; /* CPU time of children that are not in the trace; 0: none that is known */
	double charged_s;   /* all CPU time of the run that is known of, in the tables or not */
	double cpus_used;   /* NAN: not known for how long what is shown lasted */
	const char *filler; /* the estimator of unmeasured slices */
	bool has_estimates, has_partial_events;

	struct ep_report_event *events;
	uint32_t n_events;
	struct ep_report_placing *placing; /* (n_events) NULL: no event ended slices */
	struct ep_report_table procedures, lines, modules;
	struct ep_report_table
		loops; /* and the rest of each procedure; where they were asked for */
	struct ep_report_table languages; /* where they were asked for */
	struct ep_report_parallel parallel;
	struct ep_report_call *calls;
	uint32_t n_calls, call_capacity;
	double least_call_share;                               /* calls below are left out */
	struct ep_report_activity activities[EP_N_ACTIVITIES]; /* most time first */
	uint32_t n_activities;
	struct ep_report_process *processes; /* most CPU time first */
	uint32_t n_processes_shown;
	double processes_hidden_share;
	/* CPU time outside of MPI of a rank's longest thread: of the rank that has most, and on average;
	 * 0: there are not two ranks */
	double rank_own_most_s, rank_own_mean_s;
	const struct ep_report_process *slowest_rank;
	struct ep_report_group *rank_rows, *host_rows; /* by number, by name */
	uint32_t n_rank_rows, n_host_rows;
	struct ep_report_slow_rank slow_rank;
	double group_busy_max;            /* of all bins of ranks */
	struct ep_report_spread *spreads; /* in the order of procedures; those that are shown */
	uint32_t n_spreads;
	struct ep_report_program *programs; /* most CPU time first */
	uint32_t n_programs, n_programs_shown;
	struct ep_report_thread *threads; /* most CPU time first */
	uint32_t n_threads_shown;
	double threads_hidden_share;
	struct ep_report_region *regions;
	uint32_t n_regions;
	struct ep_report_phase *phases;   /* of a whole run, added after the rest */
	uint32_t n_phases, n_phase_kinds; /* 0: not looked for, or the run is alike throughout */
	uint32_t n_bins;
	double bin_s;
	double *cpus_busy; /* (n_bins) */
	double cpus_busy_max;
	struct ep_report_metric *metrics; /* in the models' order; added after the rest */
	uint32_t n_metrics, metric_capacity;
	uint32_t n_metrics_hidden; /* without a value, of lower levels, or too many */
	struct ep_report_ratio_kind ratio_kinds[EP_N_RATIOS];
	struct ep_report_ratio *ratios; /* (n_ratio_rows, EP_N_RATIOS) of the first procedures */
	uint32_t n_ratio_rows;
	struct ep_strings own_texts;
	struct ep_report_said said; /* of the facts above, after they were complete */
};

/* How long what is shown lasted; NAN: not known. */
static inline double ep_shown_s(const struct ep_report *report)
{
	return report->is_of_region ? report->region_s : report->duration_s;
}

/* With what is in no table; NAN as cpus_used. */
static inline double ep_all_cpus_used(const struct ep_report *report)
{
	return report->cpus_used +
	       (report->duration_s > 0 ? report->untold_s / report->duration_s : 0);
}

/* Is the file at a path that of the program with most of the time? */
bool ep_report_is_programs(const struct ep_report *report, const char *path);

struct ep_report_options {
	uint32_t top;    /* rows per table, 0: all */
	uint32_t n_bins; /* of the timeline */
	bool callers;
	bool loops;                     /* the table of them, of a trace whose namer names them */
	bool loops_are_optional;        /* where they cannot be had, there is no table */
	bool instructions;              /* callgrind's costs of them are kept in the trace */
	bool languages;                 /* the table of them */
	bool all_calls;                 /* the call tree whole, each call a row */
	bool calls_have_loops;          /* with a row for each loop of a procedure */
	bool brief;                     /* tables end where self is too small to be seen */
	const char *const *trace_paths; /* NULL behind the last */
	const char *selection;
	uint64_t from_ns, to_ns; /* as in struct ep_load_options, and so is region */
	const char *region;
	const struct ep_filler_ops *filler;
	bool filler_is_default;                            /* nobody asked for it */
	void (*progress)(uint32_t n_done, uint32_t n_all); /* of call paths named; may be NULL */
	/* Adds what folders above this one know of the run (metrics, advice, phases) as the last step before the
	 * report is finished, which nothing changes after that. 0 or -ENOMEM; NULL: nothing is added. */
	int (*add)(struct ep_report *report, const struct ep_trace *trace,
		struct ep_symbols *symbols, void *context);
	void *add_context;
};

/* How a table names the activity: starting a program without MPI names no MPI. */
const char *ep_report_activity_title(const struct ep_report *report, enum ep_activity activity);

/* Was a thread ready without a CPU for so long that lists show it? Known before the report is. */
bool ep_trace_lacked_cpus(const struct ep_trace *trace);

/* Frees a report that is not going to be read any more, and is const therefore until then. */
void ep_report_destroy(const struct ep_report *report);
/* Frees all that was said; nothing then is. */
void ep_said_finish(struct ep_report_said *said);

/* They are called by what ep_report_options.add calls, before the report is finished; texts are copied. 0 or
 * -ENOMEM. */
int ep_report_add_metric(
	struct ep_report *report, const struct ep_report_metric *metric) EP_MUST_CHECK;
int ep_report_add_in_short(struct ep_report *report, const char *format, ...)
	EP_PRINTF(2, 3) EP_MUST_CHECK;
/* The same, before all others. */
int ep_report_lead_in_short(struct ep_report *report, const char *sentence) EP_MUST_CHECK;
int ep_report_add_finding(struct ep_report *report, enum ep_finding_kind kind, const char *format,
	...) EP_PRINTF(3, 4) EP_MUST_CHECK;

#endif
