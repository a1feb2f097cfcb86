// SPDX-License-Identifier: BSD-3-Clause
/* Folders as the environment names them. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/formula/folders.h"

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

TEST(users_keep_what_is_theirs_where_the_environment_says)
{
	static const struct {
		const char *data, *home, *folder;
	} rows[] = {
		{ "/data", "/home/you", "/data/evprof" },
		{ NULL, "/home/you", "/home/you/.local/share/evprof" },
		{ "", "/home/you", "/home/you/.local/share/evprof" },
		{ "/data", NULL, "/data/evprof" },
		{ NULL, NULL, "nowhere" },
		{ "", "", "nowhere" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		set("XDG_DATA_HOME", rows[i].data);
		set("HOME", rows[i].home);
		EP_AUTOFREE char *folder = ep_folder_of_user();
		CHECK_STR(folder ? folder : "nowhere", rows[i].folder);
	}
}

TEST(a_folder_that_is_named_takes_the_place_of_all)
{
	set("EVPROF_FORMULAS", NULL);
	CHECK(!ep_folder_named());
	set("EVPROF_FORMULAS", "");
	CHECK(!ep_folder_named());
	set("EVPROF_FORMULAS", "/mine");
	CHECK_STR(ep_folder_named(), "/mine");
}
