// SPDX-License-Identifier: BSD-3-Clause
/*
 * The perf source on a PMU: what it counts, how it packs, what it does about events and counters
 * that cannot be had. Skips without a PMU; the guests have one (tests/guest).
 */
#include "preload/source.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/guest/loops.h"

#include "test.h"

#if defined(__aarch64__)
#define RAW_INSTRUCTIONS "8"
#elif defined(__powerpc64__)
#define RAW_INSTRUCTIONS "2"
#else
#define RAW_INSTRUCTIONS "c0"
#endif

enum { N_ROUNDS = 2000000, MAX_TAKEN = 32 };

/* Emulated POWER counts the kernel's timer ticks whatever is excluded (docs/pmu-guests.md). */
#if defined(__powerpc64__)
static const double tolerance = 0.02;
#else
static const double tolerance = 0.001;
#endif

/* What the source keeps of a plan is large. */
static struct ep_plan plan;
static struct ep_counters counters;

static int open_event(uint32_t type, uint64_t config, bool is_pinned)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = type,
		.config = config,
		.pinned = is_pinned,
		.exclude_kernel = 1,
		.exclude_hv = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char no_pmu[] = "this machine has no PMU";

static bool has_pmu(void)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Takes counters of this thread for good until none is left for instructions; returns how many. */
static int take_all(int fds[MAX_TAKEN])
{
	/* POWER's pinned general events do not reach counter 5. */
	static const uint64_t codes[] = {
		PERF_COUNT_HW_INSTRUCTIONS,
#if defined(__powerpc64__)
		0x500fa,
#endif
	};
	uint64_t value;
	int n = 0;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		while (n < MAX_TAKEN) {
			fds[n] = open_event(i ? PERF_TYPE_RAW : PERF_TYPE_HARDWARE, codes[i], true);
			if (fds[n] >= 0 && read(fds[n], &value, sizeof(value)) > 0) {
				n++;
				continue;
			}
			close(fds[n]);
			break;
		}
	return n;
}

static void give_back(const int *fds, int n)
{
	while (n-- > 0)
		close(fds[n]);
}

static int prepare(const char *events)
{
	struct ep_settings settings;
	struct ep_error err;

	ep_settings_init(&settings);
	settings.events = events;
	memset(&plan, 0, sizeof(plan));
	memset(&counters, 0, sizeof(counters));
	int rc = ep_source_perf.prepare(&plan, &settings, &err);
	if (rc)
		printf("# prepare '%s': %s\n", events, err.message);
	for (uint32_t g = 0; g < plan.n_groups; g++) {
		printf("# group %u:", g);
		for (uint32_t i = 0; i < plan.groups[g].n_events; i++)
			printf(" %s", plan.events[plan.groups[g].events[i]].name);
		printf("\n");
	}
	return rc;
}

/* "r8:u,r08:u,...": n different names for the user's instructions. */
static const char *copies(int n, const char *separator)
{
	static char text[4096];
	size_t size = 0;

	for (int i = 0; i < n; i++)
		size += snprintf(text + size, sizeof(text) - size, "%sr%.*s" RAW_INSTRUCTIONS ":u",
			i ? separator : "", i % 12, "000000000000");
	return text;
}

/* Every group counts the loop, one slice each; returns the number of events that did. */
static int count_in_turn(void)
{
	struct ep_slice_counts counts;
	int n_right = 0;

	counters.plan = &plan;
	CHECK_INT(ep_source_perf.open(&counters, 0), 0);
	for (uint32_t g = 0; g < plan.n_groups; g++) {
		ep_source_perf.start(&counters, g);
		run_loop(N_ROUNDS);
		ep_source_perf.stop(&counters, g, false, &counts);
		for (uint32_t i = 0; counts.did_run && i < plan.groups[g].n_events; i++) {
			double expected = (double)N_ROUNDS * LOOP_N_INSTRUCTIONS;
			double error = fabs(counts.values[i] - expected) / expected;

			n_right += error < tolerance;
			if (error >= tolerance)
				printf("# group %u: %s is %llu, expected %.0f\n", g,
					plan.events[plan.groups[g].events[i]].name,
					(unsigned long long)counts.values[i], expected);
		}
	}
	ep_source_perf.close(&counters);
	return n_right;
}

