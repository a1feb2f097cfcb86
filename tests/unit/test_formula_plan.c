// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/pack.h"
#include "common/formula/plan_private.h"

#define ANY UINT32_MAX

TEST(constraints_decide_what_fits)
{
	/* 0 and 1 only on counter 0; 2 anywhere; 3 on the fixed counter or anywhere */
	static const struct ep_need needs[] = {
		{ 1, false, -1, -1 },
		{ 1, false, -1, -1 },
		{ ANY, false, -1, -1 },
		{ ANY, false, 1, -1 },
	};
	struct ep_pack pack = { .needs = needs, .n_needs = 4, .n_counters = 2 };
	static const uint32_t both[] = { 0, 1 }, three[] = { 2, 3, 0 };
	bool done;

	CHECK_INT(ep_pack_together(&pack, both, 2, &done), 0);
	CHECK(!done);
	CHECK_INT(pack.n_groups, 0);
	CHECK_INT(ep_pack_together(&pack, three, 3, &done), 0);
	CHECK(done);
	CHECK_INT(ep_pack_anywhere(&pack, 1), 0);
	CHECK_INT(pack.n_groups, 2);
	CHECK_INT(ep_pack_find(&pack, three, 3), 0);
	CHECK_INT(ep_pack_find(&pack, both, 2), -1);
	ep_pack_finish(&pack);
}

/* 2 takes counter 0 first and has to move when 0 comes, which has no other. */
TEST(earlier_events_move_to_make_room)
{
	static const struct ep_need needs[] = { { 1, false, -1, -1 }, { 2, false, -1, -1 },
		{ 3 | 4, false, -1, -1 } };
	struct ep_pack pack = { .needs = needs, .n_needs = 3, .n_counters = 3 };
	static const uint32_t all[] = { 2, 1, 0 };
	bool done;

	CHECK_INT(ep_pack_together(&pack, all, 3, &done), 0);
	CHECK(done);
	ep_pack_finish(&pack);
}

TEST(always_on_events_take_counters_in_every_group)
{
	static const struct ep_need needs[] = { { ANY, false, -1, -1 }, { ANY, false, -1, -1 },
		{ ANY, false, -1, -1 } };
	static const uint32_t always[] = { 0 };
	struct ep_pack pack = {
		.needs = needs, .n_needs = 3, .n_counters = 2, .always = always, .n_always = 1
	};

	CHECK_INT(ep_pack_anywhere(&pack, 1), 0);
	CHECK_INT(ep_pack_anywhere(&pack, 2), 0);
	CHECK_INT(pack.n_groups, 2);
	ep_pack_finish(&pack);
	pack = (struct ep_pack){
		.needs = needs, .n_needs = 3, .n_counters = 1, .always = always, .n_always = 1
	};
	CHECK_INT(ep_pack_anywhere(&pack, 1), -ENOSPC);
	ep_pack_finish(&pack);
}

/* AMD's floating-point events before Zen 5: a counter each, and its neighbour. */
TEST(pairs_take_two_counters)
{
	static const struct ep_need needs[] = { { ANY, true, -1, -1 }, { ANY, true, -1, -1 },
		{ ANY, true, -1, -1 }, { ANY, false, -1, -1 }, { ANY, false, -1, -1 } };
	struct ep_pack pack = { .needs = needs, .n_needs = 5, .n_counters = 6 };
	static const uint32_t three[] = { 0, 1, 2 }, four[] = { 0, 1, 2, 3 },
			      mixed[] = { 3, 0, 4, 1 };
	bool done;

	CHECK_INT(ep_pack_together(&pack, four, 4, &done), 0);
	CHECK(!done);
	CHECK_INT(ep_pack_together(&pack, three, 3, &done), 0);
	CHECK(done);
	CHECK_INT(ep_pack_together(&pack, mixed, 4, &done), 0);
	CHECK(done);
	CHECK_INT(pack.n_groups, 2);
	ep_pack_finish(&pack);
}

