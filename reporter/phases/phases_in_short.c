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

/* Tells whether the first two kinds have different procedures. Kinds with the same procedure differ in their CPUs or
 * their pace, which evreport phases shows. */
static bool have_procedures(const struct ep_phases *phases)
{
	const char *a = phases->kinds[0].names[0], *b = phases->kinds[1].names[0];

	return a && b && strcmp(a, b) != 0;
}

/* Tells whether another of the kinds that the sentence names has the same procedure, so that the name does not
 * distinguish them. */
static bool is_named_twice(const struct ep_phases *phases, uint32_t kind)
{
	uint32_t n = phases->segmentation.n_kinds < KINDS_SAID ? phases->segmentation.n_kinds
							       : KINDS_SAID;
	const char *name = phases->kinds[kind].names[0];

	for (uint32_t k = 0; k < n; k++)
		if (k != kind && name && phases->kinds[k].names[0] &&
			!strcmp(phases->kinds[k].names[0], name))
			return true;
	return false;
}

#define NEARLY_ALL 0.95
#define MOST 0.5

/* Formats where a kind has its time: " in add", " mostly in add", or " with most time in add (27 %)". */
static void describe_kind(const struct ep_phases *phases, uint32_t kind, char *out, size_t size)
{
	double share = phases->kinds[kind].shares[0];
	const char *how = share >= NEARLY_ALL ? "" : share >= MOST ? " mostly" : " with most time";
	int n = snprintf(out, size, "%s in %.80s", how, phases->kinds[kind].names[0]);

	if (share < MOST || is_named_twice(phases, kind))
		snprintf(out + n, size - (size_t)n, " (%.0f %%)", 100 * share);
}

/* Formats the kinds as " (A mostly in add, B mostly in multiply)". */
static void describe_kinds(const struct ep_phases *phases, char *out, size_t size)
{
	uint32_t n = phases->segmentation.n_kinds;
	size_t at = (size_t)snprintf(out, size, " (");

	for (uint32_t k = 0; k < n && k < KINDS_SAID && at < size; k++) {
		const struct ep_phase_kind *kind = &phases->kinds[k];
		char name[EP_PHASE_KIND_BYTES], where[128] = "";

		ep_phase_kind_name(k, name);
		if (kind->names[0])
			describe_kind(phases, k, where, sizeof(where));
		at += (size_t)snprintf(out + at, size - at, "%s%s%s", k ? ", " : "", name, where);
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
