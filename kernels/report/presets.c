// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes PAPI's preset syntax: PRESET or EVENT, name, derivation, [postfix,] events. A postfix expression
 * takes non-negative integers and at most 12 events; so fractions become a multiplication and a division, and
 * negative factors a subtraction.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/report/report.h"

enum { max_events = 12, max_denominator = 64 };

/* Metrics that have a preset in PAPI; others become events with names of their own. */
static const struct {
	const char *metric, *preset;
} presets[] = {
	{ "SP Ops.", "PAPI_SP_OPS" },
	{ "DP Ops.", "PAPI_DP_OPS" },
	{ "Unconditional Branches.", "PAPI_BR_UCN" },
	{ "Conditional Branches Taken.", "PAPI_BR_TKN" },
	{ "Conditional Branches Not Taken.", "PAPI_BR_NTK" },
	{ "Mispredicted Branches.", "PAPI_BR_MSP" },
	{ "Correctly Predicted Branches.", "PAPI_BR_PRC" },
	{ "Conditional Branches Retired.", "PAPI_BR_CN" },
	{ "L1 Misses.", "PAPI_L1_DCM" },
	{ "L1 Hits.", "PAPI_L1_DCH" },
	{ "L2 Hits.", "PAPI_L2_DCH" },
	{ "L2 Misses.", "PAPI_L2_DCM" },
	{ "L3 Hits.", "PAPI_L3_DCH" },
};

struct fraction {
	unsigned long numerator, denominator; /* denominator 0: the value is no small fraction */
};

static struct fraction to_fraction(double value)
{
	for (unsigned q = 1; q <= max_denominator; q++) {
		double p = nearbyint(value * q);

		if (p >= 1 && p < 1e9 && fabs(value * q - p) < 1e-9 * p)
			return (struct fraction){ (unsigned long)p, q };
	}
	return (struct fraction){ 0, 0 };
}

struct term {
	size_t event;
	double factor;
	struct fraction size;
};

/* Collects the terms, positive ones first, since a postfix expression has no unary minus. */
static size_t collect_terms(const struct ep_derivation *d, size_t m, struct term *terms)
{
	size_t n = 0;

	for (int sign = 1; sign >= -1; sign -= 2)
		for (size_t k = 0; k < d->n_chosen; k++) {
			double factor = d->rounded[m * d->n_chosen + k];

			if (factor * sign > 0 && n < max_events)
				terms[n++] = (struct term){ k, factor, to_fraction(fabs(factor)) };
		}
	return n;
}

static const char *why_not(
	const struct ep_derivation *d, size_t m, const struct term *terms, size_t n_terms)
{
	size_t n = 0;

	for (size_t k = 0; k < d->n_chosen; k++)
		n += d->rounded[m * d->n_chosen + k] != 0;
	if (ep_derivation_fitness(d, m) >= EP_FITNESS_PARTIAL)
		return "not definable by this CPU's events";
	if (!n || n > max_events)
		return n ? "more than 12 events" : "no coefficient is left after rounding";
	for (size_t i = 0; i < n_terms; i++)
		if (!terms[i].size.denominator)
			return "a coefficient is no fraction that postfix can say";
	return NULL;
}

static const char *derivation_kind(const struct term *terms, size_t n)
{
	size_t n_negative = 0;

	for (size_t i = 0; i < n; i++) {
		if (fabs(terms[i].factor) != 1)
			return "DERIVED_POSTFIX";
		n_negative += terms[i].factor < 0;
	}
	if (!n_negative)
		return n == 1 ? "NOT_DERIVED" : "DERIVED_ADD";
	return n_negative == n - 1 ? "DERIVED_SUB" : "DERIVED_POSTFIX";
}

static void print_postfix(const struct term *terms, size_t n, FILE *out)
{
	bool starts_negative = terms[0].factor < 0;

	fputs(starts_negative ? ",0|" : ",", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "N%zu|", i);
		if (terms[i].size.numerator != 1)
			fprintf(out, "%lu|*|", terms[i].size.numerator);
		if (terms[i].size.denominator != 1)
			fprintf(out, "%lu|/|", terms[i].size.denominator);
		if (i || starts_negative)
			fputs(terms[i].factor < 0 ? "-|" : "+|", out);
	}
}

static void print_name(const char *metric, FILE *out)
{
	char slug[128];

	for (size_t i = 0; i < EP_ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].metric, metric)) {
			fprintf(out, "PRESET,%s", presets[i].preset);
			return;
		}
	ep_report_slug(metric, slug, sizeof(slug));
	for (char *c = slug; *c; c++)
		*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
	fprintf(out, "EVENT,EVCAL_%s", slug);
}

static void print_preset(const struct ep_derivation *d, size_t m, FILE *out)
{
	const char *metric = d->set->signatures.rows.items[m];
	struct term terms[max_events];
	size_t n = collect_terms(d, m, terms);
	const char *fault = why_not(d, m, terms, n);

	if (fault) {
		fprintf(out, "# %s: %s\n", metric, fault);
		return;
	}
	const char *kind = derivation_kind(terms, n);
	print_name(metric, out);
	fprintf(out, ",%s", kind);
	if (!strcmp(kind, "DERIVED_POSTFIX"))
		print_postfix(terms, n, out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, ",%s", ep_report_event(d, terms[i].event));
	fputc('\n', out);
}

void ep_report_presets(const struct ep_derivation *d, FILE *out)
{
	fprintf(out, "# %s, from the calibration set \"%s\"\n",
		d->set->params.cpu[0] ? d->set->params.cpu : "any CPU", d->set->name);
	for (size_t m = 0; m < d->set->signatures.rows.n; m++)
		print_preset(d, m, out);
}
