// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/formula_file.h"

static char folder[] = "/tmp/evprof-test-include-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(path_of(name), "w");

	fputs(text, out);
	fclose(out);
}

TEST(includes_come_behind_the_own_metrics)
{
	struct ep_formula_file file;
	struct ep_error err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/formulas/lcpi/ranger.formula",
		getenv("EVPROF_SOURCE_ROOT"));
	CHECK_MSG(!ep_formula_file_read(path, &file, &err), "%s: %s", err.where, err.message);
	CHECK_INT(file.n_metrics, 18);
	CHECK_INT(file.n_parameters, 12);
	ep_formula_file_finish(&file);
}

TEST(what_the_file_defines_itself_stays)
{
	struct ep_formula_file file;
	struct ep_error err = { 0 };

	put("other", "evprof-formula 1\n[parameter p]\nvalue = 1\n[metric top]\nexpr = p\n");
	put("own", "evprof-formula 1\n[model]\nname = own\ninclude = other\n"
		   "[parameter p]\nvalue = 2\n[metric m]\nexpr = p\nparent = top\n");
	CHECK_MSG(!ep_formula_file_read(path_of("own"), &file, &err), "%s", err.message);
	CHECK_INT(file.n_parameters, 1);
	CHECK_CLOSE(file.parameters[0].value, 2, 0);
	CHECK_INT(file.n_metrics, 2);
	CHECK_STR(file.metrics[1].name, "top");
	ep_formula_file_finish(&file);
}

TEST(errors_name_the_file_that_a_person_wrote)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "evprof-formula 1\n[model]\nname = a\ninclude = nosuch\n", "include 'nosuch': " },
		{ "evprof-formula 1\n[metric m]\nexpr = 1\nparent = nosuch\n",
			"metric m: its parent 'nosuch' is no metric of this file" },
		{ "evprof-formula 1\n[model]\nname = a\ninclude = own\n",
			"included more than 8 levels deep; do files include each other?" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_formula_file file = { 0 };
		struct ep_error err = { 0 };

		put("own", cases[i].text);
		CHECK(ep_formula_file_read(path_of("own"), &file, &err) < 0);
		CHECK_MSG(strstr(err.where, "/own"), "%s", err.where);
		CHECK_MSG(!strncmp(err.message, cases[i].message, strlen(cases[i].message)), "%s",
			err.message);
	}
	unlink(path_of("own"));
	unlink(path_of("other"));
	rmdir(folder);
}

__attribute__((constructor)) static void make_folder(void)
{
	if (!mkdtemp(folder))
		abort();
}
