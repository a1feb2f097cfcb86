// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the tables of a Firefox profile that all threads share. A column of a table is a name and a function that
 * writes one row.
 */
#include <inttypes.h>

#include "common/cleanup.h"
#include "reporter/export/firefox_private.h"
#include "reporter/export/json_out.h"
#include "reporter/facts/activity.h"

/* ---- columns of a table ---- */

struct column {
	const char *name;
	void (*put)(struct ep_firefox *f, uint32_t row);
};

/* Writes a table without the braces around it. An entry whose name is NULL ends columns. */
static void put_table(struct ep_firefox *f, const struct column *columns, uint32_t n_rows)
{
	for (; columns->name; columns++) {
		fprintf(f->out, "\"%s\":[", columns->name);
		for (uint32_t row = 0; row < n_rows; row++) {
			if (row)
				fputc(',', f->out);
			columns->put(f, row);
		}
		fputs("],\n", f->out);
	}
	fprintf(f->out, "\"length\":%" PRIu32, n_rows);
}

static void put_null(struct ep_firefox *f, uint32_t row)
{
	fputs("null", f->out);
}

static void put_zero(struct ep_firefox *f, uint32_t row)
{
	fputc('0', f->out);
}

static void put_one(struct ep_firefox *f, uint32_t row)
{
	fputc('1', f->out);
}

static void put_none(struct ep_firefox *f, uint32_t row)
{
	fputs("-1", f->out);
}

static void put_false(struct ep_firefox *f, uint32_t row)
{
	fputs("false", f->out);
}

static void put_row(struct ep_firefox *f, uint32_t row)
{
	fprintf(f->out, "%" PRIu32, row);
}

static void put_number_or_null(struct ep_firefox *f, uint32_t number)
{
	if (number)
		put_row(f, number);
	else
		put_null(f, 0);
}

static void put_text_id(struct ep_firefox *f, const char *text)
{
	fprintf(f->out, "%" PRIu32, ep_text_ids_add(&f->texts, text));
}

/* ---- stacks, frames, functions: frame i and stack i are node i + 1 ---- */

static void put_prefix_offset(struct ep_firefox *f, uint32_t row)
{
	uint32_t parent = f->walk.nodes[row + 1].parent;

	put_row(f, parent ? row + 1 - parent : 0);
}

static const struct ep_symbol *symbol_of(const struct ep_firefox *f, uint32_t row)
{
	return ep_symbols_get(f->walk.symbols, f->walk.nodes[row + 1].symbol_idx);
}

static const char *path_of(const struct ep_firefox *f, const struct ep_symbol *symbol)
{
	return symbol->module_idx == EP_NONE ? ""
					     : f->export->trace->modules[symbol->module_idx].path;
}

/* Writes a frame's category. Code of the C library gets no category, so that the viewer uses the category of the
 * caller. */
static void put_category(struct ep_firefox *f, uint32_t row)
{
	const struct ep_symbol *symbol = symbol_of(f, row);
	const char *path = path_of(f, symbol);
	enum ep_activity activity = ep_activity_of(symbol->kind, path, symbol->short_name);

	if (activity == EP_ACTIVITY_OWN && ep_activity_is_support(symbol->kind, path))
		put_null(f, row);
	else
		put_row(f, activity);
}

static void put_func(struct ep_firefox *f, uint32_t row)
{
	put_row(f, f->func_of_symbol[f->walk.nodes[row + 1].symbol_idx] - 1);
}

static void put_frame_line(struct ep_firefox *f, uint32_t row)
{
	put_number_or_null(f, f->walk.nodes[row + 1].line);
}

static const struct ep_symbol *func_symbol(const struct ep_firefox *f, uint32_t row)
{
	return ep_symbols_get(f->walk.symbols, f->symbols[row]);
}

static void put_func_name(struct ep_firefox *f, uint32_t row)
{
	put_text_id(f, func_symbol(f, row)->name);
}

