// SPDX-License-Identifier: BSD-3-Clause
/* The typical run of several: means of what all runs know. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/compare/compare.h"

static struct ep_report_event events[2][2] = {
	{ { .name = "cycles", .total.count = { 100, 0, EP_QUANTITY_KNOWN, NULL } },
		{ .name = "loads", .total.count = { 10, 0, EP_QUANTITY_KNOWN, NULL } } },
	{ { .name = "loads", .total.count = { 20, 0, EP_QUANTITY_KNOWN, NULL } },
		{ .name = "cycles", .total.count = { 300, 0, EP_QUANTITY_KNOWN, NULL } } },
};
static struct ep_report reports[] = {
	{ .trace_path = "a.gz",
		.duration_s = 1,
		.cpu_ns = 3,
		.load = { 0.5, 0, EP_QUANTITY_KNOWN, NULL },
		.has_noted_waits = true,
		.events = events[0],
		.n_events = 2 },
	{ .trace_path = "b.gz",
		.duration_s = 4,
		.cpu_ns = 4,
		.load = { 0.75, 0, EP_QUANTITY_KNOWN, NULL },
		.lacked_cpus = true,
		.events = events[1],
		.n_events = 2 },
};
static const struct ep_report *const both[] = { &reports[0], &reports[1] };
static const struct ep_compared_runs runs = { both, 2 };

TEST(means)
{
	EP_AUTOFREE struct ep_report *typical = ep_compare_typical(&runs);

	CHECK(typical);
	if (!typical)
		return;
	CHECK_STR(typical->trace_path, "a.gz");
	CHECK_CLOSE(typical->duration_s, 2.5, 0);
	CHECK_INT(typical->cpu_ns, 4); /* 3.5, rounded */
	CHECK_CLOSE(typical->load.value, 0.625, 0);
	CHECK(typical->lacked_cpus && !typical->has_noted_waits);
}

/* Runs may have their events in other orders. */
TEST(totals_by_name)
{
	EP_AUTOFREE struct ep_report *typical = ep_compare_typical(&runs);

	if (!typical)
		return;
	CHECK_STR(typical->events[0].name, "cycles");
	CHECK_CLOSE(typical->events[0].total.count.value, 200, 0);
	CHECK_CLOSE(typical->events[1].total.count.value, 15, 0);
	CHECK_CLOSE(events[0][0].total.count.value, 100, 0); /* the run's own stays */
}

TEST(what_one_run_lacks_is_missing)
{
	struct ep_quantity known = reports[1].load, total = events[1][1].total.count;

	reports[1].load = ep_quantity_unknown("no clock");
	events[1][1].total.count = ep_quantity_unknown("not counted");
	{
		EP_AUTOFREE struct ep_report *typical = ep_compare_typical(&runs);

		CHECK(typical && !ep_quantity_is_known(&typical->load));
		CHECK_STR(typical ? typical->load.reason : NULL, "no clock");
		CHECK(typical && !ep_quantity_is_known(&typical->events[0].total.count));
		CHECK(typical && ep_quantity_is_known(&typical->events[1].total.count));
	}
	events[1][1].name = "other"; /* this run has no such event */
	events[1][1].total.count = total;
	{
		EP_AUTOFREE struct ep_report *typical = ep_compare_typical(&runs);

		CHECK(typical && !ep_quantity_is_known(&typical->events[0].total.count));
	}
	reports[1].load = known;
}
