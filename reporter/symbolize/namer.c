// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/symbolize/namer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ep_symbols_options ep_namer_options(const char *sysroot, uint64_t run_start_ns)
{
	const char *keep = getenv("EVPROF_KEEP");

	return (struct ep_symbols_options){ .sysroot = sysroot,
		.run_start_ns = run_start_ns,
		.keep = !keep || strcmp(keep, "off") };
}

static struct ep_symbols *find_symbols(struct ep_namer *namer, struct ep_trace *trace)
{
	struct ep_symbols_options where = ep_namer_options(
		namer->sysroot, ep_trace_process_number(&trace->processes[0], EP_META_REALTIME, 0));

	if (!namer->symbols)
		namer->symbols = ep_symbols_create(trace, &where);
	return namer->symbols;
}

void ep_namer_forget(void *namer)
{
	struct ep_namer *own = namer;

	ep_symbols_destroy(own->symbols);
	own->symbols = NULL;
	own->knows_kept_maps = false;
}

/* A trace has the names of code made at run time after the samples. Symbols that were made before these names were
 * read are therefore made anew. */
struct ep_symbols *ep_namer_symbols(struct ep_namer *namer, struct ep_trace *trace)
{
	if (trace->kept_maps.n_rows && !namer->knows_kept_maps) {
		ep_namer_forget(namer);
		namer->knows_kept_maps = true;
	}
	return find_symbols(namer, trace);
}

/* Makes a place's number of 32 bits from a hash. The number is never EP_NONE, which means that there is no place. */
static uint32_t number_of(uint64_t hash)
{
	uint32_t number = (uint32_t)(hash >> 32);

	return number == EP_NONE ? 0 : number;
}

/* Names the loop of a path's address; outside of loops the place is the procedure. */
static int name_loop(const struct ep_namer *namer, const struct ep_path *path, uint32_t symbol_idx,
	uint32_t *out_place)
{
	uint32_t loop = EP_NONE;
	int rc = ep_symbols_loop(namer->symbols, path->module_idx, path->address, false, &loop);

	*out_place = number_of(ep_hash_mix(loop, loop == EP_NONE ? symbol_idx : 0));
	return rc;
}

/* The symbols that name the code of a path, and the index that the code's module has in them. */
struct source {
	struct ep_symbols *symbols;
	uint32_t module_idx;
	bool is_shared;
};

/* Tells whether a module's names can be shared. Code without a file, and scripts, belong to one trace. */
static bool is_of_file(const struct ep_module_info *module)
{
	return module->path[0] && !module->is_script;
}

static int find_source(
	struct ep_namer *namer, struct ep_trace *trace, uint32_t module_idx, struct source *out)
{
	const struct ep_module_info *module =
		module_idx == EP_NONE ? NULL : &trace->modules[module_idx];

	out->module_idx = module_idx;
	out->is_shared = namer->shared && module && is_of_file(module);
	out->symbols = out->is_shared ? ep_shared_names_symbols(namer->shared)
				      : find_symbols(namer, trace);
	if (out->is_shared)
		return ep_shared_names_module(namer->shared, module, &out->module_idx);
	return out->symbols ? 0 : -ENOMEM;
}

/* Makes a number of an index of symbols or modules. An index of the shared symbols and the same index of the trace's
 * own symbols get different numbers. */
static uint32_t number_in(const struct source *source, const struct ep_namer *namer, uint32_t idx)
{
	return namer->shared && idx != EP_NONE ? 2 * idx + source->is_shared : idx;
}

static int name_places(struct ep_namer *namer, struct ep_trace *trace, const struct ep_path *path,
	uint32_t out_places[EP_N_PLACE_KINDS])
{
	const struct ep_frame *frames;
	struct source source;
	uint32_t n, symbol;

	if (find_source(namer, trace, path->module_idx, &source) ||
		ep_symbols_resolve(
			source.symbols, source.module_idx, path->address, false, &frames, &n))
		return -ENOMEM;
	symbol = number_in(&source, namer, frames[0].symbol_idx);
	out_places[EP_PLACE_PROCEDURE] = symbol;
	out_places[EP_PLACE_LINE] = number_of(
		ep_hash_mix((uint64_t)symbol << 32 | frames[0].line, (uintptr_t)frames[0].file));
	out_places[EP_PLACE_MODULE] = number_in(
		&source, namer, ep_symbols_get(source.symbols, frames[0].symbol_idx)->module_idx);
	out_places[EP_PLACE_LOOP] = EP_NONE;
	if (namer->names_loops)
		return name_loop(namer, path, frames[0].symbol_idx, &out_places[EP_PLACE_LOOP]);
	return 0;
}

int ep_namer_name_places(void *namer, struct ep_trace *trace, uint32_t path_idx,
	uint32_t out_places[EP_N_PLACE_KINDS])
{
	struct ep_namer *own = namer;
	int rc;

	if (own->shared)
		ep_shared_names_lock(own->shared);
	rc = name_places(own, trace, &trace->paths[path_idx], out_places);
	if (own->shared)
		ep_shared_names_unlock(own->shared);
	return rc;
}
