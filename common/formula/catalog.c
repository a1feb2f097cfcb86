// SPDX-License-Identifier: BSD-3-Clause
/* Finds formula files. Any thread may call these functions. */
#include "common/formula/catalog.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"
#include "common/formula/cpuid.h"
#include "common/formula/folders.h"
#include "common/formula/formula_file.h"

/* The folder of formula files, relative to the program's folder: in an installation, and for a build folder in the
 * source tree. */
static const char *const relative_roots[] = { "../share/evprof/formulas", "../../formulas" };

static char *beside_program(const char *relative)
{
	char program[PATH_MAX + 1], *joined = NULL;
	ssize_t size = readlink("/proc/self/exe", program, PATH_MAX);

	if (size < 0)
		return NULL;
	program[size] = '\0';
	return asprintf(&joined, "%s/%s", dirname(program), relative) < 0 ? NULL : joined;
}

static char *find_root(void)
{
	const char *named = ep_folder_named();

	if (named)
		return strdup(named);
	for (size_t i = 0; i < EP_ARRAY_SIZE(relative_roots); i++) {
		char *path = beside_program(relative_roots[i]);

		if (path && !access(path, R_OK | X_OK))
			return path;
		free(path);
	}
	return strdup(EVPROF_FORMULA_DIR);
}

/* Returns the folder of the user's own files. NULL: there is none, or EVPROF_FORMULAS replaces all folders. */
static char *users_root(void)
{
	EP_AUTOFREE char *folder = ep_folder_of_user();
	char *path = NULL;

	if (!folder || ep_folder_named())
		return NULL;
	return asprintf(&path, "%s/formulas", folder) < 0 ? NULL : path;
}

