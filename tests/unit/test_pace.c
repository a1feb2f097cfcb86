// SPDX-License-Identifier: BSD-3-Clause
/* Instructions and cycles of threads whose processes called them differently. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/phases/pace.h"

enum { GENERAL, INTEL_INSTRUCTIONS, INTEL_CYCLES, OTHER, N_EVENTS };

static struct ep_event_info events[N_EVENTS] = {
	[GENERAL] = { .name = "instructions:u" },
	[INTEL_INSTRUCTIONS] = { .name = "skx::INST_RETIRED:ANY_P" },
	[INTEL_CYCLES] = { .name = "skx::CPU_CLK_THREAD_UNHALTED" },
	[OTHER] = { .name = "page-faults" },
};

/* A log in which thread t has counts of the events whose bits are set in has[t]. */
static void start(struct ep_count_log *log, struct ep_count_row *rows, const unsigned int *has,
	uint32_t n_threads)
{
	static struct ep_count_entry entry = { 1000, 1, 1 };

	memset(rows, 0, n_threads * EP_COUNT_EVENTS * sizeof(*rows));
	for (uint32_t t = 0; t < n_threads; t++)
		for (uint32_t e = 0; e < N_EVENTS; e++)
			if (has[t] & 1u << e)
				rows[t * EP_COUNT_EVENTS + e] =
					(struct ep_count_row){ &entry, 1, 1 };
	*log = (struct ep_count_log){ .rows = rows, .n_threads = n_threads };
}

TEST(each_thread_by_the_name_that_it_counted_under)
{
	static const unsigned int has[] = { 1 << OTHER, 1 << GENERAL,
		1 << INTEL_INSTRUCTIONS | 1 << INTEL_CYCLES,
		1 << GENERAL | 1 << INTEL_INSTRUCTIONS };
	struct ep_trace trace = { .events = events, .n_events = N_EVENTS };
	struct ep_count_row rows[4 * EP_COUNT_EVENTS];
	struct ep_count_log log;

	start(&log, rows, has, 4);
	CHECK(!ep_pace_row(&trace, &log, 0, EP_KNOWN_INSTRUCTIONS));
	CHECK(ep_pace_row(&trace, &log, 1, EP_KNOWN_INSTRUCTIONS) ==
		&rows[EP_COUNT_EVENTS + GENERAL]);
	CHECK(!ep_pace_row(&trace, &log, 1, EP_KNOWN_CYCLES));
	CHECK(ep_pace_row(&trace, &log, 2, EP_KNOWN_INSTRUCTIONS) ==
		&rows[2 * EP_COUNT_EVENTS + INTEL_INSTRUCTIONS]);
	CHECK(ep_pace_row(&trace, &log, 2, EP_KNOWN_CYCLES) ==
		&rows[2 * EP_COUNT_EVENTS + INTEL_CYCLES]);
	CHECK(ep_pace_row(&trace, &log, 3, EP_KNOWN_INSTRUCTIONS) ==
		&rows[3 * EP_COUNT_EVENTS + GENERAL]);
}

TEST(cycles_serve_where_all_that_counts_has_them)
{
	static const struct {
		unsigned int has[2];
		bool has_cycles;
	} cases[] = {
		{ { 0, 0 }, false },
		{ { 1 << GENERAL, 0 }, false },
		{ { 1 << INTEL_INSTRUCTIONS | 1 << INTEL_CYCLES, 1 << OTHER }, true },
		{ { 1 << INTEL_INSTRUCTIONS | 1 << INTEL_CYCLES, 1 << GENERAL }, false },
	};
	struct ep_trace trace = { .events = events, .n_events = N_EVENTS };
	struct ep_count_row rows[2 * EP_COUNT_EVENTS];
	struct ep_count_log log;

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		start(&log, rows, cases[i].has, 2);
		CHECK_INT(ep_pace_has_cycles(&trace, &log), cases[i].has_cycles);
	}
}
