// SPDX-License-Identifier: BSD-3-Clause
/* The sentence of In short on phases: "mostly" is more than half, and kinds in one procedure have their shares. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/phases/phases_in_short.h"

static const char *said_of(struct ep_phase_kind *kinds, uint32_t n, struct ep_report *report)
{
	double edges_us[] = { 0, 1e6, 2e6, 3e6 };
	struct ep_stretch_of_windows stretches[] = { { .from = 0, .to = 1, .kind = 0 },
		{ .from = 1, .to = 2, .kind = 1 }, { .from = 2, .to = 3, .kind = n - 1 } };
	struct ep_phases phases = { .edges_us = edges_us,
		.segmentation = { .stretches = stretches, .n_stretches = 3, .n_kinds = n },
		.kinds = kinds };

	CHECK_INT(ep_phases_in_short(report, &phases), 0);
	CHECK_INT(report->said.n_in_short, 1);
	return report->said.n_in_short ? report->said.in_short[0] : "";
}

static void check_says(struct ep_phase_kind *kinds, uint32_t n, const char *wanted)
{
	struct ep_report report = { 0 };
	const char *said = said_of(kinds, n, &report);

	CHECK_MSG(strstr(said, wanted), "%s", said);
	free(report.phases);
	ep_strings_finish(&report.own_texts);
}

TEST(mostly_is_more_than_half)
{
	struct ep_phase_kind kinds[] = { { .names = { "sort" }, .shares = { 0.3 } },
		{ .names = { "add" }, .shares = { 0.6 } },
		{ .names = { "copy" }, .shares = { 1 } } };

	check_says(kinds, 3, " (A with most time in sort (30 %), B mostly in add, C in copy):");
}

TEST(kinds_in_one_procedure_have_their_shares)
{
	struct ep_phase_kind kinds[] = { { .names = { "sort" }, .shares = { 0.8 } },
		{ .names = { "multiply" }, .shares = { 0.27 } },
		{ .names = { "multiply" }, .shares = { 0.86 } } };

	check_says(kinds, 3,
		" (A mostly in sort, B with most time in multiply (27 %), C mostly in multiply (86 %)):");
}
