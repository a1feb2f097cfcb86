// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the loaded modules by address, and numbers them for the trace. The search and the numbering run in signal
 * handlers; see modules.h.
 */
#include "modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "common/os/large.h"
#include "common/os/loader.h"
#include "common/os/sys.h"

#define MAX_MODULES 4096
#define PATHS_BYTES (1 << 20)
#define MAX_BUILD_ID_BYTES 32
#define MAX_AT_ONCE 100 /* the most modules of a block; other modules come in later blocks */

struct loaded_module {
	uint64_t start, end, bias;
	uint64_t time_us;
	const char *path; /* the path's copy is in paths */
	uint32_t path_size;
	uint32_t build_id_size;
	uint8_t build_id[MAX_BUILD_ID_BYTES];
};

/* The modules with a number: entry i has number i + 1. An entry is filled under the lock, and n_modules grows after
 * that, so that readers need no lock. */
static struct loaded_module *modules;
static char *paths;
static size_t paths_used_bytes;
static _Atomic uint32_t n_modules;
static _Atomic int numbering_lock;
static uint32_t n_written, n_appended;

/* ---- lookup ---- */

struct module_extent {
	uint64_t start, end;
};

static struct module_extent extent_of(uint64_t bias)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	struct module_extent extent = { UINT64_MAX, 0 };

	for (uint64_t i = 0; headers && i < getauxval(AT_PHNUM); i++) {
		uint64_t at = bias + headers[i].p_vaddr, end = at + headers[i].p_memsz;

		if (headers[i].p_type != PT_LOAD)
			continue;
		extent.start = at < extent.start ? at & ~4095ull : extent.start;
		extent.end = end > extent.end ? end : extent.end;
	}
	return extent;
}

/* Extends a range in the main program to the whole program. If there are gaps between the program's segments (node has
 * one), the loader returns only the segment around the address. But the unwind tables and the file's beginning, which
 * are needed too, lie in other segments. Libraries have no gaps. */
static void take_whole_program(struct ep_code_range *range)
{
	static _Atomic uint64_t known_start, known_end;
	const struct link_map *map = range->link_map;

	if (!map || !map->l_name || map->l_name[0])
		return;
	if (!atomic_load_explicit(&known_end, memory_order_acquire)) {
		struct module_extent extent = extent_of(map->l_addr);

		atomic_store_explicit(&known_start, extent.start, memory_order_relaxed);
		atomic_store_explicit(&known_end, extent.end, memory_order_release);
	}
	if (range->start < known_start || range->end > known_end)
		return;
	range->start = known_start;
	range->end = known_end;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

static bool ask_loader(uint64_t address, struct ep_code_range *out)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found))
		return false;
	out->start = (uint64_t)found.dlfo_map_start;
	out->end = (uint64_t)found.dlfo_map_end;
	out->eh_frame_header = found.dlfo_eh_frame;
	out->link_map = found.dlfo_link_map;
	take_whole_program(out);
	return true;
}

static bool can_ask_loader(void)
{
	return _dl_find_object != NULL;
}
#else
static bool ask_loader(uint64_t address, struct ep_code_range *out)
{
	(void)address, (void)out;
	return false;
}

static bool can_ask_loader(void)
{
	return false;
}
#endif

/* A list of the modules, for a libc without _dl_find_object. There are two snapshots, so that handlers read one while
 * the other is filled. */
struct snapshot {
	uint32_t n_ranges;
	struct ep_code_range ranges[MAX_MODULES / 2];
	uint64_t biases[MAX_MODULES / 2];
	const char *names[MAX_MODULES / 2];
};

static struct snapshot *snapshots;
static _Atomic int current_snapshot;

static int add_to_snapshot(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct snapshot *snapshot = argument;
	struct ep_code_range range = { .start = UINT64_MAX };

	(void)size;
	if (snapshot->n_ranges == MAX_MODULES / 2)
		return 1;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_GNU_EH_FRAME)
			range.eh_frame_header = (const uint8_t *)at;
		if (header->p_type != PT_LOAD)
			continue;
		range.start = at < range.start ? at & ~4095ull : range.start;
		range.end = at + header->p_memsz > range.end ? at + header->p_memsz : range.end;
	}
	snapshot->names[snapshot->n_ranges] = info->dlpi_name;
	snapshot->biases[snapshot->n_ranges] = info->dlpi_addr;
	snapshot->ranges[snapshot->n_ranges++] = range;
	return 0;
}

void ep_modules_refresh(void)
{
	int next;

	if (can_ask_loader())
		return;
	if (!snapshots)
		snapshots = ep_sys_map(2 * sizeof(*snapshots));
	if (!snapshots)
		return;
	next = !atomic_load(&current_snapshot);
	snapshots[next].n_ranges = 0;
	if (ep_loader_look(add_to_snapshot, &snapshots[next]))
		atomic_store(&current_snapshot, next);
}

static bool search_snapshot(
	uint64_t address, struct ep_code_range *out, uint64_t *out_bias, const char **out_name)
{
	const struct snapshot *snapshot;

	if (!snapshots)
		return false;
	snapshot = &snapshots[atomic_load(&current_snapshot)];
	for (uint32_t i = 0; i < snapshot->n_ranges; i++) {
		if (address < snapshot->ranges[i].start || address >= snapshot->ranges[i].end)
			continue;
		*out = snapshot->ranges[i];
		*out_bias = snapshot->biases[i];
		*out_name = snapshot->names[i];
		return true;
	}
	return false;
}

bool ep_modules_find_code(uint64_t address, struct ep_code_range *out_range)
{
	const char *name;
	uint64_t bias;

	if (can_ask_loader())
		return ask_loader(address, out_range);
	return search_snapshot(address, out_range, &bias, &name);
}

