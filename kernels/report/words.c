// SPDX-License-Identifier: BSD-3-Clause
/* Small pieces that several reports share. */
#include <ctype.h>
#include <math.h>

#include "common/formula/parse.h"
#include "kernels/derive/noise.h"
#include "kernels/report/report.h"

const char *ep_report_event(const struct ep_derivation *derivation, size_t k)
{
	return derivation->set->events.names.items[derivation->pivots[k].candidate];
}

void ep_report_event_mean(const struct ep_derivation *derivation, size_t k, double *out)
{
	const struct ep_events *events = &derivation->set->events;
	size_t event = derivation->pivots[k].candidate, first = events->first_row[event];

	ep_noise_combine(events->values + first * events->n_points,
		events->first_row[event + 1] - first, events->n_points,
		derivation->set->params.combine, out);
}

void ep_report_slug(const char *name, char *out, size_t size)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++) {
		if (isalnum((unsigned char)*name))
			out[n++] = (char)tolower((unsigned char)*name);
		else if (n && out[n - 1] != '_')
			out[n++] = '_';
	}
	while (n && out[n - 1] == '_')
		n--;
	out[n] = '\0';
}

static void print_plain(const char *name, FILE *out)
{
	fputs(name, out);
}

const struct ep_combination_style ep_combination_for_people = { " ", print_plain };
/* A minus in a name would be a difference: the names of most kernel events have one. */
const struct ep_combination_style ep_combination_for_formulas = { " * ", ep_formula_print_name };

static void print_term(const struct ep_combination_style *style, double coefficient,
	const char *event, int is_first, FILE *out)
{
	double size = fabs(coefficient);

	if (!is_first)
		fprintf(out, coefficient < 0 ? " - " : " + ");
	else if (coefficient < 0)
		fputc('-', out);
	if (size != 1) {
		ep_formula_print_digits(size, 10, out);
		fputs(style->times, out);
	}
	style->print_event(event, out);
}

void ep_report_combination(const struct ep_derivation *derivation, size_t metric,
	const struct ep_combination_style *style, FILE *out)
{
	const double *rounded = derivation->rounded + metric * derivation->n_chosen;
	int is_first = 1;

	/* positive terms first: "all - conditional" reads better than "-conditional + all" */
	for (int sign = 1; sign >= -1; sign -= 2)
		for (size_t k = 0; k < derivation->n_chosen; k++) {
			if (rounded[k] * sign <= 0)
				continue;
			print_term(
				style, rounded[k], ep_report_event(derivation, k), is_first, out);
			is_first = 0;
		}
	if (is_first)
		fputc('0', out);
}
