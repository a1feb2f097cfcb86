/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks up a symbol that a loaded module exports in the module's hash table (DT_GNU_HASH), as the loader does. Runs in
 * signal handlers. The module may be unloaded in the meantime, so every word is read through the kernel.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_LOADED_SYMBOL_H
#define EVPROF_PRELOAD_INTERPRETER_LOADED_SYMBOL_H

#include "peek.h"

/* The addresses of one module's tables. bias: what the loader has added to the addresses in the module's file. */
struct ep_symbol_tables {
	uint64_t bias;
	uint64_t hash, symbols, strings;
};

/* Finds a module's tables. start: the address at which the beginning of the module's file is mapped. Returns false if
 * the module has no such tables. */
bool ep_symbol_tables_find(
	struct ep_peek *peek, uint64_t start, uint64_t bias, struct ep_symbol_tables *out);

struct ep_loaded_symbol {
	uint64_t address, size_bytes;
};

/* Looks up a symbol. Returns false if the module does not define it. */
bool ep_loaded_symbol_find(struct ep_peek *peek, const struct ep_symbol_tables *tables,
	const char *name, struct ep_loaded_symbol *out);

#endif
