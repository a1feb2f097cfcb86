/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks up a symbol that a loaded module exports in the module's hash table (DT_GNU_HASH), as the loader does. Runs in
 * signal handlers. The module may be unloaded in the meantime, so every word is read through the kernel.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_LOADED_SYMBOL_H
#define EVPROF_PRELOAD_INTERPRETER_LOADED_SYMBOL_H

#include "peek.h"

/* The tables of one module. */
struct ep_symbol_tables {
	uint64_t bias;
	uint64_t hash, symbols, strings;
};

/* Finds a module's tables. start: the address at which its file is mapped. Returns false where it has no such tables. */
bool ep_symbol_tables_find(
	struct ep_peek *peek, uint64_t start, uint64_t bias, struct ep_symbol_tables *out);

struct ep_loaded_symbol {
	uint64_t address, size_bytes;
};

/* Returns false where the module does not define the symbol. */
bool ep_loaded_symbol_find(struct ep_peek *peek, const struct ep_symbol_tables *tables,
	const char *name, struct ep_loaded_symbol *out);

#endif