TEST(riding_events_bring_what_they_ride_on)
{
	static const struct ep_need needs[] = { { 0, false, 3, -1 }, { 0, false, -1, 0 },
		{ 0, false, -1, 0 } };
	struct ep_pack pack = { .needs = needs, .n_needs = 3, .n_counters = 1 };
	static const uint32_t riders[] = { 1, 2 }, all[] = { 0, 1, 2 };
	bool done;

	CHECK_INT(ep_pack_together(&pack, riders, 2, &done), 0);
	CHECK(done);
	CHECK_INT(ep_pack_find(&pack, all, 3), 0);
	ep_pack_finish(&pack);
}

static bool (*is_known)(const char *name); /* by the counter source; NULL: all */

static struct ep_event_plan *make(const char *models, const char *cpu, uint32_t n_counters)
{
	struct ep_event_plan_request request = { .models = models,
		.cpu = cpu,
		.n_counters = n_counters,
		.period_ns = 1000000,
		.is_known = is_known };
	struct ep_event_plan *plan = NULL;
	struct ep_error err = { 0 };
	char root[4096];

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_MSG(!ep_event_plan_create(&request, &plan, &err), "%s %s: %s", models, cpu,
		err.message);
	return plan;
}

/* Numbers of groups: 12 events of POWER9's model are bound to PMC2, so 12 is the least; Skylake's
 * has 12 general events, of which Fetch_Bandwidth wants one in two groups. */
