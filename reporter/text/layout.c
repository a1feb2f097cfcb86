// SPDX-License-Identifier: BSD-3-Clause
/* Implements layout.h on a stdio stream. */
#include "reporter/text/layout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/short_names.h"
#include "reporter/text/signs.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

void ep_format_bar(char out[EP_NUMBER_BYTES], bool utf8, double half, int n_digits)
{
	const char *sign = utf8 ? "\u00b1" : "+-";
	double digit = pow(10, -n_digits);

	if (isnan(half))
		snprintf(out, EP_NUMBER_BYTES, "%s?", sign);
	else if (half > 0 && half < digit / 2)
		snprintf(out, EP_NUMBER_BYTES, "%s<%.*f", sign, n_digits, digit);
	else
		snprintf(out, EP_NUMBER_BYTES, "%s%.*f", sign, n_digits, half);
}

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

/* Rounds to four digits: an estimate is not known more closely. */
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

	double count = value->count.value;

	if (!ep_quantity_is_known(&value->count)) {
		snprintf(out, EP_NUMBER_BYTES, "-");
		return;
	}
	if (!strcmp(unit, "ns"))
		ep_format_seconds(number, count / 1e9);
	else if (!strcmp(unit, "J"))
		snprintf(number, sizeof(number), "%.2f J", count);
	else
		format_number(number, value->is_estimate ? round_estimate(count) : count);
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

/* Returns the number of bytes of the first n code points. */
static int prefix_bytes(const char *text, uint32_t n)
{
	const char *at = text;

	while (*at && (n || is_continuation(*at))) {
		n -= !is_continuation(*at);
		at++;
	}
	return (int)(at - text);
}

/* Returns the end of the text that holds its last n code points. */
static const char *suffix_of(const char *text, uint32_t n)
{
	const char *at = text + strlen(text);

	while (at > text && n) {
		at--;
		n -= !is_continuation(*at);
	}
	return at;
}

/* Prints a text with an ellipsis in place of its middle, since the two ends of a name distinguish it from others. */
static void put_elided(const struct ep_layout *layout, const char *text, uint32_t width)
{
	const char *ellipsis = ep_sign_ellipsis(layout->utf8);
	uint32_t n_ellipsis = layout->utf8 ? 1 : 2;
	uint32_t n_kept = width > n_ellipsis ? width - n_ellipsis : 0, n_end = n_kept / 2;

	if (!n_kept)
		fprintf(layout->out, "%.*s", prefix_bytes(text, width), text);
	else
		fprintf(layout->out, "%.*s%s%s", prefix_bytes(text, n_kept - n_end), text, ellipsis,
			suffix_of(text, n_end));
}

void ep_put_cell(const struct ep_layout *layout, const char *text, uint32_t width)
{
	uint32_t n = ep_text_width(text);

	if (n <= width)
		fprintf(layout->out, "%s%*s", text, (int)(width - n), "");
	else
		put_elided(layout, text, width);
}

void ep_format_library(char *out, size_t size, const char *module_name)
{
	static const char *const ends[] = { ".cpython-", ".so." };
	size_t n = strlen(module_name);

	for (size_t i = 0; i < EP_ARRAY_SIZE(ends); i++) {
		const char *end = strstr(module_name, ends[i]);

		if (end && (size_t)(end - module_name) < n)
			n = (size_t)(end - module_name);
	}
	if (n > 3 && !memcmp(module_name + n - 3, ".so", 3))
		n -= 3;
	snprintf(out, size, "%.*s", (int)n, module_name);
}

void ep_shorten_name(
	const struct ep_layout *layout, const char *name, uint32_t width, char *out, size_t size)
{
	ep_name_fit(name, width, ep_sign_ellipsis(layout->utf8), out, size);
}

void ep_put_name(const struct ep_layout *layout, const char *name, uint32_t width)
{
	char text[512];

	ep_shorten_name(layout, name, width, text, sizeof(text));
	ep_put_cell(layout, text, width);
}

void ep_put_right(const struct ep_layout *layout, const char *text, uint32_t width)
{
	uint32_t n = ep_text_width(text);

	fprintf(layout->out, "%*s%s", n < width ? (int)(width - n) : 0, "", text);
}

void ep_put_right_cell(const struct ep_layout *layout, const char *text, uint32_t width)
{
	uint32_t n = ep_text_width(text);

	fprintf(layout->out, "%*s", n < width ? (int)(width - n) : 0, "");
	ep_put_cell(layout, text, n < width ? n : width);
}

void ep_put_cells(const struct ep_layout *layout, const struct ep_cell *cells, size_t n)
{
	while (n && (!cells[n - 1].width || !cells[n - 1].text[0]))
		n--;
	for (size_t i = 0; i < n; i++) {
		uint32_t width = ep_text_width(cells[i].text);

		if (!cells[i].width)
			continue;
		ep_put_cell(layout, cells[i].text,
			i + 1 < n || width > cells[i].width ? cells[i].width : width);
		fputs(i + 1 < n ? "  " : "", layout->out);
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

/* Returns the number of columns that the first n_bytes take. */
static uint32_t columns_of(const char *text, int n_bytes)
{
	uint32_t columns = 0;

	for (int i = 0; i < n_bytes; i++)
		columns += !is_continuation(text[i]);
	return columns;
}

/* Prints a word; a word that is longer than a line is continued on the next line. Returns the columns used on
 * the last line. */
static uint32_t put_long_word(
	const struct ep_layout *layout, const char *word, int n, uint32_t room, uint32_t indent)
{
	while (columns_of(word, n) > room) {
		int part = prefix_bytes(word, room);

		fprintf(layout->out, "%.*s\n%*s", part, word, (int)indent, "");
		word += part;
		n -= part;
	}
	fprintf(layout->out, "%.*s", n, word);
	return columns_of(word, n);
}

/* Returns the number of bytes of the next word; a number and its per cent sign are one word. */
static int word_bytes(const char *text)
{
	size_t n = strcspn(text, " ");

	while (n && text[n] == ' ' && text[n + 1] == '%')
		n += 1 + strcspn(text + n + 1, " ");
	return (int)n;
}

void ep_put_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent)
{
	uint32_t room = layout->width > indent + 10 ? layout->width - indent : 10, used = 0;

	while (*text) {
		int n = word_bytes(text);
		uint32_t columns = columns_of(text, n);

		if (used && used + 1 + columns > room) {
			fprintf(layout->out, "\n%*s", (int)indent, "");
			used = 0;
		}
		if (used)
			fputc(' ', layout->out);
		used += used > 0;
		used += put_long_word(layout, text, n, room, indent);
		text += n + (text[n] == ' ');
	}
	fputc('\n', layout->out);
}

void ep_put_dim_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent)
{
	if (layout->colour)
		fputs(DIM, layout->out);
	ep_put_wrapped(layout, text, indent);
	if (layout->colour)
		fputs(PLAIN, layout->out);
}

void ep_put_remark(const struct ep_layout *layout, const char *text)
{
	fputs("  ", layout->out);
	ep_put_dim_wrapped(layout, text, 2);
}

void ep_put_heading(const struct ep_layout *layout, const char *title, const char *explanation)
{
	fputc('\n', layout->out);
	ep_put_bold(layout, title);
	if (!explanation) {
		fputc('\n', layout->out);
	} else if (ep_text_width(title) + 2 + ep_text_width(explanation) <= layout->width) {
		ep_put_remark(layout, explanation);
	} else {
		fputc('\n', layout->out);
		ep_put_remark(layout, explanation);
	}
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
