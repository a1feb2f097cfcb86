// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/symbolize/namer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ep_symbols *find_symbols(struct ep_namer *namer, struct ep_trace *trace)
{
	const char *keep = getenv("EVPROF_KEEP");
	struct ep_symbols_options where = {
		.sysroot = namer->sysroot,
		.run_start_ns = ep_trace_process_number(&trace->processes[0], EP_META_REALTIME, 0),
		.keep = !keep || strcmp(keep, "off"),
	};

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

/* The trace has the names of code made at run time behind its samples: those that were asked for before go. */
struct ep_symbols *ep_namer_symbols(struct ep_namer *namer, struct ep_trace *trace)
{
	if (trace->kept_maps.n_rows && !namer->knows_kept_maps) {
		ep_namer_forget(namer);
		namer->knows_kept_maps = true;
	}
	return find_symbols(namer, trace);
}

/* Never the number of no place. */
static uint32_t number_of(uint64_t hash)
{
	uint32_t number = (uint32_t)(hash >> 32);

	return number == EP_NONE ? 0 : number;
}

/* Outside of loops a place is the procedure. */
static int name_loop(const struct ep_namer *namer, const struct ep_path *path, uint32_t symbol_idx,
	uint32_t *out_place)
{
	uint32_t loop = EP_NONE;
	int rc = ep_symbols_loop(namer->symbols, path->module_idx, path->address, false, &loop);

	*out_place = number_of(ep_hash_mix(loop, loop == EP_NONE ? symbol_idx : 0));
	return rc;
}

int ep_namer_name_places(void *namer, struct ep_trace *trace, uint32_t path_idx,
	uint32_t out_places[EP_N_PLACE_KINDS])
{
	const struct ep_path *path = &trace->paths[path_idx];
	const struct ep_namer *own = namer;
	struct ep_symbols *symbols = find_symbols(namer, trace);
	const struct ep_frame *frames;
	uint32_t n;

	if (!symbols ||
		ep_symbols_resolve(symbols, path->module_idx, path->address, false, &frames, &n))
		return -ENOMEM;
	out_places[EP_PLACE_PROCEDURE] = frames[0].symbol_idx;
	out_places[EP_PLACE_LINE] = number_of(ep_hash_mix(
		(uint64_t)frames[0].symbol_idx << 32 | frames[0].line, (uintptr_t)frames[0].file));
	out_places[EP_PLACE_MODULE] = ep_symbols_get(symbols, frames[0].symbol_idx)->module_idx;
	out_places[EP_PLACE_LOOP] = EP_NONE;
	if (own->names_loops)
		return name_loop(own, path, frames[0].symbol_idx, &out_places[EP_PLACE_LOOP]);
	return 0;
}
