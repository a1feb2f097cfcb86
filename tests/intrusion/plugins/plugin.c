/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of two libraries for the probes of dlopen. PLUGIN_NAME is the library's letter. */
#include "probe.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_int *n_loaded;

EXPORT int plugin_open_other(void);
EXPORT int plugin_work(int n_levels);
EXPORT void plugin_count_in(atomic_int *count);

/* Returns 7 if a library in the same folder is found by its short name, else -1. */
EXPORT int plugin_open_other(void)
{
	void *other = dlopen("libprobe_plugin_b.so", RTLD_NOW);

	burn_us(300);
	if (!other)
		return -1;
	dlclose(other);
	return 7;
}

EXPORT __attribute__((noinline)) int plugin_work(int n_levels)
{
	if (n_levels > 0)
		return plugin_work(n_levels - 1) + 1;
	burn_us(400);
	return PLUGIN_NAME;
}

EXPORT void plugin_count_in(atomic_int *count)
{
	n_loaded = count;
}

__attribute__((destructor)) static void unload(void)
{
	if (n_loaded)
		++*n_loaded;
}
