/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the named values of one scope, in which formulas look up their inputs. */
#ifndef EVPROF_COMMON_FORMULA_VALUES_H
#define EVPROF_COMMON_FORMULA_VALUES_H

#include "common/containers/names.h"
#include "common/formula/program.h"

struct ep_values {
	struct ep_names names;
	struct ep_measured *values; /* (names.n_names) the value of each name */
	uint32_t capacity;          /* how many values fit into the array */
	/* the identifier for strcmp_cpuid_str; NULL: no pattern matches */
	char *cpuid;
	char *runtime_parameter; /* the value of '?'; NULL: '?' stays */
};

/* Sets the value of a name. Literals ("#slots") are the same in upper and lower case. Returns 0 or -ENOMEM. */
int ep_values_set(
	struct ep_values *values, const char *name, struct ep_measured measured) EP_MUST_CHECK;
/* Finds the event of that name, with or without its "pmu::"; NULL: there is none. */
const struct ep_measured *ep_values_find(const struct ep_values *values, const char *name);
/* Returns the name for counter sources of an event in a formula: msr/tsc/ for "msr@tsc@". Allocated; NULL: out of
 * memory. */
char *ep_values_event_name(const char *in_formula);
void ep_values_finish(struct ep_values *values);

/* Fills out (I) with the inputs of a program. An input whose name has no value here is not measured. */
void ep_values_bind(
	const struct ep_values *values, const struct ep_program *program, struct ep_measured *out);

#endif
