// SPDX-License-Identifier: BSD-3-Clause
/* Modules and call paths, each kept once over all processes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"

static bool same_module(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_module_info *a = &((const struct ep_trace *)owner)->modules[idx], *b = key;

	return a->path == b->path && a->pid == b->pid && a->is_kernel == b->is_kernel &&
	       a->is_script == b->is_script && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

int ep_module_add(struct ep_trace *trace, const struct ep_module_info *module, uint32_t *out_idx)
{
	uint64_t hash = ep_hash_mix((uintptr_t)module->path, module->pid);

	hash = ep_hash_bytes(hash, module->build_id, module->build_id_size);
	*out_idx = ep_index_find(&trace->module_index, hash, same_module, trace, module);
	if (*out_idx != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(trace->modules, trace->n_modules, trace->module_capacity) ||
		ep_index_add(&trace->module_index, hash, trace->n_modules))
		return -ENOMEM;
	*out_idx = trace->n_modules++;
	trace->modules[*out_idx] = *module;
	return 0;
}

int ep_module_at(struct ep_trace *trace, const char *path, uint32_t *out_idx)
{
	struct ep_module_info module = { .path = path };

	for (*out_idx = 0; *out_idx < trace->n_modules; ++*out_idx)
		if (trace->modules[*out_idx].path == path)
			return 0;
	return ep_module_add(trace, &module, out_idx);
}

int ep_module_of_script(struct ep_trace *trace, const char *path, uint32_t *out_idx)
{
	struct ep_module_info module = { .path = path, .is_script = true };

	return ep_module_add(trace, &module, out_idx);
}

static int grow_module_ids(struct ep_trace_process *process, uint32_t id)
{
	while (process->n_module_ids <= id) {
		if (EP_ARRAY_RESERVE(
			    process->module_idx, process->n_module_ids, process->module_capacity))
			return -ENOMEM;
		process->module_idx[process->n_module_ids++] = EP_NONE;
	}
	return 0;
}

/* Ids count from 1. A larger id than this comes from damage. */
#define MODULE_ID_MAX (1u << 20)

/* Tells whether a module is the code that the kernel maps into every process: linux-vdso.so.1,
 * linux-vdso64.so.1 or linux-gate.so.1. */
static bool is_vdso(const struct ep_module *module)
{
	static const char *const beginnings[] = { "linux-vdso", "linux-gate" };
	const size_t size = sizeof("linux-vdso") - 1;

	for (size_t i = 0; i < EP_ARRAY_SIZE(beginnings); i++)
		if (module->path_size > size && !memcmp(module->path, beginnings[i], size))
			return true;
	return false;
}

/* Returns the absolute path of a module whose path is relative, as the dynamic loader gets it from
 * dlopen("./x.so") or LD_LIBRARY_PATH=../lib. It is taken as relative to the folder in which the program
 * began. */
static const char *keep_relative_path(
	struct ep_trace *trace, const char *folder, const struct ep_module *module)
{
	EP_AUTOFREE char *path = NULL;
	const char *rest = module->path;
	size_t rest_size = module->path_size;
	int size;

	while (rest_size > 2 && rest[0] == '.' && rest[1] == '/') {
		rest += 2;
		rest_size -= 2;
	}
	size = asprintf(&path, "%s/%.*s", folder[1] ? folder : "", (int)rest_size, rest);
	if (size < 0) {
		path = NULL;
		return NULL;
	}
	return ep_strings_add(&trace->strings, path, (size_t)size);
}

static const char *keep_path(struct ep_trace *trace, const struct ep_trace_process *process,
	const struct ep_module *module)
{
	const char *folder = process->meta[EP_META_CWD];

	if (is_vdso(module))
		return ep_strings_add(&trace->strings, EP_VDSO, sizeof(EP_VDSO) - 1);
	if (module->path_size && module->path[0] != '/' && folder && folder[0] == '/')
		return keep_relative_path(trace, folder, module);
	return ep_strings_add(&trace->strings, module->path, module->path_size);
}

static int take_module(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_module *module)
{
	struct ep_module_info info = { 0 };

	if (!module->id || module->id > MODULE_ID_MAX)
		return -EBADMSG;
	info.path = keep_path(trace, process, module);
	if (!info.path || grow_module_ids(process, module->id))
		return -ENOMEM;
	if (!module->path_size)
		info.pid = process->key.pid;
	info.build_id_size = module->build_id_size < sizeof(info.build_id)
				     ? (uint32_t)module->build_id_size
				     : sizeof(info.build_id);
	memcpy(info.build_id, module->build_id, info.build_id_size);
	return ep_module_add(trace, &info, &process->module_idx[module->id]);
}

int ep_modules_take(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block)
{
	struct ep_module module;
	size_t at = 0;
	int rc;

	while ((rc = ep_modules_next(block, &at, &module)) == 1) {
		rc = take_module(trace, process, &module);
		if (rc)
			return rc;
	}
	return rc;
}

int ep_module_for(
	struct ep_trace *trace, struct ep_trace_process *process, uint32_t id, uint32_t *out_idx)
{
	struct ep_module_info unknown = { .pid = process->key.pid };

