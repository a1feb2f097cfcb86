// SPDX-License-Identifier: BSD-3-Clause
/* Events to groups on PMUs of several kinds, none of which need be here. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/pmu_stand_in.h"

#include "counters/sources/perf_pack.c"

static struct ep_plan plan;
static struct ep_perf_wanted wanted;

/* A PMU with n counters, and nothing asked for. */
static void start(uint32_t n_counters)
{
	memset(&pmu, 0, sizeof(pmu));
	memset(&plan, 0, sizeof(plan));
	memset(&wanted, 0, sizeof(wanted));
	pmu.n_counters = n_counters;
	wanted.plan = &plan;
	ep_cores_find("", &ep_perf_cores);
}

static void want(const char *name, uint64_t config, uint32_t flags, uint32_t group_mask)
{
	struct ep_event event = { .type = PERF_TYPE_RAW, .config = config, .flags = flags };
	int idx;

	snprintf(event.name, sizeof(event.name), "%s", name);
	idx = ep_plan_add_event(&plan, &event);
	CHECK(idx >= 0);
	wanted.group_masks[idx] = group_mask;
}

static void want_always(void)
{
	want("cycles", PMU_CYCLES, EP_EVENT_ALWAYS, 0);
	want("instructions", PMU_INSTRUCTIONS, EP_EVENT_ALWAYS, 0);
}

/* Events called a, b, c, ... */
static void want_others(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		want((char[]){ (char)('a' + i), '\0' }, PMU_FIRST_OTHER + i, 0, 0);
}

/* The groups as "cycles a b|cycles c"; every descriptor must be closed. */
static const char *pack(void)
{
	static char text[4096];
	size_t size = 0;

	ep_perf_pack(&wanted);
	CHECK_INT(pmu.n_open, 0);
	text[0] = '\0';
	for (uint32_t g = 0; g < plan.n_groups; g++)
		for (uint32_t i = 0; i < plan.groups[g].n_events; i++)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
				i   ? " "
				: g ? "|"
				    : "",
				plan.events[plan.groups[g].events[i]].name);
	return text;
}

TEST(as_many_as_the_kernel_takes)
{
	start(3);
	want_always();
	want_others(7);
	CHECK_STR(pack(),
		"cycles instructions a b c|cycles instructions d e f|cycles instructions g");
	CHECK_STR(plan.notes, "");
	/* slots are counted through: every group's values have a place */
	CHECK_INT(plan.groups[2].first_slot, 10);
	CHECK_INT(plan.n_slots, 13);
}

TEST(nothing_but_always_on_events_is_one_group)
{
	start(3);
	want_always();
	CHECK_STR(pack(), "cycles instructions");
	CHECK_STR(plan.notes, "");
	start(3);
	CHECK_STR(pack(), "");
}

/* The kernel checks a group against an empty PMU: with a watchdog on one counter it never runs. */
TEST(a_counter_that_another_user_holds)
{
	start(4);
	pmu.n_taken = 1;
	want_always();
	want_others(7);
	CHECK_STR(pack(),
		"cycles instructions a b c|cycles instructions d e f|cycles instructions g");
	CHECK_STR(plan.notes, "");
}

TEST(an_event_that_opens_and_never_runs)
{
	start(4);
	pmu.dead = PMU_FIRST_OTHER + 1;
	want_always();
	want_others(4);
	CHECK_STR(pack(), "cycles instructions a|cycles instructions c d");
	CHECK_STR(plan.notes,
		"event 'b' is not counted: the kernel opens it, but it never counts here");
}

TEST(an_event_that_the_kernel_does_not_take_in_a_group)
{
	start(4);
	pmu.refused = PMU_FIRST_OTHER + 1;
	pmu.error = -EINVAL;
	want_always();
	want_others(3);
	CHECK_STR(pack(), "cycles instructions a|cycles instructions c");
	CHECK_STR(plan.notes,
		"event 'b' is not counted: it does not fit beside the always-on events");
}

TEST(a_pmu_in_use_for_ever)
{
	start(2);
	pmu.is_taken = true;
	want_always();
	want_others(3);
	CHECK_STR(pack(), "cycles instructions a b|cycles instructions c");
	CHECK(strstr(plan.notes, "no counter is free") != NULL);
	start(2);
	pmu.is_taken = true;
	want_always();
	CHECK_STR(pack(), "cycles instructions");
	CHECK(strstr(plan.notes, "no counter is free") != NULL);
}

/* Said once, and waited for once, however many groups a model has. */
TEST(a_pmu_in_use_and_groups_that_are_asked_for)
{
	char name[8];

	start(2);
	pmu.is_taken = true;
	want_always();
	for (uint32_t i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "e%u", i);
		want(name, PMU_FIRST_OTHER + i, 0, 1u << i);
	}
	pack();
	CHECK_INT(plan.n_groups, 20);
	CHECK_STR(plan.notes,
		"no counter is free: the PMU is in use by another program; events are "
		"missing while it is");
	CHECK_MSG(pmu.now_ns < 2 * TURN_NS, "%llu ns", (unsigned long long)pmu.now_ns);
}

