/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes plans from a prepared file, which has the set of events of each metric. The library reads it when a program
 * starts: reading all formula files would take ten times as long as that may take.
 */
#ifndef EVPROF_COMMON_FORMULA_PLAN_PREPARED_H
#define EVPROF_COMMON_FORMULA_PLAN_PREPARED_H

#include "common/formula/plan.h"

#define EP_PREPARED_FORMAT "evprof-plans 1"
#define EP_PREPARED_NAME "models.plan" /* the file's name */

/* Writes the sets of all models in the catalog to out. Returns errors of reading; the caller checks ferror(out) for
 * errors of writing. */
int ep_event_plans_prepare(FILE *out, struct ep_error *err) EP_MUST_CHECK;

/* Does the same as ep_event_plan_create from the text (size bytes) of a prepared file. The CPU is the one with the
 * request's key, or, if the request has no key, the one with this identifier. models NULL: the CPU's default models.
 * Returns -ENODATA if the CPU has none, -ENOENT for a model that is not in the file, -EBADMSG if the text is damaged,
 * -ESTALE if another version of evprof wrote it. */
int ep_event_plan_from_prepared(const char *text, size_t size, const char *cpuid,
	const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
