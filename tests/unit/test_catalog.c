// SPDX-License-Identifier: BSD-3-Clause
/* Files in a user's folder, as evcal derive and people put them there. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"

static const struct {
	const char *path, *text;
} files[] = {
	{ "derived.formula",
		"evprof-formula 1\n[model]\nname = derived-branch\nserves = GenuineIntel-6-8F\n" },
	{ "new.formula",
		"evprof-formula 1\n[model]\nname = derived-branch\nserves = NewCpu-1-2\n" },
	{ "new2.formula",
		"evprof-formula 1\n[model]\nname = derived-flops\nserves = NewCpu-1-2\n" },
	{ "spr/lcpi.formula",
		"evprof-formula 1\n[model]\nname = lcpi\ncpu = spr\nevents = spr\nserves = GenuineIntel-6-(8F|CF)\n" },
};

static char folder[] = "/tmp/evprof-catalog-XXXXXX";

static void path_of(const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s/evprof/formulas/%s", folder, name);
}

static void write_files(void)
{
	static const char *const folders[] = { "", "spr" };
	char path[256];

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/evprof", folder);
	CHECK_INT(mkdir(path, 0777), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(folders); i++) {
		path_of(folders[i], path, sizeof(path));
		CHECK_INT(mkdir(path, 0777), 0);
	}
	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++) {
		path_of(files[i].path, path, sizeof(path));
		FILE *out = fopen(path, "we");

		CHECK(out && fputs(files[i].text, out) >= 0 && !fclose(out));
	}
}

static void remove_files(void)
{
	static const char *const folders[] = { "spr", "" };
	char path[256];

	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++) {
		path_of(files[i].path, path, sizeof(path));
		unlink(path);
	}
	for (size_t i = 0; i < EP_ARRAY_SIZE(folders); i++) {
		path_of(folders[i], path, sizeof(path));
		rmdir(path);
	}
	snprintf(path, sizeof(path), "%s/evprof", folder);
	rmdir(path);
	rmdir(folder);
}

/* A file says by its CPU's identifier alone whom it serves: the others' key, or one of its own. */
TEST(files_without_a_key_belong_to_the_cpu_that_they_serve)
{
	static const struct {
		const char *name, *cpuid, *key;
	} rows[] = {
		{ "derived-branch", "GenuineIntel-6-8F-8", "spr" },
		{ "lcpi", "GenuineIntel-6-CF-2", "spr" },
		{ "derived-branch", "NewCpu-1-2-3", "NewCpu-1-2" },
		{ "derived-flops", "NewCpu-1-2", "NewCpu-1-2" },
	};
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	struct ep_error err = { .message = "" };

	write_files();
	unsetenv("EVPROF_FORMULAS");
	setenv("XDG_DATA_HOME", folder, 1);
	CHECK_MSG(!ep_catalog_open(&catalog, &err), "%s", err.message);
	remove_files();
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const struct ep_catalog_entry *entry = NULL;
		const char *key = ep_catalog_cpu_of(&catalog, rows[i].cpuid);

		CHECK_STR(key ? key : "none", rows[i].key);
		CHECK_MSG(key && !ep_catalog_choose(&catalog, rows[i].name, key, &entry, &err),
			"%s of %s: %s", rows[i].name, rows[i].cpuid, err.message);
	}
	CHECK(!ep_catalog_cpu_of(&catalog, "NewCpu-1-3"));
	EP_AUTOFREE char *table = ep_catalog_table_path(&catalog, "spr");
	CHECK_MSG(table && strstr(table, "/events/spr.events"), "%s", table ? table : "none");
	CHECK(!ep_catalog_table_path(&catalog, "NewCpu-1-2"));
}
