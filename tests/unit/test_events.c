// SPDX-License-Identifier: BSD-3-Clause
/* Measurement tables, bases and thresholds: what is read, and what is refused with which message.
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "kernels/derive/csv.h"
#include "kernels/derive/project.h"
#include "kernels/derive/set.h"

static const char *write_file(const char *text)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/evprof-events-XXXXXX");
	int fd = mkstemp(path);
	CHECK_INT(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static int read_events(const char *text, struct ep_events *events, struct ep_error *err)
{
	const char *path = write_file(text);
	struct ep_labelled basis;
	struct ep_error basis_err;

	CHECK_INT(ep_labelled_parse(&basis, "basis", "point,A\np1,1\np2,2\n", "point", &basis_err),
		0);
	int rc = ep_events_read(events, path, &basis.rows, err);
	ep_labelled_finish(&basis);
	unlink(path);
	return rc;
}

TEST(rows_in_any_order_and_medians_over_threads)
{
	struct ep_events events;
	struct ep_error err;

	CHECK_INT(read_events("# note\nevent,rep,thread,p2,p1\n"
			      "A,1,0,10,20\nB:x=1[2],0,0,-5,0\nA,0,2,4,9\nA,0,0,1,7\nA,0,1,2,8\n"
			      "A,1,1,12,22\n",
			  &events, &err),
		0);
	CHECK_INT(events.names.n, 2);
	CHECK_STR(events.names.items[1], "B:x=1[2]");
	CHECK_INT(events.n_rows, 3);
	static const double expected[] = { 8, 2, 21, 11, 0, -5 };
	for (int i = 0; i < 6; i++)
		CHECK_CLOSE(events.values[i], expected[i], 0);
	CHECK_INT(events.first_row[1], 2);
	CHECK_INT(events.first_row[2], 3);
	ep_events_finish(&events);
}

TEST(numbers_are_read_as_strtod_reads_them)
{
	static const char *const rows[] = { "0", "-0", "1", "0.1", "123456.789012",
		"9007199254740993", "1e300", "-2.5E-7", "0.000000000000000000001",
		"1234567890123456789012", ".5", "5.", "0.30000000000000004",
		"179769313486231570000" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		char text[64];
		struct ep_error err;
		struct ep_csv csv;
		double values[2] = { 0 };

		snprintf(text, sizeof(text), "%s,%s", rows[i], rows[i]);
		ep_csv_init(&csv, "x", text);
		CHECK(ep_csv_next_line(&csv));
		CHECK_INT(ep_csv_numbers(&csv, 2, NULL, values, &err), 0);
		CHECK_MSG(values[0] == strtod(rows[i], NULL) && values[1] == values[0],
			"%s read as %.17g and %.17g", rows[i], values[0], values[1]);
	}
}

TEST(bad_tables_name_line_and_fault)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *message;
	} rows[] = {
		{ "", 0, "is empty" },
		{ "# only a comment\n", 0, "is empty" },
		{ "name,rep,thread,p1,p2\n", 1, "must start with \"event,rep,thread\"" },
		{ "event,rep,thread\n", 1, "point \"p1\" of the basis is missing" },
		{ "event,rep,thread,p1\nA,0,0,1\n", 1, "point \"p2\" of the basis is missing" },
		{ "event,rep,thread,p1,p2,p3\n", 1, "unknown point \"p3\"" },
		{ "event,rep,thread,p1,p1\n", 1, "point \"p1\" comes twice" },
		{ "event,rep,thread,p1,p2\n", 1, "there is a header but no event" },
		{ "event,rep,thread,p1,p2\nA,0,0,1,2\n\nA,1,0,1\n", 4,
			"4 fields, the header has 5" },
		{ "event,rep,thread,p1,p2\nA,0,0,1,2,3\n", 2, "more fields than the header's 5" },
		{ "event,rep,thread,p1,p2\nA,0\n", 2, "ends before its thread" },
		{ "event,rep,thread,p1,p2\nA,0,0,1,nan\n", 2, "field 5 is \"nan\"" },
		{ "event,rep,thread,p1,p2\nA,0,0,inf,2\n", 2, "field 4 is \"inf\"" },
		{ "event,rep,thread,p1,p2\nA,0,0,1e999,2\n", 2, "field 4 is \"1e999\"" },
		{ "event,rep,thread,p1,p2\nA,0,0,1x,2\n", 2, "field 4 is \"1x\"" },
		{ "event,rep,thread,p1,p2\nA,0,0,,2\n", 2, "field 4 is \"\"" },
		{ "event,rep,thread,p1,p2\nA,-1,0,1,2\n", 2, "repetition is \"-1\"" },
		{ "event,rep,thread,p1,p2\n,0,0,1,2\n", 2, "the event has no name" },
		{ "event,rep,thread,p1,p2\nA,0,0,1,2\nB,0,0,1,2\nA,0,0,1,2\n", 4,
			"event \"A\", repetition 0, thread 0 comes twice, first in line 2" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_events events;
		struct ep_error err;
		char line[16] = "";

		CHECK_INT(read_events(rows[i].text, &events, &err), -EINVAL);
		CHECK_MSG(strstr(err.message, rows[i].message), "%zu: \"%s\", expected \"%s\"", i,
			err.message, rows[i].message);
		if (rows[i].line)
			snprintf(line, sizeof(line), ":%u", rows[i].line);
		CHECK_MSG(!strncmp(err.where, "/tmp/evprof-events-", 19) &&
				  !strcmp(err.where + strcspn(err.where, ":"), line),
			"%zu: at %s, expected line %u", i, err.where, rows[i].line);
	}
}

TEST(bad_bases_name_line_and_fault)
{
	static const struct {
		const char *text, *where, *message;
	} rows[] = {
		{ "", "b.csv", "is empty" },
		{ "metric,A\nx,1\n", "b.csv:1", "starts with \"metric\"" },
		{ "point\nx\n", "b.csv:1", "names no column" },
		{ "point,A,A\nx,1,1\n", "b.csv:1", "column \"A\" comes twice" },
		{ "point,A\n", "b.csv:1", "no point" },
		{ "point,A\nx,1\nx,2\n", "b.csv:3", "point \"x\" comes twice" },
		{ "point,A,B\nx,1\n", "b.csv:2", "2 fields, the header has 3" },
		{ "point,A\nx,NaN\n", "b.csv:2", "\"NaN\"" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_labelled basis;
		struct ep_error err;

		CHECK_INT(ep_labelled_parse(&basis, "b.csv", rows[i].text, "point", &err), -EINVAL);
		CHECK_STR(err.where, rows[i].where);
		CHECK_MSG(strstr(err.message, rows[i].message), "%zu: \"%s\"", i, err.message);
	}
}

/* Tables of other tools come as numbers. */
TEST(rows_are_added_as_numbers)
{
	static const struct {
		const char *event;
		unsigned rep, thread;
		double values[2];
	} rows[] = {
		{ "b,1", 1, 0, { 10, 1 } },
		{ "a", 0, 0, { 20, 2 } },
		{ "b,1", 0, 1, { 40, 4 } },
		{ "b,1", 0, 0, { 60, 8 } },
	};
	static const char *const names[] = { "p2", "p1" }, *const others[] = { "p2", "p3" };
	struct ep_labelled basis;
	struct ep_error err;

	CHECK_INT(ep_labelled_parse(&basis, "basis", "point,A\np1,1\np2,2\n", "point", &err), 0);
	for (int doubled = 0; doubled < 2; doubled++) {
		__attribute__((cleanup(ep_events_builder_finish))) struct ep_events_builder builder;
		__attribute__((cleanup(ep_events_finish))) struct ep_events events;

		ep_events_builder_init(&builder, &events, 2);
		for (size_t i = 0; i < EP_ARRAY_SIZE(rows) + (size_t)doubled; i++)
			CHECK_INT(ep_events_builder_add(&builder, rows[i % 4].event,
					  rows[i % 4].rep, rows[i % 4].thread, rows[i % 4].values),
				0);
		CHECK_INT(ep_events_builder_settle(&builder, others, &basis.rows, "x", &err),
			-EINVAL);
		CHECK_STR(err.message, "unknown point \"p3\": the basis has no such row");
		if (doubled) {
			CHECK_INT(ep_events_builder_settle(&builder, names, &basis.rows, "x", &err),
				-EINVAL);
			CHECK_STR(err.message, "event \"b,1\", repetition 1, thread 0 comes twice");
			continue;
		}
		CHECK_INT(ep_events_builder_settle(&builder, names, &basis.rows, "x", &err), 0);
		CHECK_INT(events.n_rows, 3); /* b: medians of two threads; its repetition 1; a */
		CHECK_STR(events.names.items[0], "b,1");
		CHECK_CLOSE(events.values[0], 6, 0); /* p1 comes first now */
		CHECK_CLOSE(events.values[1], 50, 0);
		CHECK_CLOSE(events.values[2], 1, 0);
		CHECK_CLOSE(events.values[4], 2, 0);
		CHECK_CLOSE(events.values[5], 20, 0);
	}
	ep_labelled_finish(&basis);
}

