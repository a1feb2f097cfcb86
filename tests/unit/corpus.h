/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluating an expression on a table of values and comparing with both expected results. */
#ifndef EVPROF_TESTS_UNIT_CORPUS_H
#define EVPROF_TESTS_UNIT_CORPUS_H

#include "common/containers/names.h"
#include "common/formula/parse.h"
#include "common/formula/program.h"
#include "tests/unit/tsv.h"

/* Values of names for one vector. */
struct corpus_values {
	struct ep_names names; /* names, "#literals" and "strcmp_cpuid_str(x)" as they stand */
	struct ep_measured *values;
};

static inline bool corpus_is_literal(const char *name)
{
	return name[0] == '#' || !strncmp(name, "strcmp_cpuid_str(", 17);
}

static inline void corpus_add(
	struct corpus_values *v, const char *name, const char *value, const char *source_count)
{
	uint32_t idx;

	if (ep_names_add(&v->names, name, &idx))
		abort();
	v->values = realloc(v->values, v->names.n_names * sizeof(*v->values));
	v->values[idx] = (struct ep_measured){
		.value = atof(value),
		.source_count = source_count ? atof(source_count) : 1,
		.coverage = 1,
		.is_measured = strcmp(value, "-") != 0,
	};
}

static inline void corpus_finish(struct corpus_values *v)
{
	ep_names_finish(&v->names);
	free(v->values);
}

static inline void corpus_bind(
	const struct ep_program *program, const struct corpus_values *v, struct ep_measured *out)
{
	for (uint32_t i = 0; i < ep_program_n_inputs(program); i++) {
		const char *name = ep_program_input_name(program, i);
		char *key = strdup(name);
		uint32_t idx;

		if (ep_program_input_kind(program, i) == EP_INPUT_CPUID)
			CHECK(asprintf(&key, "strcmp_cpuid_str(%s)", name) > 0);
		if (ep_program_input_kind(program, i) == EP_INPUT_LITERAL)
			for (char *c = key; *c; c++)
				*c += *c >= 'A' && *c <= 'Z' ? 'a' - 'A' : 0;
		idx = ep_names_find(&v->names, key);
		out[i] =
			idx == EP_NONE ? (struct ep_measured){ .source_count = 1 } : v->values[idx];
		free(key);
	}
}

static inline bool corpus_is_close(double actual, double expected)
{
	return actual == expected || fabs(actual - expected) <= 1e-12 * fabs(expected);
}

static inline void corpus_check_strict(
	const char *what, const struct ep_result *result, const char *value, const char *reason)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ep_result_print_reason(result, out);
	fclose(out);
	CHECK_MSG(!strcmp(text, reason), "%s: reason %s, expected %s", what, text, reason);
	if (strcmp(value, "-"))
		CHECK_MSG(corpus_is_close(result->value, atof(value)), "%s: %.17g, expected %s",
			what, result->value, value);
	free(text);
}

static inline void corpus_check_perf(
	const char *what, const struct ep_result *result, const char *expected)
{
	enum ep_absence absence = !strcmp(expected, "nan")     ? EP_ABSENT_NAN
				  : !strcmp(expected, "abort") ? EP_ABSENT_ABORT
							       : EP_PRESENT;

	if (!strcmp(expected, "undef"))
		return;
	CHECK_MSG(result->absence == absence, "%s: perf gives %g (%d), expected %s", what,
		result->value, result->absence, expected);
	if (!absence)
		CHECK_MSG(corpus_is_close(result->value, atof(expected)),
			"%s: perf gives %.17g, expected %s", what, result->value, expected);
}

#endif
