// SPDX-License-Identifier: BSD-3-Clause
/* What the report says at its beginning of the hottest procedure's cycles. */
#include <errno.h>

#include "common/cleanup.h"
#include "reporter/advise/assess.h"
#include "reporter/advise/bars.h"
#include "reporter/advise/cmd_advise.h"

static const double min_share = 0.1;

/* What a category's cycles are spent on. */
static const char *const wordings[EP_N_CATEGORIES] = {
	[EP_CATEGORY_DATA] = "waiting for data",
	[EP_CATEGORY_CODE] = "fetching instructions",
	[EP_CATEGORY_FP] = "floating-point instructions",
	[EP_CATEGORY_BRANCHES] = "branches and their mispredictions",
	[EP_CATEGORY_DATA_TLB] = "finding the pages of data",
	[EP_CATEGORY_CODE_TLB] = "finding the pages of code",
};

static int say(struct ep_report *report, const struct ep_assessment *a, double threshold)
{
	const char *name = a->row->short_name ? a->row->short_name : a->row->name;
	int worst = ep_assessment_worst(a);

	if (a->overall.value <= threshold)
		return ep_report_add_in_short(report,
			"%s takes %.2f cycles for an instruction, which is good: only fewer "
			"instructions make it faster.",
			name, a->overall.value);
	return ep_report_add_in_short(report,
		"%s takes %.2f cycles for an instruction (%.2f count as good), and %s can have "
		"cost up to "
		"%.2f of them. evreport advise shows the other causes and what to try.",
		name, a->overall.value, threshold, wordings[worst], a->categories[worst].value);
}

int ep_advise_in_short(struct ep_report *report, const char *cpuid)
{
	__attribute__((cleanup(ep_assessments_finish))) struct ep_assessments assessments = { 0 };
	int rc;

	if (!cpuid || !report->n_events)
		return 0;
	rc = ep_assess(report, cpuid, min_share, &assessments, NULL);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return say(report, &assessments.items[0], assessments.threshold);
}
