/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the HTML page's data. One thread. */
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
	double least_share; /* nodes below it are folded; 0: none was */
	uint32_t *kept;     /* (n_nodes) the node itself, or the next caller that is shown */
	uint32_t *number;   /* (n_nodes) in the page, of nodes that are shown */
	uint32_t
		*symbol_number; /* (n_symbols) in the page, plus one; 0: in no call that is shown */
	uint32_t n_shown;       /* nodes */
	uint32_t *loop_number;  /* (n_loops of the symbols) in the page, plus one; 0: not shown */
	uint32_t *row_of_thread;   /* (n_threads) of the report; EP_NONE: not among them */
	unsigned char *activities; /* (n_nodes) what a call's own time is for, enum ep_activity */
	struct ep_text_ids files;  /* source files of calls; 0 is none */
	uint32_t bins_joined;      /* of the report's timeline, in one of the page's */
	uint32_t n_rows_timed;     /* threads, the rest being one */
};

/* Writes a text as HTML has it; control characters but for the end of a line mean nothing there. */
void ep_html_put_text(FILE *out, const char *text);
/* Writes JSON as a script element may hold it. */
void ep_html_put_json(FILE *out, const char *json);

/* (64) of base 64, from 0 on: numbers of a digit or two take the fewest bytes in JSON. */
extern const char ep_html_digits[];

/* A list of JSON that is being written. */
struct ep_html_list {
	FILE *out;
	const char *between;
};

struct ep_html_list ep_html_list_begin(FILE *out, const char *name);
void ep_html_list_put_number(struct ep_html_list *list, double number);
void ep_html_list_put_whole(struct ep_html_list *list, int64_t number);
void ep_html_list_put_text(struct ep_html_list *list, const char *text);
void ep_html_list_end(const struct ep_html_list *list, const char *behind);

/* Which calls are shown, and their numbers and those of their procedures. 0 or -ENOMEM. */
int ep_html_tree_choose(struct ep_html_page *page) EP_MUST_CHECK;
/* Calls, procedures, libraries and what they cost. 0 or -ENOMEM. */
int ep_html_tree_put(struct ep_html_page *page) EP_MUST_CHECK;
/* The loops of nodes that are shown, and those around them; what numbers them for ep_html_tree_put. 0 or
 * -ENOMEM. */
int ep_html_loops_put(struct ep_html_page *page) EP_MUST_CHECK;
/* Source lines and instructions of the hottest procedures. 0 or -ENOMEM. */
int ep_html_code_put(struct ep_html_page *page) EP_MUST_CHECK;
void ep_html_metrics_put(const struct ep_html_page *page);
/* False where a count was absurd: no number tells such a change. changes (n_bins, EP_N_REPLICAS) */
bool ep_html_changes_are_known(const float *changes, uint32_t n_bins);
/* Writes the changes of events that are used (n_events of the report). */
void ep_html_changes_put(const struct ep_html_page *page, const bool *is_used);
/* Ranks, and a map of all of them. 0 or -ENOMEM. */
int ep_html_ranks_put(const struct ep_html_page *page) EP_MUST_CHECK;
/* The models' formulas, what they take of each step of the timeline, and how sure that is. 0 or -ENOMEM. */
int ep_html_programs_put(const struct ep_html_page *page) EP_MUST_CHECK;
/* When each call had its time, in each thread. 0 or -ENOMEM. */
int ep_html_times_put(struct ep_html_page *page) EP_MUST_CHECK;
/* When threads waited and were in regions; after the times, whose steps it has. 0 or -ENOMEM. */
int ep_html_sums_put(struct ep_html_page *page) EP_MUST_CHECK;

#endif
