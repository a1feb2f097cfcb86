// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "preload/hooks/preload_variable.h"

static char folder[] = "/tmp/evprof-test-variable-XXXXXX";

static const char *is_dropped(const char *entry)
{
	char *envp[] = { "A=1", (char *)entry, "B=LD_PRELOAD=/no/libevprof.so", NULL };
	static char text[EP_PRELOAD_TEXT_BYTES];
	char *kept[4];
	size_t n = ep_preload_variable_lost(envp, false);

	if (!n)
		return NULL;
	CHECK_INT(n, 3);
	ep_preload_variable_drop(envp, kept, text);
	CHECK_STR(kept[0], "A=1");
	CHECK(kept[1] == envp[2] || kept[2] == envp[2]);
	CHECK(!kept[kept[1] == envp[2] ? 2 : 3]);
	return kept[1] == envp[2] ? "" : kept[1];
}

TEST(only_what_is_ours_and_out_of_reach_goes)
{
	static const struct {
		const char *entry, *left; /* NULL: nothing is changed */
	} rows[] = {
		{ "LD_PRELOAD=/no/such/libevprof.so", "" },
		{ "LD_PRELOAD=/no/such/libevprof.so:/lib/other.so", "LD_PRELOAD=/lib/other.so" },
		{ "LD_PRELOAD=/no/such/libevprof.so /a.so:b.so", "LD_PRELOAD=/a.so:b.so" },
		{ "LD_PRELOAD=/dev/null/libevprof.so", "" },
		{ "LD_PRELOAD=/no/such/libevprof-waits.so:/a.so", "LD_PRELOAD=/a.so" },
		{ "LD_PRELOAD=/no/such/notlibevprof.so", NULL },
		{ "LD_PRELOAD=/no/such/libm.so", NULL },
		{ "LD_PRELOAD=/lib/other.so:/no/such/libevprof.so", NULL },
		{ "LD_PRELOAD=libevprof.so", NULL }, /* looked for by ld.so */
		{ "LD_PRELOAD=", NULL },
		{ "LD_PRELOADS=/no/such/libevprof.so", NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const char *left = is_dropped(rows[i].entry);

		CHECK_MSG(!left == !rows[i].left, "%s", rows[i].entry);
		if (left && rows[i].left)
			CHECK_STR(left, rows[i].left);
	}
}

TEST(what_can_be_opened_stays)
{
	char entry[300], *envp[] = { entry, NULL };
	int fd;

	CHECK(mkdtemp(folder));
	snprintf(entry, sizeof(entry), "LD_PRELOAD=%s/libevprof.so", folder);
	CHECK(is_dropped(entry));
	fd = open(entry + strlen("LD_PRELOAD="), O_WRONLY | O_CREAT, 0644);
	CHECK(fd >= 0);
	close(fd);
	CHECK(!is_dropped(entry));
	CHECK_INT(ep_preload_variable_lost(envp, false), 0);
	CHECK_INT(ep_preload_variable_lost(envp, true), 1); /* what is started refuses it */
	unlink(entry + strlen("LD_PRELOAD="));
	rmdir(folder);
}

TEST(long_ones_stay)
{
	char *none[] = { NULL }, entry[2000] = "LD_PRELOAD=/no/such/libevprof.so:";
	char **many = calloc(5000, sizeof(*many));

	CHECK_INT(ep_preload_variable_lost(none, false), 0);
	CHECK_INT(ep_preload_variable_lost(NULL, false), 0);
	CHECK_INT(ep_preload_variable_lost(NULL, true), 0);
	memset(entry + strlen(entry), 'x', 1000);
	CHECK(!is_dropped(entry));
	for (int i = 0; i < 4000; i++)
		many[i] = "LD_PRELOAD=/no/such/libevprof.so";
	CHECK_INT(ep_preload_variable_lost(many, false), 4000);
	free(many);
}

TEST(many_have_room)
{
	static char text[EP_PRELOAD_TEXT_BYTES];
	char **many = calloc(5000, sizeof(*many)), **kept;
	size_t n;

	for (int i = 0; i < 4000; i++)
		many[i] = i == 3000 ? "LD_PRELOAD=/no/such/libevprof.so" : "A=1";
	n = ep_preload_variable_lost(many, false);
	CHECK_INT(n, 4000);
	kept = ep_preload_variable_room(n + 1);
	CHECK(kept && kept == ep_preload_variable_room(100));
	ep_preload_variable_drop(many, kept, text);
	CHECK(kept[2999] == many[2999] && kept[3000] == many[3001] && kept[3998] == many[3999]);
	CHECK(!kept[3999]);
	ep_preload_variable_release();
	ep_preload_variable_release();
	kept = ep_preload_variable_room(5);
	CHECK(kept && !kept[0]);
	ep_preload_variable_release();
	free(many);
}
