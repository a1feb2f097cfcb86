// SPDX-License-Identifier: BSD-3-Clause
/* symbolize.h: every address once, every procedure once. One thread. */
#include "reporter/symbolize/symbolize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/script_lines.h"
#include "reporter/symbolize/symbolize_private.h"

struct symbol_module {
	bool is_open;
	enum ep_module_status status;
	struct ep_object *object;
	struct ep_perf_map *perf_map;
	enum ep_map_status map_status;
};

/* An address that was resolved: its frames in the one array. */
struct place {
	uint32_t module_idx;
	uint64_t address;
	uint32_t first_frame, n_frames;
	uint32_t loop_idx; /* LOOP_NOT_ASKED, EP_NONE */
	enum { NOT_ASKED, WAITS, WORKS } doing;
};

#define LOOP_NOT_ASKED (EP_NONE - 1)

struct ep_symbols {
	struct ep_trace *trace;
	struct ep_symbols_options options;
	struct symbol_module
		*modules; /* (n_modules) by the trace's index; more when they are asked for */
	uint32_t n_modules;
	struct ep_symbol *symbols;
	const char **link_names; /* (n_symbols) what they are told apart by */
	uint32_t n_symbols, symbol_capacity, link_name_capacity;
	struct ep_index symbol_index;
	struct place *places;
	uint32_t n_places, place_capacity;
	struct ep_index place_index;
	struct ep_frame *frames;
	uint32_t n_frames, frame_capacity;
	struct ep_loop_places loops;
};

const char *ep_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* While a trace is read it gets more of them. */
static int grow_modules(struct ep_symbols *symbols)
{
	uint32_t n = symbols->trace->n_modules;
	struct symbol_module *bigger;

	if (symbols->modules && n <= symbols->n_modules)
		return 0;
	bigger = realloc(symbols->modules, (n + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + symbols->n_modules, 0, (n + 1 - symbols->n_modules) * sizeof(*bigger));
	symbols->modules = bigger;
	symbols->n_modules = n;
	return 0;
}

struct ep_symbols *ep_symbols_create(
	struct ep_trace *trace, const struct ep_symbols_options *options)
{
	struct ep_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	/* libdw would ask the network for what is not here. */
	unsetenv("DEBUGINFOD_URLS");
	symbols->trace = trace;
	symbols->options = *options;
	if (grow_modules(symbols)) {
		free(symbols);
		return NULL;
	}
	return symbols;
}

void ep_symbols_destroy(struct ep_symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->n_modules; i++) {
		ep_object_destroy(symbols->modules[i].object);
		ep_perf_map_destroy(symbols->modules[i].perf_map);
	}
	free(symbols->modules);
	free(symbols->symbols);
	free(symbols->link_names);
	free(symbols->places);
	free(symbols->frames);
	ep_index_finish(&symbols->symbol_index);
	ep_index_finish(&symbols->place_index);
	ep_loop_places_finish(&symbols->loops);
	free(symbols);
}

const struct ep_symbol *ep_symbols_get(const struct ep_symbols *symbols, uint32_t symbol_idx)
{
	return &symbols->symbols[symbol_idx];
}

/* Compilers' own headers lie beside the system's: /usr/lib/gcc/x86_64-linux-gnu/12/include. */
bool ep_symbol_is_of_headers(const struct ep_symbol *symbol)
{
	static const char *const files[] = { "/usr/include/", "/usr/lib/gcc/" };
	static const char *const spaces[] = { "std::", "__gnu_cxx::" };

	for (size_t i = 0; symbol->file && i < EP_ARRAY_SIZE(files); i++)
		if (!strncmp(symbol->file, files[i], strlen(files[i])))
			return true;
	for (size_t i = 0; i < EP_ARRAY_SIZE(spaces); i++)
		if (!strncmp(symbol->short_name, spaces[i], strlen(spaces[i])))
			return true;
	return false;
}

uint32_t ep_symbols_count(const struct ep_symbols *symbols)
{
	return symbols->n_symbols;
}

