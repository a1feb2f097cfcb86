// SPDX-License-Identifier: BSD-3-Clause
/* The tables of the text report: what stands in their columns. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/view/page.h"

/* The procedures' table of one row, as text that the caller frees. */
static char *print_row(const struct ep_report_row *row, uint32_t width)
{
	struct ep_report_row rows[] = { *row };
	struct ep_report report = { .procedures = { .rows = rows, .n_rows = 1, .n_shown = 1 } };
	struct ep_view_options options = { 0 };
	char *text = NULL;
	size_t size;
	struct ep_page page = {
		.layout = { .out = open_memstream(&text, &size), .width = width, .utf8 = true },
		.report = &report,
		.options = &options
	};

	ep_page_put_procedures(&page);
	fclose(page.layout.out);
	return text;
}

TEST(libraries_are_named_without_their_version)
{
	static const struct {
		const char *file, *shown;
	} rows[] = {
		{ "libc.so.6", " libc " },
		{ "libpython3.11.so.1.0", " libpython3.11 " },
		{ "_random.cpython-311-x86_64-linux-gnu.so", " _random " },
		{ "cc1", " cc1 " },
		{ "my.sorter", " my.sorter " },
		{ "ld-linux-x86-64.so.2", " ld-linux-x86-64 " },
		{ "a-library-of-a-long-name.so", " a-librar\u2026ng-name " },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOFREE char *text = print_row(&(struct ep_report_row){ .name = "work",
							   .short_name = "work",
							   .module = "/opt/x",
							   .module_name = rows[i].file,
							   .hot_file = "/src/a.c",
							   .hot_line = 7,
							   .self_share = 0.5,
							   .total_share = 0.5 },
			100);

		CHECK_MSG(strstr(text, rows[i].shown), "%s in: %s", rows[i].shown, text);
		CHECK_MSG(strstr(text, "  a.c:7\n"), "the line in: %s", text);
	}
}
