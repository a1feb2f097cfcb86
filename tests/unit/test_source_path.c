// SPDX-License-Identifier: BSD-3-Clause
/* Paths of source files, as units' entries have them. */
#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"
#include "tests/unit/test.h"

TEST(names_from_the_unit_s_folder)
{
	static const struct {
		const char *folder, *name, *path;
	} rows[] = {
		{ "/home/u/app/build", "../src/a.c", "/home/u/app/src/a.c" },
		{ "/home/u/app/build", "a.c", "/home/u/app/build/a.c" },
		{ "/home/u//app/./build/", "./../src/../lib//a.c", "/home/u/app/lib/a.c" },
		{ "/b", "../../../a.c", "/a.c" },
		{ "/", "a.c", "/a.c" },
		{ "/b", "..a.c", "/b/..a.c" },
		{ "/b", "/usr/include/../a.h", "/usr/include/../a.h" },
		{ "/b", "/a.c", "/a.c" },
		{ NULL, "../a.c", "../a.c" },
		{ "", "../a.c", "../a.c" },
		{ ".", "src/a.c", "src/a.c" }, /* -ffile-prefix-map=/home/u/app=. */
		{ "./csu", "../a.c", "../a.c" },
	};
	struct ep_strings paths = { 0 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_STR(ep_source_path_join(&paths, rows[i].folder, rows[i].name), rows[i].path);
	ep_strings_finish(&paths);
}

/* A path that is too long stays what it was. */
TEST(long_paths)
{
	struct ep_strings paths = { 0 };
	char folder[5000], name[5000];

	for (size_t n = 4080; n < 4110; n++) {
		const char *path;

		memset(folder, 'f', n);
		folder[0] = '/';
		folder[n] = '\0';
		path = ep_source_path_join(&paths, folder, "a.c");
		CHECK_INT(strlen(path), n + 4 <= 4096 ? n + 4 : 3);
	}
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CHECK_STR(ep_source_path_join(&paths, "/f", name), name);
	ep_strings_finish(&paths);
}
