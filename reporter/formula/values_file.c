// SPDX-License-Identifier: BSD-3-Clause
/* Reads tab-separated values. Any thread may call its function. */
#include "reporter/formula/values_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/foreign_text.h"

enum { N_FIELDS = 5 };

struct values_reader {
	struct ep_place place;
	struct ep_values values;
	struct ep_error *err;
};

static void finish_reader(struct values_reader *r)
{
	ep_values_finish(&r->values);
}

static int fail_field(struct values_reader *r, const char *expected, const char *found)
{
	return ep_fail_at(r->err, -EINVAL, r->place, "expected %s, found '%s'", expected, found);
}

static int read_number(struct values_reader *r, const char *text, double *out)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end)
		return fail_field(r, "a number or '-'", text);
	*out = number;
	return 0;
}

/* Reads a number. A missing field, or "-", leaves *out as it is. */
static int read_optional(struct values_reader *r, const char *text, double *out)
{
	return !text || !*text || !strcmp(text, "-") ? 0 : read_number(r, text, out);
}

static int set_text(struct values_reader *r, const char *text, char **field)
{
	free(*field);
	*field = strdup(text);
	return *field ? 0 : ep_fail(r->err, -ENOMEM, "out of memory");
}

static int read_measured(struct values_reader *r, char **fields)
{
	struct ep_measured m = { .coverage = 1, .source_count = 1 };
	int rc = read_optional(r, fields[1], &m.value);

	m.is_measured = strcmp(fields[1], "-") != 0 && !isnan(m.value);
	if (!rc)
		rc = read_optional(r, fields[2], &m.source_count);
	if (!rc)
		rc = read_optional(r, fields[3], &m.standard_error);
	if (!rc)
		rc = read_optional(r, fields[4], &m.coverage);
	if (!rc && ep_values_set(&r->values, fields[0], m))
		rc = ep_fail(r->err, -ENOMEM, "out of memory");
	return rc;
}

static int read_line(struct values_reader *r, char *line)
{
	char *fields[N_FIELDS] = { 0 };

	for (int i = 0; i < N_FIELDS && line; i++)
		fields[i] = strsep(&line, "\t");
	if (!*fields[0] && !fields[1])
		return 0;
	if (!fields[1])
		return fail_field(r, "NAME<TAB>VALUE", fields[0]);
	if (r->place.line == 1 && !strcmp(fields[1], "value"))
		return 0;
	if (!strcmp(fields[0], "?"))
		return set_text(r, fields[1], &r->values.runtime_parameter);
	if (!strcmp(fields[0], "cpuid"))
		return set_text(r, fields[1], &r->values.cpuid);
	return read_measured(r, fields);
}

int ep_values_file_read(const char *path, struct ep_values *out, struct ep_error *err)
{
	__attribute__((cleanup(finish_reader))) struct values_reader r = {
		.place = { .file = path },
		.err = err,
	};
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);
	char *rest = text, *line;

	if (!rc)
		ep_foreign_text_clean(text, size, EP_FOREIGN_LINES);
	while (!rc && (line = strsep(&rest, "\n"))) {
		r.place.line++;
		line[strcspn(line, "\r")] = '\0';
		rc = read_line(&r, line);
	}
	if (rc)
		return rc;
	*out = r.values;
	r.values = (struct ep_values){ 0 };
	return 0;
}
