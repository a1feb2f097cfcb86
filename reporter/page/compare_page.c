// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/page/compare_page.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/compare/counts.h"
#include "reporter/export/json_out.h"
#include "reporter/facts/activity.h"
#include "reporter/page/compare_private.h"
#include "reporter/page/frame.h"
#include "reporter/page/html_private.h"

#define COMPARE_TEXT_COLUMNS 110
#define COMPARE_TEXT_ROWS 20

static int put_comparison(FILE *out, const struct ep_comparison *comparison,
	const struct ep_compared_counts *counts,
	int (*print)(const struct ep_compare_page *page, FILE *out),
	void (*put)(FILE *out, const char *text))
{
	struct ep_compare_page page = { .comparison = comparison,
		.counts = counts,
		.options = { .width = COMPARE_TEXT_COLUMNS, .utf8 = true, .by = comparison->by },
		.top = print == ep_compare_print_text ? COMPARE_TEXT_ROWS : 0 };
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	int rc;

	if (!memory)
		return -ENOMEM;
	rc = print(&page, memory);
	if (fclose(memory) || rc)
		return -ENOMEM;
	put(out, text);
	return 0;
}

static int put_compared_tree(FILE *out, const struct ep_compare_page_source *source)
{
	const struct ep_comparison *first = source->tables[0];
	__attribute__((cleanup(ep_compared_tree_finish))) struct ep_compared_tree tree = {
		.n_runs = first->n_before + first->n_after
	};

	for (uint32_t i = 0; i < tree.n_runs; i++)
		if (ep_compared_tree_add(&tree, &source->runs[i], i))
			return -ENOMEM;
	return ep_compared_tree_put(out, &tree, source);
}

/* Writes the titles of activities for the page's table, since the JSON names activities by keys ("linear-algebra"). */
static void put_activity_titles(FILE *out)
{
	fputs("\"activity_titles\":{", out);
	for (int i = 0; i < EP_N_ACTIVITIES; i++) {
		fputs(i ? "," : "", out);
		ep_json_put_text(out, ep_activity_words[i].name);
		fputc(':', out);
		ep_json_put_text(out, ep_activity_words[i].title);
	}
	fputs("},\n", out);
}

int ep_compare_page_write(FILE *out, const struct ep_compare_page_source *source)
{
	static const char *const names[] = { "procedures", "lines", "modules", "loops" };

	fputs(ep_compare_before_text, out);
	if (put_comparison(out, source->tables[0], &source->counts[0], ep_compare_print_text,
		    ep_html_put_text))
		return -ENOMEM;
	fputs(ep_compare_before_data, out);
	fputc('{', out);
	for (uint32_t i = 0; i < source->n_tables && i < EP_ARRAY_SIZE(names); i++) {
		fprintf(out, "\"%s\":", names[i]);
		if (put_comparison(out, source->tables[i], &source->counts[i],
			    ep_compare_print_json, ep_html_put_json))
			return -ENOMEM;
		fputs(",\n", out);
	}
	put_activity_titles(out);
	if (put_compared_tree(out, source))
		return -ENOMEM;
	fputs("}\n", out);
	fputs(ep_compare_after_data, out);
	return 0;
}
