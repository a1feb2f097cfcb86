// SPDX-License-Identifier: BSD-3-Clause
/* Rows by language: time in each is counted once, however often a call path goes from one into the other. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/facts/runtimes.h"
#include "reporter/run/run.h"
#include "reporter/view/view.h"
#include "tests/unit/two_groups.h"

enum { SCRIPT, PYTHON, LIBM, MADE, NODE, PYTHONIA, N_SITES };

/* Module numbers, and addresses in them: 0 is code in no file. */
static const struct ep_stack_node sites[N_SITES] = {
	[SCRIPT] = { 0, 0, 0 },
	[PYTHON] = { 0, 1, 0x1000 },
	[LIBM] = { 0, 2, 0x1000 },
	[MADE] = { 0, 0, 0x7000000 },
	[NODE] = { 0, 3, 0x1000 },
	[PYTHONIA] = { 0, 4, 0x1000 },
};

static void put_script(void)
{
	size_t at = ep_block_start(&writer.wire, EP_BLOCK_CODE, writer.key);

	ep_wire_u(&writer.wire, 0);
	ep_wire_u(&writer.wire, 0);
	ep_wire_u(&writer.wire, 1);
	ep_wire_u(&writer.wire, 1);
	ep_wire_u(&writer.wire, 10);
	ep_wire_u(&writer.wire, 5);
	ep_wire_string(&writer.wire, "outer", 5);
	ep_wire_string(&writer.wire, "/home/u/main.py", 15);
	ep_wire_string(&writer.wire, "", 0);
	ep_block_finish(&writer.wire, at);
}

/* One path, outermost first, each of whose frames is a sample of a slice's time. */
static struct ep_trace *make_trace(const int *path, uint32_t n, bool has_node)
{
	static const char *const paths[] = { "/nonexistent/libpython3.11.so.1.0",
		"/nonexistent/libm.so.6", "/nonexistent/bin/node", "/nonexistent/pythonia" };
	struct ep_stack_node nodes[16];
	struct ep_module modules[4];

	for (uint32_t i = 0; i < 4; i++)
		modules[i] = (struct ep_module){ .id = i + 1,
			.start = 0x10000 * (i + 1),
			.end = 0x10000 * (i + 2),
			.path = paths[i],
			.path_size = strlen(paths[i]) };
	start_trace();
	trace_put_meta(&writer, meta);
	trace_put_modules(&writer, modules, has_node ? 4 : 2);
	put_script();
	for (uint32_t i = 0; i < n; i++) {
		nodes[i] = sites[path[i]];
		nodes[i].parent_idx = i;
		if (path[i] == SCRIPT)
			nodes[i].address = ep_script_address(1, 4);
	}
	put_nodes(1, nodes, n);
	for (uint32_t i = 0; i < n; i++)
		put_slices(1, i + 1, i, 1000);
	return finish_trace();
}

struct expected {
	const char *name;
	uint64_t self, total; /* samples */
};

static void check_row(const struct ep_report *report, const struct expected *expected)
{
	for (uint32_t i = 0; i < report->languages.n_rows; i++) {
		const struct ep_report_row *row = &report->languages.rows[i];

		if (strcmp(row->name, expected->name))
			continue;
		CHECK_INT(row->self_ns, expected->self * 1000000);
		CHECK_INT(row->total_ns, expected->total * 1000000);
		CHECK_INT(row->n_samples, expected->self);
		return;
	}
	CHECK_MSG(false, "there is no row %s", expected->name);
}

static void check_views(const struct ep_report *report, const char *name)
{
	static const struct ep_report_view *const views[] = { &ep_report_view_text,
		&ep_report_view_csv, &ep_report_view_json };
	struct ep_view_options options = { .by = EP_BY_LANGUAGES, .width = 100 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(views); i++) {
		EP_AUTOFREE char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		CHECK_INT(views[i]->print(out, report, &options), 0);
		fclose(out);
		CHECK_MSG(strstr(text, name), "%s is not in:\n%s", name, text);
	}
}

static void check_path(const int *path, uint32_t n, bool has_node, const struct expected *expected,
	uint32_t n_rows)
{
	struct ep_symbols_options no_files = { .sysroot = "/nonexistent" };
	struct ep_report_options options = {
		.n_bins = 4,
		.languages = true,
		.trace_paths = (const char *const[]){ "trace.gz", NULL },
		.filler = &ep_filler_fixed,
	};
	struct ep_trace *trace = make_trace(path, n, has_node);
	struct ep_symbols *symbols = ep_symbols_create(trace, &no_files);
	const struct ep_report *report = ep_report_create(trace, symbols, &options);

	CHECK_INT(report->languages.n_rows, n_rows);
	for (uint32_t i = 0; i < n_rows; i++)
		check_row(report, &expected[i]);
	check_views(report, expected[0].name);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

TEST(each_language_counts_once_on_a_path)
{
	static const int path[] = { PYTHON, SCRIPT, LIBM, PYTHON, SCRIPT, MADE };
	static const struct expected expected[] = { { "Python's interpreter", 2, 6 },
		{ "Python", 2, 5 }, { "native", 1, 4 }, { "made at run time", 1, 1 } };

	check_path(path, EP_ARRAY_SIZE(path), false, expected, EP_ARRAY_SIZE(expected));
}

TEST(a_runtime_tells_what_it_makes)
{
	static const int path[] = { NODE, MADE, PYTHONIA };
	static const struct expected expected[] = { { "JavaScript, made at run time", 1, 2 },
		{ "Node's runtime", 1, 3 }, { "native", 1, 1 } };

	check_path(path, EP_ARRAY_SIZE(path), true, expected, EP_ARRAY_SIZE(expected));
}

/* Anybody may name a program java or R2: what it runs with tells. */
TEST(a_name_alone_makes_no_runtime)
{
	static const struct {
		const char *program, *library, *runtime;
	} rows[] = {
		{ "/home/u/java", "/lib/libc.so.6", NULL },
		{ "/usr/bin/java", "/usr/lib/jvm/lib/server/libjvm.so", "Java's virtual machine" },
		{ "/home/u/R2", "/lib/libc.so.6", NULL },
		{ "/usr/lib/R/bin/exec/R", "/usr/lib/R/lib/libR.so", "R's interpreter" },
		{ "/usr/bin/python3.11", "/lib/libc.so.6", "Python's interpreter" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_module_info modules[] = { { .path = rows[i].program },
			{ .path = rows[i].library } };
		struct ep_trace trace = { .modules = modules, .n_modules = 2 };
		const char *runtime = ep_runtime_of_file(&trace, rows[i].program);

		CHECK_MSG(!runtime == !rows[i].runtime, "%s is %s", rows[i].program,
			runtime ? runtime : "none");
		if (runtime && rows[i].runtime)
			CHECK_STR(runtime, rows[i].runtime);
	}
}
