// SPDX-License-Identifier: BSD-3-Clause
/* Which files beside a trace belong to it. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/command/siblings.h"

static char folder[] = "/tmp/evprof-siblings-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, time_t age_s)
{
	const struct timespec times[2] = { { time(NULL) - age_s, 0 }, { time(NULL) - age_s, 0 } };

	close(open(in_folder(name), O_CREAT | O_WRONLY, 0600));
	CHECK_INT(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

static void check(const char *path, int64_t since_s, const char *const *names)
{
	struct ep_siblings siblings;
	size_t n = 0;

	CHECK_INT(ep_siblings_find(path, since_s, &siblings), 0);
	for (; names[n]; n++)
		CHECK_STR(
			n < siblings.n ? strrchr(siblings.paths[n], '/') + 1 : "(none)", names[n]);
	CHECK_INT(siblings.n, n);
	CHECK(!siblings.n || !siblings.paths[n]);
	ep_siblings_finish(&siblings);
}

TEST(numbered_files_in_the_order_of_their_numbers)
{
	static const char *const names[] = { "trace.10.gz", "trace.9.gz", "trace.x.gz", "trace.1",
		"trace.gz", "trace..gz", "other.1.gz", "trace.1.gz.old", "a.gz", ".gz" };
	char path[PATH_MAX];

	CHECK(mkdtemp(folder) != NULL);
	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		put(names[i], 0);
	put("trace.2.gz", 100);
	CHECK_INT(mkdir(in_folder("trace.3.gz"), 0700), 0);
	snprintf(path, sizeof(path), "%s", in_folder("trace.gz"));
	check(path, 0, (const char *const[]){ "trace.2.gz", "trace.9.gz", "trace.10.gz", NULL });
	check(path, time(NULL) - 50, (const char *const[]){ "trace.9.gz", "trace.10.gz", NULL });
	check("/tmp/no-such-folder/trace.gz", 0, (const char *const[]){ NULL });
	check(in_folder(".gz"), 0, (const char *const[]){ NULL });
	check(in_folder("trace"), 0, (const char *const[]){ NULL });
	check("-", 0, (const char *const[]){ NULL });
	check("", 0, (const char *const[]){ NULL });
	snprintf(path, sizeof(path), "rm -r '%s'", folder);
	CHECK_INT(system(path), 0);
}
