/* SPDX-License-Identifier: BSD-3-Clause */
/* The report while it is being built: declarations that the files of facts/ share with each other and with
 * words/. */
#ifndef EVPROF_REPORTER_FACTS_BUILDER_H
#define EVPROF_REPORTER_FACTS_BUILDER_H

#include "reporter/facts/report.h"

/* ---- attribute.c: self and total of procedures, lines, modules ---- */

enum ep_dimension {
	EP_BY_SYMBOL = EP_PLACE_PROCEDURE,
	EP_BY_LINE = EP_PLACE_LINE,
	EP_BY_MODULE = EP_PLACE_MODULE,
	EP_BY_LOOP = EP_PLACE_LOOP,
};

struct ep_tally {
	/* self and total time as latency, where each moment is divided among the threads that ran
	 * (load/latency.h), and self time while no other thread ran */
	double self_latency_us, total_latency_us, alone_us;
	uint64_t n_samples, self_us, total_us;
	uint64_t system_us; /* self time in system calls */
	/* sums of the squares of the times that samples stand for, in self and in total, us^2 */
	double self_squares, total_squares;
	uint32_t n_active;   /* how many frames of the path being walked are in this place */
	struct ep_sums sums; /* sums of self costs */
	struct ep_mixing mixing;
	struct ep_tick_sums ticks; /* ticks by events that ended in this place */
	/* callgrind's costs with calls, from which total_us is computed */
	struct ep_counts with_calls;
};

struct ep_line {
	uint32_t symbol_idx;
	const char *file;
	uint32_t line;
};

/* The time of a callee in calls from one caller. In a recursion only the callee's outermost call counts. */
struct ep_edge {
	uint32_t callee, caller; /* symbol indexes; caller EP_NONE: the callee is outermost */
	uint64_t us;
};

struct ep_attribution {
	/* tallies by index of symbol, line or module (the one after the last module is for addresses in no
	 * module), or by ep_loop_id */
	struct ep_tally *tallies;
	uint32_t n_tallies, capacity;
	struct ep_line *lines; /* lines, only for EP_BY_LINE */
	uint32_t n_lines, line_capacity;
	struct ep_index line_index;
	struct ep_edge *edges; /* edges from callers, only for EP_BY_SYMBOL */
	uint32_t n_edges, edge_capacity;
	struct ep_index edge_index;
};

int ep_attribute(struct ep_trace *trace, struct ep_symbols *symbols, enum ep_dimension dimension,
	struct ep_attribution *out) EP_MUST_CHECK;
/* Attributes costs to groups of modules. groups (n_modules + 2) has the tally's number for each module, then
 * for addresses in no module, then for code made at run time. */
int ep_attribute_groups(struct ep_trace *trace, struct ep_symbols *symbols, const uint32_t *groups,
	struct ep_attribution *out) EP_MUST_CHECK;
void ep_attribution_finish(struct ep_attribution *attribution);

/* Returns the tally with an identifier; it is added where it is missing. NULL: out of memory. */
struct ep_tally *ep_tally_of(struct ep_attribution *attribution, uint32_t id);
/* Adds a path's self costs to the tally of the place in which the path ends. Returns 0 or
 * -ENOMEM. */
int ep_tally_add(struct ep_tally *tally, const struct ep_path_cost *cost,
	enum ep_dimension dimension) EP_MUST_CHECK;
/* Returns the identifier of a loop; loop_idx EP_NONE: the identifier of a procedure's code outside of all loops. */
static inline uint32_t ep_loop_id(uint32_t loop_idx, uint32_t symbol_idx)
{
	return loop_idx == EP_NONE ? 2 * symbol_idx + 1 : 2 * loop_idx;
}
int ep_line_id(struct ep_attribution *attribution, const struct ep_line *line,
	uint32_t *out_id) EP_MUST_CHECK;
int ep_edge_add(struct ep_attribution *attribution, const struct ep_edge *edge) EP_MUST_CHECK;

/* exact.c: adds callgrind's costs, where the trace has any. */
int ep_attribute_exact(struct ep_trace *trace, struct ep_symbols *symbols,
	enum ep_dimension dimension, struct ep_attribution *out) EP_MUST_CHECK;
/* Finds the symbol of one of callgrind's procedures. Returns 0 or -ENOMEM. */
int ep_exact_symbol(const struct ep_costs *costs, uint32_t procedure_idx,
	struct ep_symbols *symbols, uint32_t *out_idx) EP_MUST_CHECK;
/* Sets out_symbol_of (n_procedures) to the symbols of all of callgrind's procedures. Returns 0 or -ENOMEM. */
int ep_exact_symbols(const struct ep_costs *costs, struct ep_symbols *symbols,
	uint32_t *out_symbol_of) EP_MUST_CHECK;
/* Adds an instruction's own costs to the self costs of the tally. The costs of calls made from the
 * instruction are left out. Returns 0 or -ENOMEM. */
int ep_tally_add_exact(const struct ep_trace *trace, struct ep_tally *tally,
	const struct ep_costs_instruction *instruction) EP_MUST_CHECK;
