// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts PAPI's events by the same source that counts them in programs (counters/sources). PAPI's components are loaded
 * and tried on demand. Only one thread is possible: components other than perf_event count for the whole machine.
 * perf_event's events are counted in user mode.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "counters/settings.h"
#include "counters/sources/list_papi.h"
#include "counters/sources/source.h"
#include "kernels/measure/source.h"

/* The group that is open: PAPI's event sets belong to the process, so that there is only one at a time. */
static struct {
	struct ep_plan plan;
	struct ep_counters counters;
} opened;

/* Returns the names separated by commas, as settings have them. The caller frees the text. */
static char *join_names(const struct ep_event *events, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < n; i++)
		fprintf(out, "%s%s", i ? "," : "", events[i].name);
	if (out)
		fclose(out);
	return text;
}

/* Makes the plan of n events; -EAGAIN: PAPI cannot count all of them together. */
static int plan_events(const struct ep_event *events, size_t n, struct ep_error *err)
{
	EP_AUTOFREE char *names = join_names(events, n);
	struct ep_settings settings;
	int rc;

	if (!names)
		return ep_fail(err, -ENOMEM, "out of memory");
	ep_settings_init(&settings);
	settings.events = names;
	opened.plan = (struct ep_plan){ 0 };
	rc = ep_source_papi.prepare(&opened.plan, &settings, err);
	return rc ? rc : opened.plan.n_events == n ? 0 : -EAGAIN;
}

/* Returns the part of a message that gives PAPI's reason: "PAPI counts none of the events here: event 'x' is
 * not counted: PAPI says WHY". */
static const char *reason_of(const struct ep_error *err)
{
	const char *says = strstr(err->message, "PAPI says ");

	return says ? says : err->message;
}

static int add_papi(struct ep_candidates *candidates, const char *name)
{
	struct ep_event event = { .unit = "count" };
	struct ep_error err = { .message = "" };
	const char *bare = strncmp(name, "papi:::", 7) ? name : name + 7;

	if (strlen(bare) >= sizeof(event.name))
		return 0;
	snprintf(event.name, sizeof(event.name), "%s", bare);
	int rc = plan_events(&event, 1, &err);
	return ep_candidates_add(candidates, &event, rc ? reason_of(&err) : NULL);
}

struct papi_listing {
	struct ep_candidates *candidates;
	int rc;
};

static void see_event(const char *component, const char *event, const char *description, void *data)
{
	struct papi_listing *listing = data;

	if (event && !listing->rc)
		listing->rc = add_papi(listing->candidates, event);
}

static int list_papi(struct ep_candidates *candidates, const char *argument, struct ep_error *err)
{
	struct papi_listing listing = { candidates, 0 };
	int rc = ep_papi_walk(see_event, &listing, err);

	if (rc)
		return rc;
	return listing.rc ? ep_fail(err, listing.rc, "out of memory") : 0;
}

static int open_papi(struct ep_count_group *group, size_t *out_n_fit, struct ep_error *err)
{
	size_t n = group->n < EP_GROUP_MAX_EVENTS ? group->n : EP_GROUP_MAX_EVENTS;
	int rc = -EAGAIN;

	for (; rc && n; n = rc ? n / 2 : n) {
		rc = plan_events(group->events, n, err);
		opened.counters = (struct ep_counters){ .plan = &opened.plan, .is_first = true };
		if (!rc)
			rc = ep_source_papi.open(&opened.counters, 0);
		if (rc)
			ep_source_papi.close(&opened.counters);
	}
	if (rc)
		return ep_fail(err, rc, "PAPI cannot start %s", group->events[0].name);
	*out_n_fit = group->n = n;
	return 0;
}

static void start_papi(struct ep_count_group *group)
{
	ep_source_papi.start(&opened.counters, 0);
}

static int stop_papi(struct ep_count_group *group, double *values)
{
	struct ep_slice_counts counts;

	ep_source_papi.stop(&opened.counters, 0, false, &counts);
	for (size_t i = 0; counts.did_run && i < group->n; i++)
		values[i] = (double)counts.values[i];
	return counts.did_run ? 0 : -EAGAIN;
}

static void close_papi(struct ep_count_group *group)
{
	ep_source_papi.close(&opened.counters);
}

const struct ep_count_source ep_count_source_papi = {
	.name = "papi",
	.list = list_papi,
	.add = add_papi,
	.open = open_papi,
	.start = start_papi,
	.stop = stop_papi,
	.close = close_papi,
	.n_threads_max = 1,
	.has_own_speed = true,
};
