// SPDX-License-Identifier: BSD-3-Clause
/* The table of counter sources, and the choice that the setting auto makes. Runs while a process starts. */
#include "source.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"

#define SOURCE(name, argument) &ep_source_##name,

static const struct ep_source *const sources[] = { EP_SOURCES(SOURCE) };

const struct ep_source *ep_source_find(const char *setting)
{
	size_t size = (size_t)(strchrnul(setting, ':') - setting);

	for (size_t i = 0; i < EP_ARRAY_SIZE(sources); i++)
		if (strlen(sources[i]->name) == size && !strncmp(sources[i]->name, setting, size))
			return sources[i];
	return NULL;
}

static int choose_rusage(
	struct ep_plan *plan, const struct ep_source **out_source, struct ep_error *err)
{
	struct ep_settings defaults;

	ep_settings_init(&defaults);
	*out_source = &ep_source_rusage;
	return ep_source_rusage.prepare(plan, &defaults, err);
}

/* Chooses perf. Where perf can count none of the wanted events, chooses rusage, the kernel's account of each thread: a
 * profile without those events is better than none. */
static int choose_perf(struct ep_plan *plan, const struct ep_settings *settings,
	const struct ep_source **out_source, struct ep_error *err)
{
	*out_source = &ep_source_perf;
	if (!ep_source_perf.prepare(plan, settings, err))
		return 0;
	plan->n_events = plan->n_groups = plan->n_slots = 0;
	return choose_rusage(plan, out_source, err);
}

static int note_papi(const char *name, int group, void *argument)
{
	bool *is_papi = argument;

	(void)group;
	*is_papi |= !strncmp(name, "papi:::", 7) || !strncmp(name, "PAPI_", 5);
	return 0;
}

/* Tells whether one of the events is PAPI's. Then PAPI counts all events, since it knows the kernel's and libpfm4's
 * names, too. */
static bool takes_papi(const char *events)
{
	bool is_papi = false;

	ep_plan_split(events, note_papi, &is_papi);
	return is_papi;
}

/* Chooses papi if the user asked for an event of PAPI's, and perf for other events. If the user asked for none, chooses
 * perf with its default hardware events, or rusage on a machine without them. */
static int choose_auto(struct ep_plan *plan, const struct ep_settings *settings,
	const struct ep_source **out_source, struct ep_error *err)
{
	int rc;

	if (takes_papi(settings->events)) {
		*out_source = &ep_source_papi;
		return ep_source_papi.prepare(plan, settings, err);
	}
	if (settings->events[0] || ep_perf_has_hardware())
		return choose_perf(plan, settings, out_source, err);
	rc = choose_rusage(plan, out_source, err);
	ep_plan_note(plan,
		"no hardware events: this machine offers none; run evprof doctor for the reason and a remedy");
	return rc;
}

int ep_source_choose(struct ep_plan *plan, const struct ep_settings *settings,
	const struct ep_source **out_source, struct ep_error *err)
{
	if (!strcmp(settings->source, "auto"))
		return choose_auto(plan, settings, out_source, err);
	*out_source = ep_source_find(settings->source);
	if (!*out_source)
		return ep_fail(err, -EINVAL, "there is no source '%s'", settings->source);
	if (*out_source == &ep_source_perf)
		return choose_perf(plan, settings, out_source, err);
	return (*out_source)->prepare(plan, settings, err);
}
