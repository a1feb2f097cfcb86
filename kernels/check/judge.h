/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks a formula file against calibrations. Events are compared with the responses that are known for their
 * names (kernels/sets/known), metrics with the signature of the same name, point by point.
 */
#ifndef EVPROF_KERNELS_CHECK_JUDGE_H
#define EVPROF_KERNELS_CHECK_JUDGE_H

#include "common/formula/model.h"
#include "kernels/derive/set.h"

#include <stdio.h>

enum ep_judge_verdict {
	EP_JUDGED_NOT_TESTED,
	EP_JUDGED_CONFIRMED,
	EP_JUDGED_CONTRADICTED,
	EP_JUDGED_N,
};
extern const char *const ep_judge_verdict_name[EP_JUDGED_N];

struct ep_finding {
	char *name; /* name of the event or metric */
	enum ep_judge_verdict verdict;
	char why[256];
};

struct ep_judgement {
	struct ep_set *sets; /* (S) data sets, owned by the judgement */
	size_t n_sets;
	struct ep_labelled known[8]; /* responses that are known for events */
	size_t n_known;
	/* (I) findings in the order of the formulas' inputs; name NULL: the input is no event */
	struct ep_finding *events;
	size_t n_events;
	struct ep_finding *metrics; /* (M) findings in the order of the file */
	size_t n_metrics;
};

/* Judges every event and metric of the model by the data sets; judgement->sets must be filled. */
int ep_judge_run(
	struct ep_judgement *judgement, struct ep_model *model, struct ep_error *err) EP_MUST_CHECK;
void ep_judge_print(const struct ep_judgement *judgement, FILE *out);
/* Returns the text of "verdict" in formula files, "contradicted: why". The caller frees it. */
char *ep_judge_verdict_text(const struct ep_finding *finding, const struct ep_params *origin);
void ep_judge_finish(struct ep_judgement *judgement);

#endif
