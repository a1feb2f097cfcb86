// SPDX-License-Identifier: BSD-3-Clause
/* Known work is counted exactly. */
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/sys.h"
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

/* Counts between a slice's end and the next one's start are the handler's and left out, except
 * where start was told that there were none. */
TEST(a_slice_that_goes_on_begins_where_the_last_one_ended)
{
	uint64_t between[2], within;
	struct ep_slice_counts counts;
	struct ep_error err;

	CHECK_INT(prepare("minor-faults", &err), 0);
	CHECK_INT(ep_source_rusage.open(&counters, 0), 0);
	ep_source_rusage.start(&counters, 0);
	for (int goes_on = 0; goes_on < 2; goes_on++) {
		ep_source_rusage.stop(&counters, 0, false, &counts);
		touch_pages(1000);
		counters.goes_on = goes_on;
		ep_source_rusage.start(&counters, 0);
		within = count_faults();
		touch_pages(100);
		within = count_faults() - within;
		ep_source_rusage.stop(&counters, 0, false, &counts);
		CHECK(counts.values[0] >= within);
		between[goes_on] = counts.values[0] - within;
	}
	CHECK_MSG(between[0] < 500, "%llu faults from outside", (unsigned long long)between[0]);
	CHECK_MSG(between[1] >= 1000, "%llu of 1000 faults", (unsigned long long)between[1]);
	ep_source_rusage.close(&counters);
}

/* Reading the thread's clock brings the account up to date, as a tick does. */
TEST(stop_tells_the_cpu_time_of_the_kernels_last_look)
{
	struct ep_slice_counts counts;
	uint64_t before_ns, after_ns;
	struct ep_error err;

	CHECK(ep_source_rusage.tells_cpu_time);
	CHECK_INT(prepare("minor-faults", &err), 0);
	CHECK_INT(ep_source_rusage.open(&counters, 0), 0);
	ep_source_rusage.start(&counters, 0);
	for (int i = 0; i < 100; i++) {
		touch_pages(20);
		before_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID);
		ep_source_rusage.stop(&counters, 0, false, &counts);
		after_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID);
		CHECK_MSG(counts.cpu_ns + 2000 >= before_ns && counts.cpu_ns <= after_ns,
			"%llu ns, not %llu to %llu", (unsigned long long)counts.cpu_ns,
			(unsigned long long)before_ns, (unsigned long long)after_ns);
	}
	ep_source_rusage.stop(&counters, 0, true, &counts);
	CHECK_INT(counts.cpu_ns, 0);
	ep_source_rusage.close(&counters);
}

