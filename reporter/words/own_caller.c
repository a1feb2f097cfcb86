// SPDX-License-Identifier: BSD-3-Clause
/* Finds the program's own procedure that a library works for, since the reader can change that one. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/runtimes.h"
#include "words.h"

struct search {
	struct ep_words *builder;
	const char *procedure; /* the procedure of the library */
	uint64_t *us;          /* (n_symbols) time of the procedure, by the caller in own code */
	uint32_t n_symbols;
	uint64_t all_us;
};

/* Tells whether a procedure is of the program's file or script, or made at run time with a name. Procedures
 * where all programs begin say nothing, nor do wrappers that the C++ library's headers compile into
 * a program, nor an interpreter's. */
static bool is_own(const struct ep_words *b, const struct ep_symbol *symbol)
{
	const struct ep_module_info *module;

	if (!symbol->is_known || ep_symbol_is_of_headers(symbol) || !strcmp(symbol->name, "main") ||
		!strcmp(symbol->name, "_start"))
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
	const struct ep_words *b, const struct ep_frame *frames, uint32_t n, uint32_t *out)
{
	for (uint32_t i = 0; i < n && *out == EP_NONE; i++)
		if (is_own(b, ep_symbols_get(b->symbols, frames[i].symbol_idx)))
			*out = frames[i].symbol_idx;
}

static int resolve(const struct search *s, uint32_t path_idx, bool is_return,
	const struct ep_frame **out_frames, uint32_t *out_n)
{
	const struct ep_path *path = &s->builder->trace->paths[path_idx];

	return ep_symbols_resolve(
		s->builder->symbols, path->module_idx, path->address, is_return, out_frames, out_n);
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
	if (strcmp(ep_symbols_get(s->builder->symbols, frames[0].symbol_idx)->name, s->procedure) !=
		0)
		return 0;
	find_own(s->builder, frames, n, &own);
	for (uint32_t at = trace->paths[leaf_idx].parent_idx;
		at != EP_PATH_ROOT && at != EP_NONE && own == EP_NONE;
		at = trace->paths[at].parent_idx) {
		if (resolve(s, at, true, &frames, &n))
			return -1;
		find_own(s->builder, frames, n, &own);
	}
	s->all_us += us;
	if (own < s->n_symbols)
		s->us[own] += us;
	return 0;
}

const char *ep_find_own_caller(
	struct ep_words *builder, const struct ep_report_row *row, double *out_share)
{
	uint32_t n = builder->symbols ? ep_symbols_count(builder->symbols) : 0, best = 0;
	EP_AUTOFREE uint64_t *us = n ? calloc(n, sizeof(*us)) : NULL;
	struct search s = { builder, row->name, us, n, 0 };

	builder->out_of_memory |= n && !us;
	for (uint32_t i = 0; us && i < builder->trace->n_paths; i++)
		if (builder->trace->paths[i].cost_idx != EP_NONE && add_path(&s, i)) {
			builder->out_of_memory = true;
			return NULL;
		}
	for (uint32_t i = 1; us && i < n; i++)
		best = us[i] > us[best] ? i : best;
	if (!s.all_us || !us[best])
		return NULL;
	*out_share = (double)us[best] / (double)s.all_us;
	return ep_symbols_get(builder->symbols, best)->short_name;
}