enum ep_module_status ep_symbols_module_status(
	const struct ep_symbols *symbols, uint32_t module_idx)
{
	return module_idx < symbols->n_modules ? symbols->modules[module_idx].status
					       : EP_MODULE_UNSEEN;
}

enum ep_map_status ep_symbols_map_status(const struct ep_symbols *symbols, uint32_t module_idx)
{
	return module_idx < symbols->n_modules ? symbols->modules[module_idx].map_status
					       : EP_MAP_NONE;
}

/* ---- modules ---- */

static void open_map(const struct ep_symbols *symbols, uint32_t pid, struct symbol_module *module)
{
	struct ep_map_question question = {
		.sysroot = symbols->options.sysroot,
		.pid = pid,
		.reader_uid = geteuid(),
		.max_bytes = EP_MAP_MAX_BYTES,
		.trace_uid = symbols->trace->reader.owner_uid,
		.run_start_ns = symbols->options.run_start_ns,
	};

	module->perf_map = ep_perf_map_open(&question, &module->map_status);
}

static struct symbol_module *open_module(struct ep_symbols *symbols, uint32_t module_idx)
{
	const struct ep_module_info *info = &symbols->trace->modules[module_idx];
	struct symbol_module *module = &symbols->modules[module_idx];
	struct ep_object_question question = {
		.path = info->path,
		.build_id = info->build_id,
		.build_id_size = info->build_id_size,
		.sysroot = symbols->options.sysroot,
		.run_start_ns = symbols->options.run_start_ns,
		.keep = symbols->options.keep,
	};

	if (module->is_open)
		return module;
	module->is_open = true;
	if (info->is_script)
		module->status = EP_MODULE_FOUND;
	else if (info->path[0])
		module->object = ep_object_open(&question, &module->status);
	else
		module->status = EP_MODULE_NO_FILE;
	if (!info->path[0] && !info->is_script)
		open_map(symbols, info->pid, module);
	return module;
}

/* ---- symbols ---- */

struct symbol_key {
	uint32_t module_idx;
	const char *link_name, *file; /* interned */
};

static bool same_symbol(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_symbols *symbols = owner;
	const struct symbol_key *b = key;

	return symbols->link_names[idx] == b->link_name &&
	       symbols->symbols[idx].module_idx == b->module_idx &&
	       symbols->symbols[idx].file == b->file;
}

static const char *keep(struct ep_symbols *symbols, const char *text)
{
	return ep_strings_add(&symbols->trace->strings, text, strlen(text));
}

/* The demangled form, or the name itself. */
static const char *keep_readable(struct ep_symbols *symbols, const char *name, bool with_parameters)
{
	EP_AUTOFREE char *readable = ep_demangle(name, with_parameters);

	return readable ? keep(symbols, readable) : name;
}

/* "java.lang.Object java.util.TreeMap.put(java.lang.Object)" to "java.util.TreeMap.put"; other
 * names as they are. */
static const char *keep_java(struct ep_symbols *symbols, const char *name)
{
	const char *blank = strchr(name, ' '), *open = strchr(name, '(');

	if (!blank || !open || blank + 1 >= open ||
		strcspn(blank + 1, " :/") < (size_t)(open - blank - 1) ||
		name[strlen(name) - 1] != ')')
		return name;
	return ep_strings_add(&symbols->trace->strings, blank + 1, open - blank - 1);
}

static int append_symbol(struct ep_symbols *symbols, const struct ep_symbol *symbol,
	const char *link_name, uint64_t hash)
{
	if (ep_array_reserve((void **)&symbols->symbols, symbols->n_symbols,
		    &symbols->symbol_capacity, sizeof(*symbol)) ||
		ep_array_reserve((void **)&symbols->link_names, symbols->n_symbols,
			&symbols->link_name_capacity, sizeof(*symbols->link_names)) ||
		ep_index_add(&symbols->symbol_index, hash, symbols->n_symbols))
		return -ENOMEM;
	symbols->link_names[symbols->n_symbols] = link_name;
	symbols->symbols[symbols->n_symbols++] = *symbol;
	return 0;
}

