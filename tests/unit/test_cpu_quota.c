// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/cpu_quota.h"

static char folder[] = "/tmp/evprof-test-quota-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	char command[5000];
	FILE *out;

	snprintf(command, sizeof(command), "mkdir -p $(dirname '%s')", path_of(name));
	CHECK_INT(system(command), 0);
	out = fopen(path_of(name), "w");
	fputs(text, out);
	fclose(out);
}

/* The folder is removed with its files. */
static int quota(const char *cgroup_lines)
{
	char lines[4096];

	put("lines", cgroup_lines);
	snprintf(lines, sizeof(lines), "%s", path_of("lines"));
	return ep_cpu_quota(lines, folder);
}

static void begin(void)
{
	strcpy(strrchr(folder, '-'), "-XXXXXX");
	CHECK(mkdtemp(folder));
}

static void finish(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
}

TEST(quotas_are_cpus_rounded_up)
{
	static const struct {
		const char *text;
		int n;
	} rows[] = { { "max 100000\n", 0 }, { "150000 100000\n", 2 }, { "100000 100000\n", 1 },
		{ "5000 100000\n", 1 }, { "400000 100000", 4 }, { "100000", 0 }, { "", 0 },
		{ "0 100000", 0 }, { "-1 100000", 0 }, { "9999999999999 1", 0 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_cpu_quota_parse(rows[i].text) == rows[i].n, "%s: %d", rows[i].text,
			ep_cpu_quota_parse(rows[i].text));
}

TEST(a_container_sees_its_group_as_the_topmost)
{
	begin();
	put("cpu.max", "200000 100000\n");
	CHECK_INT(quota("0::/\n"), 2);
	CHECK_INT(quota("0::/not/seen/here\n"), 2);
	CHECK_INT(ep_cpu_quota("/proc/no/such", folder), 2);
	finish();
}

TEST(a_service_has_the_least_of_its_slices)
{
	begin();
	put("system.slice/cpu.max", "300000 100000\n");
	put("system.slice/web.service/cpu.max", "max 100000\n");
	put("system.slice/db.service/cpu.max", "100000 100000\n");
	CHECK_INT(quota("0::/system.slice/web.service\n"), 3);
	CHECK_STR(ep_cpu_quota_folder(), path_of("system.slice"));
	CHECK_INT(quota("0::/system.slice/db.service\n"), 1);
	CHECK_STR(ep_cpu_quota_folder(), path_of("system.slice/db.service"));
	CHECK_INT(quota("0::/user.slice\n"), 0);
	CHECK_STR(ep_cpu_quota_folder(), "");
	CHECK_INT(quota("rubbish\n\n::\n"), 0);
	finish();
}

TEST(version_1)
{
	begin();
	put("cpu,cpuacct/docker/7/cpu.cfs_quota_us", "250000\n");
	put("cpu,cpuacct/docker/7/cpu.cfs_period_us", "100000\n");
	put("cpu,cpuacct/docker/8/cpu.cfs_quota_us", "-1\n");
	put("cpu,cpuacct/docker/8/cpu.cfs_period_us", "100000\n");
	CHECK_INT(quota("5:memory:/docker/8\n4:cpu,cpuacct:/docker/7\n0::/\n"), 3);
	CHECK_INT(quota("4:cpu,cpuacct:/docker/8\n3:cpuset:/docker/7\n"), 0);
	finish();
}
