// SPDX-License-Identifier: BSD-3-Clause
/* The table comes back row by row; groups take turns; what is not there is named. */
#include "tests/unit/test.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/sources/source.h"

static char table_path[] = "/tmp/evprof-test-XXXXXX";
static struct ep_plan the_plan;
static struct ep_counters counters;

static void write_table(const char *text)
{
	static int fd = -1;

	if (fd < 0)
		fd = mkstemp(table_path);
	CHECK_INT(ftruncate(fd, 0), 0);
	CHECK_INT(pwrite(fd, text, strlen(text), 0), strlen(text));
}

static int prepare(const char *options, const char *events, struct ep_error *err)
{
	static char source[300];
	struct ep_settings settings;

	ep_settings_init(&settings);
	snprintf(source, sizeof(source), "sim:%s%s", table_path, options);
	settings.source = source;
	settings.events = events;
	memset(&the_plan, 0, sizeof(the_plan));
	memset(&counters, 0, sizeof(counters));
	counters.plan = &the_plan;
	return ep_source_sim.prepare(&the_plan, &settings, err);
}

static const char *group_text(const struct ep_plan *plan, uint32_t group_idx)
{
	static char text[256];

	text[0] = '\0';
	for (uint32_t i = 0; i < plan->groups[group_idx].n_events; i++) {
		strcat(text, i ? "," : "");
		strcat(text, plan->events[plan->groups[group_idx].events[i]].name);
	}
	return text;
}

TEST(events_and_groups)
{
	static const struct {
		const char *events, *groups[4];
	} cases[] = {
		{ "", { "CYCLES,INSTR,A,B", "CYCLES,INSTR,C,D" } },
		{ "D,CYCLES,A,B", { "CYCLES,D,A", "CYCLES,B" } },
		/* named in several groups: counted once in each of them, not once per name */
		{ "CYCLES,A,B;CYCLES,A,C", { "CYCLES,A,B", "CYCLES,A,C" } },
		{ "A,B,C;D", { "A,B", "C", "D" } },
		/* named in every group: as a fixed counter, of no general one's cost */
		{ "A,B,C;A,D", { "A,B,C", "A,D" } },
		{ "CYCLES,CYCLES", { "CYCLES" } },
	};
	char source[64];

	write_table("CYCLES,INSTR,A,B,C,D\n1,2,3,4,5,6\n");
	snprintf(source, sizeof(source), "sim:%s,counters=2", table_path);
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_plan *plan = calloc(1, sizeof(*plan));
		struct ep_settings settings = { .events = cases[i].events, .source = source };
		struct ep_error err = { 0 };
		uint32_t n = 0;

		CHECK_MSG(!ep_source_sim.prepare(plan, &settings, &err), "%s", err.message);
		while (cases[i].groups[n])
			n++;
		CHECK_INT(plan->n_groups, n);
		for (uint32_t g = 0; g < n && g < plan->n_groups; g++)
			CHECK_STR(group_text(plan, g), cases[i].groups[g]);
		free(plan);
	}
}

TEST(every_row_comes_back_exactly)
{
	struct ep_slice_counts counts;
	struct ep_error err;

	write_table("cycles,a,b\n1,2,3\n4,5,6\n70000000000,8,9007199254740992\n");
	CHECK_INT(prepare("", "", &err), 0);
	CHECK_INT(the_plan.n_groups, 1);
	CHECK_INT(ep_source_sim.open(&counters, 0), 0);
	for (int row = 0; row < 3; row++) {
		static const uint64_t expected[][3] = { { 1, 2, 3 }, { 4, 5, 6 },
			{ 70000000000, 8, 9007199254740992 } };

		ep_source_sim.start(&counters, 0);
		ep_source_sim.stop(&counters, 0, false, &counts);
		CHECK(counts.did_run);
		for (int i = 0; i < 3; i++)
			CHECK_INT(counts.values[i], expected[row][i]);
		counters.n_stops++;
	}
	ep_source_sim.stop(&counters, 0, false, &counts);
	CHECK(!counts.did_run); /* past the end: missing, not zero */
	ep_source_sim.close(&counters);
}

TEST(groups_hold_as_many_as_there_are_counters_and_the_always_on)
{
	static const struct {
		const char *options;
		uint32_t n_groups, n_first;
	} rows[] = {
		{ "", 2, 5 },
		{ ",counters=1", 5, 2 },
		{ ",counters=2", 3, 3 },
		{ ",counters=5", 1, 6 },
		{ ",counters=32", 1, 6 },
	};
	struct ep_error err;

	write_table("a,b,instructions,c,d,e\n1,2,3,4,5,6\n");
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_INT(prepare(rows[i].options, "", &err), 0);
		CHECK_INT(the_plan.n_groups, rows[i].n_groups);
		CHECK_INT(the_plan.groups[0].n_events, rows[i].n_first);
		for (uint32_t g = 0; g < the_plan.n_groups; g++)
			CHECK_STR(
				the_plan.events[the_plan.groups[g].events[0]].name, "instructions");
	}
}

