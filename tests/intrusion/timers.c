/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with its own timers: setitimer of all three kinds, alarm, timer_create with a signal, with a signal to a
 * thread and with a callback thread. Each handler must be called for its own timer only, timers that nobody set must
 * read zero, and the program can use the signals that profilers often use.
 */
#include "probe.h"

#include <sys/time.h>

static atomic_int n_seen[65], n_callbacks;

static void note(int s)
{
	n_seen[s]++;
}

static void callback(union sigval value)
{
	n_callbacks++;
	burn_us(500);
}

static void burn_until(atomic_int *count, int goal)
{
	for (int i = 0; i < 4000 && *count < goal; i++)
		burn_ms(1);
	EXPECT_MSG(*count >= goal, "only %d of %d expirations", *count, goal);
}

static void use_itimer(int which, int s)
{
	struct itimerval every_5ms = { { 0, 5000 }, { 0, 5000 } }, off = { { 0 } }, seen;
	int n_after;

	getitimer(which, &seen);
	EXPECT_INT(seen.it_value.tv_usec + seen.it_interval.tv_usec, 0);
	signal(s, note);
	setitimer(which, &every_5ms, NULL);
	burn_until(&n_seen[s], 10);
	setitimer(which, &off, &seen);
	EXPECT_INT(seen.it_interval.tv_usec, 5000);
	n_after = n_seen[s];
	burn_ms(20);
	EXPECT_MSG(n_seen[s] <= n_after + 1, "signal %d goes on", s);
}

static void use_posix(clockid_t clock, struct sigevent event, atomic_int *count)
{
	struct itimerspec every_5ms = { { 0, 5000000 }, { 0, 5000000 } };
	timer_t timer;

	if (timer_create(clock, &event, &timer)) {
		EXPECT_MSG(false, "timer_create fails (errno %d)", errno);
		return;
	}
	EXPECT_INT(timer_settime(timer, 0, &every_5ms, NULL), 0);
	burn_until(count, 10);
	EXPECT_INT(timer_delete(timer), 0);
}

static void use_posix_timers(void)
{
	struct sigevent by_signal = { .sigev_notify = SIGEV_SIGNAL };
	struct sigevent by_thread = { .sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = callback };
	struct sigevent to_me = { .sigev_notify = SIGEV_THREAD_ID };

	for (int s = SIGRTMIN; s <= SIGRTMAX; s += 3) {
		signal(s, note);
		by_signal.sigev_signo = s;
		use_posix(CLOCK_MONOTONIC, by_signal, &n_seen[s]);
		n_seen[s] = 0;
		to_me.sigev_signo = s;
		to_me._sigev_un._tid = gettid();
		use_posix(CLOCK_THREAD_CPUTIME_ID, to_me, &n_seen[s]);
	}
	use_posix(CLOCK_MONOTONIC, by_thread, &n_callbacks);
}

static void use_alarm(void)
{
	signal(SIGALRM, note);
	n_seen[SIGALRM] = 0;
	EXPECT_INT(alarm(1), 0);
	while (!n_seen[SIGALRM])
		burn_ms(1);
	EXPECT_INT(n_seen[SIGALRM], 1);
	ualarm(3000, 3000);
	burn_until(&n_seen[SIGALRM], 10);
	EXPECT(ualarm(0, 0) > 0);
}

static void expect_quiet(void)
{
	int n_before[65], n_after[65];

	memcpy(n_before, n_seen, sizeof(n_before));
	burn_ms(50);
	memcpy(n_after, n_seen, sizeof(n_after));
	EXPECT(!memcmp(n_before, n_after, sizeof(n_after)));
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		use_itimer(ITIMER_PROF, SIGPROF);
		use_itimer(ITIMER_VIRTUAL, SIGVTALRM);
		use_itimer(ITIMER_REAL, SIGALRM);
	}
	use_posix_timers();
	use_alarm();
	burn_ms(10);
	expect_quiet();
	return probe_end();
}