static char *take(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

/* Tells whether a path is a pipe. A pipe in a folder of formula files is refused, since reading it would wait for a
 * writer. A pipe that the user names is read. */
static bool is_pipe(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

static int add_entry(struct ep_catalog *catalog, const char *path, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = is_pipe(path) ? ep_fail_at(err, -ENODEV, (struct ep_place){ .file = path },
					 "is a pipe, expected a formula file")
			       : ep_file_read(path, &text, &size, err);

	if (!rc)
		rc = ep_formula_file_parse(path, text, size, &file, err);
	if (rc)
		return rc;
	if (file.name && file.cpu && ep_catalog_find(catalog, file.name, file.cpu))
		return 0; /* the user's file replaces this one */
	if (EP_ARRAY_RESERVE(catalog->entries, catalog->n_entries, catalog->capacity))
		return ep_fail(err, -ENOMEM, "out of memory");
	catalog->entries[catalog->n_entries++] = (struct ep_catalog_entry){
		.path = take(&file.path),
		.name = take(&file.name),
		.cpu = take(&file.cpu),
		.title = take(&file.title),
		.serves = take(&file.serves),
		.events = take(&file.events),
	};
	return 0;
}

static int add_level(
	struct ep_catalog *catalog, const char *root, const char *pattern, struct ep_error *err)
{
	EP_AUTOFREE char *full = NULL;
	glob_t found = { 0 };
	int rc = 0;

	if (asprintf(&full, "%s/%s", root, pattern) < 0)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!glob(full, 0, NULL, &found))
		for (size_t i = 0; !rc && i < found.gl_pathc; i++)
			rc = add_entry(catalog, found.gl_pathv[i], err);
	globfree(&found);
	return rc;
}

static int add_users(struct ep_catalog *catalog, struct ep_error *err)
{
	EP_AUTOFREE char *root = users_root();
	int rc = root ? add_level(catalog, root, "*.formula", err) : 0;

	return rc || !root ? rc : add_level(catalog, root, "*/*.formula", err);
}

static int add_shipped(struct ep_catalog *catalog, struct ep_error *err)
{
	int rc = add_level(catalog, catalog->root, "*/*.formula", err);

	return rc ? rc : add_level(catalog, catalog->root, "*/*/*.formula", err);
}

/* Returns the key that other files give to the CPU for which the entry is. If there are no such files, the first
 * pattern becomes the key. */
static char *key_of_served(const struct ep_catalog *catalog, const char *serves)
{
	EP_AUTOFREE char *first = strndup(serves, strcspn(serves, " "));
	const char *key = first ? ep_catalog_cpu_of(catalog, first) : NULL;

	return first ? strdup(key ? key : first) : NULL;
}

/* Sets the short name of the CPU (cpu) of files that evcal wrote. These files say only the identifier of the CPU that
 * was measured (serves). */
static int add_keys(struct ep_catalog *catalog, struct ep_error *err)
{
	for (uint32_t i = 0; i < catalog->n_entries; i++) {
		struct ep_catalog_entry *entry = &catalog->entries[i];

		if (entry->cpu || !entry->serves)
			continue;
		entry->cpu = key_of_served(catalog, entry->serves);
		if (!entry->cpu)
			return ep_fail(err, -ENOMEM, "out of memory");
	}
	return 0;
}

int ep_catalog_open(struct ep_catalog *out, struct ep_error *err)
{
	__attribute__((
		cleanup(ep_catalog_close))) struct ep_catalog catalog = { .root = find_root() };
	int rc;

	if (!catalog.root)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = add_users(&catalog, err);
	if (!rc)
		rc = add_shipped(&catalog, err);
	if (!rc)
		rc = add_keys(&catalog, err);
	if (!rc && !catalog.n_entries)
		rc = ep_fail_at(err, -ENOENT, (struct ep_place){ .file = catalog.root },
			"no formula files here; set EVPROF_FORMULAS to the folder that has them");
	if (rc)
		return rc;
	*out = catalog;
	catalog = (struct ep_catalog){ 0 };
	return 0;
}

void ep_catalog_close(struct ep_catalog *catalog)
{
	if (!catalog)
		return;
	for (uint32_t i = 0; i < catalog->n_entries; i++) {
		struct ep_catalog_entry *e = &catalog->entries[i];

		free(e->path);
		free(e->name);
		free(e->cpu);
		free(e->title);
		free(e->serves);
		free(e->events);
	}
	free(catalog->entries);
	free(catalog->root);
	*catalog = (struct ep_catalog){ 0 };
}

const struct ep_catalog_entry *ep_catalog_find(
	const struct ep_catalog *catalog, const char *name, const char *cpu)
{
	for (uint32_t i = 0; i < catalog->n_entries; i++) {
		const struct ep_catalog_entry *e = &catalog->entries[i];

		if (e->name && e->cpu && !strcmp(e->name, name) && !strcmp(e->cpu, cpu))
			return e;
	}
	return NULL;
}

static const char everybody[] = "generic";

static bool is_cpu(const struct ep_catalog_entry *entry, const char *cpu)
{
	return entry->cpu && cpu && !strcmp(entry->cpu, cpu);
}

bool ep_catalog_is_path(const char *name)
{
	static const char ending[] = ".formula";
	size_t n = strlen(name), n_ending = sizeof(ending) - 1;

	return strchr(name, '/') || (n > n_ending && !strcmp(name + n - n_ending, ending));
}

/* Tells whether the entry is one of the models to choose from. A model for all CPUs counts if the CPU has no model of
 * the same name. Measured latencies and roofs are no models. */
static bool is_choice(
	const struct ep_catalog *catalog, const struct ep_catalog_entry *entry, const char *cpu)
{
	if (entry->name && (!strcmp(entry->name, EP_CATALOG_LATENCIES) ||
				   !strcmp(entry->name, EP_CATALOG_ROOFS)))
		return false;
	return is_cpu(entry, cpu) ||
	       (is_cpu(entry, everybody) && !(cpu && ep_catalog_find(catalog, entry->name, cpu)));
}

int ep_catalog_choose(const struct ep_catalog *catalog, const char *name, const char *cpu,
	const struct ep_catalog_entry **out_entry, struct ep_error *err)
{
	const struct ep_catalog_entry *entry = cpu ? ep_catalog_find(catalog, name, cpu) : NULL;
	char known[512] = "";
	size_t size = 0;

	*out_entry = entry ? entry : ep_catalog_find(catalog, name, everybody);
	if (*out_entry)
		return 0;
	for (uint32_t i = 0; i < catalog->n_entries && size < sizeof(known); i++)
		if (is_choice(catalog, &catalog->entries[i], cpu))
			size += (size_t)snprintf(known + size, sizeof(known) - size, " %s",
				catalog->entries[i].name);
	return ep_fail(err, -ENOENT, "no model '%s' for %s; there are:%s", name,
		cpu ? cpu : "this CPU (--cpu names another)", known);
}

char *ep_catalog_table_path(const struct ep_catalog *catalog, const char *cpu)
{
	char *path = NULL;

	for (uint32_t i = 0; !path && i < catalog->n_entries; i++)
		if (is_cpu(&catalog->entries[i], cpu) && catalog->entries[i].events &&
			asprintf(&path, "%s/events/%s.events", catalog->root,
				catalog->entries[i].events) < 0)
			return NULL;
	return path;
}

const char *ep_catalog_cpu_of(const struct ep_catalog *catalog, const char *cpuid)
{
	EP_AUTOFREE char *normal = cpuid ? ep_cpuid_normal(cpuid) : NULL;

	for (uint32_t i = 0; normal && i < catalog->n_entries; i++)
		if (catalog->entries[i].cpu && catalog->entries[i].serves &&
			ep_cpuid_is_served(catalog->entries[i].serves, normal))
			return catalog->entries[i].cpu;
	return NULL;
}

/* Returns the value of the first "NAME : VALUE" line, allocated. */
static char *cpuinfo_value(const char *cpuinfo, const char *name)
{
	size_t size = strlen(name);

	for (const char *line = cpuinfo; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, size) || !strchr("\t :", line[size]) || !line[size])
			continue;
		line += strcspn(line, ":\n");
		if (*line == ':')
			line += 1 + strspn(line + 1, " \t");
		return strndup(line, strcspn(line, "\n"));
	}
	return NULL;
}

