/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a derivation: tables for people, JSON, formula files, PAPI presets, pictures. Nothing
 * is computed here. */
#ifndef EVPROF_KERNELS_REPORT_REPORT_H
#define EVPROF_KERNELS_REPORT_REPORT_H

#include "common/formula/ast.h"
#include "kernels/derive/derive.h"

#include <stdbool.h>
#include <stdio.h>

typedef void (*ep_report_fn)(const struct ep_derivation *derivation, FILE *out);

void ep_report_table(const struct ep_derivation *derivation, FILE *out);
/* The keys of the reference's results, and fitness, why. */
void ep_report_json(const struct ep_derivation *derivation, FILE *out);
void ep_report_formula(const struct ep_derivation *derivation, FILE *out);
/* Lines for PAPI_USER_EVENTS_FILE or PAPI_CSV_EVENT_FILE. */
void ep_report_presets(const struct ep_derivation *derivation, FILE *out);
/* Pictures, SVG: events sorted by variability with the threshold; the chosen events' curves over
 * the kernel points; each definable metric's combination against its signature. */
void ep_report_variability_svg(const struct ep_derivation *derivation, FILE *out);
void ep_report_curves_svg(const struct ep_derivation *derivation, FILE *out);
void ep_report_metrics_svg(const struct ep_derivation *derivation, FILE *out);

/* Digits of a coefficient, for people and in formulas. */
#define EP_REPORT_DIGITS 10

struct ep_report_term {
	double coefficient; /* not 0 */
	const char *event;
};

/* Finds the i-th term of the rounded combination. Returns false behind the last one. */
bool ep_report_find_term(const struct ep_derivation *derivation, size_t metric, size_t i,
	struct ep_report_term *out);
/* The combination for people: "a - 2 b". */
void ep_report_combination(const struct ep_derivation *derivation, size_t metric, FILE *out);
/* The combination as a tree of the metric language, to be finished by the caller. 0, -ENOMEM, or
 * -EINVAL where the language has no way to write an event's name. */
int ep_report_combination_tree(
	const struct ep_derivation *derivation, size_t metric, struct ep_ast *out) EP_MUST_CHECK;
/* "SP FMA Instrs." -> "sp_fma_instrs". */
void ep_report_slug(const char *name, char *out, size_t size);
/* Returns the name of the k-th event that the derivation chose. */
const char *ep_report_event(const struct ep_derivation *derivation, size_t k);
/* out (P) = mean over repetitions of the chosen event k. */
void ep_report_event_mean(const struct ep_derivation *derivation, size_t k, double *out);

#endif
