// SPDX-License-Identifier: BSD-3-Clause
/* Handles code made at run time that was later replaced by other code at the same address: the moment of a
 * sample tells which code its call path means. A file has the codes after the samples, so that a trace with
 * replaced codes is read a second time. One thread runs it. */
#include <errno.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"

/* Returns the codes known for the process and module of the path; NULL: there are none. */
static struct ep_made_codes *codes_of(const struct ep_trace *trace, const struct ep_path *path)
{
	const struct ep_module_info *module;
	struct ep_kept_map *kept;

	if (path->module_idx == EP_NONE || !trace->kept_maps.n_rows)
		return NULL;
	module = &trace->modules[path->module_idx];
	kept = module->path[0] ? NULL : ep_kept_map_of(&trace->kept_maps, module->pid);
	return kept && !kept->is_shared ? &kept->codes : NULL;
}

bool ep_path_is_replaced(const struct ep_trace *trace, const struct ep_path *path)
{
	struct ep_made_codes *codes = codes_of(trace, path);
	uint64_t address = ep_made_address(path->address);

	/* A caller's address is the return address, which follows the call, and at which other code may
	 * begin. So the byte before that address is checked as well. */
	return codes && address &&
	       (ep_made_codes_are_replaced(codes, address) ||
		       ep_made_codes_are_replaced(codes, address - 1));
}

bool ep_trace_has_replaced_codes(const struct ep_trace *trace)
{
	for (uint32_t i = 0; trace->kept_maps.n_rows && i < trace->n_paths; i++)
		if (ep_path_is_replaced(trace, &trace->paths[i]))
			return true;
	return false;
}

static uint64_t address_at(
	const struct ep_trace *trace, const struct ep_path *path, uint64_t time_us, bool is_caller)
{
	struct ep_made_codes *codes = codes_of(trace, path);
	uint64_t address = ep_made_address(path->address);

	if (!codes || !address)
		return path->address;
	return ep_made_path_address(
		address, ep_made_codes_n_later(codes, address - is_caller, time_us));
}

static int push_step(struct ep_trace *trace, uint32_t n, uint32_t path_idx)
{
	if (EP_ARRAY_RESERVE(trace->steps, n, trace->step_capacity))
		return -ENOMEM;
	trace->steps[n] = path_idx;
	return 0;
}

/* Works without recursion, since a damaged trace may have call paths of any depth. */
int ep_path_at(struct ep_trace *trace, uint32_t path_idx, uint64_t time_us, uint32_t *out_idx)
{
	uint32_t n = 0;

	for (; trace->paths[path_idx].is_replaced; path_idx = trace->paths[path_idx].parent_idx)
		if (push_step(trace, n++, path_idx))
			return -ENOMEM;
	while (n-- > 0) {
		struct ep_path path = trace->paths[trace->steps[n]];

		path.parent_idx = path_idx;
		path.address = address_at(trace, &path, time_us, n > 0);
		if (ep_path_add(trace, &path, &path_idx))
			return -ENOMEM;
	}
	*out_idx = path_idx;
	return 0;
}
