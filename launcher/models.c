// SPDX-License-Identifier: BSD-3-Clause
/*
 * Turns models into events. The preloaded library knows no formulas: the launcher turns the names of models into groups
 * of events before it starts the program.
 */
#include "models.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "counters/machine/machine_reader.h"
#include "counters/plan/general.h"
#include "counters/sim_setting.h"
#include "look_up.h"
#include "machine.h"

/* Tells whether an event can be encoded here. libpfm4 may be missing, or older than the CPU: version 4.13 knows neither
 * Emerald Rapids nor Zen 5. */
static bool is_known(const char *name)
{
	struct ep_event event;

	return !ep_perf_encode(name, &event, NULL);
}

static bool has_counters(void)
{
	return ep_machine_counts("cycles") || ep_machine_counts("instructions");
}

int ep_models_plan(const struct ep_event_plan_request *request, struct ep_event_plan **out_plan,
	struct ep_error *err)
{
	struct ep_event_plan_request here = *request;
	int rc;

	if (request->cpu) {
		here.look_up = ep_look_up_elsewhere;
		return ep_event_plan_create(&here, out_plan, err);
	}
	/* If no hardware event counts here, the groups are those that this CPU would have. */
	here.is_known = has_counters() ? is_known : NULL;
	here.look_up = has_counters() ? ep_look_up_here : ep_look_up_elsewhere;
	rc = ep_event_plan_create(&here, out_plan, err);
	if (rc || request->n_counters)
		return rc;
	EP_AUTOFREE char *fixed = ep_event_plan_fixed(*out_plan);
	here.n_counters =
		fixed ? ep_general_counters(ep_event_plan_most_counters(*out_plan), fixed) : 0;
	if (!here.n_counters || here.n_counters == ep_event_plan_n_counters(*out_plan))
		return 0;
	ep_event_plan_destroy(*out_plan);
	*out_plan = NULL;
	return ep_event_plan_create(&here, out_plan, err);
}

bool ep_models_lack_counters(const struct ep_event_plan *plan)
{
	EP_AUTOFREE char *events = has_counters() ? NULL : ep_event_plan_events(plan);
	char *rest = NULL;

	for (char *name = events ? strtok_r(events, ",;", &rest) : NULL; name;
		name = strtok_r(NULL, ",;", &rest))
		if (!ep_machine_counts(name))
			return true;
	return false;
}

static bool takes_perf(const char *source)
{
	return !strcmp(source, "auto") || !strcmp(source, "perf");
}

/* Makes the plan for a simulated PMU. The CPU and the number of counters are those in its setting; no event is tried
 * on this machine. */
static int plan_simulated(const struct ep_event_plan_request *request, const char *source,
	struct ep_event_plan **out_plan, struct ep_error *err)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	struct ep_event_plan_request played = *request;
	struct ep_sim_setting sim;
	int rc = ep_sim_setting_read(source, &sim, err);

	if (!rc)
		rc = ep_catalog_open(&catalog, err);
	if (rc)
		return rc;
	played.n_counters = sim.n_counters;
	if (sim.cpuid[0])
		played.cpu = ep_catalog_cpu_of(&catalog, sim.cpuid);
	if (sim.cpuid[0] && !played.cpu)
		return ep_fail(err, -ENOENT, "no formula file serves the CPU '%s'", sim.cpuid);
	if (!played.models)
		played.models = ep_event_plan_default_models(played.cpu);
	played.look_up = ep_look_up_played;
	ep_look_up_set_table(sim.path);
	rc = ep_event_plan_create(&played, out_plan, err);
	ep_look_up_set_table(NULL);
	return rc;
}

/* Explains in err why amounts of the whole machine (energy, memory traffic) that the plan takes cannot be read. If all
 * can be read, err is not changed. */
static void explain_amounts(const struct ep_event_plan *plan, struct ep_error *err)
{
	static struct ep_machine_reader reader;
	bool needs_any = false;

	for (int i = 0; i < EP_N_MACHINE_TIMES; i++)
		needs_any |= ep_event_plan_needs_amount(plan, (enum ep_machine_time)i);
	if (!needs_any)
		return;
	ep_machine_reader_open(&reader, "", true);
	for (int i = EP_N_MACHINE_TIMES; i-- > 0;)
		if (ep_event_plan_needs_amount(plan, (enum ep_machine_time)i) && !reader.is_read[i])
			ep_fail(err, 0, "%s is not known here: %s", ep_machine_amounts[i].name,
				reader.why_not[i]);
	ep_machine_reader_close(&reader);
}

/* Makes the events of models; models NULL: those of the CPU. Returns 0 with a message in err if some of the events
 * cannot be counted. */
