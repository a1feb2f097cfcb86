// SPDX-License-Identifier: BSD-3-Clause
/* Traces of one program, as tables. */
#include "reporter/command/pair_traces.h"

#include <errno.h>

#include "tests/unit/command.h"
#include "tests/unit/runs.h"

static struct ep_pair_traces traces;
static struct ep_error failure;
static char *paths[] = { "mpx.gz", "all.gz", "part.gz" };

/* As a command, so that what it says is seen; argc stands for the number of paths. */
static int read_paths(int argc, char **argv)
{
	return ep_pair_traces_read(argv + 1, (size_t)argc - 1, &traces, &failure);
}

TEST(the_first_takes_turns_and_the_others_tell_the_truth)
{
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 1 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 1000, 1 });
	write_run("part.gz", (struct run_of){ false, 10, 40, 1000, 1 });
	RUN(read_paths, paths[0], paths[1], paths[2]);
	CHECK_INT(status, 0);
	CHECK_STR(err, "");
	CHECK_INT(traces.n_ocoe, 2);
	CHECK_INT(traces.mpx.table.n_rows, RUN_SLICES);
	CHECK_INT(traces.ocoe[1].n_rows, 30);
	size_t n = traces.ocoe[1].n_columns;
	int b = ep_table_column(&traces.ocoe[1], "b");
	CHECK_CLOSE(traces.ocoe[1].values[5 * n + (size_t)b], (double)run_count(15, 2), 0);
	b = ep_table_column(&traces.mpx.table, "b");
	CHECK(!traces.mpx.table.measured[b]);
	CHECK(traces.mpx.table.measured[traces.mpx.table.n_columns + (size_t)b]);
	ep_pair_traces_finish(&traces);
	CHECK(!traces.ocoe && !traces.mpx.table.values);
}

TEST(what_is_no_count_is_dropped)
{
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 1, 20 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 1000, 1, 30 });
	RUN(read_paths, paths[0], paths[1]);
	CHECK_INT(status, 0);
	CHECK_STR(err, "");
	for (size_t i = 0; i < 2; i++) {
		struct ep_table *t = i ? &traces.ocoe[0] : &traces.mpx.table;
		size_t at = (i ? 30 : 20) * t->n_columns + (size_t)ep_table_column(t, "a");

		CHECK(!t->measured[at]);
		CHECK(i || t->measured[at - 2 * t->n_columns]);
	}
	ep_pair_traces_finish(&traces);
}

TEST(other_periods_are_refused)
{
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 1 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 2000, 1 });
	RUN(read_paths, paths[0], paths[1]);
	CHECK_INT(status, -EINVAL);
	CHECK_STR(out, "");
	CHECK_STR(err, "");
	CHECK_STR(failure.where, "all.gz");
	CHECK_STR(failure.message,
		"slices of 2 ms, those of mpx.gz are of 1 ms; record both with the same period "
		"(-p)");
}

TEST(what_is_amiss_is_said)
{
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 2 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 1000, 1 });
	RUN(read_paths, paths[0], paths[1]);
	CHECK_INT(status, 0);
	CHECK_STR(err, "evreport: mpx.gz: 2 threads; the one with the most slices is taken\n");
	CHECK_INT(traces.mpx.table.n_rows, RUN_SLICES);
	ep_pair_traces_finish(&traces);
}

TEST(a_trace_that_is_not_there)
{
	RUN(read_paths, paths[0], "nosuch.gz");
	CHECK_INT(status, -ENOENT);
	CHECK_STR(failure.where, "nosuch.gz");
	CHECK_STR(err, "evreport: mpx.gz: 2 threads; the one with the most slices is taken\n");
}
