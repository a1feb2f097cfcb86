// SPDX-License-Identifier: BSD-3-Clause
/* Which filler a trace gets by name, and by its size where nobody chose. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "reporter/report/fill_fit.h"

static char path[] = "/tmp/evprof-fill-XXXXXX";

/* A file of holes. */
static void make(off_t size_bytes)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	CHECK_INT(ftruncate(fd, size_bytes), 0);
	close(fd);
}

static void unmake(void)
{
	unlink(path);
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
}

TEST(by_size)
{
	static const struct {
		off_t size_bytes;
		const char *name;
	} rows[] = {
		{ 0, "auto" },
		{ 100000, "auto" },
		{ 100001, "path" },
		{ 50000000, "path" },
		{ 50000001, "hold" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const paths[] = { path, NULL };

		make(rows[i].size_bytes);
		CHECK_STR(ep_filler_default(paths)->name, rows[i].name);
		unmake();
	}
}

TEST(sizes_of_all_traces_together)
{
	const char *const twice[] = { path, path, NULL }, *const pipe[] = { "-", NULL };

	make(30000000);
	CHECK_STR(ep_filler_default(twice)->name, "hold");
	CHECK_STR(ep_filler_default(pipe)->name, "path");
	unmake();
}

TEST(by_name)
{
	CHECK_STR(ep_filler_find("nonlinear")->name, "nonlinear");
	CHECK(!ep_filler_find("nonlinear")->uses_places);
	CHECK(ep_filler_find("auto")->uses_places);
	CHECK_STR(ep_filler_find("hold")->name, "hold");
	CHECK_STR(ep_filler_find("path")->name, "path");
	CHECK(!ep_filler_find("nosuch"));
}