__attribute__((unused)) static bool is_planned(const char *name)
{
	for (uint32_t g = 0; g < plan.n_groups; g++)
		for (uint32_t i = 0; i < plan.groups[g].n_events; i++)
			if (!strcmp(plan.events[plan.groups[g].events[i]].name, name))
				return true;
	return false;
}

TEST(one_group_counts_exactly)
{
	if (!has_pmu())
		SKIP(no_pmu);
	CHECK_INT(prepare("instructions:u"), 0);
	CHECK_INT(plan.n_groups, 1);
	CHECK_INT(count_in_turn(), 1);
}

TEST(groups_take_turns)
{
	if (!has_pmu())
		SKIP(no_pmu);
	CHECK_INT(prepare(copies(4, ";")), 0);
	CHECK_INT(plan.n_groups, 4);
	CHECK_INT(count_in_turn(), 4);
}

TEST(packing_uses_every_counter)
{
	int fds[MAX_TAKEN];

	if (!has_pmu())
		SKIP(no_pmu);
	int n_counters = take_all(fds);
	give_back(fds, n_counters);
	CHECK_INT(prepare(copies(12, ",")), 0);
	CHECK_INT(plan.n_groups, (12 + n_counters - 1) / n_counters);
	CHECK_INT(count_in_turn(), 12);
}

TEST(a_group_that_is_too_large_is_split)
{
	if (!has_pmu())
		SKIP(no_pmu);
	char events[4200];
	snprintf(events, sizeof(events), "%s;instructions:u", copies(12, ","));
	CHECK_INT(prepare(events), 0);
	CHECK(plan.n_groups > 1);
	CHECK(count_in_turn() >= 12);
}

TEST(with_two_counters_left_groups_get_smaller)
{
	int fds[MAX_TAKEN];

	if (!has_pmu())
		SKIP(no_pmu);
	int n = take_all(fds);
	give_back(fds, 2);
	CHECK_INT(prepare(copies(6, ",")), 0);
	CHECK_INT(plan.n_groups, 3);
	CHECK_INT(count_in_turn(), 6);
	give_back(fds + 2, n - 2);
}

TEST(with_no_counter_left_the_plan_says_so)
{
	int fds[MAX_TAKEN];

	if (!has_pmu())
		SKIP(no_pmu);
	int n = take_all(fds);
	CHECK_INT(prepare(copies(3, ",")), 0);
	CHECK_MSG(strstr(plan.notes, "in use"), "notes: %s", plan.notes);
	CHECK_INT(count_in_turn(), 0);
	give_back(fds, n);
}

#if defined(__aarch64__)
/* 0x1e is CHAIN: it opens and, alone, never runs. */
TEST(an_event_that_never_runs_is_left_out)
{
	if (!has_pmu())
		SKIP(no_pmu);
	CHECK_INT(prepare("instructions:u,r1e:u,r8:u"), 0);
	CHECK(!is_planned("r1e:u"));
	CHECK_MSG(strstr(plan.notes, "'r1e:u'"), "notes: %s", plan.notes);
	CHECK_INT(plan.n_groups, 1);
	CHECK_INT(count_in_turn(), 2);
}
#endif

#if defined(__powerpc64__)
/* Both want counter 1. */
TEST(a_conflict_takes_two_groups)
{
	if (!has_pmu())
		SKIP(no_pmu);
	CHECK_INT(prepare("r10002:u,r1001e:u"), 0);
	CHECK(is_planned("r10002:u") && is_planned("r1001e:u"));
	CHECK_INT(plan.n_groups, 2);
}
#endif

TEST(an_unknown_event_is_named_and_left_out)
{
	if (!has_pmu())
		SKIP(no_pmu);
	CHECK_INT(prepare("instructions:u,NO_SUCH_EVENT"), 0);
	CHECK_MSG(strstr(plan.notes, "NO_SUCH_EVENT"), "notes: %s", plan.notes);
	CHECK_INT(count_in_turn(), 1);
}
