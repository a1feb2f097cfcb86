// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/load/two_runs.h"

struct process {
	uint32_t file_idx;
	const char *run, *host, *rank;
	uint64_t from_ms, to_ms;
};

enum { MOST_PROCESSES = 3 };

static bool are_two(const struct process *rows)
{
	struct ep_trace_process processes[MOST_PROCESSES] = { 0 };
	struct ep_trace trace = { .processes = processes };

	for (; trace.n_processes < MOST_PROCESSES && rows[trace.n_processes].run;
		trace.n_processes++) {
		const struct process *row = &rows[trace.n_processes];
		struct ep_trace_process *p = &processes[trace.n_processes];

		p->file_idx = row->file_idx;
		p->meta[EP_META_RUN] = row->run;
		p->meta[EP_META_HOST] = row->host;
		p->meta[EP_META_RANK] = row->rank;
		p->has_meta = true;
		p->n_threads = 1;
		p->born_ns = row->from_ms * 1000000;
		p->last_us = (row->to_ms - row->from_ms) * 1000;
	}
	return ep_trace_is_of_two_runs(&trace);
}

TEST(runs_are_told_from_parts_of_one)
{
	static const struct {
		const char *what;
		bool are_two;
		struct process processes[MOST_PROCESSES];
	} cases[] = {
		{ "a rank each", false,
			{ { 0, "a", "n1", "0", 0, 100 }, { 1, "b", "n1", "1", 5, 99 } } },
		{ "a rank each, on two machines", false,
			{ { 0, "a", "n1", "0", 0, 100 }, { 1, "b", "n2", "1", 5, 99 } } },
		{ "two machines of a job without ranks", false,
			{ { 0, "a", "n1", NULL, 0, 100 }, { 1, "b", "n2", NULL, 5, 99 } } },
		{ "one launcher", false,
			{ { 0, "a", "n1", NULL, 0, 100 }, { 1, "a", "n1", NULL, 500, 900 } } },
		{ "one after the other", true,
			{ { 0, "a", "n1", NULL, 0, 100 }, { 1, "b", "n1", NULL, 100, 200 } } },
		{ "the later first", true,
			{ { 0, "a", "n1", NULL, 200, 300 }, { 1, "b", "n2", NULL, 0, 200 } } },
		{ "other ranks, but later", true,
			{ { 0, "a", "n1", "0", 0, 100 }, { 1, "b", "n1", "1", 150, 200 } } },
		{ "two jobs at once", true,
			{ { 0, "a", "n1", "0", 0, 100 }, { 1, "b", "n2", "1", 0, 100 },
				{ 1, "b", "n2", "0", 0, 100 } } },
		{ "two programs of one machine at once", true,
			{ { 0, "a", "n1", NULL, 0, 100 }, { 1, "b", "n1", NULL, 0, 100 } } },
		{ "the process born last ends first", false,
			{ { 0, "a", "n1", NULL, 0, 100 }, { 0, "a", "n1", NULL, 10, 20 },
				{ 1, "b", "n2", NULL, 50, 60 } } },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++)
		CHECK_MSG(are_two(cases[i].processes) == cases[i].are_two, "%s", cases[i].what);
}
