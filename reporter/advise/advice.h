/* SPDX-License-Identifier: BSD-3-Clause */
/* Remedies for what costs cycles: formulas/advice/remedies.tsv, and which of them fit. */
#ifndef EVPROF_REPORTER_ADVISE_ADVICE_H
#define EVPROF_REPORTER_ADVISE_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "reporter/advise/source_hint.h"

/* Empty texts where the file says nothing. */
struct ep_remedy {
	const char *id, *category, *subcategory;
	const char *text; /* one sentence that says what to do */
	const char *when; /* how code looks that the remedy helps */
	const char *before, *after;
	const char *gcc_flags, *clang_flags;
	const char *tags; /* symptoms and conditions, blank-separated */
	const char *origin;
};

struct ep_advice {
	char *text; /* the file, into which the texts of the remedies point */
	struct ep_remedy *remedies;
	uint32_t n_remedies;
};

/* -ENOENT ..., -EINVAL with the line: not eleven columns. */
int ep_advice_read(const char *path, struct ep_advice *out, struct ep_error *err) EP_MUST_CHECK;
/* The one that came with evprof. */
int ep_advice_read_shipped(struct ep_advice *out, struct ep_error *err) EP_MUST_CHECK;
void ep_advice_finish(struct ep_advice *advice);

/* Upper bounds, in cycles per instruction, of what PerfExpert's symptoms name; NaN: not known. */
enum ep_symptom {
	EP_SYMPTOM_L1_DATA,
	EP_SYMPTOM_L2_DATA,
	EP_SYMPTOM_MEMORY,
	EP_SYMPTOM_DATA_TLB,
	EP_SYMPTOM_CODE,
	EP_SYMPTOM_CODE_TLB,
	EP_SYMPTOM_BRANCHES,
	EP_SYMPTOM_FP_FAST,
	EP_SYMPTOM_FP_SLOW,
	EP_N_SYMPTOMS,
};

/* PerfExpert's ranking (AutoSCOPE; reference: Burtscher et al., SC10, and the tool of 2011): the
 * sum over the remedy's symptoms of their cycles less a tenth of the largest. 0 or less: does not
 * fit. */
double ep_remedy_score(const struct ep_remedy *remedy, const double cycles[EP_N_SYMPTOMS]);

/* Numbers of 8 bytes read one after the other miss once in 8: a line has 64. What misses more often
 * goes in strides, or anywhere. */
#define EP_STRIDED_MISS_RATIO 0.2

/* The facts about the procedure that remedies are for. */
struct ep_advice_case {
	const double *cycles;  /* (EP_N_SYMPTOMS) */
	double miss_ratio;     /* accesses to data that miss L1, of all; NaN: not known */
	bool has_threads;      /* the program has more than one */
	enum ep_access access; /* by its hottest loop's code, or by the look of its hottest line */
	double mispredicted;   /* of what branches cost, by wrong predictions; NaN: not known */
	uint32_t depth;        /* of a loop, 1: none is around it; 0: not known */
	bool copies;           /* it is the C library's memcpy or memmove */
};

/* More than any file of remedies has. */
#define EP_REMEDIES_MOST 256
/* For ep_advice_choose: every one that fits. */
#define EP_REMEDIES_ALL UINT32_MAX

/* Is the remedy for that symptom, whatever else it is for? */
bool ep_remedy_is_for(const struct ep_remedy *remedy, enum ep_symptom symptom);

/* The n remedies that fit best, at most one of each subcategory, or EP_REMEDIES_ALL; returns how many
 * there are. out_remedies has room for n, EP_REMEDIES_MOST at the most. */
uint32_t ep_advice_choose(const struct ep_advice *advice, const struct ep_advice_case *of,
	uint32_t n, const struct ep_remedy **out_remedies);

#endif
