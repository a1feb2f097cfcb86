// SPDX-License-Identifier: BSD-3-Clause
/* Sentences on what threads waited for, where waits were noted and the threads did little else. */
#include "reporter/text/short_names.h"
#include "reporter/words/words.h"

#define MUCH_WAITING 0.5 /* of the time of all threads */

/* ", whose holder waited for time to pass in hold" */
static const char *holder_words(struct ep_words *b, const struct ep_report_wait *wait)
{
	const struct ep_report_holder *holder = &wait->holders[0];

	if (!wait->n_holders || !holder->path[0] || 2 * holder->ns < wait->ns)
		return "";
	if (holder->kind)
		return ep_text(b, ", whose holder waited for %s in %s", holder->kind,
			ep_name_say(b, holder->procedure));
	return ep_text(b, ", whose holder computed in %s", ep_name_say(b, holder->procedure));
}

void ep_say_waits(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	double all_ns = (double)(r->cpu_ns + r->waits.all_ns);
	double share = all_ns > 0 ? (double)r->noted_ns / all_ns : 0;
	const struct ep_report_wait *first = r->noted_waits;
	const char *what = "";

	if (!r->n_noted_waits || share < MUCH_WAITING || !first->procedure[0])
		return;
	if (first->what)
		what = ep_text(b, " (%s)", first->what);
	ep_say(b,
		ep_text(b,
			"Threads waited for %.0f %% of their time: %.0f %% of that for %s%s in %s%s.",
			100 * (share < 1 ? share : 1), 100 * first->share, first->title, what,
			ep_name_say(b, first->procedure), holder_words(b, first)));
}
