/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the LCPI of each procedure that takes much of the time, which shows where its cycles may have gone. */
#ifndef EVPROF_REPORTER_ADVISE_ASSESS_H
#define EVPROF_REPORTER_ADVISE_ASSESS_H

#include "reporter/advise/advice.h"
#include "reporter/advise/topdown.h"
#include "reporter/facts/report.h"
#include "reporter/metrics/choose.h"

enum ep_category {
	EP_CATEGORY_DATA,
	EP_CATEGORY_CODE,
	EP_CATEGORY_FP,
	EP_CATEGORY_BRANCHES,
	EP_CATEGORY_DATA_TLB,
	EP_CATEGORY_CODE_TLB,
	EP_N_CATEGORIES,
};

/* An upper bound or a measured value in cycles per instruction, with its standard error; NaN: the error is not
 * known. */
struct ep_lcpi {
	double value, error;
	enum ep_absence absence; /* if set, there is no value */
	const char *subject;     /* what is missing, or NULL; the model owns the text */
	/* The rule of the model that the counts break; the value is then not believed and counts as absent
	 * (EP_ABSENT_NAN). NULL: no rule is broken. */
	const struct ep_formula_check *broken;
};

struct ep_assessment {
	const struct ep_report_row *row; /* row of the report's procedures or loops */
	struct ep_lcpi overall;
	/* upper bounds, which do not add up to the whole */
	struct ep_lcpi categories[EP_N_CATEGORIES];
	double symptoms[EP_N_SYMPTOMS]; /* parts of the categories; NaN: not known */
	double miss_ratio; /* share of the accesses to data that miss L1; NaN: not known */
	/* how the place accesses data, which its hottest loop or line shows, or else the counts */
	enum ep_access access;
	/* share of wrong predictions in the cost of branches, 0 to 1; NaN: not known */
	double mispredicted;
	struct ep_loss_path loss; /* the largest Top-Down loss; n_levels 0: none stands out */
	/* cycles of the symptoms by which remedies are chosen: those of the loss, if it is known and has symptoms */
	double remedied[EP_N_SYMPTOMS];
	/* A value of the LCPI model is mixed: the counts may include those of other procedures, which ran within the
	 * same slices. Then loss and remedied are not set. */
	bool is_mixed;
};

struct ep_assessments {
	struct ep_chosen_models models; /* the LCPI model of the CPU */
	/* the Top-Down model; n_models 0: there is none, or nothing was counted */
	struct ep_chosen_models topdown;
	struct ep_assessment *items; /* (n_items) sorted, most time first */
	uint32_t n_items;
	double threshold; /* up to this many cycles per instruction count as good */
};

struct ep_assess_question {
	const struct ep_report *report;
	const char *cpuid; /* as ep_trace_cpuid gives it */
	double min_share;  /* least share of the CPU time of an assessed place */
	bool by_loop;      /* assess the report's loops instead of its procedures */
	/* parameters of the LCPI model, as in struct ep_model_choice */
	const char *const *parameters;
};

/* Assesses procedures or loops. Returns the errors of ep_assess, and -EINVAL if the model lacks one of the
 * parameters. */
int ep_assess_places(const struct ep_assess_question *question, struct ep_assessments *out,
	struct ep_error *err) EP_MUST_CHECK;
/* Assesses procedures with at least min_share of the CPU time. cpuid is as ep_trace_cpuid gives it. Returns 0, -ENOENT
 * if the CPU has no LCPI model, -ENODATA if the trace does not have the model's events, -ERANGE if it has them only
 * for procedures with less than min_share of the time, or -ENOMEM. */
int ep_assess(const struct ep_report *report, const char *cpuid, double min_share,
	struct ep_assessments *out, struct ep_error *err) EP_MUST_CHECK;
void ep_assessments_finish(struct ep_assessments *assessments);

/* Returns a category's name, such as "data accesses". */
const char *ep_category_name(enum ep_category category);
/* Returns the two metrics of an LCPI model that a category may be taken from, the better one first; the second may
 * be NULL. */
const char *const *ep_category_metrics(enum ep_category category);
/* Returns the metric of an LCPI model that is the upper bound of a symptom's cost. */
const char *ep_symptom_metric(enum ep_symptom symptom);
/* Reports add this sentence to "this is fine" if valgrind simulated the machine. */
#define EP_UNSEEN_BY_SIMULATION                                                                    \
	" The simulated machine does not know the cost of divisions, of denormal numbers, of loads of data that was just stored, and of cache lines that threads share: a run without valgrind has the true time, and evreport annotate shows the loop."
/* Tells whether a procedure needs at most threshold cycles per instruction. It is not fine if its data often miss L1
 * and may have cost more than half of its cycles: then some instructions wait long although the mean is small. */
bool ep_assessment_is_fine(const struct ep_assessment *assessment, double threshold);
/* Returns the facts by which the remedies are chosen. */
struct ep_advice_case ep_assessment_case(
	const struct ep_assessment *assessment, const struct ep_report *report);
/* Returns the category with the most cycles; -1: none is known. */
int ep_assessment_worst(const struct ep_assessment *assessment);

/* Returns how a procedure or loop accesses its data. The code of its hottest loop shows this, else the text of its
 * hottest line. */
enum ep_access ep_access_of_row(const struct ep_report_row *row);

#endif
