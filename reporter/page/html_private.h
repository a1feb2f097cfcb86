/* SPDX-License-Identifier: BSD-3-Clause */
/* Each part of the HTML page's data has a function here. All of them run on one thread. */
#ifndef EVPROF_REPORTER_PAGE_HTML_PRIVATE_H
#define EVPROF_REPORTER_PAGE_HTML_PRIVATE_H

#include "reporter/export/cells.h"
#include "reporter/export/text_ids.h"
#include "reporter/export/tree_walk.h"
#include "reporter/page/page.h"

struct ep_html_page {
	FILE *out;
	const struct ep_page_source *source;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	uint32_t cpu_column;
	double least_share; /* nodes with a smaller share are not shown; 0: all are shown */
	uint32_t *kept;     /* (n_nodes) the node itself, or the nearest caller that is shown */
	uint32_t *number;   /* (n_nodes) a shown node's number on the page */
	/* (n_symbols) a symbol's number on the page, plus one; 0: no call that is shown has the symbol */
	uint32_t *symbol_number;
	uint32_t n_shown;        /* number of nodes that are shown */
	uint32_t *loop_number;   /* (number of loops) number on the page, plus one; 0: not shown */
	uint32_t *row_of_thread; /* (n_threads) row of the report; EP_NONE: the thread has none */
	unsigned char *activities; /* (n_nodes) enum ep_activity of a call's own time */
	struct ep_text_ids files;  /* source files of calls; number 0 stands for no file */
	uint32_t bins_joined;      /* how many of the report's bins are one bin of the page */
	uint32_t n_rows_timed;     /* threads with times of their own; the others are joined */
};

/* Writes a text as HTML. Control characters except the end of a line are replaced, since HTML has no use for them. */
void ep_html_put_text(FILE *out, const char *text);
/* Writes JSON so that a script element can hold it: no character in it can end the element. */
void ep_html_put_json(FILE *out, const char *json);

/* (64) The digits of base 64, from 0 to 63. Small numbers take the fewest bytes in JSON as a string of such digits. */
extern const char ep_html_digits[];

/* A list that is being written as JSON. */
struct ep_html_list {
	FILE *out;
	const char *between;
};

struct ep_html_list ep_html_list_begin(FILE *out, const char *name);
void ep_html_list_put_number(struct ep_html_list *list, double number);
void ep_html_list_put_whole(struct ep_html_list *list, int64_t number);
void ep_html_list_put_text(struct ep_html_list *list, const char *text);
void ep_html_list_end(const struct ep_html_list *list, const char *behind);

/* Chooses the calls that are shown, and numbers these calls and their procedures. Returns 0 or -ENOMEM. */
int ep_html_tree_choose(struct ep_html_page *page) EP_MUST_CHECK;
/* Writes calls, procedures, libraries, and the time and counts of calls. Returns 0 or -ENOMEM. */
int ep_html_tree_put(struct ep_html_page *page) EP_MUST_CHECK;
/* Writes the loops of nodes that are shown, and the loops around these. It also numbers the loops, and ep_html_tree_put
 * uses the numbers. Returns 0 or -ENOMEM. */
int ep_html_loops_put(struct ep_html_page *page) EP_MUST_CHECK;
/* Writes source lines and instructions of the hottest procedures. Returns 0 or -ENOMEM. */
int ep_html_code_put(struct ep_html_page *page) EP_MUST_CHECK;
void ep_html_metrics_put(const struct ep_html_page *page);
/* Tells whether all changes are finite numbers. If a count is wrong by far, some are not, and the page leaves the error
 * out. The shape of changes is (n_bins, EP_N_REPLICAS). */
bool ep_html_changes_are_known(const float *changes, uint32_t n_bins);
/* Writes, for each bin of the timeline, how much each replica of the estimates changes the counts of the events that
 * the page needs. The shape of is_used is (n_events of the report). */
void ep_html_changes_put(const struct ep_html_page *page, const bool *is_used);
/* Writes the ranks, and a heat map of all of them over time. Returns 0 or -ENOMEM. */
int ep_html_ranks_put(const struct ep_html_page *page) EP_MUST_CHECK;
/* Writes the models' formulas, the values of their inputs in each step of the timeline, and how sure these values are.
 * Returns 0 or -ENOMEM. */
int ep_html_programs_put(const struct ep_html_page *page) EP_MUST_CHECK;
/* Writes how much time each call had in each step of the timeline, for each thread. Returns 0 or -ENOMEM. */
int ep_html_times_put(struct ep_html_page *page) EP_MUST_CHECK;
/* Writes when threads waited, and when they were in regions. It must follow ep_html_times_put, which sets the length of
 * the steps. Returns 0 or -ENOMEM. */
int ep_html_sums_put(struct ep_html_page *page) EP_MUST_CHECK;

#endif
