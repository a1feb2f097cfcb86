// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the events of models while a process starts. 'evprof run' reads formula files for that, which takes ten times
 * as long as a start may take. So the sets of events come from a file that was prepared when evprof was built, or by
 * 'evprof plan --prepare'. Allocates memory, and frees all of it.
 */
#include "model_events.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/folders.h"
#include "common/formula/plan_prepared.h"
#include "common/os/cpu.h"
#include "common/os/large.h"
#include "counters/plan/general.h"
#include "counters/sim_setting.h"
#include "counters/sources/source.h"

#define PATH_BYTES 4096

/* ---- paths of the file with prepared sets ---- */

static void write_users(char *out)
{
	EP_AUTOFREE char *folder = ep_folder_of_user();

	if (folder)
		snprintf(out, PATH_BYTES, "%s/" EP_PREPARED_NAME, folder);
}

static void write_beside(const char *relative, char *out)
{
	Dl_info info;
	const char *slash;

	if (!dladdr((void *)&ep_model_events_set, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	if (slash)
		snprintf(out, PATH_BYTES, "%.*s/%s" EP_PREPARED_NAME, (int)(slash - info.dli_fname),
			info.dli_fname, relative);
}

static void write_build(char *out)
{
	write_beside("", out);
}

static void write_shared(char *out)
{
	write_beside("../share/evprof/", out);
}

static void write_installed(char *out)
{
	snprintf(out, PATH_BYTES, EVPROF_DATA_DIR "/" EP_PREPARED_NAME);
}

/* The paths to try, in the order in which evprof looks for formula files. */
static void (*const places[])(
	char *out) = { write_users, write_build, write_shared, write_installed };

static bool is_there(const char *path)
{
	return path[0] && !access(path, R_OK);
}

/* ---- planning ---- */

static bool takes_perf(const char *source)
{
	return !strcmp(source, "auto") || !strcmp(source, "perf");
}

struct asked {
	struct ep_event_plan_request request;
	char cpuid[64];
	bool is_tried; /* true: the number of counters is found by trying */
};

static int find_asked(const struct ep_settings *settings, struct asked *out, struct ep_error *err)
{
	struct ep_sim_setting sim;
	int rc;

	*out = (struct asked){ .request = { .models = settings->models } };
	if (!settings->models[0])
		out->request.models = NULL;
	if (takes_perf(settings->source)) {
		out->is_tried = true;
		out->request.with_codes = true;
	}
	if (!ep_is_sim(settings->source)) {
		ep_cpu_id(out->cpuid, sizeof(out->cpuid));
		return 0;
	}
	rc = ep_sim_setting_read(settings->source, &sim, err);
	if (rc)
		return rc;
	out->request.n_counters = sim.n_counters;
	memcpy(out->cpuid, sim.cpuid, sizeof(out->cpuid));
	if (!sim.cpuid[0])
		ep_cpu_id(out->cpuid, sizeof(out->cpuid));
	return 0;
}

/* A file in memory. It is mapped and not read, since a program's start needs few of its pages. */
struct prepared_file {
	const char *text;
	size_t size;
};

/* Opens and maps a file. O_NONBLOCK keeps a pipe of this name from blocking the start. */
static int open_prepared(const char *path, struct prepared_file *out, struct ep_error *err)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *text = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return ep_fail_at(err, -EIO, (struct ep_place){ .file = path }, "cannot be read");
	*out = (struct prepared_file){ text, (size_t)st.st_size };
	return 0;
}

static void close_prepared(struct prepared_file *file)
{
	if (file->text)
		munmap((void *)file->text, file->size);
}

/* Makes the plan for the number of counters that the CPU has. If a program gets fewer counters here, makes the plan
 * again for that number. */
static int make_plan(const struct prepared_file *file, const struct asked *asked,
	struct ep_event_plan **out, struct ep_error *err)
{
	struct ep_event_plan_request here = asked->request;
	int rc = ep_event_plan_from_prepared(file->text, file->size, asked->cpuid, &here, out, err);

	if (rc || !asked->is_tried)
		return rc;
	EP_AUTOFREE char *fixed = ep_event_plan_fixed(*out);
	here.n_counters = fixed ? ep_general_counters(ep_event_plan_most_counters(*out), fixed) : 0;
	if (!here.n_counters || here.n_counters == ep_event_plan_n_counters(*out))
		return 0;
	ep_event_plan_destroy(*out);
	return ep_event_plan_from_prepared(file->text, file->size, asked->cpuid, &here, out, err);
}

static int plan_by(
	const char *path, const struct asked *asked, char **out_events, struct ep_error *err)
{
	__attribute__((cleanup(close_prepared))) struct prepared_file file = { NULL, 0 };
	struct ep_event_plan *plan;
	int rc = open_prepared(path, &file, err);

	if (!rc)
		rc = make_plan(&file, asked, &plan, err);
	if (rc)
		return rc;
	*out_events = ep_event_plan_events(plan);
	ep_event_plan_destroy(plan);
	return *out_events ? 0 : ep_fail(err, -ENOMEM, "out of memory");
}

/* Plans by the first usable file. A file of another version is skipped, like one that does not exist. */
static int plan_anywhere(const struct asked *asked, char **out_events, struct ep_error *err)
{
	const char *named = ep_folder_named();
	char path[PATH_BYTES] = "";
	int rc;

	if (named) {
		snprintf(path, sizeof(path), "%s/" EP_PREPARED_NAME, named);
		return is_there(path)
			       ? plan_by(path, asked, out_events, err)
			       : ep_fail(err, -ENOENT,
					 "EVPROF_FORMULAS names a folder without prepared plans; 'evprof plan --prepare=%.300s' makes them",
					 path);
	}
	rc = ep_fail(err, -ENOENT,
		"no prepared plans were found; 'evprof plan --prepare' makes them, 'evprof run -m' needs none");
	for (size_t i = 0; i < EP_ARRAY_SIZE(places); i++) {
		path[0] = '\0';
		places[i](path);
		if (!is_there(path))
			continue;
		rc = plan_by(path, asked, out_events, err);
		if (rc != -ESTALE)
			return rc;
	}
	return rc;
}

/* Plans for those of several models that can be counted here. If some cannot be counted, returns an error, and err
 * tells why the first of them cannot. */
static int plan_what_can_be(struct asked *asked, char **out_events, struct ep_error *err)
{
	EP_AUTOFREE char *copy = strdup(asked->request.models);
	EP_AUTOFREE char *usable = calloc(1, copy ? strlen(copy) + 1 : 1);
	char *rest = copy, *name;
	int rc = 0;

	if (!copy || !usable)
		return ep_fail(err, -ENOMEM, "out of memory");
	while ((name = strsep(&rest, ","))) {
		EP_AUTOFREE char *events = NULL;
		struct ep_error why;

		asked->request.models = name;
		int failed = plan_anywhere(asked, &events, &why);
		if (!failed)
			strcat(strcat(usable, usable[0] ? "," : ""), name);
		else if (!rc)
			*err = why;
		rc = rc ? rc : failed;
	}
	asked->request.models = usable;
	if (usable[0] && plan_anywhere(asked, out_events, NULL))
		*out_events = NULL;
	return rc;
}

/* ---- settings ---- */

/* Tells whether the default models can be counted: the source counts hardware events, or it plays a CPU's recorded
 * counts from a table. */
static bool has_default_models(const struct ep_settings *settings)
{
	if (ep_is_sim(settings->source))
		return strstr(settings->source, ",cpuid=");
	return takes_perf(settings->source) && ep_perf_has_hardware();
}

/* Tells whether the models need hardware events that the machine lacks. The caller then says so in one message; without
 * this check dozens of events would be refused one by one. */
static bool lacks_hardware(const struct ep_settings *settings)
{
	return strcmp(settings->models, "software") && takes_perf(settings->source) &&
	       !ep_perf_has_hardware();
}

static int keep_events(struct ep_settings *settings, const char *events, struct ep_error *err)
{
	static EP_LARGE char kept[2 * EP_SETTING_MAX_BYTES];

	if (strlen(events) >= sizeof(kept))
		return ep_fail(err, -E2BIG, "they need more events than one run takes");
	strcpy(kept, events);
	settings->events = kept;
	return 0;
}

static int plan_asked(struct asked *asked, char **out_events, struct ep_error *err)
{
	int rc = plan_anywhere(asked, out_events, err);

	return rc && strchr(asked->request.models, ',') ? plan_what_can_be(asked, out_events, err)
							: rc;
}

int ep_model_events_set(struct ep_settings *settings, struct ep_error *err)
{
	EP_AUTOFREE char *events = NULL;
	struct asked asked;
	int rc = 0;

	if (settings->events[0] || (!settings->models[0] && !has_default_models(settings)))
		return 0;
	if (find_asked(settings, &asked, err))
		return -EINVAL;
	if (settings->models[0])
		rc = plan_asked(&asked, &events, err);
	if (settings->models[0] && events && events[0] && lacks_hardware(settings))
		return ep_fail(err, -ENODEV,
			"they are computed from hardware events, which this machine does not offer");
	/* If all values of the models are read for the whole machine, the models need no counters, and the default
	 * models use the counters instead. */
	if (!settings->models[0] || (events && !events[0])) {
		free(events);
		events = NULL;
		asked.request.models = NULL;
		if (has_default_models(settings) && plan_anywhere(&asked, &events, NULL))
			events = NULL;
	}
	return events && keep_events(settings, events, err) ? -E2BIG : rc;
}
