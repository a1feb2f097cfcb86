/* SPDX-License-Identifier: BSD-3-Clause */
/* LCPI of each procedure that takes much of the time: where its cycles may have gone. */
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

/* Cycles per instruction; error: standard error, NaN: not known. */
struct ep_lcpi {
	double value, error;
	enum ep_absence absence; /* value means nothing */
	const char *subject;     /* what is missing, or NULL; the model's */
	/* The rule of the model that its counts break, which is why it is absent (EP_ABSENT_NAN); or NULL. */
	const struct ep_formula_check *broken;
};

struct ep_assessment {
	const struct ep_report_row *row; /* of the report's procedures, or loops */
	struct ep_lcpi overall;
	struct ep_lcpi categories[EP_N_CATEGORIES]; /* upper bounds: they do not add up */
	double symptoms[EP_N_SYMPTOMS];             /* parts of the categories; NaN: not known */
	double miss_ratio;              /* accesses to data that miss L1, of all; NaN: not known */
	enum ep_access access;          /* by the look of its hottest line */
	double mispredicted;            /* of what branches cost at most; NaN: not known */
	struct ep_loss_path loss;       /* of its Top-Down; n_levels 0: none stands out */
	double remedied[EP_N_SYMPTOMS]; /* symptoms that remedies are for: the loss's, where known
					 */
	/* Its counts may be those of what it took turns with: nothing above is known but row and
	 * overall's absence. */
	bool is_mixed;
};

struct ep_assessments {
	struct ep_chosen_models models;  /* the CPU's LCPI */
	struct ep_chosen_models topdown; /* n_models 0: it has none, or nothing was counted */
	struct ep_assessment *items;     /* (n_items) most time first */
	uint32_t n_items;
	double threshold; /* cycles per instruction that count as good */
};

struct ep_assess_question {
	const struct ep_report *report;
	const char *cpuid;             /* of ep_trace_cpuid */
	double min_share;              /* of the CPU time, that a place has at least */
	bool by_loop;                  /* and not by procedure; the report has loops */
	const char *const *parameters; /* of the model of LCPI: struct ep_model_choice */
};

/* Errors as of ep_assess, and -EINVAL: the model has no parameter of that name. */
int ep_assess_places(const struct ep_assess_question *question, struct ep_assessments *out,
	struct ep_error *err) EP_MUST_CHECK;
/* Procedures with at least min_share of the CPU time. cpuid: of ep_trace_cpuid. -ENOENT: no LCPI
 * for this CPU; -ENODATA: the trace has not its events; -ERANGE: only of procedures with less of the
 * time; -ENOMEM. */
int ep_assess(const struct ep_report *report, const char *cpuid, double min_share,
	struct ep_assessments *out, struct ep_error *err) EP_MUST_CHECK;
void ep_assessments_finish(struct ep_assessments *assessments);

/* "data accesses", ... */
const char *ep_category_name(enum ep_category category);
/* The two metrics of an LCPI model that it is taken from, the better first; the second may be NULL. */
const char *const *ep_category_metrics(enum ep_category category);
/* The metric of an LCPI model that says what a symptom costs at most. */
const char *ep_symptom_metric(enum ep_symptom symptom);
/* The sentence behind "this is fine" where valgrind's machine said so. */
#define EP_UNSEEN_BY_SIMULATION                                                                    \
	" The simulated machine does not know the cost of divisions, of denormal numbers, of loads of data that was just stored, and of cache lines that threads share: a run without valgrind has the true time, and evreport annotate shows the loop."
/* Few cycles for an instruction, and not for want of looking: data that miss L1 in strides cost
 * instructions that wait behind others. */
bool ep_assessment_is_fine(const struct ep_assessment *assessment, double threshold);
/* The facts by which its remedies are chosen. */
struct ep_advice_case ep_assessment_case(
	const struct ep_assessment *assessment, const struct ep_report *report);
/* The category with the most cycles, or -1: none is known. */
int ep_assessment_worst(const struct ep_assessment *assessment);

/* How a procedure or loop gets at its data: by its hottest loop's code, else by the text of its hottest line. */
enum ep_access ep_access_of_row(const struct ep_report_row *row);

#endif
