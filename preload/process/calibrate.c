// SPDX-License-Identifier: BSD-3-Clause
/* Measures the cost of a tick by watching the clock jump. Runs in the constructor. */
#include "calibrate.h"

#include "common/os/scheduler.h"
#include "common/os/sys.h"

#define TRIAL_PERIOD_NS 60000
#define N_TICKS 3
#define TRIAL_NS 400000
/* a longer step between two readings of the clock is a tick: no cache miss takes that long */
#define JUMP_NS 1000
#define SLICE_WORK_NS 5000 /* the handler's work: reading counts, unwinding and switching groups */
/* The measured cost of a slice may be 1 / SHARE of its length, which is 0.3 %. The true cost is higher, since the
 * measurement runs with warm caches. In a program that accesses 96 MiB at random, with a tick every 10 ms, a tick costs
 * 2.2 times as much (an empty handler takes 60 us instead of 27, evprof's 75 instead of 30), and the program then has
 * cache misses for the data that the tick displaced. evprof's start takes another 0.13 % of a program's first
 * second. */
#define SHARE 333
#define SHORTEST_NS 1000000
#define LONGEST_NS 10000000
/* a tick that costs this much leads to LONGEST_NS, whatever it costs exactly */
#define DEAREST_NS (LONGEST_NS / SHARE - SLICE_WORK_NS)

static volatile unsigned n_ticks_noted;

void ep_calibrate_note_tick(void)
{
	n_ticks_noted++;
}

static void sort(uint64_t *values, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = i; k && values[k] < values[k - 1]; k--) {
			uint64_t other = values[k];

			values[k] = values[k - 1];
			values[k - 1] = other;
		}
}

/* Tells whether the median is decided: all jumps were seen, or more than half of them were so expensive that the median
 * leads to the longest period, whatever the other ticks cost. */
static bool is_settled(const uint64_t *jumps_ns, unsigned n_jumps)
{
	unsigned n_dear = 0;

	for (unsigned i = 0; i < n_jumps; i++)
		n_dear += jumps_ns[i] >= DEAREST_NS;
	return n_jumps == N_TICKS || n_dear > N_TICKS / 2;
}

/* Returns the median of the times, in ns, by which the clock jumps when a tick comes; 0: no tick came. A jump without a
 * tick is left out, since evprof does not cause it. If a tick comes just after the clock was read, it is noted in that
 * round, and its jump is seen in the next one: so a jump counts if a tick was noted in its round or the one before. */
static uint64_t measure_tick_ns(void)
{
	uint64_t begin_ns = ep_now_ns(CLOCK_MONOTONIC), before_ns = begin_ns, jumps_ns[N_TICKS];
	unsigned n_jumps = 0, n_last = n_ticks_noted, n_before_last = n_last;

	while (!is_settled(jumps_ns, n_jumps) && before_ns - begin_ns < TRIAL_NS) {
		uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC);
		unsigned n_now = n_ticks_noted;

		if (n_now != n_before_last && now_ns - before_ns > JUMP_NS)
			jumps_ns[n_jumps++] = now_ns - before_ns;
		before_ns = now_ns;
		n_before_last = n_last;
		n_last = n_now;
	}
	sort(jumps_ns, n_jumps);
	return n_jumps ? jumps_ns[n_jumps / 2] : 0;
}

/* Returns the cost in ns of a tick of one kind of clock; 0: no tick came, the clock cannot be opened, or the kind is
 * EP_CLOCK_TIMER, whose ticks are not tried. */
static uint64_t try_ticks(enum ep_clock_kind kind)
{
	uint64_t own_signal = 1ull << (EP_SLICE_SIGNAL - 1), old_mask, tick_ns;
	struct ep_clock clock;

	if (kind == EP_CLOCK_TIMER || ep_clock_open(&clock, kind, TRIAL_PERIOD_NS, 0))
		return 0;
	ep_sys_sigmask(SIG_UNBLOCK, &own_signal, &old_mask);
	tick_ns = measure_tick_ns();
	ep_clock_close(&clock);
	ep_sys_sigmask(SIG_SETMASK, &old_mask, NULL);
	return tick_ns;
}

uint64_t ep_calibrate_period(enum ep_clock_kind kind, uint64_t mixed_from_ns)
{
	uint64_t tick_ns = try_ticks(kind), period_ns = (tick_ns + SLICE_WORK_NS) * SHARE;

	if (!tick_ns || period_ns > LONGEST_NS)
		return LONGEST_NS;
	/* The period is rounded up to a tenth of a millisecond, which is easier to read. */
	period_ns = (period_ns + 99999) / 100000 * 100000;
	if (period_ns >= EP_SCHEDULER_SHORTEST_NS && period_ns < mixed_from_ns &&
		mixed_from_ns <= LONGEST_NS)
		return mixed_from_ns;
	return period_ns < SHORTEST_NS ? SHORTEST_NS : period_ns;
}
