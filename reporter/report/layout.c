// SPDX-License-Identifier: BSD-3-Clause
/* layout.h on a stdio stream. */
#include "reporter/report/layout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

void ep_format_seconds(char out[EP_NUMBER_BYTES], double seconds)
{
	static const struct {
		double below, scale;
		const char *format;
	} rows[] = {
		{ 0.9995e-6, 1e9, "%.0f ns" },
		{ 9.995e-6, 1e6, "%.2f us" },
		{ 99.95e-6, 1e6, "%.1f us" },
		{ 0.9995e-3, 1e6, "%.0f us" },
		{ 9.995e-3, 1e3, "%.2f ms" },
		{ 99.95e-3, 1e3, "%.1f ms" },
		{ 0.9995, 1e3, "%.0f ms" },
		{ 9.995, 1, "%.2f s" },
		{ 99.95, 1, "%.1f s" },
		{ 6000, 1, "%.0f s" },
		{ 360000, 1 / 3600.0, "%.1f h" },
	};

	if (seconds == 0) {
		snprintf(out, EP_NUMBER_BYTES, "0 s");
		return;
	}
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		if (seconds >= rows[i].below)
			continue;
		snprintf(out, EP_NUMBER_BYTES, rows[i].format, seconds * rows[i].scale);
		return;
	}
	snprintf(out, EP_NUMBER_BYTES, "%.0f h", seconds / 3600);
}

static void group_thousands(char *out, size_t size, const char *digits)
{
	size_t n = strlen(digits), at = 0;

	for (size_t i = 0; i < n && at + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
}

void ep_format_count(char out[EP_NUMBER_BYTES], uint64_t count)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, count);
	group_thousands(out, EP_NUMBER_BYTES, digits);
}

void ep_format_rate(char out[EP_NUMBER_BYTES], double rate)
{
	static const char *const prefixes[] = { "", " k", " M", " G", " T" };
	size_t i = 0;

	while (rate >= 999.5 && i + 1 < EP_ARRAY_SIZE(prefixes)) {
		rate /= 1000;
		i++;
	}
	snprintf(out, EP_NUMBER_BYTES, "%.3g%s", rate, prefixes[i]);
}

/* To four digits: an estimate is not surer than that. */
static double round_estimate(double value)
{
	double unit;

	if (value < 1000)
		return round(value);
	unit = pow(10, floor(log10(value)) - 3);
	return round(value / unit) * unit;
}

static void format_number(char out[EP_NUMBER_BYTES], double value)
{
	if (value >= 0 && value < 1e18)
		ep_format_count(out, (uint64_t)llround(value));
	else
		snprintf(out, EP_NUMBER_BYTES, "%.4g", value);
}

