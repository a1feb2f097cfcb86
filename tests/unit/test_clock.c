// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/scheduler.h"
#include "common/os/sys.h"
#include "preload/recording/clock.h"
#include "tests/unit/slice_handler.h"

static atomic_int n_ticks;
static _Atomic int tick_tid;

static void on_tick(int sig)
{
	n_ticks++;
	tick_tid = ep_sys_gettid();
}

static void begin(void)
{
	ep_fds_init();
	handle_slice_signal(on_tick);
	n_ticks = 0;
}

/* Uses CPU time until n_wanted ticks have come, or until then. Mostly in user mode, where every
 * clock ticks: to read the time is a system call. */
static int spin(int n_wanted, uint64_t until_ns)
{
	while (n_ticks < n_wanted && ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		for (int i = 0; i < 20000 && n_ticks < n_wanted; i++)
			;
	return n_ticks;
}

/* Likewise, or some seconds. */
static int spin_until(int n_wanted)
{
	return spin(n_wanted, ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 3000000000u);
}

/* No tick is waited for where the clock does not open. */
#define OPEN(clock, kind, period_ns)                                                               \
	do {                                                                                       \
		int test_rc = ep_clock_open(clock, kind, period_ns, 0);                            \
		CHECK_INT(test_rc, 0);                                                             \
		if (test_rc)                                                                       \
			return;                                                                    \
	} while (0)

TEST(the_kind_found_works)
{
	enum ep_clock_kind kind = ep_clock_probe(true);
	struct ep_clock clock;

	begin();
	CHECK(kind != EP_CLOCK_NONE);
	OPEN(&clock, kind, 1000000);
	CHECK_INT(clock.kind, kind);
	CHECK(spin_until(20) >= 20);
	CHECK_INT(tick_tid, ep_sys_gettid());
	ep_clock_close(&clock);
	CHECK_INT(clock.kind, EP_CLOCK_NONE);
}

TEST(every_kind_ticks_until_closed)
{
	static const enum ep_clock_kind kinds[] = { EP_CLOCK_TASK, EP_CLOCK_TASK_USER,
		EP_CLOCK_TIMER, EP_CLOCK_MIXED };

	begin();
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		struct ep_clock clock;
		int rc = ep_clock_open(&clock, kinds[i], 2000000, 0), n;
		uint64_t end_ns;

		if (rc == -EACCES || rc == -EPERM) {
			CHECK_INT(clock.kind, EP_CLOCK_NONE);
			continue;
		}
		CHECK_INT(rc, 0);
		if (rc)
			continue;
		n_ticks = 0;
		CHECK_MSG(spin_until(3) >= 3, "%s", ep_clock_name(kinds[i]));
		ep_clock_close(&clock);
		n = n_ticks;
		end_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 30000000;
		while (ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			;
		CHECK_MSG(n_ticks <= n + 1, "%s ticks when closed", ep_clock_name(kinds[i]));
		ep_clock_close(&clock);
	}
}

/* A tick that the full queue of signals kept out comes as SIGIO, whose handler may take longer than a period. */
TEST(a_task_clock_that_is_slowed_down_ticks_late_once)
{
	enum ep_clock_kind kind = ep_clock_probe(false);
	struct ep_clock clock;
	int n;

	if (kind == EP_CLOCK_TIMER)
		SKIP("this user has no task-clock");
	begin();
	OPEN(&clock, EP_CLOCK_TASK_USER, 100000);
	CHECK(spin_until(1) >= 1);
	ep_clock_slow_down(&clock);
	n = n_ticks;
	CHECK(spin(n + 20, ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 8000000) <= n + 2);
	CHECK(ep_clock_tick(&clock, ep_now_ns(CLOCK_THREAD_CPUTIME_ID)));
	CHECK(!clock.is_slowed);
	CHECK(spin_until(n_ticks + 20) >= 20);
	ep_clock_close(&clock);
}

static struct ep_clock lossy;

static void on_lost_tick(int sig)
{
	n_ticks++;
	ep_clock_lose_tick(&lossy);
}

/* The first tick comes after less than a period, in most of these clocks after less than half of one. The bound is of the
 * time that passed, since a task-clock counts what a host takes from its guest, too. */
TEST(ticks_that_are_lost_come_once_a_period_too)
{
	begin();
	handle_slice_signal(on_lost_tick);
	for (int i = 0; i < 12; i++) {
		uint64_t begin_ns = ep_now_ns(CLOCK_MONOTONIC);
		int rc = ep_clock_open(&lossy, EP_CLOCK_TASK_USER, 4000000, 0);

		if (rc == -EACCES || rc == -EPERM)
			break;
		CHECK_INT(rc, 0);
		n_ticks = 0;
		spin(INT_MAX, ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 40000000);
		uint64_t gone_ns = ep_now_ns(CLOCK_MONOTONIC) - begin_ns;
		ep_clock_close(&lossy);
		CHECK_MSG((uint64_t)n_ticks <= gone_ns / 3500000 + 2, "%d ticks", n_ticks);
	}
}

/* A thread without a clock is no part of the profile, and its time goes to others. */
TEST(a_thread_that_finds_no_descriptor_has_a_timer)
{
	enum ep_clock_kind kind = ep_clock_probe(false);
	struct ep_clock clock;
	struct rlimit before, none = { 0, 0 };
	int rc;

	if (kind == EP_CLOCK_TIMER)
		SKIP("this user has no task-clock");
	begin();
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	rc = ep_clock_open(&clock, kind, 2000000, 0);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
	CHECK_INT(rc, 0);
	if (rc)
		return;
	CHECK_INT(clock.kind, EP_CLOCK_TIMER);
	CHECK(spin_until(3) >= 3);
	ep_clock_close(&clock);
}

/* Ticks that are due end the sleep early where the machine's host takes the CPU away: the clock counts that time, and
 * the thread's CPU time does not. */
TEST(sleep_does_not_tick)
{
	enum { SLEEP_MS = 100 };
	struct timespec time = { 0, SLEEP_MS * 1000000 };
	struct ep_clock clock;
	int n;

	begin();
	OPEN(&clock, ep_clock_probe(false), 1000000);
	spin_until(1);
	n = n_ticks;
	while (nanosleep(&time, &time))
		CHECK_INT(errno, EINTR);
	CHECK_MSG(n_ticks <= n + SLEEP_MS / 2, "%d ticks in %d ms of sleep", n_ticks - n, SLEEP_MS);
	ep_clock_close(&clock);
}

TEST(lengths_are_around_the_period)
{
	static const uint64_t periods_ns[] = { 100000, 1000000, 10000000, 10000000000 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(periods_ns); i++) {
		uint64_t period_ns = periods_ns[i], chance = 1000 + i, least_ns = UINT64_MAX;
		uint64_t most_ns = 0;
		double sum_ns = 0;

		for (int k = 0; k < 1000; k++) {
			uint64_t length_ns = ep_clock_next_length(period_ns, &chance);

			least_ns = length_ns < least_ns ? length_ns : least_ns;
			most_ns = length_ns > most_ns ? length_ns : most_ns;
			sum_ns += (double)length_ns;
		}
		CHECK(least_ns >= period_ns - period_ns / 8 &&
			most_ns <= period_ns + period_ns / 8);
		CHECK(least_ns < period_ns - period_ns / 9 && most_ns > period_ns + period_ns / 9);
		CHECK(fabs(sum_ns / 1000 / (double)period_ns - 1) < 0.01);
	}
}

/* Draws 400,000 threads' ticks in each tenth of two periods: a first part of a whole period before
 * lengths of their own would bring the tenth before the first period's end a fourth too many. */
TEST(every_moment_is_as_likely_to_be_met)
{
	enum { N_THREADS = 400000, N_BINS = 20 };
	const uint64_t period_ns = 100000000;
	uint64_t chance = 5;
	int n_met[N_BINS] = { 0 };

	for (int i = 0; i < N_THREADS; i++) {
		uint64_t length_ns, at_ns;

		at_ns = ep_clock_first_of_varied(period_ns, &chance, &length_ns);
		for (; at_ns < 2 * period_ns; at_ns += length_ns)
			n_met[at_ns * 10 / period_ns]++;
	}
	for (int k = 0; k < N_BINS; k++)
		CHECK_MSG(fabs(n_met[k] * 10. / N_THREADS - 1) < 0.02, "tenth %d: %d", k, n_met[k]);
}

/* Threads that begin together, and so with numbers in a row, are not in step with each other. */
TEST(threads_have_other_lengths)
{
	uint64_t lengths_ns[8];

	for (uint64_t tid = 0; tid < EP_ARRAY_SIZE(lengths_ns); tid++) {
		uint64_t chance = 4000 + tid;

		lengths_ns[tid] = ep_clock_next_length(1000000, &chance);
		for (uint64_t k = 0; k < tid; k++)
			CHECK(lengths_ns[k] != lengths_ns[tid]);
	}
}

/* Goes through n_lengths; of each the shortest slice, which nothing lengthened. */
static void shortest_slices(struct ep_clock *clock, int n_lengths, uint64_t *shortest_ns)
{
	n_ticks = 0;
	for (int i = 0; i < n_lengths; i++) {
		shortest_ns[i] = UINT64_MAX;
		for (int k = 0; k < EP_CLOCK_TICKS_OF_A_LENGTH; k++) {
			uint64_t begin_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID), slice_ns;

			spin_until(EP_CLOCK_TICKS_OF_A_LENGTH * i + k + 1);
			slice_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
			ep_clock_tick(clock, ep_now_ns(CLOCK_THREAD_CPUTIME_ID));
			if (k && slice_ns < shortest_ns[i])
				shortest_ns[i] = slice_ns;
		}
	}
}

