// SPDX-License-Identifier: BSD-3-Clause
/* evprof list: lists the events of this machine by source, or those of another CPU by libpfm4. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/options.h"
#include "counters/events/perf_names.h"
#include "counters/events/perf_sysfs.h"
#include "counters/events/pfm.h"
#include "counters/events/suggest.h"
#include "counters/sources/list_papi.h"
#include "evprof_commands.h"
#include "machine.h"

struct list {
	const char *pattern; /* NULL: all events */
	const char *cpu;     /* NULL: this machine */
	bool models;         /* true: models are listed instead of events */
	bool all;            /* lists also events that cannot be counted here */
	/* the title of the section, to be printed before its first event; NULL: it was printed */
	const char *title;
	unsigned n_shown;
	const struct ep_pfm *pfm;
	bool knows_cpu;
};

static bool matches(const struct list *list, const char *name, const char *description)
{
	const char *pattern = list->pattern;

	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, FNM_CASEFOLD);
	return strcasestr(name, pattern) || (description && strcasestr(description, pattern));
}

static void show(struct list *list, const char *name, const char *description)
{
	if (list->title) {
		printf("%s%s\n", list->n_shown ? "\n" : "", list->title);
		list->title = NULL;
	}
	if (description && description[0])
		printf("  %-38s %s\n", name, description);
	else
		printf("  %s\n", name);
	list->n_shown++;
}

/* ---- the kernel's names ---- */

static void list_kernel_type(struct list *list, uint32_t type, const char *title)
{
	list->title = title;
	for (const struct ep_perf_name *row = ep_perf_names; row->name; row++)
		if (row->type == type && matches(list, row->name, row->description) &&
			(list->all || ep_machine_counts(row->name)))
			show(list, row->name, row->description);
}

static void see_cache_event(const char *name, uint64_t config, void *data)
{
	struct list *list = data;

	if (matches(list, name, NULL) && (list->all || ep_machine_counts(name)))
		show(list, name, "generic cache event");
}

/* ---- sysfs ---- */

static int is_event_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

