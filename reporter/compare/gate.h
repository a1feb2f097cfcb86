/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges whether a part of the program is slower than before, so surely that a build may fail because of it. */
#ifndef EVPROF_REPORTER_COMPARE_GATE_H
#define EVPROF_REPORTER_COMPARE_GATE_H

#include "reporter/compare/compare.h"

/* The chance that a gate calls any part slower when none is, whatever the number of parts that it tests. */
#define EP_GATE_FALSE_ALARMS 0.05

/* The CPU time of the whole run, or of one row, as the gate judges it. */
struct ep_gate_item {
	const struct ep_compared_row *row; /* NULL: the whole run */
	double before_ns, after_ns;        /* means of the runs */
	double share; /* share of the CPU time, on the side where it is larger */
	/* The change as a share of the time before, its standard error, and half its 95 % interval. */
	double change, error, margin;
	/* True: the machine's speed in each run, estimated from the other rows, was divided out of the times. */
	bool is_of_rest;
	/* p-value: the chance of a change at least this large if the program had not changed */
	double chance;
	double level; /* significance level by Holm: the item is slower if chance is below it */
	/* a change that would make the gate fail 9 times of 10; 0: any change above the limit */
	double finds;
	/* The runs would have to be longer, or more, by this factor to show a change as large as the limit; 1
	 * or less: the runs as they are show it. */
	double lacking;
	bool is_sure;    /* the item is surely slower */
	bool has_failed; /* the item is surely slower, and its measured change is above the limit */
};

enum ep_gate_verdict {
	EP_GATE_PASSED,
	/* nothing failed, but the times of parts with most of the CPU time were not known closely enough */
	EP_GATE_UNDECIDED,
	EP_GATE_FAILED,
};

struct ep_gate {
	double limit; /* least change that fails: 0.03 is 3 % */
	/* (n_items) the whole run and rows, the smallest chance first */
	struct ep_gate_item *items;
	uint32_t n_items, n_failed;
	double known_share; /* share of the CPU time in rows that can show a change of the limit */
	/* The row with the most time that cannot show a change of the limit; NULL: there is none. */
	const struct ep_gate_item *weakest;
	enum ep_gate_verdict verdict;
};

/* Tells whether a gate can judge: the runs of both sides are exact, or each side has at least two runs. */
bool ep_gate_can_judge(const struct ep_compared_runs *before, const struct ep_compared_runs *after);
/* Judges a comparison of these runs, for which ep_gate_can_judge must be true. Rows below 1 % of the time,
 * and rows that one side lacks, are not tested. Items point into comparison. Returns 0 or -ENOMEM. */
int ep_gate_judge(const struct ep_comparison *comparison, const struct ep_compared_runs *before,
	const struct ep_compared_runs *after, double limit, struct ep_gate *out) EP_MUST_CHECK;
void ep_gate_finish(struct ep_gate *gate);

/* Prints the gate as text, and adds it as the member "gate" to root (gate_view.c). */
struct ep_layout;
struct json_object;
struct ep_compared_counts;
void ep_gate_print_text(const struct ep_gate *gate, const struct ep_comparison *comparison,
	const struct ep_layout *layout);
/* counts are those of the comparison, or NULL. */
void ep_gate_put_json(const struct ep_gate *gate, const struct ep_comparison *comparison,
	const struct ep_compared_counts *counts, struct json_object *root);

#endif
