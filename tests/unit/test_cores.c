// SPDX-License-Identifier: BSD-3-Clause
/* Machines with several kinds of cores, as folders that look like their kernels' lists of PMUs. */
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/plan/cores.h"

struct pmu {
	const char *name, *type, *cpus, *cpumask;
};

#define MAX_PMUS 5

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	EP_AUTOFCLOSE FILE *file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0);
}

static void remove_file(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	remove(path);
}

static void find_among(const struct pmu *pmus, struct ep_cores *out)
{
	char root[] = "/tmp/evprof-cores-XXXXXX", folder[128];

	CHECK(mkdtemp(root) != NULL);
	for (const struct pmu *pmu = pmus; pmu->name; pmu++) {
		snprintf(folder, sizeof(folder), "%s/%s", root, pmu->name);
		CHECK_INT(mkdir(folder, 0700), 0);
		write_file(folder, "type", pmu->type);
		if (pmu->cpus)
			write_file(folder, "cpus", pmu->cpus);
		if (pmu->cpumask)
			write_file(folder, "cpumask", pmu->cpumask);
	}
	ep_cores_find(root, out);
	for (const struct pmu *pmu = pmus; pmu->name; pmu++) {
		snprintf(folder, sizeof(folder), "%s/%s", root, pmu->name);
		remove_file(folder, "type");
		remove_file(folder, "cpus");
		remove_file(folder, "cpumask");
		CHECK_INT(rmdir(folder), 0);
	}
	CHECK_INT(rmdir(root), 0);
}

TEST(most_machines_have_one_kind)
{
	static const struct pmu machines[][MAX_PMUS] = {
		{ { "cpu", "4\n" }, { "msr", "9\n" }, { "uncore_imc_0", "12\n", NULL, "0,28\n" } },
		{ { "armv8_pmuv3_0", "8\n", "0-127\n" }, { "arm_spe_0", "9\n", NULL, "0-127\n" } },
		{ { "software", "1\n" } },
	};
	struct ep_cores cores;

	for (size_t i = 0; i < EP_ARRAY_SIZE(machines); i++) {
		find_among(machines[i], &cores);
		CHECK_INT(cores.n_kinds, 0);
		CHECK_INT(ep_cores_kind_of(&cores, 5), 0);
	}
}

TEST(two_kinds_and_their_cpus)
{
	static const struct pmu machine[] = { { "cpu_atom", "10\n", "900-907,910\n" },
		{ "cpu_core", "4\n", "800-803\n" }, { "power", "12\n", NULL, "0\n" }, { NULL } };
	static const struct {
		unsigned cpu;
		uint32_t kind;
	} rows[] = { { 800, 0 }, { 803, 0 }, { 900, 1 }, { 907, 1 }, { 908, 0 }, { 910, 1 },
		{ 911, 0 }, { 5000, 0 } };
	struct ep_cores cores;

	find_among(machine, &cores);
	CHECK_INT(cores.n_kinds, 2);
	CHECK_STR(cores.kinds[0].name, "cpu_core");
	CHECK_STR(cores.kinds[1].name, "cpu_atom");
	CHECK_INT(cores.kinds[1].type, 10);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_cores_kind_of(&cores, rows[i].cpu) == rows[i].kind, "%u", rows[i].cpu);
}

/* A program that is bound to the small cores (taskset) is measured with their PMU. */
TEST(kinds_that_may_be_used_come_first)
{
	static const struct pmu machine[] = { { "cpu_core", "4\n", "800-803\n" },
		{ "cpu_atom", "10\n", "0-799\n" }, { NULL } };
	struct ep_cores cores;

	find_among(machine, &cores);
	CHECK_STR(cores.kinds[0].name, "cpu_atom");
	CHECK_STR(cores.kinds[1].name, "cpu_core");
}

TEST(events_for_a_kind)
{
	static const struct pmu machine[] = { { "cpu_core", "4\n", "800-803\n" },
		{ "cpu_atom", "10\n", "900-907\n" }, { NULL } };
	static const struct {
		uint32_t type;
		uint64_t config;
		uint32_t flags, kind, expected_type;
		uint64_t expected_config;
	} rows[] = {
		{ PERF_TYPE_HARDWARE, 1, 0, 0, PERF_TYPE_HARDWARE, 0x400000001 },
		{ PERF_TYPE_HARDWARE, 1, 0, 1, PERF_TYPE_HARDWARE, 0xa00000001 },
		{ PERF_TYPE_HW_CACHE, 0x10002, 0, 1, PERF_TYPE_HW_CACHE, 0xa00010002 },
		{ PERF_TYPE_SOFTWARE, 2, EP_EVENT_SOFTWARE, 1, PERF_TYPE_SOFTWARE, 2 },
		{ 10, 0x3c, 0, 0, 10, 0x3c },
		{ 10, 0x3c, 0, 1, 10, 0x3c }, /* cpu_atom/event=0x3c/ */
	};
	struct ep_event event = { .type = PERF_TYPE_HARDWARE, .config = 1 }, here;
	struct ep_cores cores = { 0 };

	CHECK_INT(ep_cores_encode(&cores, 0, &event, &here), 0);
	CHECK(here.config == 1);
	find_among(machine, &cores);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		event = (struct ep_event){
			.type = rows[i].type, .config = rows[i].config, .flags = rows[i].flags
		};
		CHECK_INT(ep_cores_encode(&cores, rows[i].kind, &event, &here), 0);
		CHECK_MSG(here.type == rows[i].expected_type &&
				  here.config == rows[i].expected_config,
			"%zu: %u %llx", i, here.type, (unsigned long long)here.config);
	}
#if defined(__x86_64__)
	/* the big cores' code means another event, or none, on the small ones */
	event = (struct ep_event){ .type = PERF_TYPE_RAW, .config = 0x2c2 };
	CHECK_INT(ep_cores_encode(&cores, 0, &event, &here), 0);
	CHECK_INT(here.type, PERF_TYPE_RAW);
	CHECK_INT(ep_cores_encode(&cores, 1, &event, &here), -ENOENT);
#endif
}

TEST(a_stay_on_the_first_kind)
{
	static const struct pmu elsewhere[] = { { "cpu_core", "4\n", "1000-1003\n" },
		{ "cpu_atom", "10\n", "1004-1007\n" }, { NULL } };
	struct pmu machine[] = { { "cpu_core", "4\n" }, { "cpu_atom", "10\n", "1000-1007\n" },
		{ NULL } };
	cpu_set_t before, there, after;
	struct ep_cores cores;
	struct ep_cores_stay stay;
	char text[16];

	CHECK_INT(sched_getaffinity(0, sizeof(before), &before), 0);
	snprintf(text, sizeof(text), "%d\n", sched_getcpu());
	machine[0].cpus = text;
	find_among(machine, &cores);
	ep_cores_enter(&cores, &stay);
	CHECK_INT(sched_getaffinity(0, sizeof(there), &there), 0);
	CHECK_INT(CPU_COUNT(&there), 1);
	CHECK(CPU_ISSET(atoi(text), &there));
	ep_cores_leave(&stay);
	CHECK_INT(sched_getaffinity(0, sizeof(after), &after), 0);
	CHECK(CPU_EQUAL(&before, &after));
	/* none of its cores may be used: it stays where it is */
	find_among(elsewhere, &cores);
	ep_cores_enter(&cores, &stay);
	CHECK(!stay.is_moved);
	CHECK_INT(sched_getaffinity(0, sizeof(after), &after), 0);
	CHECK(CPU_EQUAL(&before, &after));
	ep_cores_leave(&stay);
}
