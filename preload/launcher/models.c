// SPDX-License-Identifier: BSD-3-Clause
/*
 * Models to events. The library that is preloaded knows no formulas: the launcher turns the names
 * of models into groups of events before it starts the program.
 */
#include "models.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "machine.h"

int ep_models_plan(const struct ep_event_plan_request *request, struct ep_event_plan **out_plan,
	struct ep_error *err)
{
	struct ep_event_plan_request here = *request;
	int rc = ep_event_plan_create(request, out_plan, err);

	if (rc || request->cpu || request->n_counters)
		return rc;
	uint32_t n_counters = ep_event_plan_n_counters(*out_plan);
	here.n_counters = ep_machine_general_counters(n_counters);
	if (!here.n_counters || here.n_counters >= n_counters)
		return 0;
	ep_event_plan_destroy(*out_plan);
	*out_plan = NULL;
	return ep_event_plan_create(&here, out_plan, err);
}

static int make_events(
	const char *models, bool tries_counters, char **out_events, struct ep_error *err)
{
	EP_AUTOFREE char *events = NULL;
	struct ep_event_plan_request request = { .models = models };
	struct ep_event_plan *plan = NULL;

	int rc = tries_counters ? ep_models_plan(&request, &plan, err)
				: ep_event_plan_create(&request, &plan, err);
	if (rc)
		return rc;
	events = ep_event_plan_events(plan);
	ep_event_plan_destroy(plan);
	if (!events)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (strlen(events) >= EP_SETTING_MAX_BYTES)
		return ep_fail(
			err, -E2BIG, "models '%.200s' need more events than one run takes", models);
	*out_events = events;
	events = NULL;
	return 0;
}

static int set_events(const char *asked, const char *events, struct ep_error *err)
{
	EP_AUTOFREE char *both = NULL;

	if (asked[0] && asprintf(&both, "%s;%s", asked, events) < 0)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (setenv("EVPROF_EVENTS", both ? both : events, 1))
		return ep_fail(err, -ENOMEM, "out of memory");
	return 0;
}

static bool takes_perf(const struct ep_settings *settings)
{
	return !strcmp(settings->source, "auto") || !strcmp(settings->source, "perf");
}

int ep_models_set_events(const struct ep_settings *settings, struct ep_error *err)
{
	EP_AUTOFREE char *events = NULL;

	if (settings->models[0]) {
		int rc = make_events(settings->models, takes_perf(settings), &events, err);

		return rc ? rc : set_events(settings->events, events, err);
	}
	if (settings->events[0] || !takes_perf(settings) || !ep_machine_counts("cycles"))
		return 0;
	/* A CPU without formulas of its own: the library's default serves it. */
	const char *models = ep_event_plan_default_models(NULL);
	if (!strcmp(models, "software") || make_events(models, true, &events, NULL))
		return 0;
	return set_events("", events, err);
}