/* Within the kernel's rotation another user's group gives way: nothing need be said. */
TEST(a_pmu_in_use_for_a_moment)
{
	start(2);
	pmu.is_taken = true;
	pmu.free_at_ns = 5000000;
	want_always();
	want_others(3);
	CHECK_STR(pack(), "cycles instructions a b|cycles instructions c");
	CHECK_STR(plan.notes, "");
}

/* A virtual machine with a counter or two, and none of them fixed. */
TEST(more_always_on_events_than_counters)
{
	start(1);
	pmu.has_no_fixed = true;
	want_always();
	CHECK_STR(pack(), "cycles");
	CHECK_STR(plan.notes, "event 'instructions' is not counted: it does not fit beside the "
			      "always-on events");
}

/* As many as the kind with the fewest counters takes; what it lacks is counted on the others. */
TEST(cores_of_two_kinds)
{
	start(4);
	pmu.n_kinds = 2;
	pmu.n_counters_of_second = 2;
	ep_cores_find("", &ep_perf_cores);
	want_always();
	want_others(5);
	CHECK_STR(pack(), "cycles instructions a b|cycles instructions c d|cycles instructions e");
	CHECK_STR(plan.notes, "");
	start(4);
	pmu.n_kinds = 2;
	pmu.n_counters_of_second = 2;
	ep_cores_find("", &ep_perf_cores);
	want_always();
	want("big", PMU_ONLY_BIG, 0, 0);
	want_others(4);
	CHECK_STR(pack(), "cycles instructions big a b c|cycles instructions d");
	CHECK_STR(plan.notes, "");
}

TEST(groups_that_are_asked_for)
{
	start(2);
	want_always();
	want("a", PMU_FIRST_OTHER, 0, 1 << 0 | 1 << 1);
	want("b", PMU_FIRST_OTHER + 1, 0, 1 << 0);
	want("c", PMU_FIRST_OTHER + 2, 0, 1 << 1);
	want("d", PMU_FIRST_OTHER + 3, 0, 1 << 1);
	/* the second has one event too many: it becomes two */
	CHECK_STR(pack(), "cycles instructions a b|cycles instructions a c|cycles instructions d");
	CHECK_STR(plan.notes, "");
}

TEST(a_leader_comes_first_and_alone_if_it_must)
{
	start(1);
	want("cycles", PMU_CYCLES, EP_EVENT_ALWAYS, 0);
	want("topdown", PMU_TOPDOWN, EP_EVENT_LED, 0);
	want("slots", PMU_SLOTS, EP_EVENT_LEADS, 0);
	want_others(2);
	CHECK_STR(pack(), "slots cycles topdown a|slots cycles b");
	CHECK_STR(plan.notes, "");
	start(1);
	want("cycles", PMU_CYCLES, EP_EVENT_ALWAYS, 0);
	want("slots", PMU_SLOTS, EP_EVENT_LEADS, 0);
	CHECK_STR(pack(), "slots cycles");
}

/* The cost of a start: 40 events in 10 groups of a model. A call takes some microseconds at most,
 * so that a start waits for nothing; beside a watchdog each event is tried with its group. */
TEST(calls_of_a_start)
{
	static const struct {
		bool has_watchdog;
		uint32_t n_groups, most_calls;
	} rows[] = { { false, 10, 200 }, { true, 20, 900 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		char name[8];

		start(4);
		pmu.has_watchdog = rows[i].has_watchdog;
		want_always();
		for (uint32_t e = 0; e < 40; e++) {
			snprintf(name, sizeof(name), "e%u", e);
			want(name, PMU_FIRST_OTHER + e, 0, 1u << e / 4);
		}
		pack();
		CHECK_INT(plan.n_groups, rows[i].n_groups);
		CHECK_MSG(pmu.n_calls <= rows[i].most_calls, "%u calls", pmu.n_calls);
		CHECK_INT(pmu.now_ns, 0);
	}
}

/* Events that are not counted are named, also where the plan is full and not the PMU. */
TEST(more_groups_than_a_plan_has)
{
	char name[8];

	start(1);
	want_always();
	for (int i = 0; i < EP_PLAN_MAX_GROUPS + 2; i++) {
		snprintf(name, sizeof(name), "e%d", i);
		want(name, PMU_FIRST_OTHER + (uint64_t)i, 0, 0);
	}
	pack();
	CHECK_INT(plan.n_groups, EP_PLAN_MAX_GROUPS);
	CHECK_STR(plan.notes, "events 'e32', 'e33' are not counted: one run takes at most 32 "
			      "groups and 512 counts "
			      "in them");
}
