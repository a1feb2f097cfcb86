/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares the names of code in files between threads that read different traces. A file's symbols are read once, and an
 * address is looked up once. A lock lets one thread at a time use the names.
 */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SHARED_NAMES_H
#define EVPROF_REPORTER_SYMBOLIZE_SHARED_NAMES_H

#include "reporter/symbolize/symbolize.h"

struct ep_shared_names;

/* Creates shared names. The options are as for ep_symbols_create; the text that they point to must live as long as the
 * names. NULL: there is no memory. */
struct ep_shared_names *ep_shared_names_create(const struct ep_symbols_options *options);
/* Destroys the names; accepts NULL. */
void ep_shared_names_destroy(struct ep_shared_names *names);

void ep_shared_names_lock(struct ep_shared_names *names);
void ep_shared_names_unlock(struct ep_shared_names *names);

/* Finds or adds a module of a trace, which must have a file; *out_idx is its index among the shared modules. The
 * caller holds the lock. Returns 0 or -ENOMEM. */
int ep_shared_names_module(struct ep_shared_names *names, const struct ep_module_info *module,
	uint32_t *out_idx) EP_MUST_CHECK;
/* Returns the shared symbols, which only the holder of the lock may use. */
struct ep_symbols *ep_shared_names_symbols(const struct ep_shared_names *names);

#endif
