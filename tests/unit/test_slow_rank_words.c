// SPDX-License-Identifier: BSD-3-Clause
/* Each reason why a rank is slow has its sentence, with the numbers of the facts. */
#include "tests/unit/test.h"

#include <string.h>

#include "reporter/words/words.h"

static struct ep_report_group rank = {
	.name = "7", .host = "node3", .own_s = 15, .machine_busy_s = 66
};
static struct ep_report_group host = { .name = "node3", .cpu_ns = 60000000000 };
static struct ep_report report;

static void check_says(enum ep_slow_reason reason, double its, double others, const char *wanted)
{
	struct ep_words words = { .report = &report, .said = &report.said };
	const char *said;

	report.slow_rank = (struct ep_report_slow_rank){
		.rank = &rank, .reason = reason, .its = its, .others = others, .cost_s = 5
	};
	report.host_rows = &host;
	report.n_host_rows = 1;
	said = ep_slow_rank_words(&words);
	CHECK_MSG(said && strstr(said, wanted), "%s", said ? said : "(nothing)");
	ep_said_finish(&report.said);
}

TEST(work_needs_no_other_sentence)
{
	struct ep_words words = { .report = &report, .said = &report.said };

	report.slow_rank.reason = EP_SLOW_WORK;
	CHECK(!ep_slow_rank_words(&words));
	report.slow_rank.reason = EP_SLOW_NONE;
	CHECK(!ep_slow_rank_words(&words));
}

TEST(a_slow_clock)
{
	check_says(EP_SLOW_CLOCK, 2, 3,
		"at 2.00 GHz, the other ranks' at 3.00: at their pace it would need 10 s");
	check_says(EP_SLOW_CLOCK, 2, 3, "its machine node3 (heat");
	rank.host = NULL;
	check_says(EP_SLOW_CLOCK, 2, 3, "its machine (heat");
	rank.host = "node3";
}

TEST(page_faults)
{
	check_says(EP_SLOW_FAULTS, 2e6, 1000,
		"It had 2e+06 page faults, the other ranks 1e+03 on average");
	rank.n_major_faults = 12;
	check_says(EP_SLOW_FAULTS, 2e6, 1000, "page faults, 12 of them from disk, the other ranks");
}

/* Others are named only where they used at least half of what the rank lacked. */
TEST(no_cpu)
{
	check_says(EP_SLOW_CPUS, 5, 0.1,
		"Rank 7 computes no longer than the others but is done later: it was ready to run for 5 s");
	check_says(EP_SLOW_CPUS, 5, 0.1, "Other programs used 6 s of CPU time on node3 meanwhile");
	rank.machine_busy_s = 62;
	check_says(EP_SLOW_CPUS, 5, 0.1, "Look at what else runs on its CPUs");
}

TEST(stolen_time)
{
	check_says(EP_SLOW_STOLEN, 0.3, 0.01,
		"the host took 30 % of the CPU time of its machine node3, of theirs 1 %, which costs it about 5 s");
}