static bool describe(uint64_t address, struct ep_code_range *out_range, uint64_t *out_bias,
	const char **out_name)
{
	const struct link_map *map;

	if (!can_ask_loader())
		return search_snapshot(address, out_range, out_bias, out_name);
	if (!ask_loader(address, out_range))
		return false;
	map = out_range->link_map;
	*out_bias = map->l_addr;
	*out_name = map->l_name;
	return true;
}

/* ---- numbering ---- */

static void find_build_id(struct loaded_module *module)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)module->start;
	const ElfW(Phdr) * headers;

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phoff > 4096)
		return;
	headers = (const ElfW(Phdr) *)(module->start + elf->e_phoff);
	for (int i = 0; i < elf->e_phnum; i++) {
		const uint8_t *at = (const uint8_t *)(module->bias + headers[i].p_vaddr);
		const uint8_t *end = at + headers[i].p_memsz;

		if (headers[i].p_type != PT_NOTE || (uint64_t)at < module->start ||
			(uint64_t)end > module->end)
			continue;
		while (at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const uint8_t *id = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
				note->n_descsz <= MAX_BUILD_ID_BYTES &&
				id + note->n_descsz <= end) {
				memcpy(module->build_id, id, note->n_descsz);
				module->build_id_size = note->n_descsz;
				return;
			}
			at = id + ((note->n_descsz + 3) & ~3u);
		}
	}
}

static const char *keep_path(const char *path, uint32_t *out_size)
{
	size_t size = strlen(path);
	char *copy = paths + paths_used_bytes;

	if (size + 1 > PATHS_BYTES - paths_used_bytes)
		size = 0;
	memcpy(copy, path, size);
	copy[size] = '\0';
	paths_used_bytes += size ? size + 1 : 0;
	*out_size = size;
	return copy;
}

/* Replaces strcmp: this function runs in the handler, and the program may have its own strcmp. */
static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static uint32_t find_number(const struct ep_code_range *range, const char *path, uint32_t n_known)
{
	for (uint32_t i = n_known; i-- > 0;)
		if (modules[i].start == range->start && modules[i].end == range->end &&
			is_same(modules[i].path, path))
			return i + 1;
	return 0;
}

static bool map_tables(void)
{
	if (!modules)
		modules = ep_sys_map(MAX_MODULES * sizeof(*modules));
	if (!paths)
		paths = ep_sys_map(PATHS_BYTES);
	return modules && paths;
}

static uint32_t add_module(
	const struct ep_code_range *range, uint64_t bias, const char *path, uint64_t now_us)
{
	uint32_t n_known = atomic_load(&n_modules), number;
	struct loaded_module *module;

	if (!map_tables() || n_known == MAX_MODULES - 1)
		return 0;
	number = find_number(range, path, n_known);
	if (number)
		return number;
	module = &modules[n_known];
	*module = (struct loaded_module){
		.start = range->start, .end = range->end, .bias = bias, .time_us = now_us
	};
	module->path = keep_path(path, &module->path_size);
	find_build_id(module);
	atomic_store(&n_modules, n_known + 1);
	return n_known + 1;
}

/* Returns the main program's path. In the loader's list the main program's name is empty. */
static const char *program_path(void)
{
	static EP_LARGE char path[4096];
	long size;

	if (!path[0]) {
		size = ep_sys_readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[size > 0 ? size : 0] = '\0';
	}
	return path;
}

uint32_t ep_modules_number(uint64_t address, uint64_t now_us, uint64_t *out_bias)
{
	struct ep_code_range range;
	const char *path;
	uint32_t number;

	if (!describe(address, &range, out_bias, &path))
		return 0;
	while (atomic_exchange(&numbering_lock, 1))
		ep_sys(__NR_sched_yield);
	if (!path || !path[0])
		path = program_path();
	number = add_module(&range, *out_bias, path, now_us);
	atomic_store(&numbering_lock, 0);
	return number;
}

uint32_t ep_modules_count(void)
{
	return atomic_load_explicit(&n_modules, memory_order_acquire);
}

bool ep_modules_place(uint32_t number, uint64_t *out_start, uint64_t *out_bias)
{
	if (!number || number > ep_modules_count())
		return false;
	*out_start = modules[number - 1].start;
	*out_bias = modules[number - 1].bias;
	return true;
}

static void append_module(struct ep_wire *wire, uint32_t idx)
{
	const struct loaded_module *module = &modules[idx];

	ep_wire_u(wire, idx + 1);
	ep_wire_u(wire, module->start);
	ep_wire_u(wire, module->end);
	ep_wire_u(wire, module->bias);
	ep_wire_u(wire, module->time_us);
	ep_wire_string(wire, module->path, module->path_size);
	ep_wire_string(wire, module->build_id, module->build_id_size);
}

uint32_t ep_modules_append(struct ep_wire *wire, struct ep_process_key key)
{
	uint32_t n_known = atomic_load(&n_modules), n_new;
	size_t at;

	if (n_known - n_written > MAX_AT_ONCE)
		n_known = n_written + MAX_AT_ONCE;
	n_new = n_known - n_written;
	n_appended = n_known;
	if (!n_new)
		return 0;
	at = ep_block_start(wire, EP_BLOCK_MODULES, key);
	ep_wire_u(wire, n_new);
	for (uint32_t i = n_written; i < n_known; i++)
		append_module(wire, i);
	ep_block_finish(wire, at);
	return n_new;
}

void ep_modules_written(void)
{
	n_written = n_appended;
}

void ep_modules_reset(void)
{
	atomic_store(&n_modules, 0);
	atomic_store(&numbering_lock, 0);
	paths_used_bytes = 0;
	n_written = n_appended = 0;
}
