// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/phases_in_short.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_SAID 3

static int fill_phase(struct ep_report *report, const struct ep_phases *phases, uint32_t i)
{
	uint32_t kind = phases->segmentation.stretches[i].kind;
	const char *procedure = phases->kinds[kind].names[0];
	struct ep_report_phase *row = &report->phases[i];

	*row = (struct ep_report_phase){ .kind = kind,
		.from_s = ep_phase_from_s(phases, i),
		.to_s = ep_phase_to_s(phases, i),
		.share = phases->kinds[kind].shares[0] };
	if (!procedure)
		return 0;
	row->procedure = ep_strings_add(&report->own_texts, procedure, strlen(procedure));
	return row->procedure ? 0 : -ENOMEM;
}

/* Kinds in the same procedure differ in their CPUs or their pace, which evreport phases shows. */
static bool have_procedures(const struct ep_phases *phases)
{
	const char *a = phases->kinds[0].names[0], *b = phases->kinds[1].names[0];

	return a && b && strcmp(a, b) != 0;
}

/* " (A mostly in add, B mostly in multiply)" */
static void describe_kinds(const struct ep_phases *phases, char *out, size_t size)
{
	uint32_t n = phases->segmentation.n_kinds;
	size_t at = (size_t)snprintf(out, size, " (");

	for (uint32_t k = 0; k < n && k < KINDS_SAID && at < size; k++) {
		const struct ep_phase_kind *kind = &phases->kinds[k];
		char name[EP_PHASE_KIND_BYTES];

		ep_phase_kind_name(k, name);
		at += (size_t)snprintf(out + at, size - at, "%s%s", k ? ", " : "", name);
		if (kind->names[0] && at < size)
			at += (size_t)snprintf(out + at, size - at, "%s in %.80s",
				kind->shares[0] < 0.95 ? " mostly" : "", kind->names[0]);
	}
	if (n > KINDS_SAID && at < size)
		at += (size_t)snprintf(out + at, size - at, ", and %u more", n - KINDS_SAID);
	if (at < size)
		snprintf(out + at, size - at, ")");
}

int ep_phases_in_short(struct ep_report *report, const struct ep_phases *phases)
{
	uint32_t n = phases->segmentation.n_stretches, n_kinds = phases->segmentation.n_kinds;
	char kinds[400] = "";

	if (n_kinds < 2)
		return 0;
	report->phases = calloc(n, sizeof(*report->phases));
	if (!report->phases)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (fill_phase(report, phases, i))
			return -ENOMEM;
	report->n_phases = n;
	report->n_phase_kinds = n_kinds;
	if (have_procedures(phases))
		describe_kinds(phases, kinds, sizeof(kinds));
	return ep_report_add_in_short(report,
		"The run has %u phases of %u kinds%s: evreport phases tells more, --phase N shows one alone.",
		n, n_kinds, kinds);
}
