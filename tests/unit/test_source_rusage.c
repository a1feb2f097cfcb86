// SPDX-License-Identifier: BSD-3-Clause
/* Known work is counted exactly. */
#include "tests/unit/test.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/fds.h"
#include "preload/sources/source.h"
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
	return ep_source_rusage.prepare(&plan, &settings, err);
}

static void touch_pages(int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * page;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, size, MADV_NOHUGEPAGE);
	for (int i = 0; i < n; i++)
		((volatile char *)memory)[(size_t)i * page] = 1;
	munmap(memory, size);
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

static uint64_t count_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt;
}

/* Faults by the kernel's own account, which knows those that its page reclaim adds, too: not less
 * than within the slice, not more than around it. */
TEST(page_faults_and_switches_are_counted)
{
	uint64_t around, within;
	struct rusage before, after;
	struct ep_slice_counts counts;
	struct ep_error err;

	CHECK_INT(prepare("minor-faults,voluntary-switches", &err), 0);
	CHECK_INT(ep_source_rusage.open(&counters, 0), 0);
	for (int n = 0; n < 600; n += 200) {
		touch_pages(n + 50); /* outside: not counted */
		around = count_faults();
		ep_source_rusage.start(&counters, 0);
		within = count_faults();
		touch_pages(n);
		getrusage(RUSAGE_THREAD, &before);
		for (int i = 0; i < 3; i++)
			usleep(2000);
		getrusage(RUSAGE_THREAD, &after);
		within = count_faults() - within;
		ep_source_rusage.stop(&counters, 0, false, &counts);
		around = count_faults() - around;
		CHECK(counts.did_run);
		CHECK(within >= (uint64_t)n);
		CHECK_MSG(counts.values[0] >= within && counts.values[0] <= around,
			"%llu faults, %llu within the slice and %llu around it",
			(unsigned long long)counts.values[0], (unsigned long long)within,
			(unsigned long long)around);
		CHECK(after.ru_nvcsw > before.ru_nvcsw);
		CHECK_INT(counts.values[1], after.ru_nvcsw - before.ru_nvcsw);
	}
	ep_source_rusage.stop(&counters, 0, true, &counts);
	CHECK(!counts.did_run); /* another thread cannot ask: missing */
	ep_source_rusage.close(&counters);
}

/* Whether this user may count migrations; who may not is told why. */
static bool prepare_migrations(void)
{
	int error = software_event_error(PERF_COUNT_SW_CPU_MIGRATIONS, false);
	struct ep_error err = { 0 };

	CHECK_INT(prepare("cpu-migrations", &err), error ? -ENOENT : 0);
	if (error) {
		CHECK(strstr(err.message, error == EACCES ? "perf_event_paranoid does not permit it" :
							    "perf_event_open is refused") != NULL);
		return false;
	}
	CHECK_INT(ep_source_rusage.open(&counters, 0), 0);
	return true;
}

static void move_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* Moved to each of the first two CPUs in turn that this process may use; on a single one nothing
 * moves. */
TEST(migrations_are_counted_once)
{
	struct ep_slice_counts counts;
	int cpus[2] = { 0 }, n_cpus = 0;
	uint64_t sum = 0;
	cpu_set_t old;

	sched_getaffinity(0, sizeof(old), &old);
	for (int cpu = 0; cpu < CPU_SETSIZE && n_cpus < 2; cpu++)
		if (CPU_ISSET(cpu, &old))
			cpus[n_cpus++] = cpu;
	if (n_cpus < 2)
		cpus[1] = cpus[0];
	if (!prepare_migrations())
		SKIP("this user may not count migrations");
	CHECK(counters.fds[0] >= 0);
	move_to(cpus[0]);
	ep_source_rusage.stop(&counters, 0, false, &counts);
	for (int i = 0; i < 6; i++) {
		ep_source_rusage.start(&counters, 0);
		move_to(cpus[1 - i % 2]);
		ep_source_rusage.stop(&counters, 0, false, &counts);
		sum += counts.values[0];
	}
	CHECK_INT(sum, n_cpus < 2 ? 0 : 6);
	sched_setaffinity(0, sizeof(old), &old);
	ep_source_rusage.close(&counters);
	CHECK_INT(counters.fds[0], -1);
}

TEST(a_descriptor_that_is_the_programs_is_not_read)
{
	struct ep_slice_counts counts;
	int ends[2];
	char text[8];

	if (!prepare_migrations())
		SKIP("this user may not count migrations");
	CHECK(counters.fds[0] >= 0);
	CHECK_INT(pipe(ends), 0);
	CHECK_INT(write(ends[1], "mydata!", 8), 8);
	allow_number(counters.fds[0]);
	CHECK_INT(dup2(ends[0], counters.fds[0]), counters.fds[0]);
	ep_source_rusage.stop(&counters, 0, false, &counts);
	CHECK_INT(read(ends[0], text, 8), 8);
	CHECK_STR(text, "mydata!");
}

TEST(unknown_events_are_named)
{
	struct ep_error err;

	CHECK_INT(prepare("cycles", &err), -ENOENT);
	CHECK(strstr(err.message, "'cycles'") != NULL);
	CHECK_INT(prepare("cycles,minor-faults", &err), 0);
	CHECK_INT(plan.n_events, 1);
	CHECK(strstr(plan.notes, "'cycles'") != NULL);
	CHECK_INT(prepare("", &err), 0);
	CHECK(plan.n_events >= 3);
}
