/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of code in files that several threads ask for, each for traces of its own: a file's symbols are read
 * once, and an address is looked up once. A lock lets one thread at a time ask.
 */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SHARED_NAMES_H
#define EVPROF_REPORTER_SYMBOLIZE_SHARED_NAMES_H

#include "reporter/symbolize/symbolize.h"

struct ep_shared_names;

/* options as for ep_symbols_create; what they point to lasts as long. NULL when out of memory. */
struct ep_shared_names *ep_shared_names_create(const struct ep_symbols_options *options);
/* Accepts NULL. */
void ep_shared_names_destroy(struct ep_shared_names *names);

void ep_shared_names_lock(struct ep_shared_names *names);
void ep_shared_names_unlock(struct ep_shared_names *names);

/* With the lock held: the number here of a trace's module, which is of a file. 0 or -ENOMEM. */
int ep_shared_names_module(struct ep_shared_names *names, const struct ep_module_info *module,
	uint32_t *out_idx) EP_MUST_CHECK;
/* For use with the lock held. */
struct ep_symbols *ep_shared_names_symbols(const struct ep_shared_names *names);

#endif
