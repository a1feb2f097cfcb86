/* SPDX-License-Identifier: BSD-3-Clause */
/* Two programs' reports side by side, one of each or of several runs: what takes more time, what
 * less, and which of that may be chance. */
#ifndef EVPROF_REPORTER_COMPARE_COMPARE_H
#define EVPROF_REPORTER_COMPARE_COMPARE_H

#include "reporter/compare/renames.h"
#include "reporter/facts/report.h"
#include "reporter/view/view.h"

/* Each run has its own time of a row; those before come first. */
struct ep_compared_times {
	double *ns;       /* (n_before + n_after) */
	double *variance; /* the same: of samples, which are a draw */
};

/* A row of a run's report, and the next one of the same place. */
struct ep_compared_source {
	const struct ep_report_row *row;
	uint32_t run_idx; /* those before come first */
	uint32_t next;    /* EP_NONE: this is the last */
};

/* A procedure, line or file of either side; self time. */
struct ep_compared_row {
	const char *name, *module_name;
	const char *was;  /* its procedure's name before, where that was renamed; else NULL */
	const char *file; /* of a line; NULL: none */
	uint32_t line;
	/* Before, of code that stands in another file, or at another line; else NULL and 0 */
	const char *was_file;
	uint32_t was_line;
	bool is_before, is_after;
	double before_ns, after_ns; /* means of the runs */
	/* The variance of after_ns - before_ns: samples are a draw, and runs differ. Where few runs tell how much, it
	 * is larger by as much as makes ep_compare_margin true. */
	double variance;
	/* The least change that is none by chance: three standard errors of samples, and as rare a one of runs. */
	double least_sure;
	struct ep_compared_times times;
	uint32_t depth; /* of a loop; else 0 */
	uint32_t first_source, last_source;
};

struct ep_compared_activity {
	enum ep_activity activity;
	double before_ns, after_ns, variance;
};

struct ep_comparison {
	const struct ep_report *before, *after; /* of several runs: typical, below */
	uint32_t n_before, n_after;             /* runs */
	double run_factor;                      /* of how runs differ to a change's variance */
	double sure_factor;                     /* the same, to least_sure squared */
	enum ep_by by;
	struct ep_compared_row *rows; /* (n_rows) largest change first */
	uint32_t n_rows;
	struct ep_compared_source *sources; /* (n_sources) the rows of the runs' reports */
	uint32_t n_sources;
	double *times;                /* the memory that the rows' times point into */
	struct ep_report *typical[2]; /* NULL: there is one run of that side */
	struct ep_compared_activity
		activities[EP_N_ACTIVITIES]; /* largest change first; 0: not there */
	struct ep_strings texts;
	const char *in_short[8], *notes[8]; /* sentences */
	uint32_t n_in_short, n_notes;
};

/* Half the 95 % interval of a change with this variance. */
double ep_compare_margin(double variance);
static inline double ep_compared_change(const struct ep_compared_row *row)
{
	return row->after_ns - row->before_ns;
}
/* From the times of each run to the sides' means and the change's variance. */
struct ep_compared_sides {
	double before_ns, after_ns, variance, least_sure;
	double errors[2]; /* standard errors of before_ns and after_ns */
};
struct ep_compared_sides ep_compare_sum_up(
	const struct ep_comparison *comparison, const struct ep_compared_times *times);
/* Among hundreds of rows few are so far off by chance. */
bool ep_compared_is_sure(const struct ep_compared_row *row);

/* Compares the tables by by (procedures, lines, modules or loops) of at least one run a side. The reports must live
 * as long as out. Rows that differ in nothing but the module are one where that is unambiguous: a program may
 * have been renamed. Procedures that were renamed are one where the reports have callers (renames.h); lines and loops
 * whose file was (moved_files.h); lines that moved with the whole procedure (moved_lines.h); and loops that moved to
 * other lines, where their procedure has as many on both sides. 0 or -ENOMEM. */
int ep_compare_runs(const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	enum ep_by by, struct ep_comparison *out) EP_MUST_CHECK;
/* typical.c: the first report, with the means of all runs' totals, events and activities; its lists are
 * the first's. To be freed with free(), before the reports are destroyed. NULL: no memory. */
struct ep_report *ep_compare_typical(const struct ep_compared_runs *runs) EP_MUST_CHECK;
/* compare_words.c: fills in_short and notes. 0 or -ENOMEM. */
int ep_compare_explain(struct ep_comparison *comparison) EP_MUST_CHECK;
void ep_comparison_finish(struct ep_comparison *comparison);

/* view_text.c, view_json.c. 0 or -ENOMEM; what could not be written shows in ferror(out). */
struct ep_gate;
struct ep_compared_counts;
struct ep_compare_page {
	const struct ep_comparison *comparison;
	const struct ep_gate *gate;              /* NULL: none was asked for */
	const struct ep_compared_counts *counts; /* counts.h; NULL: none were looked at */
	bool all_counts;                         /* of each row, whatever they explain */
	struct ep_view_options options;          /* by, width, utf8, colour */
	uint32_t top;                            /* rows, 0: all */
};
int ep_compare_print_text(const struct ep_compare_page *page, FILE *out) EP_MUST_CHECK;
/* "25.4 times", "1,000 times" */
void ep_compare_format_times(char *out, size_t size, double ratio);
int ep_compare_print_json(const struct ep_compare_page *page, FILE *out) EP_MUST_CHECK;

#endif
