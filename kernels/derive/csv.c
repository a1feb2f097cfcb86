// SPDX-License-Identifier: BSD-3-Clause
/* Reads CSV. Parsing numbers takes most of the time: a table of 1e5 events has ten million of them. */
#include "kernels/derive/csv.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/foreign_text.h"

void ep_csv_init(struct ep_csv *csv, const char *path, char *text)
{
	*csv = (struct ep_csv){ .path = path, .next = text };
}

bool ep_csv_next_line(struct ep_csv *csv)
{
	while (*csv->next) {
		char *line = csv->next, *end = strchrnul(line, '\n');

		csv->line_no++;
		csv->next = *end ? end + 1 : end;
		if (end > line && end[-1] == '\r')
			end--;
		*end = '\0';
		if (end == line || *line == '#')
			continue;
		csv->field = line;
		csv->line_end = end;
		csv->field_no = 0;
		return true;
	}
	return false;
}

char *ep_csv_field(struct ep_csv *csv)
{
	char *field = csv->field;

	if (!field)
		return NULL;
	char *comma = strchr(field, ',');
	csv->field = comma ? comma + 1 : NULL;
	if (comma)
		*comma = '\0';
	csv->field_no++;
	return field;
}

char *ep_csv_name(struct ep_csv *csv)
{
	char *name = ep_csv_field(csv);

	if (name)
		ep_foreign_text_clean(name, strlen(name), "");
	return name;
}

int ep_csv_fail(const struct ep_csv *csv, struct ep_error *err, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return ep_fail_at(
		err, -EINVAL, (struct ep_place){ csv->path, csv->line_no, 0 }, "%s", message);
}

/* Powers of ten that a double holds exactly. */
static const double exact_power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/*
 * Parses a number. [-]digits[.digits] with a mantissa below 2^53 takes one correctly rounded division
 * (Clinger's fast path), which is ten times faster than strtod. All other texts go to strtod, which would
 * give the same result.
 */
static inline const char *parse_number(const char *text, double *out_value)
{
	const char *p = text;
	uint64_t mantissa = 0;
	bool negative = *p == '-';
	unsigned n_fraction = 0, n_digits = 0;
	char *end;

	p += negative;
	for (; (unsigned)(*p - '0') < 10; p++, n_digits++)
		mantissa = mantissa * 10 + (unsigned)(*p - '0');
	if (*p == '.')
		for (p++; (unsigned)(*p - '0') < 10; p++, n_digits++, n_fraction++)
			mantissa = mantissa * 10 + (unsigned)(*p - '0');
	if (n_digits && n_digits < 19 && mantissa < 1ull << 53 && (*p == ',' || !*p)) {
		double value = (double)mantissa / exact_power[n_fraction];

		*out_value = negative ? -value : value;
		return p;
	}
	*out_value = strtod(text, &end);
	return end;
}

static int fail_number(struct ep_csv *csv, const char *text, struct ep_error *err)
{
	int length = (int)strcspn(text, ",");

	return ep_csv_fail(csv, err, "field %u is \"%.*s\", expected a finite number",
		csv->field_no, length, text);
}

int ep_csv_numbers(
	struct ep_csv *csv, size_t n, const unsigned *column, double *values, struct ep_error *err)
{
	const char *p = csv->field;
	size_t i;

	for (i = 0; p && i < n; i++) {
		double value;
		const char *end = parse_number(p, &value);

		csv->field_no++;
		if (end == p || (*end && *end != ',') || !isfinite(value))
			return fail_number(csv, p, err);
		values[column ? column[i] : i] = value;
		p = *end ? end + 1 : NULL;
	}
	if (i < n)
		return ep_csv_fail(csv, err, "the line has %u fields, the header has %zu",
			csv->field_no, csv->field_no + n - i);
	if (p)
		return ep_csv_fail(csv, err, "more fields than the header's %u", csv->field_no);
	csv->field = NULL;
	return 0;
}
