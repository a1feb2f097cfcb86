/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of two ranks on four CPUs, and what In short says of its CPUs. */
#ifndef EVPROF_TESTS_UNIT_CROWDED_RUN_H
#define EVPROF_TESTS_UNIT_CROWDED_RUN_H

#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/words.h"

enum { N_RANKS = 2, N_THREADS = 8, N_CPUS = 4 };

struct subject {
	struct ep_trace trace;
	struct ep_report report;
	struct ep_report_process processes[N_RANKS];
	struct ep_report_thread threads[N_THREADS];
};

/* Two ranks of four threads that are all busy, half of the time in MPI. */
static void init(struct subject *s)
{
	*s = (struct subject){
		.report = { .duration_s = 2,
			.n_cpus = N_CPUS,
			.n_ranks = N_RANKS,
			.cpus_used = 3.9,
			.processes = s->processes,
			.n_processes = N_RANKS,
			.threads = s->threads,
			.n_threads = N_THREADS,
			.activities = { { .activity = EP_ACTIVITY_MPI, .share = 0.5 } },
			.n_activities = 1 }
	};
	for (uint32_t i = 0; i < N_RANKS; i++)
		s->processes[i] = (struct ep_report_process){ .pid = i + 1, .rank = i ? "1" : "0" };
	for (uint32_t i = 0; i < N_THREADS; i++)
		s->threads[i] = (struct ep_report_thread){ .pid = 1 + i / 4,
			.name = "w",
			.share = 0.125,
			.cpu_ns = 1000000000,
			.waits = { .all_ns = 1000000000, .has_unknown = true } };
}

static bool says(struct subject *s, const char *part)
{
	struct ep_words words = {
		.trace = &s->trace, .report = &s->report, .said = &s->report.said
	};
	bool found = false;

	ep_said_finish(&s->report.said);
	ep_say_cpus(&words);
	for (uint32_t i = 0; i < s->report.said.n_in_short; i++)
		found |= strstr(s->report.said.in_short[i], part) != NULL;
	return found;
}

#endif
