// SPDX-License-Identifier: BSD-3-Clause
/* Finds the program's own procedures that call libraries most, since the reader can change these procedures. */
#include <stdlib.h>
#include <string.h>

#include "reporter/facts/runtimes.h"
#include "words.h"

/* The time of paths whose first own procedure, from the inside outwards, runs this line of a script. */
struct line_time {
	uint32_t symbol_idx, line;
	uint64_t us;
};

struct search {
	struct ep_words *builder;
	/* the library's procedure; NULL: all library code that is compiled in */
	const char *procedure;
	/* functions of scripts alone are own procedures, and all paths are looked for */
	bool is_of_scripts;
	/* main counts as an own procedure, since its name helps the reader here */
	bool takes_main;
	/* (n_symbols) time of the library's procedure, by the caller in the program's own code */
	uint64_t *us;
	uint32_t n_symbols;
	uint64_t all_us;
	/* (n_lines) in the order of the paths, for scripts alone; room for one of each path */
	struct line_time *lines;
	uint32_t n_lines;
};

static void search_finish(struct search *s)
{
	free(s->us);
	free(s->lines);
}

static bool is_main(const struct ep_symbol *symbol)
{
	return !strcmp(symbol->name, "main") || !strcmp(symbol->name, "_start");
}

/* Tells whether a procedure is the program's own: from its file or its script, or made at run time with a name. main
 * and _start do not count without takes_main, since they say nothing about a library. Wrappers that headers of the C++
 * library compile into a program do not count either, nor do an interpreter's procedures. */
static bool is_own(const struct search *s, const struct ep_symbol *symbol)
{
	const struct ep_words *b = s->builder;
	const struct ep_module_info *module;

	if (s->is_of_scripts &&
		(symbol->module_idx == EP_NONE || !b->trace->modules[symbol->module_idx].is_script))
		return false;
	if (!symbol->is_known || ep_symbol_is_of_headers(symbol) ||
		(!s->takes_main && is_main(symbol)))
		return false;
	if (symbol->module_idx == EP_NONE)
		return true;
	module = &b->trace->modules[symbol->module_idx];
	if (module->is_script)
		return !ep_script_is_of_library(module->path);
	return ep_report_is_programs(b->report, module->path) &&
	       !ep_runtime_of_file(b->trace, module->path);
}

/* Sets *out to the innermost of an address's frames that is the program's own. *out stays NULL if there is none. */
static void find_own(const struct search *s, const struct ep_frame *frames, uint32_t n,
	const struct ep_frame **out)
{
	for (uint32_t i = 0; i < n && !*out; i++)
		if (is_own(s, ep_symbols_get(s->builder->symbols, frames[i].symbol_idx)))
			*out = &frames[i];
}

static int resolve(const struct search *s, uint32_t path_idx, bool is_return,
	const struct ep_frame **out_frames, uint32_t *out_n)
{
	const struct ep_path *path = &s->builder->trace->paths[path_idx];

	return ep_symbols_resolve(
		s->builder->symbols, path->module_idx, path->address, is_return, out_frames, out_n);
}

bool ep_is_compiled_in(const struct ep_words *b, const struct ep_symbol *symbol)
{
	return ep_symbol_is_of_headers(symbol) && symbol->module_idx != EP_NONE &&
	       ep_report_is_programs(b->report, b->trace->modules[symbol->module_idx].path);
}

/* Tells whether a path that ends in this procedure is looked for. */
static bool is_sought(const struct search *s, const struct ep_symbol *leaf)
{
	if (s->procedure)
		return !strcmp(leaf->name, s->procedure);
	return s->is_of_scripts || is_own(s, leaf) || ep_is_compiled_in(s->builder, leaf);
}

static void add_time(struct search *s, const struct ep_frame *own, uint64_t us)
{
	s->all_us += us;
	if (!own || own->symbol_idx >= s->n_symbols)
		return;
	s->us[own->symbol_idx] += us;
	if (s->lines)
		s->lines[s->n_lines++] = (struct line_time){ own->symbol_idx, own->line, us };
}

