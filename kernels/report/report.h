/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a derivation: tables for people, JSON, formula files, PAPI presets, pictures. The functions only
 * write results. */
#ifndef EVPROF_KERNELS_REPORT_REPORT_H
#define EVPROF_KERNELS_REPORT_REPORT_H

#include "common/formula/ast.h"
#include "kernels/derive/derive.h"

#include <stdbool.h>
#include <stdio.h>

typedef void (*ep_report_fn)(const struct ep_derivation *derivation, FILE *out);

void ep_report_table(const struct ep_derivation *derivation, FILE *out);
/* Writes JSON with the keys of the reference implementation's results, and also fitness and why. */
void ep_report_json(const struct ep_derivation *derivation, FILE *out);
void ep_report_formula(const struct ep_derivation *derivation, FILE *out);
/* Writes lines for PAPI_USER_EVENTS_FILE or PAPI_CSV_EVENT_FILE. */
void ep_report_presets(const struct ep_derivation *derivation, FILE *out);
/* Draw pictures in SVG: events sorted by variability, with the threshold; the curves of the chosen events
 * over the kernel's points; each definable metric's combination compared with its signature. */
void ep_report_variability_svg(const struct ep_derivation *derivation, FILE *out);
void ep_report_curves_svg(const struct ep_derivation *derivation, FILE *out);
void ep_report_metrics_svg(const struct ep_derivation *derivation, FILE *out);

/* Number of digits of a coefficient, in tables and in formulas. */
#define EP_REPORT_DIGITS 10

struct ep_report_term {
	double coefficient; /* never 0 */
	const char *event;
};

/* Finds the i-th term of the rounded combination. Returns false if there are no more. */
bool ep_report_find_term(const struct ep_derivation *derivation, size_t metric, size_t i,
	struct ep_report_term *out);
/* Prints the combination for people: "a - 2 b". */
void ep_report_combination(const struct ep_derivation *derivation, size_t metric, FILE *out);
/* Makes the combination as a tree of the metric language; the caller finishes the tree. Returns 0, -ENOMEM, or -EINVAL
 * if the name of an event cannot be written in the language. */
int ep_report_combination_tree(
	const struct ep_derivation *derivation, size_t metric, struct ep_ast *out) EP_MUST_CHECK;
/* Converts a name for use in formulas: "SP FMA Instrs." becomes "sp_fma_instrs". */
void ep_report_slug(const char *name, char *out, size_t size);
/* Returns the name of the k-th event that the derivation chose. */
const char *ep_report_event(const struct ep_derivation *derivation, size_t k);
/* Computes out (P), the mean of the chosen event k over repetitions. */
void ep_report_event_mean(const struct ep_derivation *derivation, size_t k, double *out);

#endif
