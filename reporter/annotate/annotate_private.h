/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares what several files of this folder share: parts of the text output, and the comparison of measured
 * cycles with bounds. */
#ifndef EVPROF_REPORTER_ANNOTATE_ANNOTATE_PRIVATE_H
#define EVPROF_REPORTER_ANNOTATE_ANNOTATE_PRIVATE_H

#include "reporter/annotate/annotate.h"
#include "reporter/annotate/cost_columns.h"
#include "reporter/annotate/margin.h"

struct ep_annotate_text {
	const struct ep_annotate_page *page;
	struct ep_annotation *annotation;
	const struct ep_layout *layout;
	struct ep_cost_columns columns;
};

/* The least share of the time with which a loop gets a sentence. */
#define EP_ANNOTATED_MUCH 0.1

/* ---- annotate_text.c ---- */

/* Prints as much of a text as its room allows. */
void ep_annotate_put_cut(
	const struct ep_layout *layout, const char *text, uint32_t room, bool is_hot);
/* Prints that n rows are left out here; prints nothing for 0. */
void ep_annotate_put_hidden(const struct ep_annotate_text *t, uint32_t n, const char *what);
/* Marks which of n rows are shown: rows with time, and rows near them. */
void ep_annotate_mark_shown(const bool *has_time, uint32_t n, bool shows_all, bool *out_shown);

/* ---- measured_turn.c ---- */

/* How the measured cycles of a turn (one iteration of a loop) compare with the turn's bound, within the error
 * that bounds are known to have. */
enum ep_turn_verdict {
	EP_TURN_UNKNOWN,  /* the turn was not measured, or the error of its cycles is not known */
	EP_TURN_AS_BOUND, /* measured and bound agree within the error of the bound */
	EP_TURN_SLOWER, /* the turn is slower: it loses time to something that the bound leaves out */
	EP_TURN_QUICKER, /* the turn is quicker, so that the bound is wrong */
};

/* Sets loop->measured if the instructions of the iteration, whose time is turn_ns, take most of the loop's
 * time; otherwise the measured cycles are unknown. */
void ep_annotated_measure_turn(
	const struct ep_annotation *annotation, uint64_t turn_ns, struct ep_annotated_loop *loop);
enum ep_turn_verdict ep_annotated_judge_turn(const struct ep_annotated_loop *loop);

static inline bool ep_annotated_has_time(const struct ep_report_row *cost)
{
	return cost->self_ns || cost->total_ns || cost->n_samples;
}

/* ---- annotate_source.c, annotate_mix.c, annotate_code.c ---- */

/* These functions return 0 or -ENOMEM; ep_annotate_put_mix cannot fail. */
int ep_annotate_put_source(const struct ep_annotate_text *t) EP_MUST_CHECK;
void ep_annotate_put_mix(const struct ep_annotate_text *t);
int ep_annotate_put_instructions(const struct ep_annotate_text *t) EP_MUST_CHECK;

#endif