/* Whether this user may count migrations; who may not is told why. */
static bool prepare_migrations(void)
{
	int error = software_event_error(PERF_COUNT_SW_CPU_MIGRATIONS, false);
	struct ep_error err = { 0 };

	CHECK_INT(prepare("cpu-migrations", &err), error ? -ENOENT : 0);
	if (error) {
		CHECK(strstr(err.message, error == EACCES ? "perf_event_paranoid does not permit it"
							  : "perf_event_open is refused") != NULL);
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

/* The first two that this process may use; on a single one, that twice. */
static int two_cpus(const cpu_set_t *allowed, int cpus[2])
{
	int n_cpus = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE && n_cpus < 2; cpu++)
		if (CPU_ISSET(cpu, allowed))
			cpus[n_cpus++] = cpu;
	if (n_cpus < 2)
		cpus[1] = cpus[0];
	return n_cpus;
}

static uint64_t stop_and_go_on(bool is_cut)
{
	struct ep_slice_counts counts;

	counters.is_cut = is_cut;
	ep_source_rusage.stop(&counters, 0, false, &counts);
	ep_source_rusage.start(&counters, 0);
	return counts.values[0];
}

/* Moved to each of two CPUs in turn; on a single one nothing moves. */
TEST(migrations_are_counted_once)
{
	int cpus[2] = { 0 }, n_cpus;
	uint64_t sum = 0;
	cpu_set_t old;

	sched_getaffinity(0, sizeof(old), &old);
	n_cpus = two_cpus(&old, cpus);
	if (!prepare_migrations())
		SKIP("this user may not count migrations");
	move_to(cpus[0]);
	stop_and_go_on(true);
	CHECK_INT(counters.fds[0], -1); /* a thread that ends before its first tick opens nothing */
	for (int i = 0; i < 6; i++) {
		move_to(cpus[1 - i % 2]);
		sum += stop_and_go_on(false);
		CHECK(counters.fds[0] >= 0);
	}
	CHECK_INT(sum, n_cpus < 2 ? 0 : 6);
	sched_setaffinity(0, sizeof(old), &old);
	ep_source_rusage.close(&counters);
	CHECK_INT(counters.fds[0], -1);
}

/* Which is not seen by where the thread is: by the last slice at the latest, or after some slices.
 */
TEST(migrations_there_and_back_are_counted)
{
	int cpus[2] = { 0 }, n_cpus;
	cpu_set_t old;

	sched_getaffinity(0, sizeof(old), &old);
	n_cpus = two_cpus(&old, cpus);
	if (!prepare_migrations())
		SKIP("this user may not count migrations");
	stop_and_go_on(false); /* the first tick */
	for (int with_last = 0; with_last < 2; with_last++) {
		uint64_t sum = 0;

		move_to(cpus[0]);
		stop_and_go_on(true);
		move_to(cpus[1]);
		move_to(cpus[0]);
		for (int i = 0; i < (with_last ? 3 : 64); i++) {
			usleep(50);
			sum += stop_and_go_on(false);
		}
		if (with_last)
			sum += stop_and_go_on(true);
		CHECK_INT(sum, n_cpus < 2 ? 0 : 2);
	}
	sched_setaffinity(0, sizeof(old), &old);
	ep_source_rusage.close(&counters);
	counters.is_cut = false;
}

TEST(a_descriptor_that_is_the_programs_is_not_read)
{
	struct ep_slice_counts counts;
	int ends[2];
	char text[8];

	if (!prepare_migrations())
		SKIP("this user may not count migrations");
	stop_and_go_on(false);
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

static int forbid_getrusage(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getrusage, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { EP_ARRAY_SIZE(rules), rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

enum { NOT_RUN, RUN, NO_FILTER };

/* A slice that begins before the sandbox or in it, and ends there. */
static int slice_in_a_sandbox(bool begins_before)
{
	struct ep_slice_counts counts;

	if (begins_before)
		ep_source_rusage.start(&counters, 0);
	if (forbid_getrusage())
		return NO_FILTER;
	if (!begins_before)
		ep_source_rusage.start(&counters, 0);
	ep_source_rusage.stop(&counters, 0, false, &counts);
	return counts.did_run ? RUN : NOT_RUN;
}

TEST(where_nothing_may_be_asked_nothing_was_counted)
{
	struct ep_error err;
	int status;

	CHECK_INT(prepare("minor-faults,context-switches", &err), 0);
	CHECK_INT(ep_source_rusage.open(&counters, 0), 0);
	for (int begins_before = 0; begins_before < 2; begins_before++) {
		pid_t child = fork();

		if (!child)
			_exit(slice_in_a_sandbox(begins_before));
		CHECK_INT(waitpid(child, &status, 0), child);
		if (WEXITSTATUS(status) == NO_FILTER)
			SKIP("this kernel has no seccomp filters");
		CHECK_INT(status, NOT_RUN << 8);
	}
	ep_source_rusage.close(&counters);
}

/* The plan of a joined trace is what its file says. */
TEST(a_plan_that_is_none_is_refused)
{
	struct ep_settings settings;
	struct ep_error err;

	CHECK_INT(prepare("minor-faults,context-switches", &err), 0);
	ep_settings_init(&settings);
	CHECK_INT(ep_source_rusage.resume(&plan, &settings, &err), 0);
	plan.events[1].column = 1000;
	CHECK_INT(ep_source_rusage.resume(&plan, &settings, &err), -EINVAL);
	plan.events[1].column = 0;
	plan.n_events = 100;
	CHECK_INT(ep_source_rusage.resume(&plan, &settings, &err), -EINVAL);
}
