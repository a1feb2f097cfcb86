/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads remedies for what costs cycles (formulas/advice/remedies.tsv), and chooses those that fit. */
#ifndef EVPROF_REPORTER_ADVISE_ADVICE_H
#define EVPROF_REPORTER_ADVISE_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "reporter/advise/source_hint.h"

/* A remedy. A text is empty if the file does not have it. */
struct ep_remedy {
	const char *id, *category, *subcategory;
	const char *text; /* one sentence that says what to do */
	const char *when; /* the code that the remedy helps */
	const char *before, *after;
	const char *gcc_flags, *clang_flags;
	const char *tags; /* symptoms and conditions, separated by blanks */
	const char *origin;
};

struct ep_advice {
	char *text; /* contents of the file, into which the texts of the remedies point */
	struct ep_remedy *remedies;
	uint32_t n_remedies;
};

/* Reads a file of remedies. Returns the error of opening it, or -EINVAL if a row does not have eleven columns; err
 * names the line. */
int ep_advice_read(const char *path, struct ep_advice *out, struct ep_error *err) EP_MUST_CHECK;
/* Reads the file that came with evprof. */
int ep_advice_read_shipped(struct ep_advice *out, struct ep_error *err) EP_MUST_CHECK;
void ep_advice_finish(struct ep_advice *advice);

/* The symptoms of PerfExpert. For each, LCPI gives an upper bound in cycles per instruction; NaN: not known. */
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

/* Returns PerfExpert's rank of a remedy (AutoSCOPE; reference: Burtscher et al., SC10, and the tool of 2011). The rank
 * is a sum over the remedy's symptoms: the cycles of each, minus a tenth of the most cycles that any symptom has. A
 * remedy with 0 or less does not fit. */
double ep_remedy_score(const struct ep_remedy *remedy, const double cycles[EP_N_SYMPTOMS]);

/* Numbers of 8 bytes that are read one after the other miss L1 once in 8 accesses, since a cache line has 64 bytes.
 * Accesses that miss more often than this share are taken as strided or random. */
#define EP_STRIDED_MISS_RATIO 0.2

/* The facts about a procedure by which its remedies are chosen. */
struct ep_advice_case {
	const double *cycles; /* (EP_N_SYMPTOMS) cycles of each symptom */
	double miss_ratio;    /* share of the accesses to data that miss L1; NaN: not known */
	bool has_threads;     /* the program has more than one thread */
	/* how the procedure accesses data, which the code of its hottest loop shows, or the text of its hottest
	 * line */
	enum ep_access access;
	/* share of wrong predictions in the cost of branches, 0 to 1; NaN: not known */
	double mispredicted;
	uint32_t depth; /* depth of a loop, 1: no loop is around it; 0: not known */
	bool copies;    /* the procedure is the C library's memcpy or memmove */
};

/* No file has more remedies than this. */
#define EP_REMEDIES_MOST 256
/* As the number n of ep_advice_choose: all remedies that fit. */
#define EP_REMEDIES_ALL UINT32_MAX

/* Tells whether the remedy is for this symptom; it may be for others, too. */
bool ep_remedy_is_for(const struct ep_remedy *remedy, enum ep_symptom symptom);

/* Chooses the n remedies that fit best, at most one of each subcategory; EP_REMEDIES_ALL: all that fit, several of a
 * subcategory as well. Returns their number. out_remedies has room for n, at most EP_REMEDIES_MOST. */
uint32_t ep_advice_choose(const struct ep_advice *advice, const struct ep_advice_case *of,
	uint32_t n, const struct ep_remedy **out_remedies);

#endif
