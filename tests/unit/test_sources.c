// SPDX-License-Identifier: BSD-3-Clause
/* Source files, and things that are none. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "reporter/annotate/sources.h"

static char folder[] = "/tmp/evprof-sources-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

TEST(lines_of_files)
{
	struct ep_sources sources = { 0 };
	FILE *file;

	CHECK(mkdtemp(folder));
	file = fopen(path_of("a.c"), "w");
	fputs("int a;\r\n\tb\tc\nbell\a\nlast", file);
	fclose(file);
	CHECK_STR(ep_sources_line(&sources, path_of("a.c"), 1), "int a;");
	CHECK_STR(ep_sources_line(&sources, path_of("a.c"), 2), "    b   c");
	CHECK_STR(ep_sources_line(&sources, path_of("a.c"), 3), "bell?");
	CHECK_STR(ep_sources_line(&sources, path_of("a.c"), 4), "last");
	CHECK(!ep_sources_line(&sources, path_of("a.c"), 5));
	CHECK(!ep_sources_line(&sources, path_of("a.c"), 0));
	CHECK(!ep_sources_line(&sources, NULL, 1));
	CHECK_INT(ep_sources_open(&sources, path_of("a.c"))->state, EP_SOURCE_FOUND);
	ep_sources_finish(&sources);
	sources.run_start_ns = 1000000000;
	CHECK_INT(ep_sources_open(&sources, path_of("a.c"))->state, EP_SOURCE_NEWER);
	ep_sources_finish(&sources);
	unlink(path_of("a.c"));
	rmdir(folder);
}

/* A pipe that nobody writes to would keep the report waiting. */
TEST(a_pipe_and_nothing)
{
	struct ep_sources sources = { .sysroot = "/nowhere" };
	char pipe[] = "/tmp/evprof-sources-XXXXXX";

	CHECK(mkdtemp(pipe));
	strcpy(folder, pipe);
	CHECK_INT(mkfifo(path_of("a.c"), 0600), 0);
	CHECK_INT(ep_sources_open(&sources, path_of("a.c"))->state, EP_SOURCE_ABSENT);
	CHECK_INT(ep_sources_open(&sources, path_of("b.c"))->state, EP_SOURCE_ABSENT);
	CHECK_INT(ep_sources_open(&sources, folder)->state, EP_SOURCE_ABSENT);
	unlink(path_of("a.c"));
	rmdir(folder);
	ep_sources_finish(&sources);
}
