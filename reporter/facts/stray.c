// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds bogus return addresses. In code without unwinding tables the recorder takes a value on the stack for
 * a return address; in assembly that uses the stack in its own way, that value may be any number. Such an
 * address is in no file. Code made at run time is in no file either, but it has a name, or samples of its own
 * nearby.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

/* Samples within this distance make an address plausible. A code cache is a single mapping: HotSpot's has 240
 * MB, V8's 128 MB. */
#define REACH_BYTES (256ull << 20)

/* The range of the addresses of samples in a module. */
struct extent {
	uint64_t first, last;
	bool has_samples;
};

static bool is_fileless(const struct ep_trace *trace, uint32_t path_idx)
{
	uint32_t module_idx = trace->paths[path_idx].module_idx;

	return module_idx < trace->n_modules && !trace->modules[module_idx].path[0];
}

static void find_extents(const struct ep_trace *trace, struct extent *extents)
{
	for (uint32_t i = EP_PATH_LOST + 1; i < trace->n_paths; i++) {
		const struct ep_path *path = &trace->paths[i];
		struct extent *extent;
		uint64_t address;

		if (path->cost_idx == EP_NONE || !is_fileless(trace, i))
			continue;
		extent = &extents[path->module_idx];
		address = ep_made_address(path->address);
		if (!extent->has_samples || address < extent->first)
			extent->first = address;
		if (!extent->has_samples || address > extent->last)
			extent->last = address;
		extent->has_samples = true;
	}
}

static bool is_near(const struct extent *extent, uint64_t address)
{
	return extent->has_samples && address + REACH_BYTES >= extent->first &&
	       address <= extent->last + REACH_BYTES;
}

static int is_stray(
	struct ep_builder *b, uint32_t path_idx, const struct extent *extents, bool *out)
{
	const struct ep_path *path = &b->trace->paths[path_idx];
	const struct ep_frame *frames;
	uint32_t n;

	*out = false;
	if (path->parent_idx != EP_PATH_ROOT || path->cost_idx != EP_NONE ||
		!is_fileless(b->trace, path_idx) ||
		is_near(&extents[path->module_idx], ep_made_address(path->address)))
		return 0;
	if (ep_symbols_resolve(b->symbols, path->module_idx, path->address, true, &frames, &n))
		return -1;
	*out = !ep_symbols_get(b->symbols, frames[0].symbol_idx)->is_known;
	return 0;
}

int ep_drop_stray_callers(struct ep_builder *builder)
{
	struct ep_trace *trace = builder->trace;
	EP_AUTOFREE struct extent *extents = calloc(trace->n_modules + 1, sizeof(*extents));
	EP_AUTOFREE bool *strays = calloc(trace->n_paths + 1, sizeof(*strays));

	if (!extents || !strays)
		return -1;
	find_extents(trace, extents);
	for (uint32_t i = EP_PATH_LOST + 1; i < trace->n_paths; i++) {
		uint32_t parent = trace->paths[i].parent_idx;

		if (parent != EP_NONE && strays[parent])
			trace->paths[i].parent_idx = EP_PATH_ROOT;
		if (is_stray(builder, i, extents, &strays[i]))
			return -1;
	}
	return 0;
}
