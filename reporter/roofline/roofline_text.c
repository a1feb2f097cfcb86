// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/roofline/roofline_view.h"
#include "reporter/roofline/roofline_words.h"
#include "reporter/text/signs.h"

enum { n_sentences = 6, least_name = 12, fixed_width = 29 };

#define LEAST_IN_FULL 0.001 /* smaller numbers are printed with an exponent, such as 6.25e-07 */

/* Returns how many digits after the decimal point a number has that is shown with three digits in all. */
static int digits_of(double value)
{
	int before = value > 0 ? (int)floor(log10(value)) + 1 : 1;

	/* three at most: with an error bar, more would not fit the column */
	return before >= 3 ? 0 : before <= 0 ? 3 : 3 - before;
}

static void format_small(double value, double bar, bool utf8, char out[EP_NUMBER_BYTES])
{
	if (bar >= 0.005 * value)
		snprintf(out, EP_NUMBER_BYTES, "%.1g %s%.1g", value, ep_sign_plus_minus(utf8), bar);
	else
		snprintf(out, EP_NUMBER_BYTES, "%s%.3g", isnan(bar) ? "~" : "", value);
}

/* Writes a quantity and its bar, such as "1.23 ±0.05", as multiples of unit. A bar that would show only zeros is
 * left out. */
static void format_within(
	const struct ep_quantity *quantity, double unit, bool utf8, char out[EP_NUMBER_BYTES])
{
	double value = quantity->value / unit, bar = ep_quantity_bar(quantity) / unit;
	int digits = digits_of(value);

	if (!ep_quantity_is_known(quantity))
		snprintf(out, EP_NUMBER_BYTES, "-");
	else if (value > 0 && value < LEAST_IN_FULL)
		format_small(value, bar, utf8, out);
	else if (isnan(bar))
		snprintf(out, EP_NUMBER_BYTES, "~%.*f", digits, value);
	else if (bar < 0.5 * pow(10, -digits))
		snprintf(out, EP_NUMBER_BYTES, "%.*f", digits, value);
	else
		snprintf(out, EP_NUMBER_BYTES, "%.*f %s%.*f", digits, value,
			ep_sign_plus_minus(utf8), digits, bar);
}

static void format_intensity(
	const struct ep_roofline_point *point, bool utf8, char out[EP_NUMBER_BYTES])
{
	char number[EP_NUMBER_BYTES];

	format_within(&point->intensity, 1, utf8, number);
	if (point->intensity.reason)
		snprintf(out, EP_NUMBER_BYTES, "%s", point->intensity.reason);
	else if (ep_quantity_is_known(&point->intensity) && point->traffic == EP_TRAFFIC_MISSES)
		snprintf(out, EP_NUMBER_BYTES, "<%.40s", number);
	else
		snprintf(out, EP_NUMBER_BYTES, "%s", number);
}

/* Returns the width of a number with its error bar, in columns. */
static int number_width(const struct ep_layout *layout)
{
	return layout->utf8 ? 13 : 14;
}

static uint32_t name_width(const struct ep_layout *layout)
{
	uint32_t width = layout->width, others = fixed_width + 3 * (uint32_t)number_width(layout);

	return width > others + least_name ? width - others : least_name;
}

static void put_head(const struct ep_layout *layout)
{
	int width = number_width(layout);

	fputs("    ", layout->out);
	ep_put_cell(layout, "", name_width(layout));
	fprintf(layout->out, "%9s%*s%*s%*s %-7s%8s\n", "FLOP", width, "FLOP/byte", width, "GFLOP/s",
		width, "roof", "of", "reached");
}

static void put_point(
	const struct ep_roofline_point *point, char letter, const struct ep_layout *layout)
{
	char name[256], flop[32], intensity[EP_NUMBER_BYTES], rate[EP_NUMBER_BYTES],
		ceiling[EP_NUMBER_BYTES], reached[16] = "-", bound[16];
	uint32_t width = (uint32_t)number_width(layout);

	ep_shorten_name(layout, point->name, name_width(layout), name, sizeof(name));
	ep_roofline_format(point->flop.value, flop, sizeof(flop));
	format_intensity(point, layout->utf8, intensity);
	format_within(&point->rate, 1e9, layout->utf8, rate);
	format_within(&point->ceiling, 1e9, layout->utf8, ceiling);
	snprintf(bound, sizeof(bound), "%s%s", ep_roofline_bound_name(point->bound),
		point->is_bound_sure ? "" : "?");
	if (ep_quantity_is_known(&point->reached))
		ep_roofline_format_share(point->reached.value, reached, sizeof(reached));
	fprintf(layout->out, "  %c ", letter);
	ep_put_cell(layout, name, name_width(layout));
	ep_put_right(layout, flop, 9);
	ep_put_right(layout, intensity, width);
	ep_put_right(layout, rate, width);
	ep_put_right(layout, ceiling, width);
	fprintf(layout->out, " %-7s%8s\n", bound, reached);
}

static void put_bullet(const char *text, const struct ep_layout *layout)
{
	fputs("  - ", layout->out);
	ep_put_wrapped(layout, text, 4);
}

static void put_sentences(const struct ep_roofline *roofline, const struct ep_layout *layout)
{
	double all = roofline->points[0].flop.value;
	uint32_t n_said = 0;
	char text[700];

	for (uint32_t i = 0; i < roofline->n_points && n_said < n_sentences; i++) {
		const struct ep_roofline_point *point = &roofline->points[i];

		if (point->flop.value < 0.01 * all)
			continue;
		ep_roofline_say_point(roofline, point, layout->utf8, text, sizeof(text));
		if (!text[0])
			continue;
		if (!n_said++)
			ep_put_heading(layout, "What bounds them", "the lower roof above each");
		put_bullet(text, layout);
	}
}

static void put_notes(const struct ep_roofline *roofline, const struct ep_layout *layout)
{
	char text[500];

	snprintf(text, sizeof(text),
		"%s is two standard errors, of a roof its spread; none where it is below the last digit",
		ep_sign_plus_minus(layout->utf8));
	ep_put_heading(layout, "How to read it", text);
	for (uint32_t i = 0; ep_roofline_say_note(roofline, i, text, sizeof(text)); i++)
		put_bullet(text, layout);
}

void ep_roofline_print_text(
	const struct ep_roofline *roofline, const char *trace_path, const struct ep_layout *layout)
{
	char text[1000];

	fprintf(layout->out, "evreport roofline  %s\n  ", trace_path);
	ep_roofline_say_roofs(roofline, text, sizeof(text));
	ep_put_wrapped(layout, text, 2);
	ep_put_heading(layout, "Operations, and the roof above them",
		"FLOP/byte: operations for each byte of memory traffic");
	put_head(layout);
	for (uint32_t i = 0; i < roofline->n_points; i++)
		put_point(&roofline->points[i], ep_roofline_letter(i), layout);
	ep_roofline_print_picture(roofline, layout);
	put_sentences(roofline, layout);
	put_notes(roofline, layout);
}
