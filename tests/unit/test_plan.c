// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
/* Both plans can be used in one file. */
#include "common/formula/pack.h"
#include "common/formula/plan.h"
#include "counters/plan/plan.h"

struct names {
	char text[1024];
	int n_until_stop;
};

static int note_name(const char *name, int group, void *argument)
{
	struct names *names = argument;
	size_t used = strlen(names->text);

	snprintf(names->text + used, sizeof(names->text) - used, "[%d %s]", group, name);
	return --names->n_until_stop == 0 ? 42 : 0;
}

TEST(names_and_groups_are_split)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "", "" },
		{ "cycles", "[-1 cycles]" },
		{ "a,b,c", "[-1 a][-1 b][-1 c]" },
		{ " a, b\t", "[-1 a][-1 b\t]" },
		{ ",,a,", "[-1 a]" },
		{ "a,b;c", "[0 a][0 b][1 c]" },
		{ "a;;c;", "[0 a][2 c]" },
		{ "cpu/event=0x3c,umask=0/,x", "[-1 cpu/event=0x3c,umask=0/][-1 x]" },
		{ "cpu/a=1,b=2/u;uncore/c,d/", "[0 cpu/a=1,b=2/u][1 uncore/c,d/]" },
		{ "skx::UOPS:X,r1a8:u", "[-1 skx::UOPS:X][-1 r1a8:u]" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct names names = { "", 0 };

		CHECK_INT(ep_plan_split(rows[i].text, note_name, &names), 0);
		CHECK_MSG(!strcmp(names.text, rows[i].expected), "'%s': %s", rows[i].text,
			names.text);
	}
}

TEST(events_not_counted_for_one_reason_share_a_note)
{
	static struct ep_plan plan;

	ep_plan_note_event(&plan, "a", "no counter");
	CHECK_STR(plan.notes, "event 'a' is not counted: no counter");
	ep_plan_note_event(&plan, "a", "no counter");
	CHECK_STR(plan.notes, "event 'a' is not counted: no counter");
	ep_plan_note_event(&plan, "cpu/x=1,y=2/", "no counter");
	ep_plan_note_event(&plan, "a", "no counter");
	CHECK_STR(plan.notes, "events 'a', 'cpu/x=1,y=2/' are not counted: no counter");
	ep_plan_note_event(&plan, "b", "not permitted");
	ep_plan_note_event(&plan, "c", "not permitted");
	ep_plan_note(&plan, "the events of %d runs", 2);
	ep_plan_note_event(&plan, "d", "not permitted");
	CHECK_STR(plan.notes, "events 'a', 'cpu/x=1,y=2/' are not counted: no counter\n"
			      "events 'b', 'c' are not counted: not permitted\n"
			      "the events of 2 runs\n"
			      "event 'd' is not counted: not permitted");
}

TEST(notes_end_where_there_is_no_more_room)
{
	static struct ep_plan plan;
	char name[8];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "e%d", i);
		ep_plan_note_event(&plan, name, "no counter");
	}
	CHECK_INT(strlen(plan.notes), sizeof(plan.notes) - 1);
	CHECK(!strncmp(plan.notes, "events 'e0', 'e1', 'e2', ", 25));
}

TEST(a_name_too_long_is_cut_and_a_callback_can_stop)
{
	struct names names = { "", 2 };
	char text[400];

	CHECK_INT(ep_plan_split("a,b,c", note_name, &names), 42);
	CHECK_STR(names.text, "[-1 a][-1 b]");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	names = (struct names){ "", 0 };
	CHECK_INT(ep_plan_split(text, note_name, &names), 0);
	CHECK_INT(strlen(names.text), EP_EVENT_NAME_BYTES - 1 + strlen("[-1 ]"));
}

TEST(tables_refuse_what_does_not_fit)
{
	static struct ep_plan plan;
	uint8_t events[EP_GROUP_MAX_EVENTS + 1] = { 0 };
	struct ep_event event = { .name = "e" };

	memset(&plan, 0, sizeof(plan));
	for (int i = 0; i < EP_PLAN_MAX_EVENTS; i++)
		CHECK_INT(ep_plan_add_event(&plan, &event), i);
	CHECK_INT(ep_plan_add_event(&plan, &event), -1);
	CHECK_INT(ep_plan_add_group(&plan, events, EP_GROUP_MAX_EVENTS + 1), -E2BIG);
	CHECK_INT(plan.n_groups, 0);
	for (int i = 0; i < EP_PLAN_MAX_SLOTS / EP_GROUP_MAX_EVENTS; i++)
		CHECK_INT(ep_plan_add_group(&plan, events, EP_GROUP_MAX_EVENTS), 0);
	CHECK_INT(ep_plan_add_group(&plan, events, 1), -E2BIG);
	CHECK_INT(plan.groups[3].first_slot, 3 * EP_GROUP_MAX_EVENTS);
	memset(&plan, 0, sizeof(plan));
	for (int i = 0; i < EP_PLAN_MAX_GROUPS; i++)
		CHECK_INT(ep_plan_add_group(&plan, events, 1), 0);
	CHECK_INT(ep_plan_add_group(&plan, events, 1), -E2BIG);
}

TEST(notes_are_lines_and_end_with_the_room)
{
	static struct ep_plan plan;

	memset(&plan, 0, sizeof(plan));
	ep_plan_note(&plan, "first %d", 1);
	ep_plan_note(&plan, "second");
	CHECK_STR(plan.notes, "first 1\nsecond");
	for (int i = 0; i < 300; i++)
		ep_plan_note(&plan, "more and more");
	CHECK_INT(strlen(plan.notes), EP_PLAN_NOTES_BYTES - 1);
}
