// SPDX-License-Identifier: BSD-3-Clause
/* Reads quotas of control groups, versions 2 and 1, at start-up and by system calls alone. */
#include "cpu_quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large.h"
#include "sys.h"

#define MAX_CPUS 8192 /* the kernel has the same limit */

int ep_cpu_quota_parse(const char *text)
{
	char *end;
	unsigned long quota_us = strtoul(text, &end, 10), period_us = strtoul(end, NULL, 10);

	if (end == text || !quota_us || !period_us || quota_us / period_us > MAX_CPUS)
		return 0;
	return (int)((quota_us + period_us - 1) / period_us);
}

static bool read_beside(const char *folder, const char *name, char *text, size_t size)
{
	char path[4608];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return ep_sys_read_file(path, text, size) > 0;
}

static int quota_of(const char *folder)
{
	char text[64] = "", period[32] = "";

	if (read_beside(folder, "cpu.max", text, sizeof(text)))
		return ep_cpu_quota_parse(text);
	if (!read_beside(folder, "cpu.cfs_quota_us", text, 32) || text[0] == '-' ||
		!read_beside(folder, "cpu.cfs_period_us", period, sizeof(period)))
		return 0;
	text[strcspn(text, "\n")] = ' ';
	strcat(text, period);
	return ep_cpu_quota_parse(text);
}

static struct {
	int n_cpus; /* 0: no quota was found yet */
	char folder[4096];
} least EP_LARGE;

static void consider(const char *folder)
{
	int n_cpus = quota_of(folder);

	if (!n_cpus || (least.n_cpus && n_cpus >= least.n_cpus))
		return;
	least.n_cpus = n_cpus;
	snprintf(least.folder, sizeof(least.folder), "%s", folder);
}

const char *ep_cpu_quota_folder(void)
{
	return least.folder;
}

/* Looks at a group and the groups above it, up to top. In a container the group's name may be the name that it has
 * outside of the container, while top is the container's own group: so folders of the path may be missing, and top is
 * looked at, too. */
static void walk_upwards(const char *top, const char *group)
{
	char folder[4096];
	size_t top_size = strlen(top);

	snprintf(folder, sizeof(folder), "%s%s", top, strcmp(group, "/") ? group : "");
	for (;;) {
		char *slash;

		consider(folder);
		if (strlen(folder) <= top_size)
			return;
		slash = strrchr(folder, '/');
		*slash = '\0';
	}
}

static bool names_cpu(const char *controllers)
{
	size_t size;

	for (; *controllers; controllers += size + (controllers[size] == ',')) {
		size = strcspn(controllers, ",");
		if (size == 3 && !strncmp(controllers, "cpu", 3))
			return true;
	}
	return false;
}

/* Reads a line such as "0::/system.slice/web.service" or "4:cpu,cpuacct:/docker/...". */
static void walk_line(char *line, const char *mount)
{
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;
	char top[4096];

	if (!group)
		return;
	*controllers++ = '\0';
	*group++ = '\0';
	if (*controllers && !names_cpu(controllers))
		return;
	snprintf(top, sizeof(top), "%s%s%s", mount, *controllers ? "/" : "", controllers);
	walk_upwards(top, group);
}

int ep_cpu_quota(const char *proc_cgroup, const char *mount)
{
	char text[8192] = "", *rest = text, *line;

	least.n_cpus = 0;
	least.folder[0] = '\0';
	if (ep_sys_read_file(proc_cgroup, text, sizeof(text)) <= 0)
		consider(mount);
	while ((line = strsep(&rest, "\n")))
		walk_line(line, mount);
	return least.n_cpus;
}