TEST(groups_of_the_shipped_models)
{
	static const struct {
		const char *models, *cpu;
		uint32_t n_counters, n_groups;
	} cases[] = {
		{ "topdown", "skx", 0, 4 },
		{ "topdown", "skx", 8, 2 },
		{ "topdown", "zen2", 0, 2 },
		{ "topdown", "a64fx", 0, 3 },
		{ "topdown", "kunpeng920", 0, 1 },
		{ "topdown", "power9", 0, 12 },
		{ "topdown", "spr", 0, 1 },
		{ "ipc", "neoverse-v1", 0, 1 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_event_plan *plan =
			make(cases[i].models, cases[i].cpu, cases[i].n_counters);

		CHECK_MSG(plan && plan->pack.n_groups == cases[i].n_groups,
			"%s of %s: %u groups, expected %u", cases[i].models, cases[i].cpu,
			plan ? plan->pack.n_groups : 0, cases[i].n_groups);
		ep_event_plan_destroy(plan);
	}
}

static bool knows_nothing(const char *name)
{
	(void)name;
	return false;
}

/* As without libpfm4. What the kernel names itself keeps that name. */
TEST(events_without_a_name_are_opened_by_code)
{
	is_known = knows_nothing;
	struct ep_event_plan *skx = make("topdown", "skx", 0), *spr = make("topdown", "spr", 0);
	EP_AUTOFREE char *of_skx = ep_event_plan_events(skx), *of_spr = ep_event_plan_events(spr);

	CHECK_MSG(strstr(of_skx, "r3c,rc0,r10e,r2c2,") == of_skx, "%s", of_skx);
	CHECK_MSG(!strchr(of_skx, ':'), "%s", of_skx);
	CHECK_MSG(strstr(of_spr, "cpu/slots/,r3c,rc0,cpu/topdown-retiring/,") == of_spr, "%s",
		of_spr);
	is_known = NULL;
	ep_event_plan_destroy(skx);
	ep_event_plan_destroy(spr);
}

/* The launcher tries the counters with events of their own. */
TEST(counters_of_their_own)
{
	static const struct {
		const char *cpu, *fixed;
		uint32_t n_counters, n_most;
	} rows[] = {
		{ "skx", "CPU_CLK_THREAD_UNHALTED:THREAD_P,INST_RETIRED:ANY_P", 4, 8 },
		{ "zen3", "", 6, 6 },
		{ "neoverse-n1", "CPU_CYCLES", 6, 6 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_event_plan *plan = make("topdown", rows[i].cpu, 0);
		EP_AUTOFREE char *fixed = ep_event_plan_fixed(plan);

		CHECK_STR(fixed, rows[i].fixed);
		CHECK_INT(ep_event_plan_n_counters(plan), rows[i].n_counters);
		CHECK_INT(ep_event_plan_most_counters(plan), rows[i].n_most);
		ep_event_plan_destroy(plan);
	}
}

TEST(level_1_of_skylake_is_one_group)
{
	struct ep_event_plan *plan = make("topdown", "skx", 0);
	EP_AUTOFREE char *events = ep_event_plan_events(plan);

	CHECK(strstr(events, "CPU_CLK_THREAD_UNHALTED:THREAD_P,INST_RETIRED:ANY_P,UOPS_ISSUED:ANY,"
			     "UOPS_RETIRED:RETIRE_SLOTS,INT_MISC:RECOVERY_CYCLES,"
			     "IDQ_UOPS_NOT_DELIVERED:CORE;") == events);
	ep_event_plan_destroy(plan);
}

/* The kernel reads PERF_METRICS only in a group that slots leads. */
TEST(what_others_ride_on_leads_its_group)
{
	struct ep_event_plan *plan = make("topdown", "spr", 0);
	EP_AUTOFREE char *events = ep_event_plan_events(plan);

	CHECK(events && strstr(events, "cpu/slots/,CPU_CLK_UNHALTED:THREAD_P,") == events);
	CHECK(events && strstr(events, ",cpu/topdown-fe-bound/"));
	ep_event_plan_destroy(plan);
}

TEST(the_counter_source_gets_its_own_names)
{
	struct ep_event_plan *plan = make("topdown", "kunpeng920", 0);
	EP_AUTOFREE char *events = ep_event_plan_events(plan);

	CHECK(strstr(events, ",r7005,"));
	CHECK(!strstr(events, "MEM_STALL_ANYSTORE"));
	ep_event_plan_destroy(plan);
}

TEST(the_printed_plan_says_what_cannot_be_told)
{
	struct ep_event_plan *plan = make("flops", "zen3", 0);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ep_event_plan_print(plan, out);
	fclose(out);
	CHECK(strstr(text, "cannot be told on this CPU: DP_Rate (no DP_FLOP)\n"));
	CHECK(strstr(text, "\n  enough for: "));
	CHECK(!strstr(text, "several groups")); /* there is one */
	CHECK(strstr(text, "each group counts 100 % of the time\n"));
	CHECK(strstr(text, "each event ends slices for at least "));
	CHECK(strstr(text, "can be told apart: 1 ms of CPU time\n"));
	free(text);
	ep_event_plan_destroy(plan);
}

TEST(unknown_models_list_what_there_is)
{
	struct ep_event_plan_request request = { .models = "topdown,xx", .cpu = "skx" };
	struct ep_event_plan *plan;
	struct ep_error err;

	CHECK_INT(ep_event_plan_create(&request, &plan, &err), -ENOENT);
	CHECK(strstr(err.message, "no model 'xx' for skx; there are:"));
	CHECK(strstr(err.message, " lcpi"));
	CHECK_STR(ep_event_plan_default_models("skx"), "topdown,lcpi");
	CHECK_STR(ep_event_plan_default_models("z80"), "software");
}

TEST(the_kernels_own_events_take_no_counter)
{
	struct ep_event_plan *plan = make("software", "zen5", 0);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ep_event_plan_print(plan, out);
	fclose(out);
	CHECK(strstr(text, "group 1: task-clock "));
	CHECK(!strstr(text, "group 2"));
	CHECK(!strstr(text, "ex_ret_instr")); /* always on where something needs a counter */
	free(text);
	ep_event_plan_destroy(plan);
}

/* evcal derive's older files, and many a user's, name no levels. */
TEST(metrics_of_a_file_without_levels_are_planned)
{
	static const char text[] =
		"evprof-formula 1\n[model]\nname = mine\n[metric m]\nexpr = BR_INST_RETIRED:COND + cstate_core@c1\\-residency@\n";
	char path[] = "/tmp/evprof-plan-XXXXXX.formula";
	int fd = mkstemps(path, 8);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
	struct ep_event_plan *plan = make(path, "spr", 0);

	unlink(path);
	EP_AUTOFREE char *events = plan ? ep_event_plan_events(plan) : NULL;
	CHECK_STR(events,
		"CPU_CLK_UNHALTED:THREAD_P,INST_RETIRED:ANY_P,BR_INST_RETIRED:COND,cstate_core/c1-residency/");
	ep_event_plan_destroy(plan);
}