static void list_pmu(struct list *list, const char *pmu)
{
	char folder[512], name[EP_EVENT_NAME_BYTES];
	struct dirent **entries = NULL;

	snprintf(folder, sizeof(folder), EP_PERF_SYSFS "/%.200s/events", pmu);
	int n_entries = scandir(folder, &entries, is_event_file, alphasort);
	for (int i = 0; i < n_entries; i++) {
		int size = snprintf(name, sizeof(name), "%.50s/%.60s/", pmu, entries[i]->d_name);

		free(entries[i]);
		if (size < (int)sizeof(name) && matches(list, name, NULL) &&
			(list->all || ep_machine_counts(name)))
			show(list, name, "");
	}
	free(entries);
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void list_sysfs(struct list *list)
{
	struct dirent **entries = NULL;
	int n_entries = scandir(EP_PERF_SYSFS, &entries, is_name, alphasort);

	list->title = "perf: the kernel's PMUs (sysfs)";
	for (int i = 0; i < n_entries; i++) {
		list_pmu(list, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

/* ---- libpfm4 ---- */

/* Tells whether a PMU is listed. --cpu is a name such as "skx", or a pattern: "amd64_fam1[79]*". */
static int wants_pmu(const pfm_pmu_info_t *pmu, void *data)
{
	struct list *list = data;
	static char title[256];
	bool wanted = list->cpu ? !fnmatch(list->cpu, pmu->name, FNM_CASEFOLD)
				: pmu->is_present && pmu->type != PFM_PMU_TYPE_OS_GENERIC;

	if (!wanted)
		return 0;
	list->knows_cpu = true;
	snprintf(title, sizeof(title), "perf: %s, %s (libpfm4)", pmu->name, pmu->desc);
	list->title = title;
	return 1;
}

static bool is_usable(const struct list *list, const char *name)
{
	return list->all || list->cpu || ep_machine_counts(name);
}

static void list_masks(struct list *list, const pfm_event_info_t *event, const char *full)
{
	pfm_event_attr_info_t attr = { .size = sizeof(attr) };

	for (int i = 0; i < event->nattrs; i++) {
		char name[2 * EP_EVENT_NAME_BYTES];

		if (list->pfm->get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, &attr) !=
				PFM_SUCCESS ||
			attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s:%s", full, attr.name);
		if ((matches(list, name, attr.desc) || matches(list, full, event->desc)) &&
			is_usable(list, name))
			show(list, name, attr.desc);
	}
}

static bool has_masks(const struct ep_pfm *pfm, const pfm_event_info_t *event)
{
	pfm_event_attr_info_t attr = { .size = sizeof(attr) };

	for (int i = 0; i < event->nattrs; i++)
		if (pfm->get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, &attr) ==
				PFM_SUCCESS &&
			attr.type == PFM_ATTR_UMASK)
			return true;
	return false;
}

static void see_event(const pfm_event_info_t *event, const pfm_pmu_info_t *pmu, void *data)
{
	struct list *list = data;
	char full[EP_EVENT_NAME_BYTES];

	snprintf(full, sizeof(full), "%s::%s", pmu->name, event->name);
	if (has_masks(list->pfm, event))
		list_masks(list, event, full);
	else if (matches(list, full, event->desc) && is_usable(list, full))
		show(list, full, event->desc);
}

static int suggest_pmu(const pfm_pmu_info_t *pmu, void *data)
{
	ep_suggest_add(data, pmu->name, pmu->name);
	return 0;
}

/* Prints a message if nothing was listed, and returns the exit status. what: "event of CPU", "model". */
static int say_if_none(const struct list *list, const char *what)
{
	if (!list->n_shown && list->pattern)
		fprintf(stderr, "evprof: no %s%s%s is like '%s', by name or description\n", what,
			list->cpu ? " " : "", list->cpu ? list->cpu : "", list->pattern);
	return list->n_shown ? 0 : 1;
}

static int list_other_cpu(struct list *list)
{
	struct ep_suggest suggest;
	char names[512];

	ep_pfm_walk(list->pfm, wants_pmu, see_event, list);
	if (list->knows_cpu)
		return say_if_none(list, "event of CPU");
	ep_suggest_init(&suggest, list->cpu);
	ep_pfm_walk(list->pfm, suggest_pmu, NULL, &suggest);
	ep_suggest_text(&suggest, names, sizeof(names));
	fprintf(stderr, "evprof: libpfm4 has no CPU '%s'%s%s; --cpu '*' with a PATTERN shows all\n",
		list->cpu, names[0] ? "; nearest: " : "", names);
	return 2;
}

/* ---- PAPI ---- */

static void see_papi_event(
	const char *component, const char *event, const char *description, void *data)
{
	struct list *list = data;
	char name[2 * EP_EVENT_NAME_BYTES];

	snprintf(name, sizeof(name), "papi:::%s", event ? event : component);
	if (!event && !list->all)
		return;
	if (!strcmp(component, "perf_event")) /* evprof counts these itself */
		return;
	if (matches(list, name, description))
		show(list, name, description);
}

static void list_papi(struct list *list)
{
	struct ep_error err;

	list->title = list->all ? "papi: components (those without events are disabled)"
				: "papi: components";
	if (ep_papi_walk(see_papi_event, list, &err) && list->all)
		fprintf(stderr, "evprof: %s\n", err.message);
}

/* ---- models ---- */

/* Tells whether a model is listed: models without a CPU are only parts of others. */
static bool wants_model(
	const struct list *list, const struct ep_catalog_entry *entry, const char *own)
{
	const char *cpu = list->cpu ? list->cpu : own;

	if (!entry->cpu || !matches(list, entry->name, entry->title))
		return false;
	return list->all || !strcmp(entry->cpu, "generic") ||
	       (cpu && !fnmatch(cpu, entry->cpu, FNM_CASEFOLD));
}

static int list_models(struct list *list)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	EP_AUTOFREE char *cpuid = ep_catalog_own_cpuid();
	const char *last_cpu = "";
	struct ep_error err;
	static char title[128]; /* static, since the list keeps a pointer until it is printed */

	if (ep_catalog_open(&catalog, &err)) {
		ep_error_print(&err, "evprof");
		return 1;
	}
	const char *own = ep_catalog_cpu_of(&catalog, cpuid);
	for (uint32_t i = 0; i < catalog.n_entries; i++) {
		const struct ep_catalog_entry *entry = &catalog.entries[i];

		if (!wants_model(list, entry, own))
			continue;
		if (strcmp(entry->cpu, last_cpu)) {
			snprintf(title, sizeof(title), "models: %s", entry->cpu);
			list->title = title;
			last_cpu = entry->cpu;
		}
		show(list, entry->name, entry->title);
	}
	if (!list->cpu && !list->all && !own)
		fprintf(stderr,
			"evprof: no formulas for this CPU (%s); --all shows those of others\n",
			cpuid ? cpuid : "unknown");
	return say_if_none(list, list->cpu ? "model of CPU" : "model");
}

/* ---- the command ---- */

static int list_machine(struct list *list)
{
	list_kernel_type(list, 1, "perf: software events");
	list_kernel_type(list, 0, "perf: generic hardware events");
	list->title = "perf: generic cache events";
	ep_perf_cache_walk(see_cache_event, list);
	list_sysfs(list);
	if (list->pfm)
		ep_pfm_walk(list->pfm, wants_pmu, see_event, list);
	else
		fprintf(stderr,
			"evprof: the CPU's own events need libpfm4, which is not installed (apt-get install libpfm4)\n");
	list_papi(list);
	if (!list->n_shown)
		fprintf(stderr,
			"evprof: no event%s%s%s can be counted here; --all shows what cannot, 'evprof doctor' says why\n",
			list->pattern ? " like '" : "", list->pattern ? list->pattern : "",
			list->pattern ? "'" : "");
	return list->n_shown ? 0 : 1;
}

static const char usage[] =
	"usage: evprof list [OPTIONS] [PATTERN]\n\n"
	"Lists the events that count on this machine, by source. PATTERN is part of a name or\n"
	"of a description, or a shell pattern for the name.\n\n"
	"  --all        those that cannot be counted here as well\n"
	"  --cpu CPU    the events of another CPU that libpfm4 knows, as in --cpu skx\n"
	"  --models     the models of this CPU, or of --cpu, or with --all of all\n\n"
	"exit status: 0 some were listed, 1 none, 2 wrong usage\n";

int ep_cmd_list(int argc, char **argv)
{
	struct list list = { .pattern = NULL };
	const struct ep_option rows[] = {
		{ "all", .flag = &list.all },
		{ "cpu", .text = &list.cpu, .expected = "a CPU" },
		{ "models", .flag = &list.models },
		{ NULL },
	};
	const struct ep_options options = { "evprof list", usage, .rows = rows,
		.hint = "'evprof list --help' shows the options\n" };
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (argc - optind > 1)
		return ep_options_refuse(&options, "takes one PATTERN: quote one that has blanks");
	list.pattern = argv[optind];
	if (list.models)
		return list_models(&list);
	/* This makes libpfm4 encode events of other CPUs. libpfm4 reads the variable when it is loaded. */
	if (list.cpu)
		setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	list.pfm = ep_pfm_load();
	ep_machine_settle();
	if (!list.cpu)
		return list_machine(&list);
	if (list.pfm)
		return list_other_cpu(&list);
	fprintf(stderr,
		"evprof: --cpu needs libpfm4, which is not installed (apt-get install libpfm4)\n");
	return 1;
}
