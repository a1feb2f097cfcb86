// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/events/perf_sysfs.h"

static char root[] = "/tmp/evprof-sysfs-XXXXXX";

static const struct {
	const char *file, *text;
} tree[] = {
	{ "cpu", NULL },
	{ "cpu/format", NULL },
	{ "cpu/events", NULL },
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/edge", "config:18\n" },
	{ "cpu/format/split", "config:0-3,32-35\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/format/deep", "config2:60-63\n" },
	{ "cpu/format/odd", "config9:0\n" },
	{ "cpu/format/wide", "config:0-64\n" },
	{ "cpu/events/slots", "event=0x00,umask=0x4\n" },
};

static void make_tree(void)
{
	CHECK(mkdtemp(root) != NULL);
	for (size_t i = 0; i < EP_ARRAY_SIZE(tree); i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", root, tree[i].file);
		if (!tree[i].text) {
			CHECK_INT(mkdir(path, 0700), 0);
			continue;
		}
		EP_AUTOFCLOSE FILE *file = fopen(path, "w");
		CHECK(file && fputs(tree[i].text, file) >= 0);
	}
}

static void remove_tree(void)
{
	for (size_t i = EP_ARRAY_SIZE(tree); i-- > 0;) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", root, tree[i].file);
		remove(path);
	}
	rmdir(root);
}

TEST(fields_and_aliases)
{
	static const struct {
		const char *name;
		int rc;
		uint64_t config, config1, config2;
		const char *in_message;
	} rows[] = {
		{ "cpu/event=0x3c/", 0, 0x3c, 0, 0, "" },
		{ "cpu/event=60,umask=1,edge/", 0, 0x4013c, 0, 0, "" },
		{ "cpu/edge/", 0, 0x40000, 0, 0, "" },
		{ "cpu/split=0xa5/", 0, 0xa00000005, 0, 0, "" },
		{ "cpu/ldlat=3,event=0xcd/", 0, 0xcd, 3, 0, "" },
		{ "cpu/deep=15/", 0, 0, 0, 0xf000000000000000, "" },
		{ "cpu/slots/", 0, 0x400, 0, 0, "" },
		{ "cpu/slots,ldlat=7/", 0, 0x400, 7, 0, "" },
		{ "cpu/config=0xffffffffffffff0f/", 0, 0xffffffffffffff0f, 0, 0, "" },
		{ "cpu/event=0x100/", -EINVAL, 0, 0, 0, "0x100 does not fit into 'event'" },
		{ "cpu/event=1x/", -EINVAL, 0, 0, 0, "'1x' is not a number" },
		{ "cpu/event=/", -EINVAL, 0, 0, 0, "'' is not a number" },
		{ "cpu/evnet=1/", -EINVAL, 0, 0, 0, "'evnet' is no field" },
		{ "cpu/sluts/", -ENOENT, 0, 0, 0, "'sluts' is no event" },
		{ "cpu/odd=1/", -EINVAL, 0, 0, 0, "is not understood" },
		{ "cpu/wide=1/", -EINVAL, 0, 0, 0, "is not understood" },
		{ "gpu/event=1/", -ENOENT, 0, 0, 0, "no PMU 'gpu'" },
		{ "cpu/../type/", -EINVAL, 0, 0, 0, "'..'" },
		{ "../cpu/event=1/", -EINVAL, 0, 0, 0, "is not of the form" },
	};

	make_tree();
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_event event = { .type = 77 };
		struct ep_error err = { .message = "" };
		int rc = ep_perf_sysfs_encode(root, rows[i].name, &event, &err);

		CHECK_MSG(rc == rows[i].rc, "%s: %d %s", rows[i].name, rc, err.message);
		CHECK_MSG(event.type == (rc ? 77 : 4), "%s: type %u", rows[i].name, event.type);
		CHECK_MSG(event.config == rows[i].config && event.config1 == rows[i].config1 &&
				  event.config2 == rows[i].config2,
			"%s: %#llx %#llx %#llx", rows[i].name, (unsigned long long)event.config,
			(unsigned long long)event.config1, (unsigned long long)event.config2);
		CHECK_MSG(strstr(err.message, rows[i].in_message), "%s: '%s'", rows[i].name,
			err.message);
	}
	remove_tree();
}

TEST(the_form)
{
	CHECK(ep_perf_sysfs_is("cpu/event=1/"));
	CHECK(!ep_perf_sysfs_is("cpu/event=1"));
	CHECK(!ep_perf_sysfs_is("cycles"));
	CHECK(!ep_perf_sysfs_is("/x/"));
	CHECK(!ep_perf_sysfs_is("x/"));
}
