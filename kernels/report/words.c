// SPDX-License-Identifier: BSD-3-Clause
/* Small functions that several reports share. */
#include <ctype.h>
#include <math.h>

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

static void print_term(const struct ep_report_term *term, bool is_first, FILE *out)
{
	double size = fabs(term->coefficient);

	if (!is_first)
		fputs(term->coefficient < 0 ? " - " : " + ", out);
	else if (term->coefficient < 0)
		fputc('-', out);
	if (size != 1)
		fprintf(out, "%.*g ", EP_REPORT_DIGITS, size);
	fputs(term->event, out);
}

/* Positive terms come first: "all - conditional" is easier to read than "-conditional + all". */
bool ep_report_find_term(
	const struct ep_derivation *derivation, size_t metric, size_t i, struct ep_report_term *out)
{
	const double *rounded = derivation->rounded + metric * derivation->n_chosen;

	for (int sign = 1; sign >= -1; sign -= 2)
		for (size_t k = 0; k < derivation->n_chosen; k++)
			if (rounded[k] * sign > 0 && !i--) {
				*out = (struct ep_report_term){ rounded[k],
					ep_report_event(derivation, k) };
				return true;
			}
	return false;
}

void ep_report_combination(const struct ep_derivation *derivation, size_t metric, FILE *out)
{
	struct ep_report_term term;
	size_t n = 0;

	for (; ep_report_find_term(derivation, metric, n, &term); n++)
		print_term(&term, !n, out);
	if (!n)
		fputc('0', out);
}
