// SPDX-License-Identifier: BSD-3-Clause
/* Keeps named values. Only one thread at a time may use a struct ep_values. */
#include "common/formula/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/cpuid.h"

static char *normal_name(const char *name)
{
	char *copy = strdup(name);

	if (copy && *copy == '#')
		for (char *c = copy; *c; c++)
			*c = (char)tolower((unsigned char)*c);
	return copy;
}

int ep_values_set(struct ep_values *values, const char *name, struct ep_measured measured)
{
	EP_AUTOFREE char *normal = normal_name(name);
	uint32_t idx;

	if (!normal || EP_ARRAY_RESERVE(values->values, values->names.n_names, values->capacity) ||
		ep_names_add(&values->names, normal, &idx))
		return -ENOMEM;
	values->values[idx] = measured;
	return 0;
}

char *ep_values_event_name(const char *in_formula)
{
	char *name = strdup(in_formula);

	for (char *at = name; at && (at = strchr(at, '@')); at++)
		*at = '/';
	return name;
}

static const struct ep_measured *find_exact(const struct ep_values *values, const char *name)
{
	uint32_t idx = ep_names_find(&values->names, name);

	return idx == EP_NONE ? NULL : &values->values[idx];
}

/* Finds "pmu::name" by the short name in a formula. */
static const struct ep_measured *find_qualified(const struct ep_values *values, const char *name)
{
	for (uint32_t i = 0; i < values->names.n_names; i++) {
		const char *rest = strstr(values->names.texts[i], "::");

		if (rest && !strcmp(rest + 2, name))
			return &values->values[i];
	}
	return NULL;
}

/* Finds the event msr/tsc/ by "msr@tsc@". */
static const struct ep_measured *find_of_sysfs(const struct ep_values *values, const char *name)
{
	EP_AUTOFREE char *event = ep_values_event_name(name);

	return event ? find_exact(values, event) : NULL;
}

const struct ep_measured *ep_values_find(const struct ep_values *values, const char *name)
{
	EP_AUTOFREE char *normal = normal_name(name);
	const struct ep_measured *found = normal ? find_exact(values, normal) : NULL;
	const char *rest = strstr(name, "::");

	if (!found && rest)
		found = find_exact(values, rest + 2);
	if (!found && !rest && *name != '#')
		found = find_qualified(values, name);
	return found || !strchr(name, '@') ? found : find_of_sysfs(values, name);
}

void ep_values_finish(struct ep_values *values)
{
	if (!values)
		return;
	ep_names_finish(&values->names);
	free(values->values);
	free(values->cpuid);
	free(values->runtime_parameter);
	*values = (struct ep_values){ 0 };
}

/* Returns the value of strcmp_cpuid_str. A value that is given under this name has priority over a comparison with the
 * CPU's identifier. */
static struct ep_measured answer_cpuid(const struct ep_values *values, const char *pattern)
{
	struct ep_measured answer = { .coverage = 1, .is_measured = true };
	const struct ep_measured *given;
	EP_AUTOFREE char *question = NULL;

	if (asprintf(&question, "strcmp_cpuid_str(%s)", pattern) < 0)
		question = NULL;
	given = question ? find_exact(values, question) : NULL;
	if (given)
		return *given;
	answer.value = ep_cpuid_matches(pattern, values->cpuid);
	return answer;
}

void ep_values_bind(
	const struct ep_values *values, const struct ep_program *program, struct ep_measured *out)
{
	for (uint32_t i = 0; i < ep_program_n_inputs(program); i++) {
		const char *name = ep_program_input_name(program, i);
		const struct ep_measured *found;

		if (ep_program_input_kind(program, i) == EP_INPUT_CPUID) {
			out[i] = answer_cpuid(values, name);
			continue;
		}
		found = ep_values_find(values, name);
		out[i] = found ? *found : (struct ep_measured){ .source_count = 1 };
	}
}
