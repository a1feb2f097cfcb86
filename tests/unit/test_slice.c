// SPDX-License-Identifier: BSD-3-Clause
/*
 * What CPU time a slice is given when the kernel's clock is not asked each time: slices by hand, on
 * the source without a PMU, which here may also claim that the thread stayed on its CPU when it did
 * not, as it seems to a thread whose hypervisor ran another.
 */
#include "tests/unit/test.h"

#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "preload/process/process.h"
#include "preload/sample/slice.h"

enum { PERIOD_NS = 2000000, TRUST = 15, NEAR_NS = 300000 };

static bool claims_to_stay;

static void stop_and_claim(
	struct ep_counters *counters, uint32_t group, bool is_remote, struct ep_slice_counts *out)
{
	ep_source_rusage.stop(counters, group, is_remote, out);
	out->stayed_on_cpu |= claims_to_stay;
}

static struct ep_source source;

static void begin(void)
{
	char source_name[] = "EVPROF_SOURCE=rusage", output[] = "EVPROF_OUTPUT=/dev/null";
	char period[] = "EVPROF_PERIOD=1s", quiet[] = "EVPROF_QUIET=1";
	char *env[] = { source_name, output, period, quiet, NULL };
	uint64_t tick = 1ull << (EP_SLICE_SIGNAL - 1);

	ep_process_begin(0, NULL, env);
	/* slices end when the test says so */
	ep_sys_sigmask(SIG_BLOCK, &tick, NULL);
	ep_recording.period_ns = PERIOD_NS;
	source = *ep_recording.source;
	source.stop = stop_and_claim;
	ep_recording.source = &source;
}

static void compute(uint64_t ns)
{
	uint64_t end_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void end_slice(void)
{
	ucontext_t context;

	getcontext(&context);
	ep_self->is_schedulers_tick = false;
	ep_slice_tick(ep_self, &context);
}

/* A slice of two fifths of the period, and this much off the CPU. */
static void slice(uint64_t off_us)
{
	compute(PERIOD_NS / 5 * 2);
	if (off_us)
		usleep(off_us);
	end_slice();
}

/* How far the slices' account is ahead of the kernel's. */
static int64_t ahead_ns(void)
{
	return (int64_t)(ep_self->slice_start_cpu_ns - ep_now_ns(CLOCK_THREAD_CPUTIME_ID));
}

static bool is_right(void)
{
	int64_t ns = ahead_ns();

	return ns > -NEAR_NS && ns < NEAR_NS;
}

/* A neighbour may have had the CPU in between: once more. */
static bool comes_to_trust(void)
{
	for (int i = 0; i < 100 && ep_self->n_trusted != TRUST; i++)
		slice(0);
	return ep_self->n_trusted == TRUST;
}

/* Trusting takes one off; after a slice in which a neighbour had the CPU the kernel is asked, too.
 */
static bool is_trusted_slice(void)
{
	uint32_t n_before = ep_self->n_trusted;

	slice(0);
	return n_before && ep_self->n_trusted == n_before - 1;
}

/* Asks once in sixteen slices at the least. */
static bool computes(void)
{
	int n_in_a_row = 0, longest = 0;

	if (!comes_to_trust())
		return false;
	for (int i = 0; i < 4 * (TRUST + 1); i++) {
		n_in_a_row = is_trusted_slice() ? n_in_a_row + 1 : 0;
		if (n_in_a_row > longest)
			longest = n_in_a_row;
	}
	return longest > 0 && longest <= TRUST && comes_to_trust() && is_right();
}

static bool waits(void)
{
	bool right = comes_to_trust();

	for (int i = 0; i < 10; i++) {
		slice(700);
		right &= is_right();
	}
	return right;
}

/* No slice that took much longer than the period is trusted. */
static bool is_stolen_long(void)
{
	bool right = comes_to_trust();

	claims_to_stay = true;
	for (int i = 0; i < 5; i++) {
		slice(2 * PERIOD_NS / 1000);
		right &= is_right();
	}
	return right;
}

/* Stolen time may go unseen while the trust lasts; then the account stands still until it is right. */
static bool is_stolen_short(void)
{
	bool right = comes_to_trust();

	claims_to_stay = true;
	for (int i = 0; i < TRUST + 40; i++)
		slice(700);
	return right && is_right();
}

static const struct {
	const char *name;
	bool (*run)(void);
} cases[] = {
	{ "computes", computes },
	{ "waits", waits },
	{ "is stolen long", is_stolen_long },
	{ "is stolen short", is_stolen_short },
};

/* In a child, since a process is begun and ended once. */
static int in_child(bool (*run)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		begin();
		_exit(!ep_recording.is_on ? 99 : !run());
	}
	waitpid(pid, &status, 0);
	return status;
}

TEST(a_slice_has_the_cpu_time_that_the_kernel_says)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		int status = in_child(cases[i].run);

		CHECK_MSG(!status, "%s: %d", cases[i].name, WEXITSTATUS(status));
	}
}
