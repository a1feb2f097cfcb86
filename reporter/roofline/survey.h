/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline of a report: which scopes, which times, which roofs. */
#ifndef EVPROF_REPORTER_ROOFLINE_SURVEY_H
#define EVPROF_REPORTER_ROOFLINE_SURVEY_H

#include "reporter/phases/phases.h"
#include "reporter/roofline/roofline.h"

struct ep_roofline_request {
	const struct ep_report *report;
	const struct ep_trace *trace;
	const char *roofs_path;         /* NULL: the user's of the trace's CPU */
	uint32_t top;                   /* procedures or loops; 0: all */
	bool by_loop;                   /* loops of a report that has them, instead of procedures */
	const struct ep_phases *phases; /* NULL: none are wanted */
	const struct ep_report
		*times; /* another run's times, by the names of procedures; or NULL */
	const char *times_path;
};

/* -ENOENT: there is no flops model of the CPU; the message lists what there is. */
int ep_roofline_create(const struct ep_roofline_request *request, struct ep_roofline *out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
