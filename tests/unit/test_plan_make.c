// SPDX-License-Identifier: BSD-3-Clause
/* Events of plans: those of the CPU's table, those that others know, and those of nobody. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/formula/plan_private.h"

static const char table_text[] =
	"evprof-events 1\ncpu = test\npmu = tst\ncounters = 2\nalways = CYCLES\n"
	"event\tcode\tcounters\topen\tmeaning\n"
	"CYCLES\tevent=0x3c\tfixed:1|any\t-\tcycles\n"
	"LOADS\tevent=0x01\t0\t-\tloads\n"
	"SLOTS\tevent=0x02\tfixed:3\t-\tslots\n"
	"RETIRING\tevent=0x03\twith:SLOTS\t-\tshare of slots\n";

static char asked_pmu[32];

/* Knows what begins with K. */
static int look_up(const char *pmu, const char *name, struct ep_error *err)
{
	snprintf(asked_pmu, sizeof(asked_pmu), "%s", pmu ? pmu : "none");
	return *name == 'K' ? 0 : ep_fail(err, -ENOENT, "no such name in the test");
}

struct fixture {
	struct ep_plan_maker maker;
	struct ep_event_plan_request request;
	struct ep_error err;
};

static void begin(struct fixture *f, int (*look)(const char *, const char *, struct ep_error *))
{
	char text[sizeof(table_text)];

	*f = (struct fixture){ .request = { .look_up = look } };
	f->maker = (struct ep_plan_maker){ .plan = calloc(1, sizeof(*f->maker.plan)),
		.request = &f->request,
		.has_table = true,
		.err = &f->err };
	memcpy(text, table_text, sizeof(text));
	CHECK_MSG(!ep_event_table_parse("test", text, &f->maker.plan->table, &f->err), "%s",
		f->err.message);
	CHECK_INT(ep_plan_maker_begin(&f->maker), 0);
}

/* A metric of these events, blank-separated. */
static int add(struct fixture *f, const char *events)
{
	EP_AUTOFREE char *copy = strdup(events);
	char *rest = copy, *name;
	struct ep_event_plan_metric *metric;
	int rc = ep_plan_maker_add_metric(&f->maker, events, "test", 8, &metric);

	metric->is_shown = true;
	while (!rc && (name = strsep(&rest, " ")))
		rc = ep_plan_maker_find_event(&f->maker, name, &metric->events[metric->n_events++]);
	return rc;
}

static char *print(struct fixture *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ep_event_plan_print(f->maker.plan, out);
	fclose(out);
	return text;
}

TEST(events_that_the_table_lacks_are_asked_for)
{
	struct fixture f;

	begin(&f, look_up);
	CHECK_INT(add(&f, "KNOWN"), 0);
	CHECK_STR(asked_pmu, "tst");
	CHECK_INT(add(&f, "UNKNOWN"), -EINVAL);
	CHECK_STR(f.err.message,
		"event UNKNOWN is not in the event table of test, and is not known otherwise: no such name in the test");
	ep_event_plan_destroy(f.maker.plan);
}

/* libpfm4 has no table of another architecture's CPUs. */
TEST(where_nobody_can_be_asked_a_formula_is_believed)
{
	struct fixture f;

	begin(&f, NULL);
	CHECK_INT(add(&f, "UNKNOWN"), 0);
	CHECK_INT(ep_plan_maker_finish(&f.maker), 0);
	EP_AUTOFREE char *events = ep_event_plan_events(f.maker.plan), *text = print(&f);
	CHECK_STR(events, "CYCLES,UNKNOWN");
	CHECK_MSG(
		strstr(text,
			"not in the event table of test, so that any counter is taken to count them: UNKNOWN\n"),
		"%s", text);
	ep_event_plan_destroy(f.maker.plan);
}

/* Any counter is taken to count them: with LOADS, which only counter 0 counts, one more fits. */
TEST(unlisted_events_take_any_counter)
{
	struct fixture f;

	begin(&f, look_up);
	CHECK_INT(add(&f, "LOADS K1"), 0);
	CHECK_INT(add(&f, "K1 K2"), 0);
	CHECK_INT(ep_plan_maker_finish(&f.maker), 0);
	CHECK_INT(f.maker.plan->pack.n_groups, 2);
	ep_event_plan_destroy(f.maker.plan);
}

TEST(software_events_are_never_asked_for)
{
	struct fixture f;

	begin(&f, look_up);
	asked_pmu[0] = '\0';
	CHECK_INT(add(&f, "page-faults task-clock"), 0);
	CHECK_STR(asked_pmu, "");
	CHECK_INT(ep_plan_maker_finish(&f.maker), 0);
	/* without an event that needs a counter, what is always counted has no part in it */
	EP_AUTOFREE char *events = ep_event_plan_events(f.maker.plan);
	CHECK_STR(events, "page-faults,task-clock");
	ep_event_plan_destroy(f.maker.plan);
}

/* The event that the others depend on leads its group. */
TEST(leaders_come_with_those_that_ride_on_them)
{
	struct fixture f;

	begin(&f, look_up);
	CHECK_INT(add(&f, "RETIRING"), 0);
	CHECK_INT(ep_plan_maker_finish(&f.maker), 0);
	EP_AUTOFREE char *events = ep_event_plan_events(f.maker.plan);
	CHECK_STR(events, "SLOTS,CYCLES,RETIRING");
	ep_event_plan_destroy(f.maker.plan);
}

TEST(events_of_no_group_are_refused)
{
	struct fixture f;

	begin(&f, look_up);
	f.request.n_counters = 0;
	f.maker.plan->table.n_counters = 0;
	CHECK_INT(add(&f, "LOADS"), 0);
	f.maker.has_table = true;
	CHECK_INT(ep_plan_maker_finish(&f.maker), -ENOSPC);
	CHECK_MSG(strstr(f.err.message, "need more than the 0 counters there are"), "%s",
		f.err.message);
	ep_event_plan_destroy(f.maker.plan);
}