/* Forty events on as many counters as a group can hold, and two always-on ones in each. */
TEST(a_group_never_gets_more_events_than_it_holds)
{
	char text[1024] = "cycles,instr";
	struct ep_error err;
	size_t size = strlen(text);

	for (int i = 0; i < 40; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, ",e%d", i);
	size += (size_t)snprintf(text + size, sizeof(text) - size, "\n0");
	for (int i = 1; i < 42; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, ",%d", i);
	write_table(text);
	CHECK_INT(prepare(",counters=32", "", &err), 0);
	CHECK_INT(the_plan.n_groups, 2);
	CHECK_INT(the_plan.groups[0].n_events, EP_GROUP_MAX_EVENTS);
	CHECK_INT(the_plan.groups[1].n_events, 2 + 10);
	CHECK_STR(the_plan.notes, "");
}

TEST(a_table_of_more_events_than_a_plan_holds)
{
	char text[4096] = "e0";
	struct ep_error err;
	size_t size = strlen(text);

	for (int i = 1; i < EP_PLAN_MAX_EVENTS + 2; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, ",e%d", i);
	size += (size_t)snprintf(text + size, sizeof(text) - size, "\n0");
	for (int i = 1; i < EP_PLAN_MAX_EVENTS + 2; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, ",0");
	write_table(text);
	CHECK_INT(prepare(",counters=32", "", &err), 0);
	CHECK_INT(the_plan.n_events, EP_PLAN_MAX_EVENTS);
	CHECK_STR(the_plan.notes,
		"event 'e128' and those after it are not counted: at most 128 events");
}

/* The table of the root process must still hold in the processes after it. */
TEST(a_table_that_changed_is_not_resumed)
{
	char source[64];
	struct ep_settings settings = { .source = source };
	struct ep_error err;

	snprintf(source, sizeof(source), "sim:%s", table_path);
	write_table("a,b,c\n1,2,3\n");
	CHECK_INT(prepare("", "", &err), 0);
	CHECK_INT(ep_source_sim.resume(&the_plan, &settings, &err), 0);
	write_table("a,b\n1,2\n");
	CHECK_INT(ep_source_sim.resume(&the_plan, &settings, &err), -ENOENT);
	CHECK_MSG(strstr(err.message, "'c'"), "%s", err.message);
	write_table("a,c,b\n1,2,3\n");
	CHECK_INT(ep_source_sim.resume(&the_plan, &settings, &err), -ENOENT);
}

TEST(a_group_sees_its_events_of_the_row)
{
	struct ep_slice_counts counts;
	struct ep_error err;

	write_table("a,b,c\n1,2,3\n4,5,6\n");
	CHECK_INT(prepare(",counters=1", "c,a", &err), 0);
	CHECK_INT(the_plan.n_groups, 2);
	counters.n_stops = 1;
	ep_source_sim.stop(&counters, 0, false, &counts);
	CHECK_INT(counts.values[0], 6);
	ep_source_sim.stop(&counters, 1, true, &counts);
	CHECK_INT(counts.values[0], 4);
}

TEST(what_cannot_be_is_named)
{
	static const struct {
		const char *options, *events, *in_message;
		int rc;
	} rows[] = {
		{ ",counters=0", "", "counters", -EINVAL },
		{ ",counters=33", "", "from 1", -EINVAL },
		{ "", "x,y", "none of the events", -ENOENT },
		{ "-is-not-there", "", "-is-not-there", -ENOENT },
	};
	struct ep_error err = { .where = "" };

	write_table("a,b\n1,2\n");
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_INT(prepare(rows[i].options, rows[i].events, &err), rows[i].rc);
		CHECK_MSG(strstr(err.message, rows[i].in_message) ||
				  strstr(err.where, rows[i].in_message),
			"%s: %s", err.where, err.message);
	}
	CHECK_INT(prepare("", "a,nothing", &err), 0);
	CHECK(strstr(the_plan.notes, "'nothing'") != NULL);
}

TEST(the_cpu_whose_counts_they_are)
{
	struct ep_error err;

	write_table("cycles,a\n1,2\n");
	CHECK_INT(prepare(",counters=2,cpuid=GenuineIntel-6-55", "", &err), 0);
	CHECK_STR(ep_source_sim.cpuid(), "GenuineIntel-6-55");
	CHECK_INT(prepare("", "", &err), 0);
	CHECK_STR(ep_source_sim.cpuid(), "");
	unlink(table_path);
}
