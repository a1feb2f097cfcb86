// SPDX-License-Identifier: BSD-3-Clause
/* How long a stamp is. Nothing here blocks, or allocates. */
#include "stamp.h"

#include <string.h>

#define TOGETHER_NS 1000
#define SETTLED_NS 100000000 /* then the rate is good to 1 of 50000 */
#define MAX_TRIES 8
#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

struct ep_stamps ep_stamps;

/* The kernel has checked that the counters of all CPUs go alike, and never stop, where it trusts them. */
static bool kernel_trusts_counter(void)
{
	char text[16] = "";

	return ep_sys_read_file(CLOCK_SOURCE, text, sizeof(text)) > 0 && !strcmp(text, "tsc\n");
}

/* Both clocks at the same time. False: the thread lost its CPU between them, again and again. */
static bool read_both(uint64_t *out_stamp, uint64_t *out_ns)
{
	uint64_t after_ns;

	for (int i = 0; i < MAX_TRIES; i++) {
		*out_ns = ep_now_ns(CLOCK_MONOTONIC);
		*out_stamp = ep_stamp_take();
		after_ns = ep_now_ns(CLOCK_MONOTONIC);
		if (after_ns - *out_ns < TOGETHER_NS)
			return true;
	}
	return false;
}

void ep_stamps_begin(void)
{
	ep_stamps = (struct ep_stamps){ 0 };
#if defined(__x86_64__)
	ep_stamps.are_of_counter = kernel_trusts_counter();
#endif
	if (ep_stamps.are_of_counter)
		ep_stamps.are_of_counter = read_both(&ep_stamps.start, &ep_stamps.start_ns);
}

/* A counter goes on while the machine is suspended, and CLOCK_MONOTONIC does not: a rate that has been
 * found is kept. */
static void find_rate(void)
{
	uint64_t stamp, now_ns, n_ns, n_stamps;
	bool is_enough;

	if (ep_stamps.is_settled || !read_both(&stamp, &now_ns) || stamp <= ep_stamps.start ||
		now_ns <= ep_stamps.start_ns)
		return;
	n_ns = now_ns - ep_stamps.start_ns;
	n_stamps = stamp - ep_stamps.start;
	is_enough = n_ns >= SETTLED_NS;
	for (; n_ns >> 32; n_ns >>= 1)
		n_stamps >>= 1;
	ep_stamps.ns_rate = (n_ns << 32) / n_stamps;
	ep_stamps.is_settled = is_enough;
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

/* Without a rate: no counter that a kernel keeps its time by is slower than 1 GHz. */
uint64_t ep_stamps_in(uint64_t ns)
{
	uint64_t rate = ep_stamps.ns_rate;

	return ep_stamps.are_of_counter && rate ? (ns << 31) / ((rate >> 1) + 1) : ns;
}
