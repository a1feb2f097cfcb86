// SPDX-License-Identifier: BSD-3-Clause
/* The order in which the events of a group are opened; no PMU is needed to tell. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/plan/lead.h"

enum { RAW = 4, OTHER_PMU = 10 };

static struct ep_plan plan;

static void add(const char *name, uint32_t flags)
{
	struct ep_event event = { .flags = flags };

	snprintf(event.name, sizeof(event.name), "%s", name);
	CHECK(ep_plan_add_event(&plan, &event) >= 0);
}

static void check_order(const bool *is_listed, const char *expected)
{
	uint8_t events[EP_PLAN_MAX_EVENTS];
	uint32_t n = ep_lead_order(&plan, is_listed, events);
	char names[256] = "";

	for (uint32_t i = 0; i < n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "",
			plan.events[events[i]].name);
	CHECK_STR(names, expected);
}

TEST(a_leader_comes_before_the_always_on_events)
{
	static const bool all[] = { true, true, true, true, true, true };
	static const bool without_slots[] = { true, true, true, true, false, true };

	memset(&plan, 0, sizeof(plan));
	add("page-faults", EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE);
	add("cycles", EP_EVENT_ALWAYS);
	add("topdown-retiring", EP_EVENT_LED);
	add("UOPS_ISSUED", 0);
	add("slots", EP_EVENT_LEADS);
	add("instructions", EP_EVENT_ALWAYS);
	check_order(all, "slots cycles instructions page-faults");
	check_order(without_slots, "cycles instructions page-faults");
}

TEST(nothing_always_on_and_nothing_listed)
{
	static const bool none[2];

	memset(&plan, 0, sizeof(plan));
	check_order(none, "");
	add("UOPS_ISSUED", 0);
	add("slots", EP_EVENT_LEADS);
	check_order(none, "");
}

/* A folder of PMUs whose "cpu" has, or does not have, a slots event. */
static void find_in(const char *pmu, bool has_slots, struct ep_lead *out)
{
	static const struct {
		const char *file, *text;
	} tree[] = {
		{ "", NULL },
		{ "/format", NULL },
		{ "/events", NULL },
		{ "/type", "4\n" },
		{ "/format/event", "config:0-7\n" },
		{ "/format/umask", "config:8-15\n" },
		{ "/events/slots", "event=0x00,umask=0x4\n" },
	};
	char root[] = "/tmp/evprof-lead-XXXXXX", path[128];

	CHECK(mkdtemp(root) != NULL);
	for (size_t i = 0; i < EP_ARRAY_SIZE(tree) - !has_slots; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", root, pmu, tree[i].file);
		if (!tree[i].text) {
			CHECK_INT(mkdir(path, 0700), 0);
			continue;
		}
		EP_AUTOFCLOSE FILE *file = fopen(path, "w");
		CHECK(file && fputs(tree[i].text, file) >= 0);
	}
	ep_lead_find(root, out);
	for (size_t i = EP_ARRAY_SIZE(tree); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s%s", root, pmu, tree[i].file);
		remove(path);
	}
	CHECK_INT(rmdir(root), 0);
}

TEST(slots_and_what_it_leads_are_told_by_their_codes)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		uint32_t flags;
	} rows[] = {
		{ RAW, 0x400, EP_EVENT_LEADS },
		{ RAW, 0x8000, EP_EVENT_LED }, /* topdown-retiring */
		{ RAW, 0x8300, EP_EVENT_LED }, /* topdown-be-bound */
		{ RAW, 0x8700, EP_EVENT_LED }, /* topdown-mem-bound */
		{ RAW, 0x8800, 0 },
		{ RAW, 0x80c7, 0 }, /* FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE */
		{ RAW, 0x1a4, 0 },  /* TOPDOWN:SLOTS_P, a general counter's */
		{ RAW, 0x300, 0 },  /* reference cycles */
		{ OTHER_PMU, 0x400, 0 },
		{ OTHER_PMU, 0x8000, 0 },
	};
	static const char *const pmus[] = { "cpu", "cpu_core" };

	for (size_t p = 0; p < EP_ARRAY_SIZE(pmus); p++) {
		struct ep_lead lead;

		find_in(pmus[p], true, &lead);
		CHECK(lead.has_slots);
		for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
			struct ep_event event = { .type = rows[i].type, .config = rows[i].config };

			CHECK_MSG(ep_lead_flags(&lead, &event) == rows[i].flags, "%u %llx: %u",
				rows[i].type, (unsigned long long)rows[i].config,
				ep_lead_flags(&lead, &event));
		}
	}
}

TEST(where_the_kernel_knows_no_slots_nothing_leads)
{
	struct ep_event event = { .type = RAW, .config = 0x400 };
	struct ep_lead lead;

	find_in("cpu", false, &lead);
	CHECK(!lead.has_slots);
	CHECK_INT(ep_lead_flags(&lead, &event), 0);
}
