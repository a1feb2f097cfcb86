// SPDX-License-Identifier: BSD-3-Clause
/* The kernel's software events, which every machine has: known work, groups that take turns. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "counters/sources/perf_plan.h"
#include "counters/sources/source.h"
#include "tests/unit/permission.h"

static struct ep_plan plan;
static struct ep_counters counters;

static int prepare(const char *events, struct ep_error *err)
{
	struct ep_settings settings;

	ep_settings_init(&settings);
	settings.events = events;
	memset(&plan, 0, sizeof(plan));
	memset(&counters, 0, sizeof(counters));
	counters.plan = &plan;
	ep_fds_init();
	return ep_source_perf.prepare(&plan, &settings, err);
}

/* Whether this user may count page faults in user mode; who may not is told so. */
static bool may_count(void)
{
	struct ep_error err = { 0 };

	if (!software_event_error(PERF_COUNT_SW_PAGE_FAULTS_MIN, true))
		return true;
	CHECK_INT(prepare("minor-faults", &err), -ENOENT);
	CHECK(strstr(err.message, "'minor-faults' is not counted: not permitted") != NULL);
	return false;
}

static void touch_pages(int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (size_t)n * page;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, size, MADV_NOHUGEPAGE);
	for (int i = 0; i < n; i++)
		((volatile char *)memory)[(size_t)i * page] = 1;
	munmap(memory, size);
}

static uint64_t count_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt;
}

/* A slice of n_pages faults: not fewer are counted, nor more than the kernel's own account has around
 * the slice, which knows those that its page reclaim adds. */
static void check_slice(uint32_t group, int n_pages)
{
	struct ep_slice_counts counts;
	uint64_t around;

	touch_pages(70); /* between slices: not counted */
	around = count_faults();
	ep_source_perf.start(&counters, group);
	touch_pages(n_pages);
	ep_source_perf.stop(&counters, group, false, &counts);
	around = count_faults() - around;
	CHECK(counts.did_run);
	CHECK(counts.running_ns > 0 && counts.running_ns <= counts.enabled_ns);
	CHECK_MSG(counts.values[0] >= (uint64_t)n_pages && counts.values[0] <= around,
		"%llu faults for %d, %llu around the slice", (unsigned long long)counts.values[0],
		n_pages, (unsigned long long)around);
}

/* Our descriptors lie above the soft limit, where the program cannot put one of its own. */
static void allow_number(int fd)
{
	struct rlimit limit;

	CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur > (rlim_t)fd)
		return;
	limit.rlim_cur = (rlim_t)fd + 1;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(one_group_stays_on_and_counts_its_slices)
{
	struct ep_error err;

	if (!may_count())
		SKIP("this user may not count software events");
	CHECK_INT(prepare("minor-faults,context-switches", &err), 0);
	CHECK_INT(plan.n_groups, 1);
	CHECK_INT(ep_source_perf.open(&counters, 0), 0);
	for (int n = 0; n < 500; n += 100)
		check_slice(0, n);
	ep_source_perf.close(&counters);
	CHECK_INT(counters.fds[0], -1);
	CHECK_INT(ep_fds_next(0), -1);
}

/* Two groups by hand, as a PMU with too few counters has: each counts only its own slices. */
TEST(groups_take_turns)
{
	struct ep_error err;

	if (!may_count())
		SKIP("this user may not count software events");
	CHECK_INT(prepare("minor-faults", &err), 0);
	CHECK_INT(ep_plan_add_group(&plan, (uint8_t[]){ 0 }, 1), 0);
	CHECK_INT(ep_source_perf.open(&counters, 1), 0);
	for (int i = 0; i < 6; i++)
		check_slice((i + 1) % 2, 100 * (i + 1));
	ep_source_perf.close(&counters);
	CHECK_INT(ep_fds_next(0), -1);
}

