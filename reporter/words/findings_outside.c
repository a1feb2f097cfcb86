// SPDX-License-Identifier: BSD-3-Clause
/* Adds findings on CPU time that the kernel charged and that no table has: a process's time before evprof began in
 * it and after it ended there, and the time of programs that are not in the trace. */
#include "reporter/words/findings.h"

#include <math.h>

static double inside_s(const struct ep_report *r)
{
	return (double)r->cpu_ns / 1e9;
}

#define LITTLE 0.05 /* least share of untold_s for which evprof's own part is named */

/* Returns words on evprof's own part of the time that no table has (untold_s). Traces of earlier versions
 * have evprof's own work at ticks only. */
static const char *own_part(struct ep_words *b)
{
	double own_s = fmin((double)b->report->own_ns / 1e9, b->report->untold_s);

	if (own_s < LITTLE * b->report->untold_s)
		return "";
	return ep_text(b,
		"%.2f s evprof's own work when processes and threads began and at ticks, the rest is ",
		own_s);
}

static void find_untold(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	if (r->untold_s > 0)
		NOTE(b, "%.2f s of CPU time, %.0f %% of what the kernel charged, are in no table: %swhat %s took before evprof began in %s and after it ended there (loading and linking, evprof's own work, the kernel's at exec and exit).",
			r->untold_s, 100 * r->untold_s / (r->untold_s + inside_s(r) + r->unseen_s),
			own_part(b),
			r->n_processes == 1 ? "the process"
					    : ep_text(b, "the %u processes", r->n_processes),
			r->n_processes == 1 ? "it" : "them");
}

void ep_find_outside(struct ep_words *b)
{
	const struct ep_report *r = b->report;

	find_untold(b);
	if (r->outside_s > 0)
		WARN(b, "Programs that are not in this trace took %.2f s of CPU time, %.0f %% of all: such as were started by those here and are linked statically or with musl, set-user-ID or Go's, lost LD_PRELOAD (env -i, sudo, su -, a chroot), or are left out by --include or --exclude.",
			r->outside_s, 100 * r->outside_s / (inside_s(r) + r->outside_s));
}
