/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries are loaded and unloaded hundreds of times, mostly at the same addresses. Meanwhile threads work in them,
 * and another thread walks the list of loaded libraries.
 */
#include "probe.h"

#include <dlfcn.h>
#include <link.h>

enum { N_ROUNDS = 400 };

static atomic_int stop, n_unloaded;

static int count_one(struct dl_phdr_info *info, size_t size, void *count)
{
	++*(int *)count;
	return 0;
}

static void *walk(void *unused)
{
	while (!stop) {
		int n_loaded = 0;

		dl_iterate_phdr(count_one, &n_loaded);
		EXPECT(n_loaded > 2);
		burn_us(50);
	}
	return NULL;
}

static void *call(void *work)
{
	return (void *)(intptr_t)((int (*)(int))work)(10);
}

static void load_use_unload(const char *name, int expected)
{
	void *library = dlopen(name, RTLD_NOW), *result;
	void (*count_in)(atomic_int *);
	pthread_t thread;
	int (*work)(int);

	EXPECT_MSG(library != NULL, "%s", dlerror());
	if (!library)
		return;
	*(void **)&work = dlsym(library, "plugin_work");
	*(void **)&count_in = dlsym(library, "plugin_count_in");
	count_in(&n_unloaded);
	pthread_create(&thread, NULL, call, work);
	EXPECT_INT(work(10), expected + 10);
	pthread_join(thread, &result);
	EXPECT_INT((intptr_t)result, expected + 10);
	EXPECT_INT(dlclose(library), 0);
}

int main(void)
{
	pthread_t walker;

	pthread_create(&walker, NULL, walk, NULL);
	for (int i = 0; i < N_ROUNDS; i++) {
		load_use_unload("libprobe_plugin_a.so", 'a');
		EXPECT_INT(n_unloaded, 2 * i + 1);
		load_use_unload("libprobe_plugin_b.so", 'b');
		EXPECT_INT(n_unloaded, 2 * i + 2);
	}
	stop = 1;
	pthread_join(walker, NULL);
	return probe_end();
}
