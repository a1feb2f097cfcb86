// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentence on the functions of scripts. The tables have the procedures of the interpreter and of its
 * libraries; the reader can change the script's functions that call these. */
#include "reporter/facts/runtimes.h"
#include "words.h"

#define MAX_NAMED 3
#define MIN_NAMED_SHARE 0.05
#define MUCH_IN_SCRIPTS 0.3

static const char *list_functions(
	struct ep_words *b, const struct ep_own_procedure *own, uint32_t n, double *out_share)
{
	const char *list = "";

	for (uint32_t i = 0; i < n && own[i].share >= MIN_NAMED_SHARE; i++) {
		const char *line = own[i].line ? ep_text(b, " (line %u: %.0f %%)", own[i].line,
							 100 * own[i].share * own[i].line_share)
					       : "";

		*out_share += own[i].share;
		list = ep_text(b, "%s%s%s %.0f %%%s", list, i ? ", " : "",
			ep_name_say(b, own[i].name), 100 * own[i].share, line);
	}
	return list;
}

static bool has_own_scripts(const struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_modules; i++)
		if (trace->modules[i].is_script && !ep_script_is_of_library(trace->modules[i].path))
			return true;
	return false;
}

/* An exact run has no such sentence: its call paths are from ticks, which do not have its time. */
bool ep_say_scripts(struct ep_words *b)
{
	struct ep_own_procedure own[MAX_NAMED];
	double share = 0;
	const char *list;

	if (b->report->is_exact || !has_own_scripts(b->trace))
		return false;
	list = list_functions(b, own, ep_find_own_scripts(b, own, MAX_NAMED), &share);
	if (share < MUCH_IN_SCRIPTS)
		return false;
	ep_say(b,
		ep_text(b,
			"The script's own functions took, each with the interpreter's and libraries' code that it calls: %s.",
			list));
	return true;
}
