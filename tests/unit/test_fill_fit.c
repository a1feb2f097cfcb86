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
		const char *plain, *thorough;
	} rows[] = {
		{ 0, "linear", "auto" },
		{ 2000000, "linear", "auto" },
		{ 2000001, "linear", "linear" },
		{ 50000000, "linear", "linear" },
		{ 50000001, "hold", "hold" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const paths[] = { path, NULL };

		make(rows[i].size_bytes);
		CHECK_STR(ep_filler_default(paths)->name, rows[i].plain);
		CHECK_STR(ep_filler_default_thorough(paths)->name, rows[i].thorough);
		unmake();
	}
}

TEST(sizes_of_all_traces_together)
{
	const char *const twice[] = { path, path, NULL }, *const pipe[] = { "-", NULL };

	make(30000000);
	CHECK_STR(ep_filler_default(twice)->name, "hold");
	CHECK_STR(ep_filler_default(pipe)->name, "linear");
	CHECK_STR(ep_filler_default_thorough(pipe)->name, "auto");
	unmake();
}

TEST(by_name)
{
	CHECK_STR(ep_filler_fit("nonlinear")->name, "nonlinear");
	CHECK(!ep_filler_fit("nosuch"));
	CHECK_STR(ep_filler_find("nonlinear")->name, "nonlinear");
	CHECK_STR(ep_filler_find("hold")->name, "hold");
	CHECK(!ep_filler_find("nosuch"));
}
