// SPDX-License-Identifier: BSD-3-Clause
/* A finding on interpreters, whose procedures are not the script's. */
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"

#define MIN_SHARE 0.2

static const struct interpreter {
	const char *loop; /* the procedure that carries out the script's instructions */
	const char
		*named; /* how the script's procedures begin where they have names; NULL: never */
	const char *language, *remedy;
} interpreters[] = {
	{ "_PyEval_EvalFrameDefault", "py::", "Python",
		"Python 3.12 and later name the script's functions with python3 -X perf, or PYTHONPERFSUPPORT=1." },
	{ "PyEval_EvalFrameEx", "py::", "Python",
		"Python 3.12 and later name the script's functions with python3 -X perf." },
	{ "Perl_runops_standard", NULL, "Perl",
		"Perl's own profilers tell its subroutines apart." },
	{ "vm_exec_core", NULL, "Ruby", "Ruby's own profilers tell its methods apart." },
};

static double share_of(const struct ep_report *r, const char *procedure)
{
	for (uint32_t i = 0; i < r->procedures.n_rows; i++)
		if (!strcmp(r->procedures.rows[i].short_name, procedure))
			return r->procedures.rows[i].total_share;
	return 0;
}

static bool has_names(const struct ep_report *r, const char *prefix)
{
	for (uint32_t i = 0; prefix && i < r->procedures.n_rows; i++)
		if (!strncmp(r->procedures.rows[i].short_name, prefix, strlen(prefix)))
			return true;
	return false;
}

const char *ep_interpreted_language(const struct ep_report *report)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(interpreters); i++)
		if (share_of(report, interpreters[i].loop) >= MIN_SHARE &&
			!has_names(report, interpreters[i].named))
			return interpreters[i].language;
	return NULL;
}

void ep_find_interpreter(struct ep_builder *b)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(interpreters); i++) {
		const struct interpreter *it = &interpreters[i];
		double share = share_of(b->report, it->loop);

		if (share >= MIN_SHARE && !has_names(b->report, it->named))
			NOTE(b, "%.0f %% of the time is below %s, which interprets %s: the procedures here are the interpreter's. %s",
				100 * share, it->loop, it->language, it->remedy);
	}
}
