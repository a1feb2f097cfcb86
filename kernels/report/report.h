/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a derivation: tables for people, JSON, formula files, PAPI presets, pictures. Nothing
 * is computed here. */
#ifndef EVPROF_KERNELS_REPORT_REPORT_H
#define EVPROF_KERNELS_REPORT_REPORT_H

#include "kernels/derive/derive.h"

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

/* How a combination of events is written. */
struct ep_combination_style {
	const char *times; /* between a factor and a name */
	void (*print_event)(const char *name, FILE *out);
};
/* "a - 2 b" for people, "a - 2 * b" as formula files have it. */
extern const struct ep_combination_style ep_combination_for_people, ep_combination_for_formulas;
/* The rounded combination over the events' names. */
void ep_report_combination(const struct ep_derivation *derivation, size_t metric,
	const struct ep_combination_style *style, FILE *out);
/* "SP FMA Instrs." -> "sp_fma_instrs". */
void ep_report_slug(const char *name, char *out, size_t size);
/* Returns the name of the k-th event that the derivation chose. */
const char *ep_report_event(const struct ep_derivation *derivation, size_t k);
/* out (P) = mean over repetitions of the chosen event k. */
void ep_report_event_mean(const struct ep_derivation *derivation, size_t k, double *out);

#endif
