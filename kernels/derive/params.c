// SPDX-License-Identifier: BSD-3-Clause
/* Thresholds of the analysis: one table of rows, used both for JSON and for options. */
#include "kernels/derive/params.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/foreign_text.h"

const struct ep_params ep_params_default = {
	.tau = 1e-10,
	.alpha = 5e-4,
	.projection_cut = 1e-2,
	.coefficient_tolerance = 1e-3,
};

const char *const ep_combine_name[EP_COMBINE_N] = { "mean", "median", "minimum" };

static const struct threshold {
	const char *name;
	size_t offset;
	double low, high; /* limits: low < value <= high */
} thresholds[] = {
	{ "tau", offsetof(struct ep_params, tau), -1e-300, 1e6 },
	{ "alpha", offsetof(struct ep_params, alpha), 0, 0.5 },
	{ "projection_cut", offsetof(struct ep_params, projection_cut), 0, 1 },
	{ "coefficient_tolerance", offsetof(struct ep_params, coefficient_tolerance), -1e-300,
		0.5 },
};

static const struct text_field {
	const char *name;
	size_t offset, size;
} text_fields[] = {
#define STRING(field) #field
#define TEXT(field)                                                                                \
	{                                                                                          \
		STRING(field), offsetof(struct ep_params, field), sizeof(ep_params_default.field)  \
	}
	TEXT(title),
	TEXT(cpu),
	TEXT(cpu_key),
	TEXT(date),
	TEXT(kernel),
#undef TEXT
#undef STRING
};

static int set_threshold(struct ep_params *params, const struct threshold *row, double value,
	const char *path, struct ep_error *err)
{
	if (!(value > row->low && value <= row->high))
		return ep_fail_at(err, -EINVAL, (struct ep_place){ path, 0, 0 },
			"%s is %g, expected a number above %g and up to %g", row->name, value,
			fmax(row->low, 0), row->high);
	*(double *)((char *)params + row->offset) = value;
	return 0;
}

static int set_combine(
	struct ep_params *params, const char *value, const char *path, struct ep_error *err)
{
	for (int i = 0; i < EP_COMBINE_N; i++) {
		if (strcmp(ep_combine_name[i], value))
			continue;
		params->combine = i;
		return 0;
	}
	return ep_fail_at(err, -EINVAL, (struct ep_place){ path, 0, 0 },
		"combine is \"%s\", expected mean, median or minimum", value);
}

int ep_params_set(
	struct ep_params *params, const char *name, const char *value, struct ep_error *err)
{
	if (!strcmp(name, "combine"))
		return set_combine(params, value, NULL, err);
	for (size_t i = 0; i < EP_ARRAY_SIZE(thresholds); i++) {
		char *end;

		if (strcmp(thresholds[i].name, name))
			continue;
		double number = strtod(value, &end);
		return set_threshold(
			params, &thresholds[i], end == value || *end ? NAN : number, NULL, err);
	}
	return ep_fail(err, -ENOENT, "unknown threshold \"%s\"", name);
}

static void take_text(char *out, size_t size, struct json_object *value)
{
	snprintf(out, size, "%s", json_object_get_string(value));
	ep_foreign_text_clean(out, strlen(out), "");
}

static int set_from_object(struct ep_params *params, struct json_object *object, const char *path,
	struct ep_error *err)
{
	struct json_object *value;
	int rc = 0;

	for (size_t i = 0; !rc && i < EP_ARRAY_SIZE(thresholds); i++) {
		if (!json_object_object_get_ex(object, thresholds[i].name, &value))
			continue;
		int is_number = json_object_is_type(value, json_type_double) ||
				json_object_is_type(value, json_type_int);
		rc = set_threshold(params, &thresholds[i],
			is_number ? json_object_get_double(value) : NAN, path, err);
	}
	/* json-c gives JSON's null as a NULL pointer */
	if (!rc && json_object_object_get_ex(object, "combine", &value))
		rc = set_combine(params, value ? json_object_get_string(value) : "null", path, err);
	for (size_t i = 0; !rc && i < EP_ARRAY_SIZE(text_fields); i++)
		if (json_object_object_get_ex(object, text_fields[i].name, &value) && value)
			take_text(
				(char *)params + text_fields[i].offset, text_fields[i].size, value);
	return rc;
}

int ep_params_parse(
	struct ep_params *params, const char *path, const char *text, struct ep_error *err)
{
	enum json_tokener_error fault;
	struct json_object *object = json_tokener_parse_verbose(text, &fault);
	int rc;

	if (!object)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ path, 0, 0 }, "is not JSON: %s",
			json_tokener_error_desc(fault));
	rc = json_object_is_type(object, json_type_object)
		     ? set_from_object(params, object, path, err)
		     : ep_fail_at(err, -EINVAL, (struct ep_place){ path, 0, 0 },
			       "expected a JSON object of thresholds");
	json_object_put(object);
	return rc;
}

int ep_params_read(struct ep_params *params, const char *path, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	return rc ? rc : ep_params_parse(params, path, text, err);
}