	if (id && id < process->n_module_ids && process->module_idx[id] != EP_NONE) {
		*out_idx = process->module_idx[id];
		return 0;
	}
	if (process->unknown_module_idx == EP_NONE) {
		unknown.path = ep_strings_add(&trace->strings, "", 0);
		if (!unknown.path || ep_module_add(trace, &unknown, &process->unknown_module_idx))
			return -ENOMEM;
	}
	*out_idx = process->unknown_module_idx;
	return 0;
}

static bool same_path(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_path *a = &((const struct ep_trace *)owner)->paths[idx], *b = key;

	return a->parent_idx == b->parent_idx && a->module_idx == b->module_idx &&
	       a->address == b->address && a->thread_number == b->thread_number;
}

/* A place is a piece of 256 bytes of code, since a loop takes some hundred bytes. */
#define PLACE_SHIFT 8

static void set_place(const struct ep_trace *trace, struct ep_path *path)
{
	const struct ep_path *caller =
		path->parent_idx == EP_NONE ? path : &trace->paths[path->parent_idx];

	path->site = ep_hash_mix(caller->module_idx, caller->address);
	path->place = ep_hash_mix(
		path->site, ep_hash_mix(path->module_idx, path->address >> PLACE_SHIFT));
}

static bool is_caller_replaced(const struct ep_trace *trace, const struct ep_path *path)
{
	return path->parent_idx != EP_NONE && trace->paths[path->parent_idx].is_replaced;
}

int ep_path_add(struct ep_trace *trace, const struct ep_path *path, uint32_t *out_idx)
{
	uint64_t hash =
		ep_hash_mix((uint64_t)path->parent_idx << 32 | path->module_idx, path->address);

	hash = ep_hash_mix(hash, path->thread_number);
	*out_idx = ep_index_find(&trace->path_index, hash, same_path, trace, path);
	if (*out_idx != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(trace->paths, trace->n_paths, trace->path_capacity) ||
		ep_index_add(&trace->path_index, hash, trace->n_paths))
		return -ENOMEM;
	*out_idx = trace->n_paths++;
	trace->paths[*out_idx] = *path;
	trace->paths[*out_idx].cost_idx = EP_NONE;
	trace->paths[*out_idx].kernel_path_idx = EP_NONE;
	trace->paths[*out_idx].last_rank_cost = EP_NONE;
	trace->paths[*out_idx].is_replaced =
		trace->knows_codes &&
		(is_caller_replaced(trace, path) || ep_path_is_replaced(trace, path));
	for (int k = 0; k < EP_N_PLACE_KINDS; k++)
		trace->paths[*out_idx].places[k] = EP_NONE;
	set_place(trace, &trace->paths[*out_idx]);
	return 0;
}

struct ep_path_cost *ep_path_cost_of(struct ep_trace *trace, uint32_t path_idx)
{
	struct ep_path *path = &trace->paths[path_idx];

	if (path->cost_idx != EP_NONE)
		return &trace->costs[path->cost_idx];
	if (EP_ARRAY_RESERVE(trace->costs, trace->n_costs, trace->cost_capacity))
		return NULL;
	path->cost_idx = trace->n_costs++;
	trace->costs[path->cost_idx] = (struct ep_path_cost){ 0 };
	return &trace->costs[path->cost_idx];
}

static int find_kernel(struct ep_trace *trace, uint32_t *out_idx)
{
	static const char name[] = "[kernel]";
	struct ep_module_info kernel = { .is_kernel = true };

	if (!trace->has_kernel) {
		kernel.path = ep_strings_add(&trace->strings, name, sizeof(name) - 1);
		if (!kernel.path || ep_module_add(trace, &kernel, &trace->kernel_idx))
			return -ENOMEM;
		trace->has_kernel = true;
	}
	*out_idx = trace->kernel_idx;
	return 0;
}

static int find_kernel_path(struct ep_trace *trace, uint32_t parent_idx, uint32_t *out_idx)
{
	struct ep_path path = { .parent_idx = parent_idx,
		.thread_number = trace->paths[parent_idx].thread_number };

	*out_idx = trace->paths[parent_idx].kernel_path_idx;
	if (*out_idx != EP_NONE)
		return 0;
	if (find_kernel(trace, &path.module_idx) || ep_path_add(trace, &path, out_idx))
		return -ENOMEM;
	trace->paths[parent_idx].kernel_path_idx = *out_idx;
	return 0;
}

int ep_kernel_cost_add(
	struct ep_trace *trace, uint32_t parent_idx, uint64_t us, uint32_t *out_path_idx)
{
	struct ep_path_cost *cost;

	if (find_kernel_path(trace, parent_idx, out_path_idx))
		return -ENOMEM;
	cost = ep_path_cost_of(trace, *out_path_idx);
	if (!cost)
		return -ENOMEM;
	cost->cost.cpu_us += us;
	cost->cost.hidden_us += us;
	cost->squares += (double)us * (double)us;
	return 0;
}
