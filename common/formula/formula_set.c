// SPDX-License-Identifier: BSD-3-Clause
/* Sets parameters from the command line, and describes those that evcal measured. Any thread may call these
 * functions. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/formula_file.h"

bool ep_formula_file_describe_measured(const struct ep_formula_file *file, char *out, size_t size)
{
	const char *source = NULL;
	size_t at = 0;

	for (uint32_t i = 0; i < file->n_parameters && at < size; i++) {
		const struct ep_formula_parameter *parameter = &file->parameters[i];

		if (!parameter->is_measured)
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%s %.4g", source ? ", " : "",
			parameter->name, parameter->value);
		source = parameter->source ? parameter->source : "measured by evcal";
	}
	if (source && at < size)
		snprintf(out + at, size - at, ": %s", source);
	return source;
}

int ep_formula_file_set_parameter(
	struct ep_formula_file *file, const char *text, struct ep_error *err)
{
	const char *equals = strchr(text, '=');
	size_t size = equals ? (size_t)(equals - text) : 0;
	char *end = NULL;
	double value = equals ? strtod(equals + 1, &end) : NAN;

	if (!size || end == equals + 1 || *end || !isfinite(value))
		return ep_fail(err, -EINVAL, "--param '%s': expected NAME=NUMBER", text);
	for (uint32_t i = 0; i < file->n_parameters; i++) {
		struct ep_formula_parameter *parameter = &file->parameters[i];

		if (strlen(parameter->name) != size || strncmp(parameter->name, text, size) != 0)
			continue;
		parameter->value = value;
		parameter->is_measured = false;
		return 0;
	}
	return ep_fail(
		err, -ENOENT, "--param '%s': no model here has a parameter of that name", text);
}
