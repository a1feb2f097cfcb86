// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "preload/hooks/preload_variable.h"

static char folder[] = "/tmp/evprof-test-variable-XXXXXX";

static const char *is_dropped(const char *entry, bool is_refused)
{
	char *envp[] = { "A=1", (char *)entry, "B=LD_PRELOAD=/no/libevprof.so", NULL };
	static char *kept[1000];
	size_t n = ep_preload_variable_lost(envp, is_refused);

	if (!n)
		return NULL;
	CHECK_INT(n, 4 + strlen(entry) / sizeof(*kept) + 1);
	kept[n] = (char *)"what is behind stays";
	ep_preload_variable_drop(envp, is_refused, kept);
	CHECK_STR(kept[n], "what is behind stays");
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
		{ "LD_PRELOAD=/lib/other.so:/no/such/libevprof.so", "LD_PRELOAD=/lib/other.so" },
		{ "LD_PRELOAD= /lib/other.so: /no/such/libevprof.so:/a.so ",
			"LD_PRELOAD=/lib/other.so:/a.so " },
		{ "LD_PRELOAD=/no/libevprof.so:/no/libevprof-waits.so:", "" },
		{ "LD_PRELOAD=/dev/libevprof.so:/dev/libm.so", "LD_PRELOAD=/dev/libm.so" },
		{ "LD_PRELOAD=libevprof.so", NULL }, /* looked for by ld.so, like the next one */
		{ "LD_PRELOAD=/no/$LIB/libevprof.so", NULL },
		{ "LD_PRELOAD=", NULL },
		{ "LD_PRELOADS=/no/such/libevprof.so", NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const char *left = is_dropped(rows[i].entry, false);

		CHECK_MSG(!left == !rows[i].left, "%s", rows[i].entry);
		if (left && rows[i].left)
			CHECK_STR(left, rows[i].left);
	}
}

TEST(what_is_refused_goes)
{
	CHECK_STR(is_dropped("LD_PRELOAD=libevprof.so", true), "");
	CHECK_STR(is_dropped("LD_PRELOAD=/a.so:libevprof.so", true), "LD_PRELOAD=/a.so");
	CHECK_STR(is_dropped("LD_PRELOAD=/a.so:/$LIB/libevprof.so", true), "LD_PRELOAD=/a.so");
	CHECK(!is_dropped("LD_PRELOAD=/a.so:notlibevprof.so", true));
}

TEST(what_can_be_opened_stays)
{
	char entry[300], *envp[] = { entry, NULL };
	int fd;

	CHECK(mkdtemp(folder));
	snprintf(entry, sizeof(entry), "LD_PRELOAD=%s/libevprof.so", folder);
	CHECK(is_dropped(entry, false));
	fd = open(entry + strlen("LD_PRELOAD="), O_WRONLY | O_CREAT, 0644);
	CHECK(fd >= 0);
	close(fd);
	CHECK(!is_dropped(entry, false));
	CHECK_INT(ep_preload_variable_lost(envp, false), 0);
	CHECK(ep_preload_variable_lost(envp, true)); /* what is started refuses it */
	unlink(entry + strlen("LD_PRELOAD="));
	rmdir(folder);
}

TEST(long_ones_go_too)
{
	char *none[] = { NULL }, entry[2000] = "LD_PRELOAD=/no/such/libevprof.so:";

	CHECK_INT(ep_preload_variable_lost(none, false), 0);
	CHECK_INT(ep_preload_variable_lost(NULL, false), 0);
	CHECK_INT(ep_preload_variable_lost(NULL, true), 0);
	memset(entry + strlen(entry), 'x', 1000);
	CHECK_INT(strlen(is_dropped(entry, false)), strlen("LD_PRELOAD=") + 1000);
}

TEST(many_have_room)
{
	char **many = calloc(5000, sizeof(*many)), **kept;
	size_t n;

	for (int i = 0; i < 4000; i++)
		many[i] = i == 3000 ? "LD_PRELOAD=/no/such/libevprof.so" : "A=1";
	n = ep_preload_variable_lost(many, false);
	CHECK(n > 4000 && n < 4010);
	kept = ep_preload_variable_room(n);
	CHECK(kept && kept == ep_preload_variable_room(100));
	ep_preload_variable_drop(many, false, kept);
	CHECK(kept[2999] == many[2999] && kept[3000] == many[3001] && kept[3998] == many[3999]);
	CHECK(!kept[3999]);
	ep_preload_variable_release();
	ep_preload_variable_release();
	kept = ep_preload_variable_room(5);
	CHECK(kept && !kept[0]);
	ep_preload_variable_release();
	free(many);
}
