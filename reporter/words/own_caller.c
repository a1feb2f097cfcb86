// SPDX-License-Identifier: BSD-3-Clause
/* Finds the program's own procedure that calls a library most, since the reader can change that procedure. */
#include <stdlib.h>
#include <string.h>

#include "reporter/facts/runtimes.h"
#include "words.h"

struct search {
	struct ep_words *builder;
	/* the library's procedure; NULL: all library code that is compiled in */
	const char *procedure;
	/* main counts as an own procedure, since it is of use to the reader here */
	bool takes_main;
	/* (n_symbols) time of the library's procedure, by the caller in the program's own code */
	uint64_t *us;
	uint32_t n_symbols;
	uint64_t all_us;
};

static bool is_main(const struct ep_symbol *symbol)
{
	return !strcmp(symbol->name, "main") || !strcmp(symbol->name, "_start");
}

/* Tells whether a procedure is the program's own: from its file or its script, or made at run time with a name.
 * Procedures where all programs begin are not, since they say nothing about a library. Nor are wrappers that
 * headers of the C++ library compile into a program, nor an interpreter's procedures. */
static bool is_own(const struct search *s, const struct ep_symbol *symbol)
{
	const struct ep_words *b = s->builder;
	const struct ep_module_info *module;

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

/* Looks through an address's frames, innermost first. *out is EP_NONE where none of them is the
 * program's own. */
static void find_own(
	const struct search *s, const struct ep_frame *frames, uint32_t n, uint32_t *out)
{
	for (uint32_t i = 0; i < n && *out == EP_NONE; i++)
		if (is_own(s, ep_symbols_get(s->builder->symbols, frames[i].symbol_idx)))
			*out = frames[i].symbol_idx;
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
	return is_own(s, leaf) || ep_is_compiled_in(s->builder, leaf);
}

/* Walks one sample's call path outwards, up to the first procedure that is the program's own. */
static int add_path(struct search *s, uint32_t leaf_idx)
{
	const struct ep_trace *trace = s->builder->trace;
	uint64_t us = trace->costs[trace->paths[leaf_idx].cost_idx].cost.cpu_us;
	const struct ep_frame *frames;
	uint32_t n, own = EP_NONE;

	if (resolve(s, leaf_idx, false, &frames, &n))
		return -1;
	if (!is_sought(s, ep_symbols_get(s->builder->symbols, frames[0].symbol_idx)))
		return 0;
	find_own(s, frames, n, &own);
	for (uint32_t at = trace->paths[leaf_idx].parent_idx;
		at != EP_PATH_ROOT && at != EP_NONE && own == EP_NONE;
		at = trace->paths[at].parent_idx) {
		if (resolve(s, at, true, &frames, &n))
			return -1;
		find_own(s, frames, n, &own);
	}
	s->all_us += us;
	if (own < s->n_symbols)
		s->us[own] += us;
	return 0;
}

/* Returns the number of symbols whose times are in s->us, which the caller frees; 0: there are none. */
static uint32_t add_paths(struct search *s)
{
	struct ep_words *b = s->builder;

	s->n_symbols = b->symbols ? ep_symbols_count(b->symbols) : 0;
	s->us = s->n_symbols ? calloc(s->n_symbols, sizeof(*s->us)) : NULL;
	b->out_of_memory |= s->n_symbols && !s->us;
	for (uint32_t i = 0; s->us && i < b->trace->n_paths; i++)
		if (b->trace->paths[i].cost_idx != EP_NONE && add_path(s, i)) {
			b->out_of_memory = true;
			return 0;
		}
	return s->us ? s->n_symbols : 0;
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
	free(s.us);
	return name;
}

uint32_t ep_find_own_with_headers(
	struct ep_words *builder, struct ep_own_procedure *out, uint32_t n_most)
{
	struct search s = { .builder = builder, .takes_main = true };
	uint32_t n = add_paths(&s), n_found = 0;
	double all_ns = (double)builder->report->sampled_ns;

	for (; n && n_found < n_most; n_found++) {
		uint32_t most = find_most(s.us, n);

		if (!s.us[most])
			break;
		out[n_found] = (struct ep_own_procedure){
			ep_symbols_get(builder->symbols, most)->short_name,
			1e3 * (double)s.us[most] / all_ns
		};
		s.us[most] = 0;
	}
	free(s.us);
	return n_found;
}
