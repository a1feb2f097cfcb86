// SPDX-License-Identifier: BSD-3-Clause
/* In short: a rank that computes longest on a slower CPU is told from one that has more to do. */
#include <math.h>
#include <string.h>

#include "words.h"

#define SLOWER 0.95    /* of the other ranks' clock: less is chance */
#define EXPLAINED 0.5  /* of the time above the mean */
#define IN_KERNEL 0.05 /* of the CPU time: cycles may be counted in user mode alone */

static const struct ep_report_group *slowest_of(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->n_rank_rows; i++)
		if (!strcmp(r->rank_rows[i].name, r->slowest_rank->rank))
			return &r->rank_rows[i];
	return NULL;
}

/* Seconds in the kernel would look like a slow clock. */
static bool is_comparable(const struct ep_report_group *rank)
{
	return rank->counted_us > 0 && rank->system_s <= IN_KERNEL * (double)rank->cpu_ns / 1e9;
}

/* NaN: one of them is not comparable. */
static double ghz_of_others(const struct ep_report *r, const struct ep_report_group *slowest)
{
	struct ep_report_group others = { .name = NULL };

	for (uint32_t i = 0; i < r->n_rank_rows; i++) {
		if (&r->rank_rows[i] == slowest)
			continue;
		if (!is_comparable(&r->rank_rows[i]))
			return NAN;
		others.cycles += r->rank_rows[i].cycles;
		others.counted_us += r->rank_rows[i].counted_us;
	}
	return ep_group_ghz(&others);
}

const char *ep_rank_clock_words(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const struct ep_report_group *slowest = slowest_of(r);
	double others, ghz, at_theirs_s;

	if (!slowest || !is_comparable(slowest))
		return NULL;
	others = ghz_of_others(r, slowest);
	ghz = ep_group_ghz(slowest);
	at_theirs_s = r->rank_own_most_s * ghz / others;
	/* also where others is NaN */
	if (!(ghz < SLOWER * others) ||
		r->rank_own_most_s - at_theirs_s <
			EXPLAINED * (r->rank_own_most_s - r->rank_own_mean_s))
		return NULL;
	return ep_text(b,
		"Its CPU ran at %.2f GHz, the other ranks' at %.2f: at their pace it would need %.3g s. Look at its machine%s%s (heat, a limit of power or clock, who shares the core) before its work.",
		ghz, others, at_theirs_s, slowest->host ? " " : "",
		slowest->host ? slowest->host : "");
}