TEST(lengths_vary_with_every_kind)
{
	static const enum ep_clock_kind kinds[] = { EP_CLOCK_TASK, EP_CLOCK_TASK_USER };
	const uint64_t period_ns = 500000;
	uint64_t shortest_ns[12];

	begin();
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		uint64_t least_ns = UINT64_MAX, most_ns = 0;
		struct ep_clock clock;

		if (ep_clock_open(&clock, kinds[i], period_ns, 0) || clock.kind != kinds[i])
			continue;
		shortest_slices(&clock, EP_ARRAY_SIZE(shortest_ns), shortest_ns);
		for (size_t k = 0; k < EP_ARRAY_SIZE(shortest_ns); k++) {
			least_ns = shortest_ns[k] < least_ns ? shortest_ns[k] : least_ns;
			most_ns = shortest_ns[k] > most_ns ? shortest_ns[k] : most_ns;
		}
		CHECK_MSG(most_ns - least_ns > period_ns / 16, "%s: %llu to %llu ns",
			ep_clock_name(kinds[i]), (unsigned long long)least_ns,
			(unsigned long long)most_ns);
		ep_clock_close(&clock);
	}
}

/* A timer whose ticks are the kernel's own, some milliseconds apart. */
TEST(a_timer_ticks_on_when_its_length_varies)
{
	struct ep_clock clock;

	begin();
	OPEN(&clock, EP_CLOCK_TIMER, 1000000);
	for (int k = 1; k <= 2 * EP_CLOCK_TICKS_OF_A_LENGTH; k++) {
		CHECK_MSG(spin_until(k) >= k, "tick %d", k);
		CHECK_INT(ep_clock_tick(&clock, ep_now_ns(CLOCK_THREAD_CPUTIME_ID)),
			k > 1 && k % EP_CLOCK_TICKS_OF_A_LENGTH == 1);
	}
	ep_clock_close(&clock);
	CHECK(!ep_clock_tick(&clock, ep_now_ns(CLOCK_THREAD_CPUTIME_ID)));
	CHECK_INT(clock.kind, EP_CLOCK_NONE);
}

