/* SPDX-License-Identifier: BSD-3-Clause */
/* Is something slower than before, so surely that a build may fail for it? */
#ifndef EVPROF_REPORTER_COMPARE_GATE_H
#define EVPROF_REPORTER_COMPARE_GATE_H

#include "reporter/compare/compare.h"

/* The chance that anything at all is called slower where nothing is, whatever the number of things
 * that are looked at. */
#define EP_GATE_FALSE_ALARMS 0.05

/* The CPU time of the whole run, or of a row. */
struct ep_gate_item {
	const struct ep_compared_row *row; /* NULL: the whole run */
	double before_ns, after_ns;        /* means of the runs */
	double share;                      /* of the CPU time, of the side where it is larger */
	/* The change over the time before, its standard error, and half its 95 % interval. */
	double change, error, margin;
	/* How fast the machine was in each run, as most of its other rows tell, is divided out. */
	bool is_of_rest;
	double chance; /* of such a change and larger, if there were none */
	double level;  /* chance must be below it, for all rows together */
	double finds;  /* a change that would fail 9 times of 10; 0: any above the limit */
	double lacking; /* times as many runs, or as long ones, that could tell a change of the limit; 1 or
			   less: these can */
	bool is_sure;    /* that it is slower */
	bool has_failed; /* and by more than the limit, as far as is known best */
};

enum ep_gate_verdict {
	EP_GATE_PASSED,
	EP_GATE_UNDECIDED, /* nothing failed, but most of the time was not known closely enough to */
	EP_GATE_FAILED,
};

struct ep_gate {
	double limit;               /* 0.03: 3 % */
	struct ep_gate_item *items; /* (n_items) the whole run, and rows; least chance first */
	uint32_t n_items, n_failed;
	double known_share; /* of the CPU time, in rows that can tell a change of the limit */
	/* The row with most time that cannot; NULL: there is none. */
	const struct ep_gate_item *weakest;
	enum ep_gate_verdict verdict;
};

/* Runs of both sides are exact, or there are two of each and more. */
bool ep_gate_can_judge(const struct ep_compared_runs *before, const struct ep_compared_runs *after);
/* comparison is that of these runs, which ep_gate_can_judge is true of. Rows below 1 % of the time,
 * and those that one side lacks, are not looked at. Items point into comparison. 0 or -ENOMEM. */
int ep_gate_judge(const struct ep_comparison *comparison, const struct ep_compared_runs *before,
	const struct ep_compared_runs *after, double limit, struct ep_gate *out) EP_MUST_CHECK;
void ep_gate_finish(struct ep_gate *gate);

/* gate_view.c: on a terminal, and as a member "gate" of root. */
struct ep_layout;
struct json_object;
struct ep_compared_counts;
void ep_gate_print_text(const struct ep_gate *gate, const struct ep_comparison *comparison,
	const struct ep_layout *layout);
/* counts: of the comparison, or NULL */
void ep_gate_put_json(const struct ep_gate *gate, const struct ep_comparison *comparison,
	const struct ep_compared_counts *counts, struct json_object *root);

#endif
