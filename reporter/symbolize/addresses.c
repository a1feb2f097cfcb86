// SPDX-License-Identifier: BSD-3-Clause
/* Resolves addresses: finds the frames of each, whether its code only waits, and the loop that it is in. Only one
 * thread at a time may use these functions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/loops/loop_access.h"
#include "reporter/symbolize/script_lines.h"
#include "reporter/symbolize/symbolize_private.h"

static int add_frame(struct ep_symbols *symbols, const struct ep_frame *frame)
{
	if (EP_ARRAY_RESERVE(symbols->frames, symbols->n_frames, symbols->frame_capacity))
		return -ENOMEM;
	symbols->frames[symbols->n_frames++] = *frame;
	return 0;
}

/* Returns the size of a module's name without the platform that names of Python's extension modules have, as in
 * _umath.cpython-311-x86_64-linux-gnu.so. */
static int name_bytes(const char *base)
{
	const char *platform = strstr(base, ".cpython-");

	return platform && platform > base ? (int)(platform - base) : (int)strlen(base);
}

/* Makes a name for code that has none: from the procedure's start if the unwinding tables give it, else from the
 * module. */
static enum ep_symbol_kind name_unknown(struct ep_symbols *symbols,
	const struct ep_symbol_module *module, const struct ep_address *place, char *out,
	size_t size)
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

/* Names a stub of the linkage table as other tools do: exp@plt is the program's stub for a library's exp. Returns
 * false if there is no stub at the address. */
static bool name_stub(
	const struct ep_symbol_module *module, uint64_t address, char *out, size_t size)
{
	const char *target = module->object ? ep_object_stub_target(module->object, address) : NULL;
	EP_AUTOFREE char *readable = target ? ep_demangle(target, false) : NULL;

	if (target)
		snprintf(out, size, "%s@plt", readable ? readable : target);
	return target != NULL;
}

/* Names code that the program made at run time and described in its jitdump. Returns false if the jitdump does not
 * have the code. */
static bool name_made(struct ep_symbols *symbols, const struct ep_address *place,
	struct ep_symbol *symbol, struct ep_frame *frame)
{
	const struct ep_module_info *info = &symbols->trace->modules[place->module_idx];
	struct ep_kept_map *kept =
		info->path[0] ? NULL : ep_kept_map_of(&symbols->trace->kept_maps, info->pid);
	const struct ep_made_row *row =
		kept && !kept->is_shared ? ep_made_codes_find(&kept->codes, place->address) : NULL;
	const struct ep_made_place *line =
		row ? ep_made_codes_line(&kept->codes, row, place->address) : NULL;

	if (!row)
		return false;
	symbol->name = row->name;
	if (line)
		*frame = (struct ep_frame){ .file = line->file, .line = line->line };
	return true;
}

