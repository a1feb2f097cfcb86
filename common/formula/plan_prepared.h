/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans from sets of events that were prepared: reading all formula files takes ten times as long as
 * a program's start may.
 */
#ifndef EVPROF_COMMON_FORMULA_PLAN_PREPARED_H
#define EVPROF_COMMON_FORMULA_PLAN_PREPARED_H

#include "common/formula/plan.h"

#define EP_PREPARED_FORMAT "evprof-plans 1"
#define EP_PREPARED_NAME "models.plan" /* of the file */

/* Writes the sets of all models in the catalog. An error of reading; those of out are the caller's to
 * look for. */
int ep_event_plans_prepare(FILE *out, struct ep_error *err) EP_MUST_CHECK;

/* ep_event_plan_create from the text (size) of a prepared file, for the CPU that request names by its key or,
 * where it names none, the one with this identifier; models NULL: this CPU's defaults. -ENODATA, of
 * those: it has none. -ENOENT: no such model, or its file is not prepared; -EBADMSG: the text is
 * damaged; -ESTALE: another version of evprof wrote it. */
int ep_event_plan_from_prepared(const char *text, size_t size, const char *cpuid,
	const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
