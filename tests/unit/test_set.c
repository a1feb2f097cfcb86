// SPDX-License-Identifier: BSD-3-Clause
/* Which folders are data sets, and in what order they are visited. */
#include "tests/unit/test.h"

#include <errno.h>
#include <sys/stat.h>

#include "kernels/derive/set.h"

static char top[] = "/tmp/evprof-set-XXXXXX";

/* Makes the folder top/name, and in it a file where that is given. */
static void make(const char *name, const char *file)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	CHECK(!mkdir(path, 0700));
	if (!file)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", top, name, file);
	out = fopen(path, "w");
	CHECK(out && !fclose(out));
}

struct visits {
	char names[256];
	const char *fails_at;
};

static int note(void *context, const char *path, struct ep_error *err)
{
	struct visits *visits = context;
	const char *name = strrchr(path, '/') + 1;
	size_t size = strlen(visits->names);

	snprintf(visits->names + size, sizeof(visits->names) - size, "%s ", name);
	return visits->fails_at && !strcmp(name, visits->fails_at)
		       ? ep_fail(err, -EINVAL, "refused")
		       : 0;
}

TEST(data_sets_are_visited_by_name)
{
	struct visits all = { "", NULL }, some = { "", "b-packed" };
	struct ep_error err;
	size_t n = 9;

	CHECK(mkdtemp(top));
	make("c-plain", "events.csv");
	make("b-packed", "events.csv.gz");
	make("a-basis-alone", "basis.csv");
	make(".hidden", "events.csv");
	make("d-empty", NULL);
	make("a-first", "events.csv");
	CHECK_INT(ep_set_visit_inside(top, note, &all, &n, &err), 0);
	CHECK_STR(all.names, "a-first b-packed c-plain ");
	CHECK_INT(n, 3);
	CHECK_INT(ep_set_visit_inside(top, note, &some, &n, &err), -EINVAL);
	CHECK_STR(some.names, "a-first b-packed ");
	CHECK_INT(n, 2);
	CHECK(!ep_set_is_folder(top));
}

TEST(no_folder)
{
	struct visits visits = { "", NULL };
	struct ep_error err;
	size_t n = 9;

	CHECK_INT(ep_set_visit_inside("/nosuch", note, &visits, &n, &err), -ENOENT);
	CHECK_INT(n, 0);
	CHECK(strstr(err.message, "cannot read"));
	CHECK(!ep_set_is_folder("/nosuch"));
}
