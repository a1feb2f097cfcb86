/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the events and metrics of places on both sides, and finds which of them explain a change of time. */
#ifndef EVPROF_REPORTER_COMPARE_COUNTS_H
#define EVPROF_REPORTER_COMPARE_COUNTS_H

#include "reporter/compare/compare.h"
#include "reporter/metrics/choose.h"

/* An event that all runs counted, or a metric of level 1: its means over the runs of each side. */
struct ep_compared_value {
	const char *name, *unit; /* unit may be NULL */
	const char *model;       /* the model of a metric; NULL: it is an event */
	/* the metric that this one is a share of; NULL: it is no share of a metric */
	const char *base;
	bool is_share; /* 0 to 1, shown as a percentage */
	/* the number of one run may include counts of other places, so that nothing follows from it */
	bool is_mixed;
	/* The errors of before and after, and change_error, include the errors of samples and of estimates,
	 * and the differences between runs. */
	struct ep_quantity before, after;
	double change_error; /* NaN: not known */
	bool is_sure;        /* the change is larger than chance explains */
	double weight; /* sure part of the change, over the value (explain.c); 0: explains nothing */
};

enum { EP_MOST_EXPLAINING = 6 }; /* most explaining values of a place; at most half are metrics */

/* Counts and metrics of one row of the comparison. */
struct ep_place_counts {
	struct ep_compared_value *values; /* (n_values) events, then metrics; NULL: not computed */
	/* (n_explaining) indexes into values: metrics, then events, each by falling weight */
	uint32_t explaining[EP_MOST_EXPLAINING];
	uint32_t n_explaining;
	uint32_t n_sure, n_mixed; /* numbers of values that surely changed, and of mixed ones */
	bool is_asked;            /* the command asks which values explain the change of time */
};

struct ep_compared_counts {
	struct ep_place_counts *places; /* (n_rows of the comparison) */
	uint32_t n_rows, n_events, n_values;
	/* At least one event is counted by hardware, which the kernel does not offer everywhere. Only then
	 * the report names places whose change no count explains. */
	bool has_hardware;
	struct ep_chosen_models models, ipc; /* the chosen models, which own the names of metrics */
	struct ep_compared_value *values;    /* (rows with a wish, n_values) memory of places */
};

/* The command's wish for a row of the comparison. */
enum ep_count_wish {
	EP_COUNT_NOTHING,
	EP_COUNT_ALL,     /* compute the values of the row */
	EP_COUNT_EXPLAIN, /* compute its values, and find which explain its change of time */
};

struct ep_count_question {
	const struct ep_comparison *comparison;
	const struct ep_compared_runs *before, *after; /* the runs that were compared */
	/* as ep_trace_cpuid gives it, if all runs have the same; NULL: compute no metrics */
	const char *cpuid;
	const enum ep_count_wish *wishes; /* (n_rows of the comparison) */
};

/* Computes the counts and metrics of places. The comparison must live as long as out. Returns 0 or -ENOMEM. */
int ep_compare_count(
	const struct ep_count_question *question, struct ep_compared_counts *out) EP_MUST_CHECK;
void ep_compared_counts_finish(struct ep_compared_counts *counts);
/* Sets the weights of the values and, if place->is_asked, finds those that explain the change of the row's
 * time (explain.c). */
void ep_compare_weigh(
	const struct ep_compared_row *row, uint32_t n_values, struct ep_place_counts *place);
/* Tells whether both sides have a row, and its time surely changed by at least 1 % of the longer run's time. */
bool ep_compare_asks_why(const struct ep_comparison *comparison, const struct ep_compared_row *row);

static inline double ep_compared_value_change(const struct ep_compared_value *value)
{
	return value->after.value - value->before.value;
}
/* Tells whether the numbers of both sides are known and not mixed. */
static inline bool ep_compared_value_is_known(const struct ep_compared_value *value)
{
	return !value->is_mixed && ep_quantity_is_known(&value->before) &&
	       ep_quantity_is_known(&value->after);
}

/* The functions below are in counts_view.c. */
/* Formats a number as "1.20 M", "0.41" or "45.2 %". */
void ep_compared_number_format(char *out, const struct ep_compared_value *value, double number);
/* Formats a value's name and unit or base, as "Backend_Bound, of Slots". */
void ep_compared_value_describe(const struct ep_compared_value *value, char *out, size_t size);
struct ep_layout;
struct json_object;
void ep_counts_print_text(const struct ep_compare_page *page, const struct ep_layout *layout);
/* Adds explained_by of a row to object, and with all_counts also events and metrics. */
void ep_counts_put_json(
	const struct ep_compare_page *page, uint32_t row_idx, struct json_object *object);
/* Returns the array explained_by of a row. NULL: the row's counts were not computed. */
struct json_object *ep_counts_explaining_json(
	const struct ep_compared_counts *counts, uint32_t row_idx);

#endif
