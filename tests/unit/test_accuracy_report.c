// SPDX-License-Identifier: BSD-3-Clause
/* Figures in, three formats out: whose mean is whose, and in what order. */
#include "reporter/estimate/accuracy_report.h"

#include <errno.h>
#include <json-c/json.h>

#include "common/cleanup.h"
#include "tests/unit/test.h"

static const char *const tables[] = { "/d-1/gcc-01.csv.gz", "gcc-02.csv", "x/b+tree-1.csv",
	"alone.csv", "other.csv" };

static struct ep_accuracy_request request_of(const char *estimators, const char *format)
{
	return (struct ep_accuracy_request){ estimators, format, tables, EP_ARRAY_SIZE(tables),
		NULL };
}

static void add(
	struct ep_accuracy_report *r, size_t table, size_t estimator, const char *event, double ra)
{
	struct ep_accuracy_row row = { .table = table,
		.estimator = estimator,
		.event = event,
		.chosen = "gru",
		.accuracy = { ra, NAN, ra / 2, 12.5, 1, 0 } };

	CHECK_INT(ep_accuracy_report_add(r, &row), 0);
}

/* Two estimators; rows come in no order. */
static void fill(struct ep_accuracy_report *r)
{
	char event[] = "A"; /* the report keeps a copy */

	add(r, 2, 0, event, 0.5);
	add(r, 1, 0, "B \"b\"", NAN);
	add(r, 1, 0, event, 0.25);
	add(r, 0, 1, event, 1);
	add(r, 0, 0, event, 0.75);
	add(r, 3, 0, event, 0.1);
	add(r, 4, 0, event, 0.2);
	*event = 'Z';
}

/* The caller's to free. */
static char *printed(struct ep_accuracy_request request)
{
	struct ep_accuracy_report r;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(ep_accuracy_report_init(&r, &request, NULL), 0);
	fill(&r);
	ep_accuracy_report_print(&r, out);
	ep_accuracy_report_finish(&r);
	fclose(out);
	return text;
}

TEST(the_text_has_a_line_for_each_event_and_program)
{
	static const char *const lines[] = {
		/* .75, .25, .5, .1, .2 */
		"linear     A                         0.360      -      0.180    12.50    1.000    "
		"0.000\n",
		"linear     B \"b\"                       -        -        -      12.50    1.000  "
		"  0.000\n",
		"linear     gcc                       0.500      -      0.250    12.50    1.000    "
		"0.000\n",
		"linear     b+tree                    0.500      -      0.250    12.50    1.000    "
		"0.000\n",
		"linear     alone                     0.100      -      0.050    12.50    1.000    "
		"0.000\n",
		"linear     other                     0.200      -      0.100    12.50    1.000    "
		"0.000\n",
		"linear     all                       0.360      -      0.180    12.50    1.000    "
		"0.000\n",
		"mlp        gcc                       1.000      -      0.500    12.50    1.000    "
		"0.000\n",
		"mlp        other                       -        -        -        -        -      "
		"  -  \n",
	};
	EP_AUTOFREE char *text = printed(request_of("linear,,mlp", "text"));

	for (size_t i = 0; i < EP_ARRAY_SIZE(lines); i++)
		CHECK_MSG(strstr(text, lines[i]), "no %s in\n%s", lines[i], text);
	CHECK(!strstr(text, "aligned"));
	CHECK(!strstr(strstr(text, " gcc ") + 1, "linear     gcc ")); /* two runs, one line */
}

TEST(csv_rows_are_in_order)
{
	EP_AUTOFREE char *text = printed(request_of("linear,mlp", "csv"));

	CHECK_STR(text,
		"estimator,run,event,chosen,ra,ra_100,total_error,dtw,covered,total_covered\n"
		"linear,gcc-01,A,gru,0.75,,0.375,12.5,1,0\n"
		"linear,gcc-02,B \"b\",gru,,,,12.5,1,0\n"
		"linear,gcc-02,A,gru,0.25,,0.125,12.5,1,0\n"
		"linear,b+tree-1,A,gru,0.5,,0.25,12.5,1,0\n"
		"linear,alone,A,gru,0.1,,0.05,12.5,1,0\n"
		"linear,other,A,gru,0.2,,0.1,12.5,1,0\n"
		"mlp,gcc-01,A,gru,1,,0.5,12.5,1,0\n");
}

TEST(json_is_json_whatever_events_are_called)
{
	static const char *const ways[] = { "step", "dtw", NULL };
	struct ep_accuracy_request request = request_of("linear,mlp", "json");
	struct json_object *root, *all, *rows, *row, *figure;

	request.alignments = ways;
	EP_AUTOFREE char *text = printed(request);

	root = json_tokener_parse(text);
	CHECK_MSG(root, "%s", text);
	CHECK(json_object_object_get_ex(root, "all", &all));
	CHECK(json_object_object_get_ex(root, "rows", &rows));
	CHECK_INT(json_object_array_length(all), 4);
	CHECK_INT(json_object_array_length(rows), 7);
	row = json_object_array_get_idx(all, 3);
	CHECK_STR(json_object_get_string(json_object_object_get(row, "aligned")), "dtw");
	CHECK_STR(json_object_get_string(json_object_object_get(row, "estimator")), "mlp");
	row = json_object_array_get_idx(all, 0);
	CHECK_CLOSE(json_object_get_double(json_object_object_get(row, "ra")), 0.36, 1e-9);
	/* nothing was aligned by dtw */
	CHECK(json_object_object_get_ex(json_object_array_get_idx(all, 2), "ra", &figure) &&
		!figure);
	row = json_object_array_get_idx(rows, 1);
	CHECK_STR(json_object_get_string(json_object_object_get(row, "event")), "B \"b\"");
	CHECK_STR(json_object_get_string(json_object_object_get(row, "run")), "gcc-02");
	CHECK(json_object_object_get_ex(row, "ra", &figure) && !figure);
	json_object_put(root);
}

TEST(what_is_not_known_is_refused_before_any_work)
{
	struct ep_accuracy_request of_format = request_of("auto", "jsn");
	struct ep_accuracy_request of_name = request_of("linear,foo", "csv");
	struct ep_accuracy_report r;
	struct ep_error err;

	CHECK_INT(ep_accuracy_report_init(&r, &of_format, &err), -EINVAL);
	CHECK_STR(err.message, "no format \"jsn\" (text, json, csv)");
	ep_accuracy_report_finish(&r);
	CHECK_INT(ep_accuracy_report_init(&r, &of_name, &err), -EINVAL);
	CHECK_STR(err.message,
		"no estimator \"foo\" (auto, fixed, linear, nonlinear, kernel, mlp, gru)");
	ep_accuracy_report_finish(&r);
}

TEST(nobody_named_is_auto)
{
	struct ep_accuracy_request request = request_of(",", "csv");
	struct ep_accuracy_report r;

	CHECK_INT(ep_accuracy_report_init(&r, &request, NULL), 0);
	CHECK_STR(r.estimators[0], "auto");
	CHECK(!r.estimators[1]);
	ep_accuracy_report_finish(&r);
}