static char *x86_cpuid(const char *cpuinfo)
{
	EP_AUTOFREE char *vendor = cpuinfo_value(cpuinfo, "vendor_id");
	EP_AUTOFREE char *family = cpuinfo_value(cpuinfo, "cpu family");
	EP_AUTOFREE char *model = cpuinfo_value(cpuinfo, "model");
	EP_AUTOFREE char *stepping = cpuinfo_value(cpuinfo, "stepping");
	char *id = NULL;

	if (!vendor || !family || !model || !stepping)
		return NULL;
	return asprintf(&id, "%s-%s-%X-%X", vendor, family, atoi(model), atoi(stepping)) < 0 ? NULL
											     : id;
}

static char *arm_cpuid(const char *cpuinfo)
{
	EP_AUTOFREE char *implementer = cpuinfo_value(cpuinfo, "CPU implementer");
	EP_AUTOFREE char *part = cpuinfo_value(cpuinfo, "CPU part");
	char *id = NULL;

	if (!implementer || !part)
		return NULL;
	return asprintf(&id, "arm-%s-%s", implementer, part) < 0 ? NULL : id;
}

/* Reads the line "revision : 2.2 (pvr 004e 1202)". */
static char *power_cpuid(const char *cpuinfo)
{
	EP_AUTOFREE char *revision = cpuinfo_value(cpuinfo, "revision");
	const char *pvr = revision ? strstr(revision, "(pvr ") : NULL;
	char *id = NULL;

	if (!pvr)
		return NULL;
	return asprintf(&id, "power-0x%.4s", pvr + 5) < 0 ? NULL : id;
}

char *ep_catalog_own_cpuid(void)
{
	static char *(*const readers[])(const char *) = { x86_cpuid, arm_cpuid, power_cpuid };
	EP_AUTOFREE char *cpuinfo = NULL;
	char *id = NULL;
	size_t size;

	if (ep_file_read("/proc/cpuinfo", &cpuinfo, &size, NULL))
		return NULL;
	for (size_t i = 0; !id && i < EP_ARRAY_SIZE(readers); i++)
		id = readers[i](cpuinfo);
	return id;
}