static void put_func_resource(struct ep_firefox *f, uint32_t row)
{
	uint32_t module_idx = func_symbol(f, row)->module_idx;

	if (module_idx == EP_NONE)
		put_none(f, row);
	else
		put_row(f, f->resource_of_module[module_idx] - 1);
}

static void put_func_source(struct ep_firefox *f, uint32_t row)
{
	const char *file = func_symbol(f, row)->file;

	if (file)
		put_row(f, ep_text_ids_add(&f->files, file) - 1);
	else
		put_null(f, row);
}

static void put_func_line(struct ep_firefox *f, uint32_t row)
{
	put_number_or_null(f, func_symbol(f, row)->line);
}

static void put_resource_name(struct ep_firefox *f, uint32_t row)
{
	put_text_id(f, ep_base_name(f->export->trace->modules[f->modules[row]].path));
}

static void put_source_name(struct ep_firefox *f, uint32_t row)
{
	put_text_id(f, f->files.names.texts[row + 1]);
}

static const struct column stack_columns[] = {
	{ "frame", put_row },
	{ "prefixOffset", put_prefix_offset },
	{ NULL },
};

static const struct column frame_columns[] = {
	{ "address", put_none },
	{ "inlineDepth", put_zero },
	{ "category", put_category },
	{ "subcategory", put_zero },
	{ "func", put_func },
	{ "nativeSymbol", put_null },
	{ "innerWindowID", put_zero },
	{ "line", put_frame_line },
	{ "column", put_null },
	{ "originalLocation", put_null },
	{ NULL },
};

static const struct column func_columns[] = {
	{ "isJS", put_false },
	{ "relevantForJS", put_false },
	{ "name", put_func_name },
	{ "resource", put_func_resource },
	{ "source", put_func_source },
	{ "lineNumber", put_func_line },
	{ "columnNumber", put_null },
	{ "originalLocation", put_null },
	{ NULL },
};

static const struct column resource_columns[] = {
	{ "lib", put_null },
	{ "name", put_resource_name },
	{ "host", put_null },
	{ "type", put_one }, /* type of a library */
	{ NULL },
};

static const struct column source_columns[] = {
	{ "id", put_null },
	{ "filename", put_source_name },
	{ "startLine", put_one },
	{ "startColumn", put_one },
	{ "sourceMapURL", put_null },
	{ "content", put_null },
	{ NULL },
};

static void put_strings(struct ep_firefox *f)
{
	ep_text_ids_add(&f->texts, "");
	for (uint32_t i = 0; i < f->texts.names.n_names; i++) {
		if (i)
			fputs(",\n", f->out);
		ep_json_put_text(f->out, f->texts.names.texts[i]);
	}
}

/* The order of tables matters: writing the functions adds the sources, and writing any table adds strings. Therefore
 * sources follow functions, and strings come last. */
void ep_firefox_put_shared(struct ep_firefox *f)
{
	static const struct {
		const char *name;
		const struct column *columns;
	} tables[] = {
		{ "stackTable", stack_columns },
		{ "frameTable", frame_columns },
		{ "funcTable", func_columns },
		{ "resourceTable", resource_columns },
		{ "sources", source_columns },
	};

	ep_text_ids_add(&f->files, "");
	for (size_t i = 0; i < EP_ARRAY_SIZE(tables); i++) {
		uint32_t n_sources = f->files.names.n_names ? f->files.names.n_names - 1 : 0;
		uint32_t n_rows[] = { f->walk.n_nodes - 1, f->walk.n_nodes - 1, f->n_funcs,
			f->n_resources, n_sources };

		fprintf(f->out, "\"%s\":{", tables[i].name);
		put_table(f, tables[i].columns, n_rows[i]);
		fputs("},\n", f->out);
	}
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n"
	      "\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n"
	      "\"stringArray\":[",
		f->out);
	put_strings(f);
	fputs("]", f->out);
}
