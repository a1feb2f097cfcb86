/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the reports of two programs, of one run or of several runs each: which parts take more time, which take
 * less, and which of these changes may be chance. */
#ifndef EVPROF_REPORTER_COMPARE_COMPARE_H
#define EVPROF_REPORTER_COMPARE_COMPARE_H

#include "reporter/compare/renames.h"
#include "reporter/facts/report.h"
#include "reporter/view/view.h"

/* A row's time in each run; the runs of the program before come first. */
struct ep_compared_times {
	double *ns; /* (n_before + n_after) time in each run */
	/* (n_before + n_after) variance of each time, because samples are a random draw */
	double *variance;
};

/* One row of a run's report, linked to the next row that belongs to the same place. */
struct ep_compared_source {
	const struct ep_report_row *row;
	uint32_t run_idx; /* index of the run; the runs before come first */
	uint32_t next;    /* index of the next source; EP_NONE: this is the last */
};

/* The self time of a procedure, line or file, which one side or both sides have. */
struct ep_compared_row {
	const char *name, *module_name;
	const char *was;  /* the procedure's name before; NULL: it was not renamed */
	const char *file; /* the file of a line or loop; NULL: the row is neither */
	uint32_t line;
	/* The file and line before, if the code was in another file or at another line; else NULL and 0. */
	const char *was_file;
	uint32_t was_line;
	bool is_before, is_after;
	double before_ns, after_ns; /* means over the runs of each side */
	/* The variance of after_ns - before_ns, from samples, which are a random draw, and from differences
	 * between runs. With few runs this variance is enlarged so that ep_compare_margin gives a true 95 %
	 * interval. */
	double variance;
	/* The largest change in ns that chance explains: three standard errors of the samples or, if that is
	 * more, a difference between runs that is as rare. */
	double least_sure;
	struct ep_compared_times times;
	uint32_t depth; /* the depth of a loop; 0: no loop */
	uint32_t first_source, last_source;
};

struct ep_compared_activity {
	enum ep_activity activity;
	double before_ns, after_ns, variance;
};

struct ep_comparison {
	/* the report of one run, or a typical report of several (below) */
	const struct ep_report *before, *after;
	uint32_t n_before, n_after; /* numbers of runs */
	/* factor from the squares of differences between runs to a change's variance */
	double run_factor;
	double sure_factor; /* factor from the same squares to the square of least_sure */
	enum ep_by by;
	struct ep_compared_row *rows; /* (n_rows) sorted, the largest change first */
	uint32_t n_rows;
	struct ep_compared_source *sources; /* (n_sources) the rows of the runs' reports */
	uint32_t n_sources;
	double *times;                /* the memory that the rows' times point into */
	struct ep_report *typical[2]; /* report made of several runs; NULL: the side has one run */
	/* largest change first; both times 0: the activity did not occur */
	struct ep_compared_activity activities[EP_N_ACTIVITIES];
	struct ep_strings texts;
	const char *in_short[8], *notes[8]; /* sentences of the report */
	uint32_t n_in_short, n_notes;
};

/* Returns half the width of the 95 % interval of a change with this variance. */
double ep_compare_margin(double variance);
static inline double ep_compared_change(const struct ep_compared_row *row)
{
	return row->after_ns - row->before_ns;
}
/* The means of both sides, and the variance of the change, as computed from the times of each run. */
struct ep_compared_sides {
	double before_ns, after_ns, variance, least_sure;
	double errors[2]; /* standard errors of before_ns and after_ns */
};
struct ep_compared_sides ep_compare_sum_up(
	const struct ep_comparison *comparison, const struct ep_compared_times *times);
/* Tells whether a row's change is larger than chance explains. The limit is three standard errors: among
 * hundreds of rows few change that much by chance. */
bool ep_compared_is_sure(const struct ep_compared_row *row);

/* Compares the tables of one kind, given by by: procedures, lines, modules or loops. Each side has at least
 * one run. The reports must live as long as out. Two rows that differ only in their module become one if each
 * side has one of them, since a program may have been renamed. So do procedures that were renamed, if the
 * reports have callers (renames.h), lines and loops whose file was renamed (moved_files.h), lines that moved
 * with their whole procedure (moved_lines.h), and loops that moved to other lines (moved_loops.h). Returns 0
 * or -ENOMEM. */
int ep_compare_runs(const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	enum ep_by by, struct ep_comparison *out) EP_MUST_CHECK;
/* Returns a copy of the first report, with the means of all runs' totals, events and activities. Its lists
 * are those of the first report. The caller frees the copy with free(), before the reports are destroyed.
 * NULL: there is no memory. (typical.c) */
struct ep_report *ep_compare_typical(const struct ep_compared_runs *runs) EP_MUST_CHECK;
/* Fills in_short and notes (compare_words.c). Returns 0 or -ENOMEM. */
int ep_compare_explain(struct ep_comparison *comparison) EP_MUST_CHECK;
void ep_comparison_finish(struct ep_comparison *comparison);

/* The two printers (compare_text.c, compare_json.c) return 0 or -ENOMEM; failed writes show in ferror(out). */
struct ep_gate;
struct ep_compared_counts;
struct ep_compare_page {
	const struct ep_comparison *comparison;
	const struct ep_gate *gate; /* NULL: no gate was asked for */
	/* counts of places (counts.h); NULL: none were computed */
	const struct ep_compared_counts *counts;
	bool all_counts; /* show all counts of each row, also those that explain nothing */
	struct ep_view_options options; /* by, width, utf8, colour */
	uint32_t top;                   /* the most rows that are shown; 0: all */
};
int ep_compare_print_text(const struct ep_compare_page *page, FILE *out) EP_MUST_CHECK;
/* Formats a ratio as "25.4 times" or "1,000 times". */
void ep_compare_format_times(char *out, size_t size, double ratio);
int ep_compare_print_json(const struct ep_compare_page *page, FILE *out) EP_MUST_CHECK;

#endif