int ep_attribute_exact_groups(
	struct ep_trace *trace, const uint32_t *groups, struct ep_attribution *out) EP_MUST_CHECK;

/* Returns how many ns one unit of time in tallies and paths stands for. The unit is a microsecond. With
 * callgrind's costs it is an estimated cycle, which the report shows as a ns. */
static inline uint64_t ep_unit_ns(const struct ep_trace *trace)
{
	return trace->exact ? 1 : 1000;
}

/* ---- tables.c, calls.c, lists.c, findings.c, in_short.c: parts of the report ---- */

struct ep_builder {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report_options *options;
	struct ep_report *report;
	uint64_t birth_ns; /* birth of the earliest process */
	uint64_t from_us;  /* begin of the part of the run that is shown, since birth_ns */
	uint64_t end_us;   /* end of the part of the run that is shown, since birth_ns */
	double squares;    /* sum of the squares of the times that samples stand for, us^2 */
	bool out_of_memory;
};

/* ---- placed.c: the counts of places from an event's own ticks ---- */
/* Finds how an event's ticks distribute its count over places, once for all tables, so that every table adds
 * up to the same count. */
void ep_build_placing(struct ep_builder *builder, const struct ep_attribution *procedures);
/* Tells whether the event's own overflow ended slices in all threads that counted it, but for a small part of
 * its count, so that these ticks place the count. */
static inline bool ep_has_event_ticks(const struct ep_report *report, uint32_t event_idx)
{
	return report->placing && report->placing[event_idx].has_ticks;
}
/* The count of one event in a place. */
struct ep_place_count {
	const struct ep_tally *tally;
	enum ep_dimension dimension;
	uint32_t event_idx;
};

/* placed.c: sets the count of a place from the event's own ticks, and its changes in out_changes
 * (EP_N_REPLICAS). */
void ep_value_place(const struct ep_builder *builder, const struct ep_tick_sum *of_place,
	const struct ep_place_count *place, float *out_changes, struct ep_report_value *value);

/* tables.c: sets the value, with the error of sampling: from the event's own ticks where it has any, else
 * from the tally. changes (EP_N_REPLICAS) are the tally's changes in replicas, or zeros; if ticks are used,
 * the changes that follow from them are written here. If changes is NULL, the tally is used without them. */
void ep_value_of_tally(const struct ep_builder *builder, const struct ep_place_count *place,
	float *changes, struct ep_report_value *value);

/* Allocates n_rows rows for a table, all zero. NULL: out of memory, which is also set in the builder. */
struct ep_report_row *ep_table_start(
	struct ep_builder *builder, struct ep_report_table *table, uint32_t n_rows);
void ep_table_finish_rows(struct ep_builder *builder, struct ep_report_table *table);
void ep_row_set_symbol(struct ep_builder *builder, uint32_t symbol_idx, struct ep_report_row *row);
void ep_row_set_cost(struct ep_builder *builder, enum ep_dimension dimension,
	const struct ep_tally *tally, struct ep_report_row *row);
/* Frees the arrays of a row. */
void ep_row_finish(struct ep_report_row *row);
bool ep_tally_is_empty(const struct ep_tally *tally);

/* Formats a text into the trace's strings. Returns "" and sets out_of_memory where there is no memory. */
const char *ep_builder_text(struct ep_builder *builder, const char *format, ...) EP_PRINTF(2, 3);
void *ep_builder_calloc(struct ep_builder *builder, size_t n, size_t size);
struct ep_report_value ep_value_of(
	const struct ep_builder *builder, const struct ep_event_sum *sum, uint32_t event_idx);
/* Adds the error that the changes in replicas (EP_N_REPLICAS) show to the value's estimate_error, and to the
 * error of its count. The value keeps the pointer to changes. */
void ep_value_take_changes(struct ep_report_value *value, const float *changes);

/* groups.c: finds the name of the machine that each process ran on; NULL: not known. rows[i] is process i. */
void ep_find_hosts(struct ep_builder *builder, struct ep_report_process *rows);
/* groups.c: sums up names, CPUs and load over all machines. */
void ep_fill_hosts(struct ep_builder *builder);

/* groups.c and spreads.c: build the rows of ranks and hosts, and the spread of procedures over ranks. */
void ep_build_groups(struct ep_builder *builder);
/* slow_rank.c: adds page faults and the time ready without a CPU to groups. */
void ep_groups_add_lacking(
	struct ep_builder *builder, struct ep_report_group *groups, const uint32_t *group_of);
void ep_build_slow_rank(struct ep_report *report); /* must be called after ep_build_groups */
void ep_groups_finish(struct ep_report *report);
void ep_build_spreads(struct ep_builder *builder);

