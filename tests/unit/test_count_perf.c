// SPDX-License-Identifier: BSD-3-Clause
/* How evcal's perf source asks the kernel, on PMUs that are not here. */
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_sysfs.h"

static struct perf_event_attr asked; /* the last time */
static int asked_pid;
static char root[] = "/tmp/evprof-pmus-XXXXXX";

static int refuse(const struct perf_event_attr *attr, int pid)
{
	asked = *attr;
	asked_pid = pid;
	return -ENOENT;
}

#undef EP_PERF_SYSFS
#define EP_PERF_SYSFS "."
#define ep_perf_door_open(attr, pid, cpu, leader) refuse(attr, pid)
#include "kernels/measure/source_perf.c"

enum { UNCORE = 77, MSR = 78 };

static void add_pmu(const char *name, int type, bool has_cpus)
{
	char path[64];

	CHECK_INT(mkdir(name, 0700), 0);
	snprintf(path, sizeof(path), "%s/type", name);
	FILE *file = fopen(path, "w");
	fprintf(file, "%d\n", type);
	fclose(file);
	snprintf(path, sizeof(path), "%s/cpumask", name);
	if (has_cpus)
		fclose(fopen(path, "w"));
}

static void remove_pmu(const char *name)
{
	static const char *const files[] = { "type", "cpumask" };
	char path[64];

	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", name, files[i]);
		unlink(path);
	}
	CHECK_INT(rmdir(name), 0);
}

TEST(what_is_left_out_of_what)
{
	static const struct {
		const char *what;
		uint32_t type, flags;
		bool leaves_out;
		int pid;
	} rows[] = {
		{ "a core's", PERF_TYPE_RAW, 0, true, 0 },
		{ "the kernel's", PERF_TYPE_SOFTWARE, EP_EVENT_SOFTWARE, false, 0 },
		{ "msr", MSR, EP_EVENT_SOFTWARE, false, 0 },
		{ "a socket's", UNCORE, 0, false, -1 },
	};

	CHECK(mkdtemp(root) && !chdir(root));
	add_pmu("msr", MSR, false);
	add_pmu("uncore_imc_0", UNCORE, true);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_candidates candidates = { 0 };
		struct listing listing = { .candidates = &candidates };
		/* as ep_perf_encode() leaves it */
		struct ep_event event = { .name = "x",
			.type = rows[i].type,
			.flags = rows[i].flags,
			.exclude_guest = !(rows[i].flags & EP_EVENT_SOFTWARE) };

		add_event(&listing, &event);
		CHECK_MSG(asked.exclude_kernel == rows[i].leaves_out &&
				  asked.exclude_hv == rows[i].leaves_out &&
				  asked.exclude_guest == rows[i].leaves_out,
			"%s", rows[i].what);
		CHECK_MSG(asked_pid == rows[i].pid, "%s: of %d", rows[i].what, asked_pid);
		CHECK_INT(candidates.n, 1);
		ep_candidates_finish(&candidates);
	}
	remove_pmu("msr");
	remove_pmu("uncore_imc_0");
	CHECK(!chdir("/") && !rmdir(root));
}