/* symbol->name is the linkage name on entry. */
static int add_symbol(struct ep_symbols *symbols, struct ep_symbol *symbol, uint32_t *out_idx)
{
	const char *link_name = keep(symbols, symbol->name);
	struct symbol_key key = { symbol->module_idx, link_name, symbol->file };
	uint64_t hash = ep_hash_mix((uintptr_t)link_name, symbol->module_idx);

	hash = ep_hash_mix(hash, (uintptr_t)symbol->file);
	if (!link_name)
		return -ENOMEM;
	*out_idx = ep_index_find(&symbols->symbol_index, hash, same_symbol, symbols, &key);
	if (*out_idx != EP_NONE) {
		symbols->symbols[*out_idx].is_inlined &= symbol->is_inlined;
		return 0;
	}
	symbol->name = keep_readable(symbols, link_name, true);
	symbol->short_name = keep_readable(symbols, link_name, false);
	if (symbol->module_idx == EP_NONE && symbol->short_name == link_name)
		symbol->short_name = keep_java(symbols, link_name);
	if (!symbol->name || !symbol->short_name)
		return -ENOMEM;
	*out_idx = symbols->n_symbols;
	return append_symbol(symbols, symbol, link_name, hash);
}

int ep_symbols_add(struct ep_symbols *symbols, const struct ep_symbol *symbol, uint32_t *out_idx)
{
	struct ep_symbol own = *symbol;
	size_t size = ep_name_without_parameters(symbol->name);

	own.name = keep(symbols, symbol->name);
	own.file = symbol->file ? keep(symbols, symbol->file) : NULL;
	if (!own.name || (symbol->file && !own.file))
		return -ENOMEM;
	if (add_symbol(symbols, &own, out_idx))
		return -ENOMEM;
	symbols->symbols[*out_idx].name = own.name;
	if (!size)
		return 0;
	own.short_name = ep_strings_add(&symbols->trace->strings, symbol->name, size);
	if (own.short_name)
		symbols->symbols[*out_idx].short_name = own.short_name;
	return own.short_name ? 0 : -ENOMEM;
}

static int add_frame(struct ep_symbols *symbols, const struct ep_frame *frame)
{
	if (ep_array_reserve((void **)&symbols->frames, symbols->n_frames, &symbols->frame_capacity,
		    sizeof(*frame)))
		return -ENOMEM;
	symbols->frames[symbols->n_frames++] = *frame;
	return 0;
}

/* ---- addresses ---- */

/* Python's modules have their platform in their names: _umath.cpython-311-x86_64-linux-gnu.so. */
static int name_bytes(const char *base)
{
	const char *platform = strstr(base, ".cpython-");

	return platform && platform > base ? (int)(platform - base) : (int)strlen(base);
}

/* Names code that has no name by the procedure's start where the unwinding tables give it, else by
 * the module. */
static enum ep_symbol_kind name_unknown(struct ep_symbols *symbols,
	const struct symbol_module *module, const struct place *place, char *out, size_t size)
{
	const struct ep_module_info *info = &symbols->trace->modules[place->module_idx];
	const char *base = ep_trace_module_name(symbols->trace, place->module_idx);
	uint64_t start = UINT64_MAX;

	if (module->object)
		start = ep_object_procedure_start(module->object, place->address);
	if (!info->path[0]) {
		snprintf(out, size, "[code made at run time]");
		return EP_SYMBOL_RUN_TIME;
	}
	if (start != UINT64_MAX) {
		snprintf(out, size, "%.*s+0x%" PRIx64, name_bytes(base), base, start);
		return EP_SYMBOL_NAMELESS;
	}
	snprintf(out, size, base[0] == '[' ? "%s" : "[%s]", base);
	return info->is_kernel ? EP_SYMBOL_KERNEL : EP_SYMBOL_MODULE;
}