/* Walks one sample's call path outwards, up to the first procedure that is the program's own. */
static int add_path(struct search *s, uint32_t leaf_idx)
{
	const struct ep_trace *trace = s->builder->trace;
	uint64_t us = trace->costs[trace->paths[leaf_idx].cost_idx].cost.cpu_us;
	const struct ep_frame *frames, *own = NULL;
	uint32_t n;

	if (resolve(s, leaf_idx, false, &frames, &n))
		return -1;
	if (!is_sought(s, ep_symbols_get(s->builder->symbols, frames[0].symbol_idx)))
		return 0;
	find_own(s, frames, n, &own);
	for (uint32_t at = trace->paths[leaf_idx].parent_idx;
		at != EP_PATH_ROOT && at != EP_NONE && !own; at = trace->paths[at].parent_idx) {
		if (resolve(s, at, true, &frames, &n))
			return -1;
		find_own(s, frames, n, &own);
	}
	add_time(s, own, us);
	return 0;
}

/* Makes room for the times of symbols and of lines. */
static bool search_begin(struct search *s)
{
	const struct ep_words *b = s->builder;

	s->n_symbols = b->symbols ? ep_symbols_count(b->symbols) : 0;
	if (!s->n_symbols)
		return true;
	s->us = calloc(s->n_symbols, sizeof(*s->us));
	if (s->is_of_scripts)
		s->lines = calloc(b->trace->n_paths + 1, sizeof(*s->lines));
	return s->us && (s->lines || !s->is_of_scripts);
}

/* Returns the number of symbols whose times are in s->us; 0: there are none. */
static uint32_t add_paths(struct search *s)
{
	struct ep_words *b = s->builder;

	if (!search_begin(s)) {
		b->out_of_memory = true;
		return 0;
	}
	for (uint32_t i = 0; s->n_symbols && i < b->trace->n_paths; i++)
		if (b->trace->paths[i].cost_idx != EP_NONE && add_path(s, i)) {
			b->out_of_memory = true;
			return 0;
		}
	return s->n_symbols;
}

static uint32_t find_most(const uint64_t *us, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < n; i++)
		most = us[i] > us[most] ? i : most;
	return most;
}

const char *ep_find_own_caller(
	struct ep_words *builder, const struct ep_report_row *row, double *out_share)
{
	struct search s = { .builder = builder, .procedure = row->name };
	uint32_t n = add_paths(&s), most = n ? find_most(s.us, n) : 0;
	const char *name = NULL;

	if (n && s.us[most]) {
		*out_share = (double)s.us[most] / (double)s.all_us;
		name = ep_symbols_get(builder->symbols, most)->short_name;
	}
	search_finish(&s);
	return name;
}

static int by_symbol_and_line(const void *a, const void *b)
{
	const struct line_time *x = a, *y = b;

	if (x->symbol_idx != y->symbol_idx)
		return x->symbol_idx < y->symbol_idx ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Sets out's line to the one with most of the procedure's time. The lines are sorted. */
static void find_line(const struct search *s, uint32_t symbol_idx, struct ep_own_procedure *out)
{
	uint64_t most_us = 0;

	for (uint32_t i = 0, next; i < s->n_lines; i = next) {
		uint64_t us = 0;

		for (next = i;
			next < s->n_lines && !by_symbol_and_line(&s->lines[i], &s->lines[next]);
			next++)
			us += s->lines[next].us;
		if (s->lines[i].symbol_idx != symbol_idx || !s->lines[i].line || us <= most_us)
			continue;
		most_us = us;
		out->line = s->lines[i].line;
		out->line_share = (double)us / (double)s->us[symbol_idx];
	}
}

static uint32_t find_procedures(struct search *s, struct ep_own_procedure *out, uint32_t n_most)
{
	struct ep_words *builder = s->builder;
	uint32_t n = add_paths(s), n_found = 0;
	double all_ns = (double)builder->report->sampled_ns;

	if (s->n_lines)
		qsort(s->lines, s->n_lines, sizeof(*s->lines), by_symbol_and_line);
	for (; n && n_found < n_most; n_found++) {
		uint32_t most = find_most(s->us, n);

		if (!s->us[most])
			break;
		out[n_found] = (struct ep_own_procedure){
			.name = ep_symbols_get(builder->symbols, most)->short_name,
			.share = 1e3 * (double)s->us[most] / all_ns,
		};
		find_line(s, most, &out[n_found]);
		s->us[most] = 0;
	}
	search_finish(s);
	return n_found;
}

uint32_t ep_find_own_with_headers(
	struct ep_words *builder, struct ep_own_procedure *out, uint32_t n_most)
{
	struct search s = { .builder = builder, .takes_main = true };

	return find_procedures(&s, out, n_most);
}

uint32_t ep_find_own_scripts(
	struct ep_words *builder, struct ep_own_procedure *out, uint32_t n_most)
{
	struct search s = { .builder = builder, .is_of_scripts = true };

	return find_procedures(&s, out, n_most);
}
