/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes plans from sets of events that were prepared. Reading all formula files would take ten times as long as the
 * start of a program may take.
 */
#ifndef EVPROF_COMMON_FORMULA_PLAN_PREPARED_H
#define EVPROF_COMMON_FORMULA_PLAN_PREPARED_H

#include "common/formula/plan.h"

#define EP_PREPARED_FORMAT "evprof-plans 1"
#define EP_PREPARED_NAME "models.plan" /* the file's name */

/* Writes the sets of all models in the catalog. Returns errors of reading; the caller checks out for errors of writing. */
int ep_event_plans_prepare(FILE *out, struct ep_error *err) EP_MUST_CHECK;

/* Does the same as ep_event_plan_create from the text (size bytes) of a prepared file. The CPU is that of the request's
 * key, or without a key the one with this identifier. models NULL: the CPU's default models. Returns -ENODATA where it
 * has none, -ENOENT for a model that is not in the file, -EBADMSG where the text is damaged, -ESTALE where another
 * version of evprof wrote it. */
int ep_event_plan_from_prepared(const char *text, size_t size, const char *cpuid,
	const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
