// SPDX-License-Identifier: BSD-3-Clause
/* Keeps the symbols (symbolize.h). Each address is resolved once, and each procedure is kept once. Only one thread at
 * a time may use the symbols. */
#include "reporter/symbolize/symbolize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/symbolize/script_lines.h"
#include "reporter/symbolize/symbolize_private.h"

int ep_symbols_grow_modules(struct ep_symbols *symbols)
{
	uint32_t n = symbols->trace->n_modules;
	struct ep_symbol_module *bigger;

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

void ep_symbols_stay_offline(void)
{
	unsetenv("DEBUGINFOD_URLS");
}

struct ep_symbols *ep_symbols_create(
	struct ep_trace *trace, const struct ep_symbols_options *options)
{
	struct ep_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->trace = trace;
	symbols->options = *options;
	if (ep_symbols_grow_modules(symbols)) {
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

/* A compiler's own headers are not in /usr/include but, for example, in /usr/lib/gcc/x86_64-linux-gnu/12/include. */
bool ep_symbol_is_of_headers(const struct ep_symbol *symbol)
{
	/* packages of Rust and of Cargo are sources that are compiled into a program, as headers are */
	static const char *const files[] = { "/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-",
		"/rustc/", "/rust/deps/" };
	static const char *const spaces[] = { "std::", "__gnu_cxx::" };

	for (size_t i = 0; symbol->file && i < EP_ARRAY_SIZE(files); i++)
		if (!strncmp(symbol->file, files[i], strlen(files[i])))
			return true;
	if (symbol->file && strstr(symbol->file, "/.cargo/registry/"))
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

static void open_map(
	const struct ep_symbols *symbols, uint32_t pid, struct ep_symbol_module *module)
{
	struct ep_map_question question = {
		.sysroot = symbols->options.sysroot,
		.pid = pid,
		.reader_uid = geteuid(),
		.max_bytes = EP_MAP_MAX_BYTES,
		.trace_uid = symbols->trace->reader.owner_uid,
		.run_start_ns = symbols->options.run_start_ns,
	};
	const struct ep_kept_map *kept = ep_kept_map_of(&symbols->trace->kept_maps, pid);

	if (kept && (kept->text || kept->is_shared))
		question.kept = kept;

	module->perf_map = ep_perf_map_open(&question, &module->map_status);
}

struct ep_symbol_module *ep_symbols_open_module(struct ep_symbols *symbols, uint32_t module_idx)
{
	const struct ep_module_info *info = &symbols->trace->modules[module_idx];
	struct ep_symbol_module *module = &symbols->modules[module_idx];
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
	const char *link_name, *file; /* interned strings */
};

static bool same_symbol(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_symbols *symbols = owner;
	const struct symbol_key *b = key;

	return symbols->link_names[idx] == b->link_name &&
	       symbols->symbols[idx].module_idx == b->module_idx &&
	       symbols->symbols[idx].file == b->file;
}

const char *ep_symbols_keep(struct ep_symbols *symbols, const char *text)
{
	return ep_strings_add(&symbols->trace->strings, text, strlen(text));
}

/* Returns the demangled name, or the name itself where it is not mangled. */
static const char *keep_readable(struct ep_symbols *symbols, const char *name, bool with_parameters)
{
	EP_AUTOFREE char *readable = ep_demangle(name, with_parameters);

	return readable ? ep_symbols_keep(symbols, readable) : name;
}

/* Returns "java.util.TreeMap.put" for "Ljava/util/TreeMap;put(Ljava/lang/Object;)V", which perf's agent writes.
 * NULL: the name has another form, or there is no memory. */
static const char *keep_java_signature(struct ep_symbols *symbols, const char *name)
{
	const char *semicolon = strchr(name, ';'), *open = strchr(name, '(');
	EP_AUTOFREE char *text = NULL;

	if (name[0] != 'L' || !semicolon || !open || semicolon > open || strchr(name, ' ') ||
		!strchr(open, ')'))
		return NULL;
	text = strndup(name + 1, open - name - 1);
	if (!text)
		return NULL;
	for (char *c = text; *c; c++)
		if (*c == '/' || *c == ';')
			*c = '.';
	return ep_symbols_keep(symbols, text);
}

/* Returns "java.util.TreeMap.put" for "java.lang.Object java.util.TreeMap.put(java.lang.Object)"; other names are
 * returned unchanged. */
static const char *keep_java(struct ep_symbols *symbols, const char *name)
{
	const char *blank = strchr(name, ' '), *open = strchr(name, '(');
	const char *of_signature = keep_java_signature(symbols, name);

	if (of_signature)
		return of_signature;
	if (!blank || !open || blank + 1 >= open ||
		strcspn(blank + 1, " :/") < (size_t)(open - blank - 1) ||
		name[strlen(name) - 1] != ')')
		return name;
	return ep_strings_add(&symbols->trace->strings, blank + 1, open - blank - 1);
}

static int append_symbol(struct ep_symbols *symbols, const struct ep_symbol *symbol,
	const char *link_name, uint64_t hash)
{
	if (EP_ARRAY_RESERVE(symbols->symbols, symbols->n_symbols, symbols->symbol_capacity) ||
		EP_ARRAY_RESERVE(
			symbols->link_names, symbols->n_symbols, symbols->link_name_capacity) ||
		ep_index_add(&symbols->symbol_index, hash, symbols->n_symbols))
		return -ENOMEM;
	symbols->link_names[symbols->n_symbols] = link_name;
	symbols->symbols[symbols->n_symbols++] = *symbol;
	return 0;
}

/* On entry symbol->name is the linkage name. */
int ep_symbols_intern(struct ep_symbols *symbols, struct ep_symbol *symbol, uint32_t *out_idx)
{
	const char *link_name = ep_symbols_keep(symbols, symbol->name);
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
	EP_AUTOFREE char *short_name = ep_name_shorten(symbol->name);

	own.name = ep_symbols_keep(symbols, symbol->name);
	own.file = symbol->file ? ep_symbols_keep(symbols, symbol->file) : NULL;
	if (!own.name || (symbol->file && !own.file))
		return -ENOMEM;
	if (ep_symbols_intern(symbols, &own, out_idx))
		return -ENOMEM;
	symbols->symbols[*out_idx].name = own.name;
	if (!short_name)
		return 0;
	own.short_name = ep_symbols_keep(symbols, short_name);
	if (own.short_name)
		symbols->symbols[*out_idx].short_name = own.short_name;
	return own.short_name ? 0 : -ENOMEM;
}