static int make_events(
	const char *models, const char *source, char **out_events, struct ep_error *err)
{
	EP_AUTOFREE char *events = NULL;
	struct ep_event_plan_request request = { .models = models };
	struct ep_event_plan *plan = NULL;
	int rc;

	if (ep_is_sim(source))
		rc = plan_simulated(&request, source, &plan, err);
	else if (takes_perf(source))
		rc = ep_models_plan(&request, &plan, err);
	else if (!strcmp(source, "valgrind")) {
		request.cpu = "valgrind";
		request.look_up = ep_look_up_simulated;
		rc = ep_event_plan_create(&request, &plan, err);
	} else
		rc = ep_event_plan_create(&request, &plan, err);
	if (rc)
		return rc;
	events = ep_event_plan_events(plan);
	if (err)
		explain_amounts(plan, err);
	ep_event_plan_destroy(plan);
	if (!events)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (strlen(events) >= EP_SETTING_MAX_BYTES)
		return ep_fail(err, -E2BIG, "models '%.200s' need more events than one run takes",
			models ? models : "of this CPU");
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

/* ---- models that cannot be had ---- */

/* Tells whether a formula file of any CPU has that name, or whether the name is the path of one. */
static bool is_anywhere(const struct ep_catalog *catalog, const char *name)
{
	if (ep_catalog_is_path(name))
		return !access(name, R_OK);
	for (uint32_t i = 0; i < catalog->n_entries; i++)
		if (catalog->entries[i].name && !strcmp(catalog->entries[i].name, name))
			return true;
	return false;
}

static int fail_as(const struct ep_error *why, int rc, struct ep_error *err)
{
	*err = *why;
	return rc;
}

/* Writes those models of settings that can be counted here to usable, joined by commas; usable must have room for all
 * of them. For the first model that cannot be counted, err says why. Negative: no formula file has one of the names.
 * That is an error, since the user probably mistyped the name and would notice it only after the run. */
static int sort_out(const struct ep_settings *settings, char *usable, struct ep_error *err)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	EP_AUTOFREE char *copy = strdup(settings->models);
	char *rest = copy, *name;
	bool has_told = false;
	int rc = copy ? ep_catalog_open(&catalog, err) : ep_fail(err, -ENOMEM, "out of memory");

	usable[0] = '\0';
	while (!rc && (name = strsep(&rest, ","))) {
		EP_AUTOFREE char *events = NULL;
		struct ep_error why = { .message = "" };

		if (!*name)
			continue;
		rc = make_events(name, settings->source, &events, &why);
		if (!rc)
			strcat(strcat(usable, usable[0] ? "," : ""), name);
		else if (rc == -ENOMEM || !is_anywhere(&catalog, name))
			return fail_as(&why, rc, err);
		else if (!has_told)
			ep_fail(err, 0, "the model '%.100s' cannot be counted here: %.300s", name,
				why.message);
		has_told = has_told || rc;
		rc = 0;
	}
	return rc;
}

/* Makes the events of the models that were asked for. 1: some model is left out, and err says why. */
static int make_asked_events(
	const struct ep_settings *settings, char **out_events, struct ep_error *err)
{
	EP_AUTOFREE char *usable = malloc(strlen(settings->models) + 1);
	struct ep_error together = { .message = "" };
	int rc = make_events(settings->models, settings->source, out_events, &together);

	*err = together;
	if (!rc)
		return together.message[0] != '\0';
	err->message[0] = '\0';
	rc = usable ? sort_out(settings, usable, err) : ep_fail(err, -ENOMEM, "out of memory");
	if (rc)
		return rc;
	if (!err->message[0]) { /* each model could be counted alone */
		*err = together;
		usable[0] = '\0';
	}
	if (usable[0] && make_events(usable, settings->source, out_events, &together))
		*out_events = NULL;
	/* If the variable stayed, the library would report that the models were not planned. */
	if (!*out_events)
		unsetenv("EVPROF_MODELS");
	return 1;
}

/* Makes the events of the default models. *out_events stays NULL if there are none, and the source then uses its own
 * default. 1: no formula file serves the simulated CPU. */
static int make_default_events(const char *source, char **out_events, struct ep_error *err)
{
	if (ep_is_sim(source)) {
		bool has_cpu = strstr(source, ",cpuid=");
		int rc = has_cpu ? make_events(NULL, source, out_events, err) : 0;

		return rc == -ENOENT ? 1 : rc;
	}
	if (!takes_perf(source) || !ep_machine_counts("cycles"))
		return 0;
	/* A CPU without formulas of its own is served by the library's default. */
	const char *models = ep_event_plan_default_models(NULL);

	if (strcmp(models, "software") && make_events(models, source, out_events, NULL))
		*out_events = NULL;
	return 0;
}

/* Tells whether the models need hardware events that do not count here. Then one message says so; if it did not, each
 * of dozens of events would be refused with its own. */
static bool lacks_hardware(const struct ep_settings *settings)
{
	return settings->models[0] && strcmp(settings->models, "software") &&
	       takes_perf(settings->source) && !has_counters();
}

/* Makes the events of the models that were asked for. If these models only read amounts of the whole machine, the
 * counters are used for what is counted by default. */
static int make_models_events(
	const struct ep_settings *settings, char **out_events, struct ep_error *err)
{
	struct ep_error ignored;
	int rc = make_asked_events(settings, out_events, err);

	if (rc < 0 || !*out_events || (*out_events)[0])
		return rc;
	free(*out_events);
	*out_events = NULL;
	/* if the variable stayed, the library would report that the models were not planned */
	unsetenv("EVPROF_MODELS");
	if (!settings->events[0] && make_default_events(settings->source, out_events, &ignored))
		*out_events = NULL;
	return rc;
}

int ep_models_set_events(const struct ep_settings *settings, struct ep_error *err)
{
	EP_AUTOFREE char *events = NULL;
	int rc = 0, failed;

	if (settings->models[0])
		rc = make_models_events(settings, &events, err);
	else if (!settings->events[0])
		rc = make_default_events(settings->source, &events, err);
	if (rc < 0 || !events)
		return rc;
	if (lacks_hardware(settings)) {
		bool is_several = strchr(settings->models, ',');

		unsetenv("EVPROF_MODELS");
		ep_fail(err, 0,
			"no hardware events here, which model%s '%.200s' %s made of: evprof doctor says why",
			is_several ? "s" : "", settings->models, is_several ? "are" : "is");
		return 1;
	}
	failed = set_events(settings->models[0] ? settings->events : "", events, err);
	return failed ? failed : rc;
}