/* All CPUs are of this kind, and none of the other. */
static void put_all_cpus_into(uint32_t kind)
{
	ep_perf_cores.n_kinds = 2;
	memset(ep_perf_cores.kinds, 0, sizeof(ep_perf_cores.kinds));
	memset(ep_perf_cores.kinds[kind].cpus, 0xff, sizeof(ep_perf_cores.kinds[kind].cpus));
}

/* The group's events are opened for the kind of core that the slice begins on, once. */
TEST(each_kind_of_cores_has_a_group_of_its_own)
{
	static const uint32_t kinds[] = { 0, 1, 1, 0, 1 };
	struct ep_error err;

	if (!may_count())
		SKIP("this user may not count software events");
	CHECK_INT(prepare("minor-faults", &err), 0);
	put_all_cpus_into(0);
	CHECK_INT(ep_source_perf.open(&counters, 0), 0);
	CHECK_INT(counters.fds[1], -1);
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		put_all_cpus_into(kinds[i]);
		check_slice(0, 100 * (int)(i + 1));
		CHECK_INT(counters.opening, kinds[i]);
	}
	CHECK(counters.fds[0] >= 0 && counters.fds[1] >= 0);
	ep_source_perf.close(&counters);
	CHECK_INT(ep_fds_next(0), -1);
	ep_perf_cores.n_kinds = 0;
}

TEST(descriptors_that_are_the_programs_are_left_alone)
{
	struct ep_slice_counts counts;
	struct ep_error err;
	char text[8];
	int ends[2];

	if (!may_count())
		SKIP("this user may not count software events");
	CHECK_INT(prepare("minor-faults", &err), 0);
	CHECK_INT(ep_source_perf.open(&counters, 0), 0);
	CHECK_INT(pipe(ends), 0);
	CHECK_INT(write(ends[1], "mydata!", 8), 8);
	ep_source_perf.start(&counters, 0);
	allow_number(counters.fds[0]);
	CHECK_INT(dup2(ends[0], counters.fds[0]), counters.fds[0]);
	ep_source_perf.stop(&counters, 0, false, &counts);
	ep_source_perf.start(&counters, 0);
	CHECK(!counts.did_run);
	CHECK(counters.is_lost);
	CHECK_INT(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	CHECK_INT(read(ends[0], text, 8), 8);
	CHECK(!strcmp(text, "mydata!"));
	ep_source_perf.close(&counters);
	CHECK(fcntl(ends[0], F_GETFD) >= 0);
}

/* The program counts, too, and its event has the number of ours by now. */
TEST(a_perf_event_of_the_programs_is_not_taken_for_ours)
{
	struct ep_slice_counts counts;
	struct ep_error err;
	int theirs;

	if (!may_count())
		SKIP("this user may not count software events");
	CHECK_INT(prepare("minor-faults", &err), 0);
	CHECK_INT(ep_source_perf.open(&counters, 0), 0);
	theirs = ep_perf_open(&plan.events[0], 0, -1);
	CHECK(theirs >= 0);
	allow_number(counters.fds[0]);
	CHECK_INT(dup2(theirs, counters.fds[0]), counters.fds[0]);
	ep_source_perf.stop(&counters, 0, false, &counts);
	CHECK(!counts.did_run);
	CHECK(counters.is_lost);
	ep_source_perf.close(&counters);
	CHECK(fcntl(theirs, F_GETFD) >= 0);
	close(theirs);
}

TEST(what_cannot_be_counted_is_named)
{
	struct ep_error err;

	CHECK_INT(prepare("no-such-event", &err), -ENOENT);
	CHECK(strstr(err.message, "no-such-event") != NULL);
	if (!may_count())
		SKIP("this user may not count software events");
	CHECK_INT(prepare("no-such-event,minor-faults", &err), 0);
	CHECK_INT(plan.n_events, 1);
	CHECK(strstr(plan.notes, "'no-such-event' is not counted") != NULL);
}
