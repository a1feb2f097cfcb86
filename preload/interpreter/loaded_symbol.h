/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A symbol that a loaded module exports, looked up in its hash table (DT_GNU_HASH) as the loader does.
 * Signal handlers: the module may be unloaded meanwhile, so that every word is read through the
 * kernel.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_LOADED_SYMBOL_H
#define EVPROF_PRELOAD_INTERPRETER_LOADED_SYMBOL_H

#include "peek.h"

/* The tables of one module. */
struct ep_symbol_tables {
	uint64_t bias;
	uint64_t hash, symbols, strings;
};

/* start: where its file is mapped. false: it has no such tables. */
bool ep_symbol_tables_find(
	struct ep_peek *peek, uint64_t start, uint64_t bias, struct ep_symbol_tables *out);

struct ep_loaded_symbol {
	uint64_t address, size_bytes;
};

/* false: the module does not define it. */
bool ep_loaded_symbol_find(struct ep_peek *peek, const struct ep_symbol_tables *tables,
	const char *name, struct ep_loaded_symbol *out);

#endif
