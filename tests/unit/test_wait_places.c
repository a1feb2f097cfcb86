// SPDX-License-Identifier: BSD-3-Clause
/* Waits of all threads by what a reader tells apart: kind, path, what was waited for and who held it. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

enum { MAIN = 2, LEAF, OTHER };

static const char file[] = "/tmp/x";
static const char *meta_waits = "100000";

static struct ep_wait_cost wait_of(
	uint32_t thread_idx, uint8_t kind, uint32_t path_idx, uint64_t ns)
{
	return (struct ep_wait_cost){ .thread_idx = thread_idx,
		.kind = kind,
		.path_idx = path_idx,
		.lock = 64 * (thread_idx + 1),
		.holder_path_idx = EP_NONE,
		.n_waits = 2,
		.off_ns = ns,
		.longest_ns = ns / 2 };
}

/* A report of waits alone; the caller destroys what rows point into with finish. */
static void build(struct ep_trace *trace, struct ep_report *report, uint32_t top)
{
	static const struct ep_report_options no_options;
	struct ep_symbols_options options = { .sysroot = "/nonexistent" };
	struct ep_report_options report_options = no_options;
	struct ep_builder builder = {
		.trace = trace, .report = report, .options = &report_options
	};

	report_options.top = top;
	builder.symbols = ep_symbols_create(trace, &options);
	ep_build_waits(&builder);
	CHECK(!builder.out_of_memory);
	ep_symbols_destroy(builder.symbols);
}

TEST(alike_waits_are_one_row)
{
	struct ep_module_info modules[] = { { .path = "/no/such/program" },
		{ .path = "/no/such/library" } };
	struct ep_path paths[] = {
		{ .parent_idx = EP_NONE, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = 0, .address = 0x1000 },
		{ .parent_idx = MAIN, .module_idx = 1, .address = 0x2000 },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = 1, .address = 0x3000 },
	};
	struct ep_wait_cost waits[] = {
		wait_of(0, EP_WAIT_MUTEX, LEAF, 1000), wait_of(1, EP_WAIT_READ, LEAF, 5000),
		wait_of(1, EP_WAIT_MUTEX, LEAF, 2000), /* another lock of the same code */
		wait_of(0, EP_WAIT_MUTEX, LEAF, 4000), wait_of(0, EP_WAIT_MUTEX, EP_PATH_LOST, 100),
		wait_of(0, 99, MAIN, 50),
		wait_of(0, EP_WAIT_MUTEX, LEAF, 1850), /* held meanwhile */
	};
	struct ep_trace_process process = { .meta = { [EP_META_WAITS] = meta_waits } };
	struct ep_trace trace = { .modules = modules,
		.n_modules = 2,
		.paths = paths,
		.n_paths = EP_ARRAY_SIZE(paths),
		.waits = waits,
		.n_waits = EP_ARRAY_SIZE(waits),
		.processes = &process,
		.n_processes = 1,
		.n_lost_waits = 3 };
	struct ep_report report = { 0 };

	waits[1].name = file;
	waits[6].holder_path_idx = OTHER;
	waits[6].holder_kind = EP_WAIT_SLEEP;
	build(&trace, &report, 3);
	CHECK(report.has_noted_waits);
	CHECK_INT(report.n_noted_lost, 3);
	CHECK_INT(report.noted_ns, 14000);
	CHECK_INT(report.n_noted_waits, 4);
	CHECK_INT(report.n_noted_waits_shown, 3);
	CHECK_STR(report.noted_waits[0].kind, "mutex");
	CHECK_INT(report.noted_waits[0].n_waits, 8);
	CHECK_INT(report.noted_waits[0].ns, 8850);
	CHECK_INT(report.noted_waits[0].longest_ns, 2000);
	CHECK_INT(report.noted_waits[0].n_threads, 2);
	CHECK_CLOSE(report.noted_waits[0].share, 8850.0 / 14000, 1e-12);
	CHECK(strstr(report.noted_waits[0].path, " > "));
	CHECK_INT(report.noted_waits[0].n_holders, 1);
	CHECK_STR(report.noted_waits[0].holders[0].kind, "time to pass");
	CHECK(report.noted_waits[0].holders[0].path[0]);
	CHECK_INT(report.noted_waits[0].holders[0].ns, 1850);
	CHECK_STR(report.noted_waits[1].kind, "read");
	CHECK_STR(report.noted_waits[1].what, file);
	CHECK_STR(report.noted_waits[2].path, ""); /* lost */
	CHECK_STR(report.noted_waits[3].kind, "other");
	free(report.noted_waits);
	ep_strings_finish(&trace.strings);
}

TEST(none_were_noted)
{
	struct ep_trace_process processes[2] = { 0 };
	struct ep_trace trace = { .processes = processes, .n_processes = 2 };
	struct ep_report report = { 0 };

	build(&trace, &report, 0);
	CHECK(!report.has_noted_waits);
	processes[1].meta[EP_META_WAITS] = meta_waits;
	build(&trace, &report, 0);
	CHECK(report.has_noted_waits);
	trace.part.is_set = true;
	build(&trace, &report, 0);
	CHECK(!report.has_noted_waits);
	ep_strings_finish(&trace.strings);
}
