/* SPDX-License-Identifier: BSD-3-Clause */
/* The events and metrics of places on both sides, and which of them explain a change of time. */
#ifndef EVPROF_REPORTER_COMPARE_COUNTS_H
#define EVPROF_REPORTER_COMPARE_COUNTS_H

#include "reporter/compare/compare.h"
#include "reporter/metrics/choose.h"

/* An event that all runs counted, or a metric of level 1: its means over the runs of each side. */
struct ep_compared_value {
	const char *name, *unit; /* unit: or NULL */
	const char *model;       /* of a metric; NULL: it is an event */
	const char *base;        /* of a metric that is a share of it; NULL: it is none */
	bool is_share;           /* 0 to 1, shown in per cent */
	bool is_mixed; /* a run's number may be other places', so that nothing follows from it */
	/* Their errors, and change_error, are of what samples and estimates leave open and of how runs differ. */
	struct ep_quantity before, after;
	double change_error; /* NaN: not known */
	bool is_sure;        /* it differs beyond chance */
	double weight;       /* how much it explains, at least; 0: nothing */
};

enum { EP_MOST_EXPLAINING = 6 }; /* of a place, half of them metrics */

/* Counts and metrics of one row of the comparison. */
struct ep_place_counts {
	struct ep_compared_value *values; /* (n_values) events, then metrics; NULL: not looked at */
	uint32_t explaining
		[EP_MOST_EXPLAINING]; /* (n_explaining) of values, metrics first, most weight first */
	uint32_t n_explaining;
	uint32_t n_sure, n_mixed; /* of values */
	bool is_asked;            /* for what explains its change of time */
};

struct ep_compared_counts {
	struct ep_place_counts *places; /* (n_rows of the comparison) */
	uint32_t n_rows, n_events, n_values;
	bool has_hardware; /* events that the kernel does not count everywhere, which is worth a word where none explains */
	struct ep_chosen_models models, ipc; /* names of metrics are theirs */
	struct ep_compared_value *values;    /* (n_rows, n_values), what places point to */
};

/* The command wants one of these for each row. */
enum ep_count_wish {
	EP_COUNT_NOTHING,
	EP_COUNT_ALL,     /* its values */
	EP_COUNT_EXPLAIN, /* and which of them explain its change */
};

struct ep_count_question {
	const struct ep_comparison *comparison;
	const struct ep_compared_runs *before, *after; /* which it is of */
	const char *cpuid; /* of ep_trace_cpuid, where all runs have the same; NULL: no metrics */
	const enum ep_count_wish *wishes; /* (n_rows of the comparison) */
};

/* The comparison must live as long as out. 0 or -ENOMEM. */
int ep_compare_count(
	const struct ep_count_question *question, struct ep_compared_counts *out) EP_MUST_CHECK;
void ep_compared_counts_finish(struct ep_compared_counts *counts);
/* explain.c: sets the values' weights and what explains the change of the row's time, where that is asked. */
void ep_compare_weigh(
	const struct ep_compared_row *row, uint32_t n_values, struct ep_place_counts *place);
/* Rows that surely changed by 1 % of the longer run's time and more. */
bool ep_compare_asks_why(const struct ep_comparison *comparison, const struct ep_compared_row *row);

static inline double ep_compared_value_change(const struct ep_compared_value *value)
{
	return value->after.value - value->before.value;
}
/* Are both sides' numbers there, and not mixed? */
static inline bool ep_compared_value_is_known(const struct ep_compared_value *value)
{
	return !value->is_mixed && ep_quantity_is_known(&value->before) &&
	       ep_quantity_is_known(&value->after);
}

/* counts_view.c */
/* "1.20 M", "0.41", "45.2 %" */
void ep_compared_number_format(char *out, const struct ep_compared_value *value, double number);
/* "Backend_Bound, of Slots" */
void ep_compared_value_describe(const struct ep_compared_value *value, char *out, size_t size);
struct ep_layout;
struct json_object;
void ep_counts_print_text(const struct ep_compare_page *page, const struct ep_layout *layout);
/* explained_by of a row, and with all_counts events and metrics, as members of object. */
void ep_counts_put_json(
	const struct ep_compare_page *page, uint32_t row_idx, struct json_object *object);
/* The array explained_by of a row. NULL: it was not looked at. */
struct json_object *ep_counts_explaining_json(
	const struct ep_compared_counts *counts, uint32_t row_idx);

#endif
