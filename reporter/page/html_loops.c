// SPDX-License-Identifier: BSD-3-Clause
/* Writes the loops that contain the calls of the page, and the loops around these loops. */
#include <errno.h>
#include <stdlib.h>

#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"

static void mark(struct ep_html_page *page, uint32_t loop_idx)
{
	while (loop_idx != EP_NONE && !page->loop_number[loop_idx]) {
		page->loop_number[loop_idx] = 1;
		loop_idx = ep_symbols_loop_get(page->source->symbols, loop_idx)->parent_idx;
	}
}

static int number_loops(struct ep_html_page *page)
{
	uint32_t n_loops = ep_symbols_count_loops(page->source->symbols), n = 0;

	page->loop_number = calloc((size_t)n_loops + 1, sizeof(*page->loop_number));
	if (!page->loop_number)
		return -ENOMEM;
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			mark(page, page->walk.nodes[i].loop_idx);
	for (uint32_t i = 0; i < n_loops; i++)
		if (page->loop_number[i])
			page->loop_number[i] = ++n;
	return 0;
}

static const char *module_path(const struct ep_html_page *page, const struct ep_loop_place *loop)
{
	const struct ep_trace *trace = page->source->trace;

	return loop->module_idx < trace->n_modules ? trace->modules[loop->module_idx].path : "";
}

/* Writes a loop. "parent" is the number on the page of the loop around it, from 0 on; -1: no loop is around it. */
static void put_loop(struct ep_html_page *page, const struct ep_loop_place *loop)
{
	int64_t parent =
		loop->parent_idx == EP_NONE ? -1 : (int64_t)page->loop_number[loop->parent_idx] - 1;

	fputs("{\"name\":", page->out);
	ep_json_put_text(page->out, loop->name);
	fputs(",\"module\":", page->out);
	ep_json_put_text(page->out, module_path(page, loop));
	fputs(",\"file\":", page->out);
	ep_json_put_text(page->out, loop->file ? loop->file : "");
	fprintf(page->out, ",\"line\":%u,\"depth\":%u,\"parent\":%lld}", loop->line, loop->depth,
		(long long)parent);
}

int ep_html_loops_put(struct ep_html_page *page)
{
	uint32_t n_loops = ep_symbols_count_loops(page->source->symbols);
	const char *between = "";

	if (number_loops(page))
		return -ENOMEM;
	fputs("\"loops\":[", page->out);
	for (uint32_t i = 0; i < n_loops; i++) {
		if (!page->loop_number[i])
			continue;
		fputs(between, page->out);
		put_loop(page, ep_symbols_loop_get(page->source->symbols, i));
		between = ",\n";
	}
	fputs("],\n", page->out);
	return 0;
}