static int add_unknown(struct ep_symbols *symbols, const struct ep_symbol_module *module,
	const struct ep_address *place)
{
	struct ep_symbol symbol = { .module_idx = place->module_idx };
	struct ep_frame frame = { 0 };
	char text[512];

	/* Code without a file is taken for the same in every process if its name is the same. */
	if (!symbols->trace->modules[place->module_idx].path[0])
		symbol.module_idx = EP_NONE;
	if (!name_made(symbols, place, &symbol, &frame))
		symbol.name = module->perf_map ? ep_perf_map_name(module->perf_map,
							 ep_made_address(place->address))
					       : NULL;
	if (!symbol.name && name_stub(module, place->address, text, sizeof(text)))
		symbol.name = text;
	symbol.is_known = symbol.name;
	if (!symbol.name) {
		symbol.kind = name_unknown(symbols, module, place, text, sizeof(text));
		symbol.name = text;
	}
	if (ep_symbols_intern(symbols, &symbol, &frame.symbol_idx))
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
		symbol.file = ep_symbols_keep(symbols, raw->decl_file);
	if (raw->file)
		frame.file = ep_symbols_keep(symbols, raw->file);
	if ((raw->decl_file && !symbol.file) || (raw->file && !frame.file))
		return -ENOMEM;
	if (ep_symbols_intern(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

/* Adds a frame for time that has no address: the call path was lost, or the thread ended before its next sample. */
static int add_nowhere(struct ep_symbols *symbols, struct ep_address *place)
{
	struct ep_symbol symbol = { .module_idx = EP_NONE };
	struct ep_frame frame = { 0 };

	place->first_frame = symbols->n_frames;
	place->n_frames = 1;
	symbol.kind = place->address ? EP_SYMBOL_LOST : EP_SYMBOL_TAIL;
	symbol.name = place->address ? "[call path lost]" : "[ended before the next sample]";
	if (ep_symbols_intern(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

/* Returns a Python function's name: "main.py:simulate", or "main.py:__init__ (line 40)" where functions of one name
 * begin at several lines of the file. The caller frees it. NULL: no memory. */
static char *name_of_script(const struct ep_scripts *scripts, uint32_t idx)
{
	const struct ep_script *script = &scripts->rows[idx];
	const char *file = ep_base_name(script->file);
	char *name = NULL;
	int size =
		ep_script_needs_line(scripts, idx)
			? asprintf(&name, "%s:%s (line %u)", file, script->name, script->first_line)
			: asprintf(&name, "%s:%s", file, script->name);

	return size < 0 ? NULL : name;
}

/* Adds the frame of a Python function. */
static int add_script(struct ep_symbols *symbols, const struct ep_address *place)
{
	const struct ep_scripts *scripts = &symbols->trace->scripts;
	uint32_t script_idx = ep_script_of_place(place->address);
	const struct ep_script *script = &scripts->rows[script_idx];
	struct ep_symbol symbol = {
		.module_idx = place->module_idx,
		.file = script->file,
		.line = script->first_line,
		.is_known = true,
	};
	struct ep_frame frame = { .file = script->file };
	EP_AUTOFREE char *name = name_of_script(scripts, script_idx);

	if (!name)
		return -ENOMEM;
	symbol.name = name;
	frame.line = ep_script_line(script, ep_script_offset_of_place(place->address));
	if (ep_symbols_intern(symbols, &symbol, &frame.symbol_idx))
		return -ENOMEM;
	return add_frame(symbols, &frame);
}

static int resolve_new(struct ep_symbols *symbols, struct ep_address *place)
{
	struct ep_raw_frame frames[EP_MAX_INLINED];
	struct ep_symbol_module *module;
	uint32_t n;
	int rc = 0;

	if (place->module_idx == EP_NONE)
		return add_nowhere(symbols, place);
	if (ep_symbols_grow_modules(symbols))
		return -ENOMEM;
	module = ep_symbols_open_module(symbols, place->module_idx);
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
	const struct ep_address *a = &((const struct ep_symbols *)owner)->places[idx], *b = key;

	return a->module_idx == b->module_idx && a->address == b->address;
}

static int find_place(struct ep_symbols *symbols, struct ep_address *place, uint32_t *out_idx)
{
	uint64_t hash = ep_hash_mix(place->module_idx, place->address);

	*out_idx = ep_index_find(&symbols->place_index, hash, same_place, symbols, place);
	if (*out_idx != EP_NONE)
		return 0;
	if (resolve_new(symbols, place) ||
		EP_ARRAY_RESERVE(symbols->places, symbols->n_places, symbols->place_capacity) ||
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
	struct ep_address place = { .module_idx = module_idx,
		.address = address - (is_return && address) };
	uint32_t idx;

	if (find_place(symbols, &place, &idx))
		return -ENOMEM;
	*out_frames = symbols->frames + symbols->places[idx].first_frame;
	*out_n_frames = symbols->places[idx].n_frames;
	return 0;
}

/* Returns the place at an address, after its member doing was found out; NULL: there is none, or no memory. */
static const struct ep_address *judged_place(
	struct ep_symbols *symbols, uint32_t module_idx, uint64_t address)
{
	struct ep_address place = { .module_idx = module_idx, .address = address };
	struct ep_object *object;
	uint32_t idx;

	if (module_idx == EP_NONE || find_place(symbols, &place, &idx))
		return NULL;
	if (symbols->places[idx].doing == NOT_ASKED) {
		object = ep_symbols_open_module(symbols, module_idx)->object;
		symbols->places[idx].doing = object && ep_object_waits(object, address) ? WAITS
					     : object && ep_object_is_behind_call(object, address)
						     ? CALLS
						     : WORKS;
	}
	return &symbols->places[idx];
}

bool ep_symbols_waits(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address)
{
	const struct ep_address *place = judged_place(symbols, module_idx, address);

	return place && place->doing == WAITS;
}

bool ep_symbols_is_behind_call(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address)
{
	const struct ep_address *place = judged_place(symbols, module_idx, address);

	return place && place->doing == CALLS;
}

/* Returns the name without the number that compilers append to static variables of functions with equal names, as
 * in "lock.1". The caller frees it; NULL: there is no memory. */
static char *without_number(const char *name)
{
	size_t n = strlen(name), n_kept = n;

	while (n_kept && name[n_kept - 1] >= '0' && name[n_kept - 1] <= '9')
		n_kept--;
	return strndup(name, n_kept > 1 && n_kept < n && name[n_kept - 1] == '.' ? n_kept - 1 : n);
}

int ep_symbols_variable(
	struct ep_symbols *symbols, uint32_t module_idx, uint64_t address, const char **out_name)
{
	const struct ep_symbol_module *module;
	EP_AUTOFREE char *plain = NULL, *readable = NULL, *text = NULL;
	const char *name;
	uint64_t offset = address;
	int size;

	*out_name = NULL;
	if (ep_symbols_grow_modules(symbols))
		return -ENOMEM;
	module = ep_symbols_open_module(symbols, module_idx);
	if (!module->object)
		return 0;
	name = ep_object_variable(module->object, address, &offset);
	plain = name ? without_number(name) : NULL;
	if (name && !plain)
		return -ENOMEM;
	readable = plain ? ep_demangle(plain, false) : NULL;
	name = readable ? readable
	       : plain  ? plain
			: ep_trace_module_name(symbols->trace, module_idx);
	size = offset ? asprintf(&text, "%s+0x%" PRIx64, name, offset)
		      : asprintf(&text, "%s", name);
	if (size < 0) {
		text = NULL;
		return -ENOMEM;
	}
	*out_name = ep_symbols_keep(symbols, text);
	return *out_name ? 0 : -ENOMEM;
}

/* ---- loops ---- */

static int find_loop(struct ep_symbols *symbols, const struct ep_address *place,
	struct ep_loop_cursor *cursor, uint32_t *out_idx)
{
	const struct ep_symbol_module *module = ep_symbols_open_module(symbols, place->module_idx);
	struct ep_loop_question question = {
		.symbols = symbols,
		.strings = &symbols->trace->strings,
		.object = module->object,
		.module_idx = place->module_idx,
	};

	*out_idx = LOOP_UNSEARCHED;
	if (!module->object)
		return 0;
	return ep_loop_places_find(&symbols->loops, &question, place->address, cursor, out_idx);
}

int ep_symbols_loop(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, uint32_t *out_loop_idx)
{
	struct ep_address place = { .module_idx = module_idx,
		.address = address - (is_return && address) };
	struct ep_loop_cursor cursor = { 0 };
	uint32_t idx;
	int rc = 0;

	if (find_place(symbols, &place, &idx))
		return -ENOMEM;
	place.loop_idx = symbols->places[idx].loop_idx;
	if (module_idx == EP_NONE)
		place.loop_idx = LOOP_UNSEARCHED;
	if (place.loop_idx == LOOP_NOT_ASKED)
		rc = find_loop(symbols, &place, &cursor, &place.loop_idx);
	if (rc)
		return rc;
	if (place.loop_idx == LOOP_UNSEARCHED) {
		const struct ep_frame *innermost =
			&symbols->frames[symbols->places[idx].first_frame];

		symbols->symbols[innermost->symbol_idx].is_unsearched = true;
		place.loop_idx = EP_NONE;
	}
	symbols->places[idx].loop_idx = *out_loop_idx = place.loop_idx;
	return 0;
}

int ep_symbols_loop_near(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_loop_cursor *cursor, uint32_t *out_loop_idx, bool *out_is_searched)
{
	struct ep_address place = { .module_idx = module_idx, .address = address };
	int rc = ep_symbols_grow_modules(symbols);

	if (!rc)
		rc = find_loop(symbols, &place, cursor, out_loop_idx);
	if (rc)
		return rc;
	*out_is_searched = *out_loop_idx != LOOP_UNSEARCHED;
	if (!*out_is_searched)
		*out_loop_idx = EP_NONE;
	return 0;
}

void ep_symbols_set_unsearched(struct ep_symbols *symbols, uint32_t symbol_idx)
{
	symbols->symbols[symbol_idx].is_unsearched = true;
}

const struct ep_loop_place *ep_symbols_loop_get(const struct ep_symbols *symbols, uint32_t loop_idx)
{
	return &symbols->loops.rows[loop_idx];
}

uint32_t ep_symbols_count_loops(const struct ep_symbols *symbols)
{
	return symbols->loops.n_rows;
}

bool ep_symbols_code(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_procedure_code *out)
{
	const struct ep_symbol_module *module;

	if (module_idx == EP_NONE || ep_symbols_grow_modules(symbols))
		return false;
	module = ep_symbols_open_module(symbols, module_idx);
	return module->object && ep_object_code(module->object, address, out);
}

enum ep_access ep_symbols_loop_access(struct ep_symbols *symbols, uint32_t loop_idx)
{
	const struct ep_loop_place *loop = ep_symbols_loop_get(symbols, loop_idx);
	struct ep_procedure_code code;
	enum ep_access access;

	if (!ep_symbols_code(symbols, loop->module_idx, loop->head, &code) ||
		ep_access_of_loop(&code, loop->head, &access))
		return EP_ACCESS_UNKNOWN;
	return access;
}
