// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "counters/events/event.h"

/* libpfm4 asks for the CPU when it is loaded, that is at the first name that needs it. */
__attribute__((constructor)) static void be_a_skylake_server(void)
{
	setenv("LIBPFM_FORCE_PMU", "skx", 1);
}

struct row {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *excluded; /* of "ukh" */
	uint32_t flags;
	const char *unit;
};

static void check_row(const struct row *row)
{
	struct ep_event event;
	struct ep_error err = { .message = "" };
	char excluded[4] = "";

	int rc = ep_perf_encode(row->name, &event, &err);
	CHECK_MSG(rc == 0, "%s: %d %s", row->name, rc, err.message);
	if (rc)
		return;
	CHECK_STR(event.name, row->name);
	CHECK_MSG(event.type == row->type, "%s: type %u", row->name, event.type);
	CHECK_MSG(event.config == row->config, "%s: config %#llx", row->name,
		(unsigned long long)event.config);
	strcat(excluded, event.exclude_user ? "u" : "");
	strcat(excluded, event.exclude_kernel ? "k" : "");
	strcat(excluded, event.exclude_hv ? "h" : "");
	CHECK_STR(excluded, row->excluded);
	CHECK_MSG(event.flags == row->flags, "%s: flags %u", row->name, event.flags);
	CHECK_MSG(event.exclude_guest == !(row->flags & EP_EVENT_SOFTWARE), "%s", row->name);
	CHECK_STR(event.unit, row->unit);
}

TEST(names_of_the_kernel_and_raw_codes)
{
	/* Numbers: include/uapi/linux/perf_event.h */
	static const struct row rows[] = {
		{ "cycles", 0, 0, "", 0, "count" },
		{ "cpu-cycles:u", 0, 0, "kh", 0, "count" },
		{ "instructions:uk", 0, 1, "h", 0, "count" },
		{ "branch-misses:k", 0, 5, "uh", 0, "count" },
		{ "ref-cycles:u:h", 0, 9, "k", 0, "count" },
		{ "PERF_COUNT_HW_CACHE_MISSES", 0, 3, "", 0, "count" },
		{ "task-clock", 1, 1, "", EP_EVENT_SOFTWARE, "ns" },
		{ "Task_Clock:u", 1, 1, "kh", EP_EVENT_SOFTWARE, "ns" },
		{ "perf::PAGE-FAULTS", 1, 2, "", EP_EVENT_SOFTWARE, "count" },
		{ "perf:::faults", 1, 2, "", EP_EVENT_SOFTWARE, "count" },
		{ "cs", 1, 3, "", EP_EVENT_SOFTWARE, "count" },
		{ "L1-dcache-load-misses", 3, 0x10000, "", 0, "count" },
		{ "LLC-store-misses:u", 3, 0x10102, "kh", 0, "count" },
		{ "iTLB-load-misses", 3, 0x10004, "", 0, "count" },
		{ "branch-loads", 3, 0x5, "", 0, "count" },
		{ "r01c0", 4, 0x1c0, "", 0, "count" },
		{ "rFFFFffffFFFFffff:u", 4, UINT64_MAX, "kh", 0, "count" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}

#if defined(__x86_64__)
TEST(a_code_under_a_name)
{
	static const struct {
		const char *text, *name;
		uint64_t config;
	} rows[] = {
		{ "UOPS_ISSUED:ANY=r10e", "UOPS_ISSUED:ANY", 0x10e },
		{ "cycles=rC0", "cycles", 0xc0 },
		{ "my own=r1", "my own", 1 },
		{ "a=b=r12", "a=b", 0x12 },
	};
	struct ep_event event;

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_INT(ep_perf_encode(rows[i].text, &event, NULL), 0);
		CHECK_STR(event.name, rows[i].name);
		CHECK_INT(event.type, 4); /* PERF_TYPE_RAW */
		CHECK_INT(event.config, rows[i].config);
		CHECK(event.exclude_guest && !event.flags);
	}
	CHECK_INT(ep_perf_encode("=r12", &event, NULL), -ENOENT);
	CHECK_INT(ep_perf_encode("nothing=rxyz", &event, NULL), -ENOENT);
}

TEST(names_of_the_cpu)
{
	/* Codes: Intel SDM volume 3B, Skylake server; libpfm4 4.13 encodes the same. */
	static const struct row rows[] = {
		{ "skx::UOPS_RETIRED:RETIRE_SLOTS", 4, 0x2c2, "", 0, "count" },
		{ "UOPS_RETIRED:RETIRE_SLOTS:u", 4, 0x2c2, "kh", 0, "count" },
		{ "IDQ_UOPS_NOT_DELIVERED:CORE", 4, 0x19c, "", 0, "count" },
		{ "CYCLE_ACTIVITY:STALLS_L3_MISS", 4, 0x60006a3, "", 0, "count" },
		{ "UOPS_ISSUED:ANY:c=1:i", 4, 0x180010e, "", 0, "count" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}
#endif

TEST(unknown_names_get_the_nearest)
{
	static const struct {
		const char *name;
		int rc;
		const char *in_message;
	} rows[] = {
		{ "cycels", -ENOENT, "'cycels' on this machine; nearest: cycles" },
		{ "page-fualts:u", -ENOENT, "nearest: page-faults" },
		{ "L1-dcache-load-mises", -ENOENT, "nearest: L1-dcache-load-misses" },
		{ "", -EINVAL, "an empty name" },
		{ ":u", -EINVAL, "':u'" },
		{ "r", -ENOENT, "'r'" },
		{ "r12345678901234567", -ENOENT, "'r12345678901234567'" },
		{ "nopmu/event=1/", -ENOENT, "no PMU 'nopmu'" },
#if defined(__x86_64__)
		{ "IDQ_UOPS_NOT_DELIVERD:CORE", -ENOENT, "nearest: IDQ_UOPS_NOT_DELIVERED" },
		{ "UOPS_RETIRED:RETIRE_SLOT", -ENOENT, "nearest: UOPS_RETIRED:RETIRE_SLOTS" },
		{ "icl::UOPS_RETIRED:SLOTS", -ENOENT, "nearest: skx::UOPS_RETIRED" },
#endif
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_event event = { .name = "untouched" };
		struct ep_error err = { .message = "" };

		int rc = ep_perf_encode(rows[i].name, &event, &err);
		CHECK_MSG(rc == rows[i].rc, "%s: %d", rows[i].name, rc);
		CHECK_MSG(strstr(err.message, rows[i].in_message), "%s: '%s'", rows[i].name,
			err.message);
		CHECK_STR(event.name, "untouched");
	}
}

TEST(a_name_too_long_is_refused)
{
	char name[EP_EVENT_NAME_BYTES + 1];
	struct ep_event event;
	struct ep_error err;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CHECK_INT(ep_perf_encode(name, &event, &err), -EINVAL);
	name[sizeof(name) - 2] = '\0';
	CHECK_INT(ep_perf_encode(name, &event, &err), -ENOENT);
}
