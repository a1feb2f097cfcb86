// SPDX-License-Identifier: BSD-3-Clause
/* Traces written here, as tables. */
#include "reporter/load/trace_table.h"

#include <errno.h>
#include <unistd.h>

#include "tests/trace/writer.h"
#include "tests/unit/test.h"

static uint8_t two_groups[] = { 1, 1, 0, 1, 0, 1 };
static const struct ep_groups groups = {
	.n_events = 3, .n_groups = 2, .period_us = 1000, .holds = two_groups
};
static const char meta[] =
	"host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n"
	"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n"
	"group\t0\t0,1\ngroup\t1\t0,2\n";

static struct trace_writer writer;
static char path[64];

static void start_trace(void)
{
	snprintf(path, sizeof(path), "/tmp/evprof-table-XXXXXX");
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(&writer, meta);
}

/* Rows from n_run on did not run; counts are the slice's number and 100 times the
 * event's. */
static void put_slices(uint32_t thread, uint32_t first, uint32_t n, uint32_t n_run)
{
	struct ep_sample rows[8] = { 0 };
	uint64_t values[8 * 3];
	struct ep_samples samples = { thread, 1, n, first, rows, values };

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = (struct ep_sample){ .cpu_us = 1000 + i,
			.wall_us = 2000,
			.group = i % 2,
			.flags = i < n_run ? 0 : EP_SAMPLE_NOT_RUN };
		for (uint32_t e = 0; e < 3; e++)
			values[3 * i + e] = i + 100 * e;
	}
	trace_put_samples(&writer, &groups, &samples, 0);
}

static int read_back(struct ep_trace_table *out, struct ep_error *err)
{
	int rc;

	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	rc = ep_trace_table_read(path, out, err);
	unlink(path);
	return rc;
}

TEST(the_longest_thread_and_its_end_without_counts_left_off)
{
	EP_AUTOTRACETABLE struct ep_trace_table t = { 0 };
	struct ep_error err;

	start_trace();
	put_slices(1, 0, 2, 2);
	put_slices(2, 0, 6, 4);
	put_slices(3, 0, 3, 3);
	CHECK_INT(read_back(&t, &err), 0);
	CHECK_INT(t.n_threads, 3);
	CHECK_INT(t.period_ns, 1000000);
	CHECK_INT(t.n_slices_absent, 0);
	CHECK_INT(t.table.n_rows, 4);
	CHECK_INT(t.table.n_columns, 4);
	CHECK_STR(t.table.names[1], "a");
	CHECK_STR(t.table.names[3], "cpu-time");
	for (size_t i = 0; i < 4 && t.table.n_rows == 4; i++) {
		const double *row = t.table.values + 4 * i;
		const unsigned char *measured = t.table.measured + 4 * i;

		CHECK_CLOSE(row[0], i, 0);
		CHECK_INT(measured[1], i % 2 == 0);
		CHECK_INT(measured[2], i % 2 == 1);
		CHECK_CLOSE(row[1], i % 2 ? 0 : 100 + i, 0);
		CHECK_CLOSE(row[2], i % 2 ? 200 + i : 0, 0);
		CHECK_CLOSE(row[3], 1000 + i, 0);
	}
}

TEST(slices_that_are_not_there_are_counted)
{
	EP_AUTOTRACETABLE struct ep_trace_table t = { 0 };
	struct ep_error err;

	start_trace();
	put_slices(1, 0, 4, 4);
	put_slices(1, 7, 4, 4);
	CHECK_INT(read_back(&t, &err), 0);
	CHECK_INT(t.table.n_rows, 8);
	CHECK_INT(t.n_slices_absent, 3);
}

TEST(no_counts_is_no_table)
{
	struct ep_trace_table t = { 0 };
	struct ep_error err = { 0 };

	start_trace();
	put_slices(1, 0, 4, 0);
	CHECK_INT(read_back(&t, &err), -EBADMSG);
	CHECK_INT(ep_trace_table_read("/nonexistent/trace.gz", &t, &err), -ENOENT);
}
