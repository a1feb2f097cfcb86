// SPDX-License-Identifier: BSD-3-Clause
/* Groups of the simulated PMU. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "preload/source.h"

static char path[] = "/tmp/evprof-sim-XXXXXX";

static void write_table(void)
{
	static const char text[] = "CYCLES,INSTR,A,B,C,D\n1,2,3,4,5,6\n";
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	close(fd);
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
		{ "CYCLES,CYCLES", { "CYCLES" } },
	};
	char source[64];

	write_table();
	snprintf(source, sizeof(source), "sim:%s,counters=2", path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
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
	unlink(path);
}