/* exp@plt: the program's way to a library's exp, as other tools write it. */
static bool name_stub(const struct symbol_module *module, uint64_t address, char *out, size_t size)
{
	const char *target = module->object ? ep_object_stub_target(module->object, address) : NULL;
	EP_AUTOFREE char *readable = target ? ep_demangle(target, false) : NULL;

	if (target)
		snprintf(out, size, "%s@plt", readable ? readable : target);
	return target != NULL;
}

static int add_unknown(
	struct ep_symbols *symbols, const struct symbol_module *module, const struct place *place)
{
	struct ep_symbol symbol = { .module_idx = place->module_idx };
	struct ep_frame frame = { 0 };
	char text[512];

	/* Code without a file is the same in every process if its name is. */
	if (!symbols->trace->modules[place->module_idx].path[0])
		symbol.module_idx = EP_NONE;
	symbol.name = module->perf_map ? ep_perf_map_name(module->perf_map, place->address) : NULL;
	if (!symbol.name && name_stub(module, place->address, text, sizeof(text)))
		symbol.name = text;
	symbol.is_known = symbol.name;
	if (!symbol.name) {
		symbol.kind = name_unknown(symbols, module, place, text, sizeof(text));
		symbol.name = text;
	}
	if (add_symbol(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

static int add_known(
	struct ep_symbols *symbols, uint32_t module_idx, const struct ep_raw_frame *raw)
{
	struct ep_symbol symbol = {
		.name = raw->name,
		.module_idx = module_idx,
		.line = raw->decl_line > 0 ? (uint32_t)raw->decl_line : 0,
		.is_known = true,
		.is_inlined = raw->is_inlined,
	};
	struct ep_frame frame = { .line = raw->line > 0 ? (uint32_t)raw->line : 0 };

	if (raw->decl_file)
		symbol.file = keep(symbols, raw->decl_file);
	if (raw->file)
		frame.file = keep(symbols, raw->file);
	if ((raw->decl_file && !symbol.file) || (raw->file && !frame.file))
		return -ENOMEM;
	if (add_symbol(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

/* Time without a call path. */
static int add_nowhere(struct ep_symbols *symbols, struct place *place)
{
	struct ep_symbol symbol = { .module_idx = EP_NONE };
	struct ep_frame frame = { 0 };

	place->first_frame = symbols->n_frames;
	place->n_frames = 1;
	symbol.kind = place->address ? EP_SYMBOL_LOST : EP_SYMBOL_TAIL;
	symbol.name = place->address ? "[call path lost]" : "[ended before the next sample]";
	if (add_symbol(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

/* main.py:simulate */
static int add_script(struct ep_symbols *symbols, const struct place *place)
{
	const struct ep_scripts *scripts = &symbols->trace->scripts;
	const struct ep_script *script = &scripts->rows[ep_script_of_place(place->address)];
	struct ep_symbol symbol = {
		.module_idx = place->module_idx,
		.file = script->file,
		.line = script->first_line,
		.is_known = true,
	};
	struct ep_frame frame = { .file = script->file };
	EP_AUTOFREE char *name = NULL;

	if (asprintf(&name, "%s:%s", ep_base_name(script->file), script->name) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	symbol.name = name;
	frame.line = ep_script_line(script, ep_script_offset_of_place(place->address));
	if (add_symbol(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

static int resolve_new(struct ep_symbols *symbols, struct place *place)
{
	struct ep_raw_frame frames[EP_MAX_INLINED];
	struct symbol_module *module;
	uint32_t n;
	int rc = 0;

	if (place->module_idx == EP_NONE)
		return add_nowhere(symbols, place);
	if (grow_modules(symbols))
		return -ENOMEM;
	module = open_module(symbols, place->module_idx);
	if (symbols->trace->modules[place->module_idx].is_script) {
		place->first_frame = symbols->n_frames;
		place->n_frames = 1;
		return add_script(symbols, place);
	}
	n = module->object ? ep_object_frames(module->object, place->address, frames) : 0;
	place->first_frame = symbols->n_frames;
	for (uint32_t i = 0; i < n && !rc; i++)
		if (frames[i].name)
			rc = add_known(symbols, place->module_idx, &frames[i]);
	if (!rc && symbols->n_frames == place->first_frame)
		rc = add_unknown(symbols, module, place);
	place->n_frames = symbols->n_frames - place->first_frame;
	return rc;
}

static bool same_place(const void *owner, uint32_t idx, const void *key)
{
	const struct place *a = &((const struct ep_symbols *)owner)->places[idx], *b = key;

	return a->module_idx == b->module_idx && a->address == b->address;
}

static int find_place(struct ep_symbols *symbols, struct place *place, uint32_t *out_idx)
{
	uint64_t hash = ep_hash_mix(place->module_idx, place->address);

	*out_idx = ep_index_find(&symbols->place_index, hash, same_place, symbols, place);
	if (*out_idx != EP_NONE)
		return 0;
	if (resolve_new(symbols, place) ||
		ep_array_reserve((void **)&symbols->places, symbols->n_places,
			&symbols->place_capacity, sizeof(*place)) ||
		ep_index_add(&symbols->place_index, hash, symbols->n_places))
		return -ENOMEM;
	*out_idx = symbols->n_places++;
	place->loop_idx = LOOP_NOT_ASKED;
	symbols->places[*out_idx] = *place;
	return 0;
}

int ep_symbols_resolve(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, const struct ep_frame **out_frames, uint32_t *out_n_frames)
{
	struct place place = { .module_idx = module_idx,
		.address = address - (is_return && address) };
	uint32_t idx;

	if (find_place(symbols, &place, &idx))
		return -ENOMEM;
	*out_frames = symbols->frames + symbols->places[idx].first_frame;
	*out_n_frames = symbols->places[idx].n_frames;
	return 0;
}

bool ep_symbols_waits(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address)
{
	struct place place = { .module_idx = module_idx, .address = address };
	const struct symbol_module *module;
	uint32_t idx;

	if (module_idx == EP_NONE || find_place(symbols, &place, &idx))
		return false;
	if (symbols->places[idx].doing == NOT_ASKED) {
		module = open_module(symbols, module_idx);
		symbols->places[idx].doing =
			module->object && ep_object_waits(module->object, address) ? WAITS : WORKS;
	}
	return symbols->places[idx].doing == WAITS;
}

/* ---- loops ---- */

static int find_loop(struct ep_symbols *symbols, const struct place *place, uint32_t *out_idx)
{
	const struct symbol_module *module = open_module(symbols, place->module_idx);
	struct ep_loop_question question = {
		.symbols = symbols,
		.strings = &symbols->trace->strings,
		.object = module->object,
		.module_idx = place->module_idx,
	};

	*out_idx = EP_NONE;
	if (!module->object)
		return 0;
	return ep_loop_places_find(&symbols->loops, &question, place->address, out_idx);
}

int ep_symbols_loop(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, uint32_t *out_loop_idx)
{
	struct place place = { .module_idx = module_idx,
		.address = address - (is_return && address) };
	uint32_t idx;
	int rc = 0;

	if (find_place(symbols, &place, &idx))
		return -ENOMEM;
	place.loop_idx = symbols->places[idx].loop_idx;
	if (module_idx == EP_NONE)
		place.loop_idx = EP_NONE;
	if (place.loop_idx == LOOP_NOT_ASKED)
		rc = find_loop(symbols, &place, &place.loop_idx);
	if (rc)
		return rc;
	symbols->places[idx].loop_idx = *out_loop_idx = place.loop_idx;
	return 0;
}

const struct ep_loop_place *ep_symbols_loop_get(const struct ep_symbols *symbols, uint32_t loop_idx)
{
	return &symbols->loops.rows[loop_idx];
}

uint32_t ep_symbols_count_loops(const struct ep_symbols *symbols)
{
	return symbols->loops.n_rows;
}
