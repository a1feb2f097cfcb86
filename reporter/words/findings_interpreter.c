// SPDX-License-Identifier: BSD-3-Clause
/* A finding on interpreters, whose procedures are not the script's. */
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"

#define MIN_SHARE 0.2
#define MIN_UNREAD 20 /* frames */
#define MIN_UNREAD_PERCENT 1

static const struct interpreter {
	const char *loop; /* the procedure that carries out the script's instructions */
	const char
		*named; /* how the script's procedures begin where they have names; NULL: never */
	const char *language, *remedy;
} interpreters[] = {
	{ "_PyEval_EvalFrameDefault", "py::", "Python",
		"evprof names the functions of CPython 3.8 to 3.13, but with --interpreters off; Python 3.12 and later do with python3 -X perf, or PYTHONPERFSUPPORT=1." },
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

static uint64_t count_unread(const struct ep_trace *trace)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (trace->threads[i].is_wanted)
			n += trace->threads[i].n_unread_frames;
	return n;
}

/* A few are always met while the interpreter changes them. */
static void find_unread(struct ep_builder *b)
{
	uint64_t n = count_unread(b->trace), n_samples = b->report->n_samples;

	if (n >= MIN_UNREAD && ep_percent(n, n_samples) >= MIN_UNREAD_PERCENT)
		NOTE(b, "%s of scripts could not be read, in %s: there a call path has the interpreter's loop, or lacks a caller. The other names hold.",
			ep_number_of(b, n, "frame"), ep_number_of(b, n_samples, "sample"));
}

void ep_find_interpreter(struct ep_builder *b)
{
	find_unread(b);
	for (size_t i = 0; i < EP_ARRAY_SIZE(interpreters); i++) {
		const struct interpreter *it = &interpreters[i];
		double share = share_of(b->report, it->loop);

		if (share >= MIN_SHARE && !has_names(b->report, it->named))
			NOTE(b, "%.0f %% of the time is below %s, which interprets %s: the procedures here are the interpreter's. %s",
				100 * share, it->loop, it->language, it->remedy);
	}
}
