/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the roofline of a report: chooses its scopes, times and roofs. */
#ifndef EVPROF_REPORTER_ROOFLINE_SURVEY_H
#define EVPROF_REPORTER_ROOFLINE_SURVEY_H

#include "reporter/phases/phases.h"
#include "reporter/roofline/roofline.h"

struct ep_roofline_request {
	const struct ep_report *report;
	const struct ep_trace *trace;
	const char *roofs_path; /* NULL: the user's roofs for the trace's CPU */
	uint32_t top;           /* most procedures or loops that get points; 0: all */
	bool by_loop; /* points are for loops instead of procedures; the report must have loops */
	const struct ep_phases *phases; /* NULL: no points for phases are wanted */
	/* report of another run, whose times are taken for procedures of the same names; NULL: none */
	const struct ep_report *times;
	const char *times_path;
};

/* Makes the roofline. Returns 0 or a negative errno with err. -ENOENT: there is no flops model for the CPU; the
 * message lists the models that exist. */
int ep_roofline_create(const struct ep_roofline_request *request, struct ep_roofline *out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