TEST(bases_are_made_of_numbers)
{
	__attribute__((cleanup(ep_labelled_finish))) struct ep_labelled basis;
	static const double first[] = { 1, 2 }, second[] = { 3, 4 };
	struct ep_error err;

	CHECK_INT(ep_labelled_begin(&basis, "x", "A,B", &err), 0);
	CHECK_INT(ep_labelled_add(&basis, "p1", first, &err), 0);
	CHECK_INT(ep_labelled_add(&basis, "p2", second, &err), 0);
	CHECK_INT(ep_labelled_add(&basis, "p1", second, &err), -EINVAL);
	CHECK_STR(err.message, "\"p1\" comes twice");
	CHECK_INT(basis.rows.n, 2);
	CHECK_INT(basis.columns.n, 2);
	CHECK_STR(basis.columns.items[1], "B");
	CHECK_INT(ep_labels_find(&basis.rows, "p2"), 1);
	CHECK_CLOSE(basis.values[3], 4, 0);
}

TEST(singular_bases_name_the_expectation)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "point,A,B\nx,1,2\ny,2,4\nz,3,6\n",
			"expectation \"A\" is zero or a combination" },
		{ "point,A,B\nx,1,0\ny,2,0\n", "expectation \"B\" is zero" },
		{ "point,A,B\nx,1,1\n", "need at least as many points, not 1" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_projector projector;
		struct ep_labelled basis;
		struct ep_error err;

		CHECK_INT(ep_labelled_parse(&basis, "b.csv", rows[i].text, "point", &err), 0);
		CHECK_INT(ep_projector_init(&projector, &basis, &err), -EINVAL);
		CHECK_STR(err.where, "b.csv:1");
		CHECK_MSG(strstr(err.message, rows[i].message), "%zu: \"%s\"", i, err.message);
		ep_labelled_finish(&basis);
	}
}

TEST(thresholds)
{
	static const struct {
		const char *text;
		int rc;
		double alpha;
	} rows[] = {
		{ "{}", 0, 5e-4 },
		{ "{\"alpha\": 0.25, \"unknown\": [1]}", 0, 0.25 },
		{ "{\"alpha\": 0}", -EINVAL, 5e-4 },
		{ "{\"alpha\": \"0.1\"}", -EINVAL, 5e-4 },
		{ "{\"tau\": -1}", -EINVAL, 5e-4 },
		{ "{\"alpha\": 0.1", -EINVAL, 5e-4 },
		{ "[]", -EINVAL, 5e-4 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_params params = ep_params_default;
		struct ep_error err;

		CHECK_INT(ep_params_parse(&params, "p.json", rows[i].text, &err), rows[i].rc);
		CHECK_CLOSE(params.alpha, rows[i].alpha, 0);
	}
}
