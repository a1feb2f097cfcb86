// SPDX-License-Identifier: BSD-3-Clause
/* Keeps shared names (shared_names.h) as the symbols of an artificial trace that has only modules. A thread must hold
 * the lock while it uses them. */
#include "reporter/symbolize/shared_names.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/loader.h"

struct ep_shared_names {
	pthread_mutex_t lock;
	struct ep_trace *modules; /* a trace without paths and processes */
	struct ep_symbols *symbols;
};

struct ep_shared_names *ep_shared_names_create(const struct ep_symbols_options *options)
{
	struct ep_shared_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	pthread_mutex_init(&names->lock, NULL);
	names->modules = calloc(1, sizeof(*names->modules));
	if (names->modules)
		names->symbols = ep_symbols_create(names->modules, options);
	if (!names->symbols) {
		ep_shared_names_destroy(names);
		return NULL;
	}
	return names;
}

void ep_shared_names_destroy(struct ep_shared_names *names)
{
	if (!names)
		return;
	ep_symbols_destroy(names->symbols);
	ep_trace_destroy(names->modules);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

void ep_shared_names_lock(struct ep_shared_names *names)
{
	pthread_mutex_lock(&names->lock);
}

void ep_shared_names_unlock(struct ep_shared_names *names)
{
	pthread_mutex_unlock(&names->lock);
}

int ep_shared_names_module(
	struct ep_shared_names *names, const struct ep_module_info *module, uint32_t *out_idx)
{
	struct ep_module_info own = *module;

	own.path = ep_strings_add(&names->modules->strings, module->path, strlen(module->path));
	return own.path ? ep_module_add(names->modules, &own, out_idx) : -ENOMEM;
}

struct ep_symbols *ep_shared_names_symbols(const struct ep_shared_names *names)
{
	return names->symbols;
}