/* ---- the patient clock ---- */

#define PATIENT_MS 1000000

static uint64_t thread_ns(void)
{
	return ep_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

TEST(a_patient_clock_waits_until_a_tick_is_served)
{
	struct ep_clock clock;

	begin();
	OPEN(&clock, EP_CLOCK_PATIENT, PATIENT_MS);
	CHECK_INT(spin_until(1), 1);
	CHECK_INT(spin(2, thread_ns() + 50 * PATIENT_MS), 1);
	/* it took 20 ms: the program has eight times as many before the next */
	CHECK(ep_clock_tick(&clock, thread_ns() - 20 * PATIENT_MS));
	CHECK_INT(spin(2, thread_ns() + 100 * PATIENT_MS), 1);
	CHECK_INT(spin(2, thread_ns() + 900 * PATIENT_MS), 2);
	ep_clock_close(&clock);
	CHECK_INT(clock.kind, EP_CLOCK_NONE);
}

/* One that could not be served comes again, a second later. */
TEST(a_patient_clock_does_not_stop_for_a_lost_tick)
{
	struct ep_clock clock;

	begin();
	OPEN(&clock, EP_CLOCK_PATIENT, PATIENT_MS);
	CHECK_INT(spin_until(1), 1);
	CHECK_INT(spin(2, thread_ns() + 1500 * PATIENT_MS), 2);
	ep_clock_close(&clock);
}

/* ---- the mixed clock ---- */

#define MIXED_PERIOD_NS 8000000

/* As the handler does, at each of n_wanted ticks; some milliseconds between sleeps where it sleeps. */
static void use_cpu(struct ep_clock *clock, int n_wanted, bool sleeps)
{
	struct timespec moment = { 0, 100000 };

	for (int seen = n_ticks, end = seen + n_wanted; seen < end; seen = n_ticks) {
		if (spin(seen + 1, ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + 3000000) != seen)
			ep_clock_tick(clock, ep_now_ns(CLOCK_THREAD_CPUTIME_ID));
		if (sleeps)
			nanosleep(&moment, NULL);
	}
}

/* At one of n_most ticks. It may change again: a timer is tried anew every 16 periods. */
static bool comes_to(struct ep_clock *clock, bool is_coarse, int n_most, bool sleeps)
{
	for (int k = 0; k < n_most && clock->is_coarse != is_coarse; k++)
		use_cpu(clock, 1, sleeps);
	return clock->is_coarse == is_coarse;
}

static bool opens_mixed(struct ep_clock *clock)
{
	begin();
	return !ep_clock_open(clock, EP_CLOCK_MIXED, MIXED_PERIOD_NS, 0) &&
	       clock->kind == EP_CLOCK_MIXED;
}

TEST(the_scheduler_ticks_for_a_thread_that_computes)
{
	struct ep_clock clock;

	if (!opens_mixed(&clock))
		SKIP("this user has no task-clock");
	use_cpu(&clock, 20, false); /* one of them may be the watching task-clock's */
	CHECK(comes_to(&clock, true, 60, false));
	ep_clock_close(&clock);
	CHECK(!clock.is_coarse);
}

TEST(a_thread_that_sleeps_has_ticks_of_its_own)
{
	struct ep_clock clock;

	if (!opens_mixed(&clock))
		SKIP("this user has no task-clock");
	CHECK(comes_to(&clock, false, 60, true));
	CHECK(comes_to(&clock, true, 60, false));
	ep_clock_close(&clock);
}

/* Should the scheduler's ticks not come at all: the one that watches notices. */
TEST(a_timer_that_stands_still_is_left)
{
	struct itimerspec never = { .it_value = { 0, 0 } };
	struct ep_clock clock;

	if (!opens_mixed(&clock))
		SKIP("this user has no task-clock");
	ep_sys(__NR_timer_settime, clock.timer, 0, &never, NULL);
	CHECK(comes_to(&clock, false, 3, false)); /* one may have been the timer's */
	ep_clock_close(&clock);
}

/* Its ticks would come as SIGIO, which the program would feel. */
TEST(no_clock_ticks_where_the_queue_of_signals_is_full)
{
	static const enum ep_clock_kind kinds[] = { EP_CLOCK_TASK, EP_CLOCK_TASK_USER,
		EP_CLOCK_TIMER, EP_CLOCK_MIXED };
	struct rlimit before, none = { 0, 0 };

	if (ep_clock_probe(false) == EP_CLOCK_TIMER)
		SKIP("this user has no task-clock");
	begin();
	CHECK_INT(getrlimit(RLIMIT_SIGPENDING, &before), 0);
	none.rlim_max = before.rlim_max;
	CHECK_INT(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++) {
		struct ep_clock clock;

		if (kinds[i] == EP_CLOCK_TASK && ep_clock_probe(true) != EP_CLOCK_TASK)
			continue;
		CHECK_INT(ep_clock_open(&clock, kinds[i], MIXED_PERIOD_NS, 0), -EAGAIN);
		CHECK_INT(clock.kind, EP_CLOCK_NONE);
	}
	CHECK_INT(setrlimit(RLIMIT_SIGPENDING, &before), 0);
}

TEST(long_periods_of_a_clock_in_user_mode_are_mixed)
{
	struct timespec tick;
	uint64_t from_ns = ep_clock_mixed_from_ns(EP_CLOCK_TASK_USER);

	CHECK_INT(clock_getres(CLOCK_MONOTONIC_COARSE, &tick), 0);
	CHECK(from_ns >= EP_SCHEDULER_SHORTEST_NS && from_ns >= 2 * (uint64_t)tick.tv_nsec);
	CHECK(ep_clock_mixed_from_ns(EP_CLOCK_TASK) == UINT64_MAX);
	CHECK(ep_clock_mixed_from_ns(EP_CLOCK_TIMER) == UINT64_MAX);
}

TEST(kernels_whose_timers_wait_are_known)
{
	CHECK(ep_scheduler_timers_wait("x86_64", "5.9.0"));
	CHECK(ep_scheduler_timers_wait("x86_64", "5.14.0-362.8.1.el9_3.x86_64"));
	CHECK(ep_scheduler_timers_wait("x86_64", "6.1.0-18-amd64"));
	CHECK(!ep_scheduler_timers_wait("x86_64", "5.8.18"));
	CHECK(!ep_scheduler_timers_wait("x86_64", "4.18.0-513.el8.x86_64"));
	CHECK(ep_scheduler_timers_wait("aarch64", "6.1.0-18-arm64"));
	CHECK(!ep_scheduler_timers_wait("aarch64", "5.10.0"));
	CHECK(!ep_scheduler_timers_wait("riscv64", "6.12.0"));
	CHECK(!ep_scheduler_timers_wait("x86_64", "x"));
}

TEST(names_are_distinct)
{
	CHECK_STR(ep_clock_name(EP_CLOCK_TASK), "task-clock");
	CHECK_STR(ep_clock_name(EP_CLOCK_TASK_USER), "task-clock:u");
	CHECK_STR(ep_clock_name(EP_CLOCK_TIMER), "thread-cputime");
	CHECK_STR(ep_clock_name(EP_CLOCK_MIXED), "thread-cputime+task-clock:u");
}
