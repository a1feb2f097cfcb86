// SPDX-License-Identifier: BSD-3-Clause
/* Finds how many ns a stamp (stamp.h) has. Nothing here blocks or allocates. */
#include "stamp.h"

#include <string.h>

#define TOGETHER_NS 1000
#define SETTLED_NS 100000000 /* after this time the rate is accurate to 1 in 50000 */
/* if suspended_ns has grown by more, the machine was suspended; the clocks are read within TOGETHER_NS */
#define SUSPENDED_NS 1000000
#define MAX_TRIES 8
#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

struct ep_stamps ep_stamps;

/* Tells whether the kernel uses the time stamp counter for its own clock. If so, it has checked that the counters of
 * all CPUs advance alike and never stop. */
static bool kernel_trusts_counter(void)
{
	char text[16] = "";

	return ep_sys_read_file(CLOCK_SOURCE, text, sizeof(text)) > 0 && !strcmp(text, "tsc\n");
}

/* Reads a stamp and the kernel's clocks at one moment. Returns false if in each of MAX_TRIES tries too much time passed
 * between the readings, for example because the thread lost its CPU. */
static bool read_both(struct ep_stamps_point *out)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		out->ns = ep_now_ns(CLOCK_MONOTONIC);
		out->stamp = ep_stamp_take();
		out->suspended_ns = (int64_t)(ep_now_ns(CLOCK_BOOTTIME) - out->ns);
		if (ep_now_ns(CLOCK_MONOTONIC) - out->ns < TOGETHER_NS)
			return true;
	}
	return false;
}

void ep_stamps_begin(void)
{
	ep_stamps = (struct ep_stamps){ .n_starts = 1 };
#if defined(__x86_64__)
	ep_stamps.are_of_counter = kernel_trusts_counter();
#endif
	if (ep_stamps.are_of_counter)
		ep_stamps.are_of_counter = read_both(&ep_stamps.starts[0]);
}

/* Stores another moment from which the rate is measured. If there is no room for another moment, the rate stays as it
 * is, and is not measured any more. */
static void start_anew(const struct ep_stamps_point *now)
{
	uint32_t idx = atomic_fetch_add(&ep_stamps.n_starts, 1);

	if (idx >= EP_STAMPS_N_STARTS) {
		ep_stamps.n_starts = EP_STAMPS_N_STARTS;
		return;
	}
	ep_stamps.starts[idx] = *now;
	ep_stamps.start_idx = idx;
}

/* Measures the rate. While the machine is suspended, the counter goes on and CLOCK_MONOTONIC does not. So an interval
 * with a suspension cannot be used: the rate that was found before is kept. */
static void find_rate(void)
{
	uint64_t rate = ep_stamps.ns_rate, n_ns, n_stamps;
	const struct ep_stamps_point *start = &ep_stamps.starts[ep_stamps.start_idx];
	struct ep_stamps_point now;
	bool is_enough;

	if (ep_stamps.is_settled || !read_both(&now))
		return;
	if (now.suspended_ns > start->suspended_ns + SUSPENDED_NS) {
		start_anew(&now);
		return;
	}
	if (now.stamp <= start->stamp || now.ns <= start->ns)
		return;
	n_ns = now.ns - start->ns;
	n_stamps = now.stamp - start->stamp;
	is_enough = n_ns >= SETTLED_NS;
	for (; n_ns >> 32; n_ns >>= 1)
		n_stamps >>= 1;
	/* A thread that lost its CPU after it read the rate must not overwrite a newer rate, which may be settled. */
	if (n_stamps &&
		atomic_compare_exchange_strong(
			&ep_stamps.ns_rate, &rate, (n_ns << 32) / n_stamps) &&
		is_enough)
		ep_stamps.is_settled = true;
}

__attribute__((noinline, cold)) uint64_t ep_stamp_take_by_clock(void)
{
	return ep_now_ns(CLOCK_MONOTONIC);
}

uint64_t ep_stamps_ns(uint64_t from, uint64_t to)
{
	if (to <= from)
		return 0;
	if (!ep_stamps.are_of_counter)
		return to - from;
	find_rate();
	return (uint64_t)(((unsigned __int128)(to - from) * ep_stamps.ns_rate) >> 32);
}

/* Returns the number of stamps in ns, or a little less. While the rate is not known, a stamp is taken as 1 ns, which is
 * at most too long: no counter from which a kernel derives its time is slower than 1 GHz. */
uint64_t ep_stamps_in(uint64_t ns)
{
	uint64_t rate = ep_stamps.ns_rate;

	return ep_stamps.are_of_counter && rate ? (ns << 31) / ((rate >> 1) + 1) : ns;
}