/* Returns the standard error of a share p that samples show, where a sample's weight w is the time that it
 * stands for: sqrt(sum w^2 (x - p)^2) / sum w. x is 1 for samples inside the place, and 0 for the others;
 * squares is the sum of w^2 over those inside. For equal weights this is the error of the binomial
 * distribution, sqrt(p (1 - p) / n). For a share of 0 or 1 the error is that of the rule of three, min(3 / n,
 * 1) / 1.96, where n = (sum w)^2 / sum w^2 is the number of samples of equal weight that tell as much (Kish
 * 1965). Without any sample the error is 0, since such a share is exact. */
double ep_weighted_share_error(const struct ep_builder *builder, double share, double squares);
/* Returns the sum of w^2 over all samples, for struct ep_builder. Time without any sample, such as slices
 * that were cut short by a thread's end, is known from the kernel's accounts: it adds no error and is left
 * out. */
double ep_drawn_squares(const struct ep_trace *trace, const struct ep_report *report);
/* Returns the standard error of a share for n_samples of equal weight. */
double ep_share_error(double share, uint64_t n_samples);
/* Returns the standard error of a share if only the share is known: its samples are taken to have the run's
 * average weight. */
double ep_usual_share_error(const struct ep_builder *builder, double share);

/* Tells whether row i of a list of threads, processes or programs is printed. The list is sorted by time,
 * largest first. */
bool ep_row_is_shown(const struct ep_builder *builder, uint32_t i, double share);

/* A row of the call tree by procedure. Row 0 is the root, which stands for no procedure; children come after
 * their parents. */
struct ep_call {
	uint32_t symbol_idx, parent;
	/* index of a loop of the procedure, if loops were asked for; EP_NONE: the row is the
	 * procedure itself */
	uint32_t loop_idx;
	uint32_t first_child, next_sibling;
	uint64_t self_us, total_us;
};

/* All calls, before small ones are left out, and the call in which each path's samples ended. */
struct ep_call_tree {
	const struct ep_call *calls; /* (n_calls) rows */
	uint32_t n_calls;
	const uint32_t *call_of_path; /* (n_paths) index of the row */
};

void ep_build_activities(struct ep_builder *builder, const struct ep_call_tree *tree);
/* serial.c: finds serial parts; must be called after ep_build_parallel */
void ep_build_serial_parts(struct ep_builder *builder, const struct ep_call_tree *tree);
/* Builds the times of ranks; must be called after ep_build_processes. of_path (n_paths) is the activity of
 * each path's samples. */
void ep_build_ranks(struct ep_builder *builder, const enum ep_activity *of_path);

/* Removes callers from paths if their addresses are not those of code. Must be called before costs are
 * attributed. Returns 0 or -1: out of memory. */
int ep_drop_stray_callers(struct ep_builder *builder) EP_MUST_CHECK;
/* Builds all facts of the run, in an order in which each fact finds those that it needs. */
void ep_build_facts(struct ep_builder *builder);
/* activities.c: finds the part of each path's time that was in system calls; must be called before ep_build_tables */
void ep_build_system_time(struct ep_builder *builder);
void ep_build_tables(struct ep_builder *builder);
/* loop_table.c: builds the table of loops; must be called after ep_build_tables */
void ep_build_loops(struct ep_builder *builder);
/* builds the table of languages, in language_table.c */
void ep_build_languages(struct ep_builder *builder);
/* hot_loops.c: finds the loop in which a procedure spends most of its time; must be called after
 * ep_build_tables */
void ep_build_hot_loops(struct ep_builder *builder);
void ep_build_regions(struct ep_builder *builder); /* region_table.c; after ep_build_tables */
void ep_build_calls(struct ep_builder *builder);
void ep_build_parallel(struct ep_builder *builder); /* must be called after ep_build_tables */
/* exact_calls.c builds the call tree from callgrind's costs, in place of ep_build_calls. */
void ep_build_exact_calls(struct ep_builder *builder);
void ep_build_processes(struct ep_builder *builder);
void ep_build_programs(struct ep_builder *builder); /* must be called after ep_build_processes */
void ep_build_threads(struct ep_builder *builder);
/* must be called after ep_build_programs */
void ep_build_waits(struct ep_builder *builder);
/* wait_places.c: tells whether a name is one of libc's functions that start programs and threads, which tell a reader
 * nothing. */
bool ep_is_start(const char *name);
/* must be called after ep_build_processes */
void ep_build_account(struct ep_builder *builder);
/* must be called after ep_build_account */
void ep_build_machine_times(struct ep_builder *builder);
/* must be called after ep_build_threads */
void ep_build_amounts(struct ep_builder *builder);
void ep_build_events(struct ep_builder *builder);
void ep_build_bins(struct ep_builder *builder);     /* called by ep_build_threads */
void ep_build_timeline(struct ep_builder *builder); /* must be called after ep_build_events */
/* Distributes a value evenly over the time from at to end, in microseconds of the shown part, and adds it to
 * out (n_bins of the report). */
void ep_spread(const struct ep_report *report, double at, double end, double value, double *out);
/* Adds the time of a trace's timeline, times scale, to out (n_bins of the report). The bins of out
 * divide the shown part of the run equally. */
void ep_resample(const struct ep_builder *builder, const struct ep_timeline *timeline, double scale,
	double *out);

#endif