void ep_format_value(
	char out[EP_NUMBER_BYTES], const struct ep_report_value *value, const char *unit)
{
	char number[EP_NUMBER_BYTES];

	if (value->is_missing) {
		snprintf(out, EP_NUMBER_BYTES, "-");
		return;
	}
	if (!strcmp(unit, "ns"))
		ep_format_seconds(number, value->value / 1e9);
	else if (!strcmp(unit, "J"))
		snprintf(number, sizeof(number), "%.2f J", value->value);
	else
		format_number(
			number, value->is_estimate ? round_estimate(value->value) : value->value);
	snprintf(out, EP_NUMBER_BYTES, "%s%.40s", value->is_estimate ? "~" : "", number);
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

uint32_t ep_text_width(const char *text)
{
	uint32_t n = 0;

	for (; *text; text++)
		n += !is_continuation(*text);
	return n;
}

/* Bytes of the first n code points. */
static int prefix_bytes(const char *text, uint32_t n)
{
	const char *at = text;

	while (*at && (n || is_continuation(*at))) {
		n -= !is_continuation(*at);
		at++;
	}
	return (int)(at - text);
}

void ep_put_cell(const struct ep_layout *layout, const char *text, uint32_t width)
{
	const char *ellipsis = layout->utf8 ? "\u2026" : "...";
	uint32_t n = ep_text_width(text), n_ellipsis = layout->utf8 ? 1 : 3;

	if (n <= width)
		fprintf(layout->out, "%s%*s", text, (int)(width - n), "");
	else if (width > n_ellipsis)
		fprintf(layout->out, "%.*s%s", prefix_bytes(text, width - n_ellipsis), text,
			ellipsis);
	else
		fprintf(layout->out, "%.*s", prefix_bytes(text, width), text);
}

static bool is_operator(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	while (at && strchr("<>-=", name[at - 1]))
		at--;
	return at >= n && !memcmp(name + at - n, word, n);
}

/* Copies name with what is inside its outermost <> left out. */
static void shorten_templates(char *out, size_t size, const char *name, const char *ellipsis)
{
	size_t at = 0;
	uint32_t depth = 0;

	for (size_t i = 0; name[i] && at + strlen(ellipsis) + 2 < size; i++) {
		bool is_bracket = (name[i] == '<' || name[i] == '>') && !is_operator(name, i) &&
				  !(name[i] == '>' && i && name[i - 1] == '-');

		if (is_bracket && name[i] == '<' && !depth++)
			at += snprintf(out + at, size - at, "<%s", ellipsis);
		else if (is_bracket && name[i] == '>' && depth)
			depth--;
		else if (depth)
			continue;
		if (!depth)
			out[at++] = name[i];
	}
	out[at] = '\0';
}

void ep_shorten_name(
	const struct ep_layout *layout, const char *name, uint32_t width, char *out, size_t size)
{
	if (ep_text_width(name) <= width)
		snprintf(out, size, "%s", name);
	else
		shorten_templates(out, size, name, layout->utf8 ? "\u2026" : "..");
}

void ep_put_name(const struct ep_layout *layout, const char *name, uint32_t width)
{
	char text[1024];

	ep_shorten_name(layout, name, width, text, sizeof(text));
	ep_put_cell(layout, text, width);
}

void ep_put_right(const struct ep_layout *layout, const char *text, uint32_t width)
{
	uint32_t n = ep_text_width(text);

	fprintf(layout->out, "%*s%s", n < width ? (int)(width - n) : 0, "", text);
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void ep_put_last(const struct ep_layout *layout, const char *first, uint32_t first_width,
	const char *second, uint32_t second_width)
{
	char name[1024];

	ep_shorten_name(layout, first, first_width, name, sizeof(name));
	if (!second[0]) {
		ep_put_cell(layout, name, at_most(first_width, ep_text_width(name)));
	} else {
		ep_put_cell(layout, name, first_width);
		fputs("  ", layout->out);
		ep_put_cell(layout, second, at_most(second_width, ep_text_width(second)));
	}
	fputc('\n', layout->out);
}

static void put_styled(const struct ep_layout *layout, const char *style, const char *text)
{
	if (layout->colour)
		fprintf(layout->out, "%s%s%s", style, text, PLAIN);
	else
		fputs(text, layout->out);
}

void ep_put_bold(const struct ep_layout *layout, const char *text)
{
	put_styled(layout, BOLD, text);
}

void ep_put_dim(const struct ep_layout *layout, const char *text)
{
	put_styled(layout, DIM, text);
}

void ep_put_heading(const struct ep_layout *layout, const char *title, const char *explanation)
{
	fputc('\n', layout->out);
	ep_put_bold(layout, title);
	if (explanation) {
		fputs("  ", layout->out);
		ep_put_dim(layout, explanation);
	}
	fputc('\n', layout->out);
}

void ep_put_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent)
{
	uint32_t room = layout->width > indent + 20 ? layout->width - indent : 20, used = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");
		uint32_t columns = 0;

		for (int i = 0; i < n; i++)
			columns += !is_continuation(text[i]);
		if (used && used + 1 + columns > room) {
			fprintf(layout->out, "\n%*s", (int)indent, "");
			used = 0;
		}
		fprintf(layout->out, "%s%.*s", used ? " " : "", n, text);
		used += columns + (used > 0);
		text += n + (text[n] == ' ');
	}
	fputc('\n', layout->out);
}

static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const letters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };

void ep_put_spark(const struct ep_layout *layout, const double *values, uint32_t n, double top)
{
	const char *const *ramp = layout->utf8 ? blocks : letters;
	int last = EP_ARRAY_SIZE(blocks) - 1;

	while (n && values[n - 1] <= 0)
		n--;
	for (uint32_t i = 0; i < n; i++) {
		int level = top > 0 ? (int)lround(values[i] / top * last) : 0;

		if (!level && values[i] > 0)
			level = 1;
		fputs(ramp[level < 0 ? 0 : level > last ? last : level], layout->out);
	}
}
