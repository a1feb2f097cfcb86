// SPDX-License-Identifier: BSD-3-Clause
/* Numbers on a stack that were taken for return addresses, and code made at run time, which stays.
 */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

enum { NO_FILE, LIBRARY };

#define NONE EP_NONE
#define HEAP 0x7f0000000000u

struct row {
	uint32_t parent_idx, module_idx;
	uint64_t address;
	uint32_t cost_idx;
	uint32_t parent_then;
};

static void check(const struct row *rows, uint32_t n)
{
	struct ep_module_info modules[] = { { .path = "", .pid = 1 },
		{ .path = "/no/such/library" } };
	struct ep_path paths[16] = {
		{ .parent_idx = NONE, .module_idx = NONE, .cost_idx = NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = NONE, .address = 1, .cost_idx = NONE }
	};
	struct ep_trace trace = {
		.modules = modules, .n_modules = 2, .paths = paths, .n_paths = n + 2
	};
	struct ep_symbols_options options = { .sysroot = "/nonexistent" };
	struct ep_builder builder = { .trace = &trace };

	for (uint32_t i = 0; i < n; i++)
		paths[i + 2] = (struct ep_path){ .parent_idx = rows[i].parent_idx,
			.module_idx = rows[i].module_idx,
			.address = rows[i].address,
			.cost_idx = rows[i].cost_idx };
	builder.symbols = ep_symbols_create(&trace, &options);
	CHECK_INT(ep_drop_stray_callers(&builder), 0);
	for (uint32_t i = 0; i < n; i++)
		CHECK_MSG(paths[i + 2].parent_idx == rows[i].parent_then, "path %u: parent %u",
			i + 2, paths[i + 2].parent_idx);
	ep_symbols_destroy(builder.symbols);
	ep_strings_finish(&trace.strings);
}

TEST(numbers_are_no_callers)
{
	static const struct row rows[] = {
		{ 0, NO_FILE, 0x9191919191919191, NONE, 0 },
		{ 2, LIBRARY, 0x1000, 0, 0 },
		{ 0, NO_FILE, 0x600000006, NONE, 0 },
		{ 4, NO_FILE, 0x70000000700, NONE, 0 }, /* two of them */
		{ 5, LIBRARY, 0x2000, NONE, 0 },
		{ 6, LIBRARY, 0x3000, 1, 6 },
	};

	check(rows, EP_ARRAY_SIZE(rows));
}

TEST(code_made_at_run_time_is)
{
	static const struct row rows[] = {
		{ 0, NO_FILE, HEAP + 0x10000, NONE, 0 },
		{ 2, LIBRARY, 0x1000, 0, 2 },           /* called by it */
		{ 2, NO_FILE, HEAP + 0x9000000, 1, 2 }, /* a sample in it */
		{ 0, NO_FILE, HEAP + 0x1000, 2, 0 },
		{ 5, LIBRARY, 0x4000, 3, 5 },          /* a sample and a caller */
		{ 0, NO_FILE, 0x1640000016, NONE, 0 }, /* beside it, a number */
		{ 7, LIBRARY, 0x5000, 4, 0 },
	};

	check(rows, EP_ARRAY_SIZE(rows));
}
